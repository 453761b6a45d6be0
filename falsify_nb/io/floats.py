"""Decimal numbers of a whole column at once, each rounded to the double nearest to its text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.io.words import KEEP, Ints, Words, read_digits

__all__ = ["parse_floats"]

Floats = npt.NDArray[np.float64]

# Powers of ten up to 10**22 are exact as doubles; integers below 10**18 fit an int64.
_MAX_DIGITS = 18
_TENS = np.array([10**n for n in range(_MAX_DIGITS + 1)], dtype=np.int64)
_SPLIT = float(2**27 + 1)
_U = np.uint64


def parse_floats(block: bytes, words: Words, starts: Ints, lengths: Ints) -> Floats | None:
    """Return the numbers that fields spell, or None if one of them spells none.

    Parameters
    ----------
    block : bytes
        The text that the fields stand in.
    words : numpy.ndarray of uint64
        `word_view` of it.
    starts, lengths : numpy.ndarray of int, shape (n_fields,)
        The fields.

    Returns
    -------
    numpy.ndarray of float, shape (n_fields,), or None
        The same as float() gives, which also reads what is not sign, digits and a point, or
        has more than eighteen digits.
    """
    lead = np.frombuffer(block, dtype=np.uint8)[starts]
    is_negative = lead == ord("-")
    signed = (is_negative | (lead == ord("+"))).astype(np.int64)
    mantissa, decimals, is_plain = _read_plain(words, starts + signed, lengths - signed)
    out = _quotient(mantissa, decimals, is_plain)
    np.negative(out, out=out, where=is_negative)
    odd = np.flatnonzero(~is_plain)
    if len(odd):
        fields = zip(starts[odd].tolist(), lengths[odd].tolist(), strict=True)
        texts = [block[a : a + n] for a, n in fields]
        # float() would read 1_000 as a thousand.
        if b"_" in b" ".join(texts):
            return None
        try:
            out[odd] = list(map(float, texts))
        except ValueError:
            return None
    return out


def _read_plain(
    words: Words, starts: Ints, lengths: Ints
) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return digits as one integer, how many follow the point, and where that is all there is."""
    first = words[starts] & KEEP[np.clip(lengths, 0, 8)]
    point = _first_point(first)
    has_point = point < 8
    whole_length = np.where(has_point, point, np.minimum(lengths, 8))
    decimals = np.where(has_point, lengths - point - 1, 0)
    is_plain = (whole_length + decimals > 0) & (decimals <= _MAX_DIGITS)
    is_plain &= has_point | (lengths <= 8)
    decimals = np.where(is_plain, decimals, 0)
    whole, is_digit = read_digits(first & KEEP[whole_length], whole_length)
    # Together no more digits than an int64 holds; a lone zero before the point is none.
    is_plain &= is_digit & ((whole == 0) | (whole_length + decimals <= _MAX_DIGITS))
    mantissa = np.where(is_plain, whole, 0)
    at = starts + whole_length + 1
    for skip in range(0, int(decimals.max(initial=0)), 8):
        size = np.clip(decimals - skip, 0, 8)
        word = words[np.minimum(at + skip, len(words) - 1)] & KEEP[size]
        part, is_digit = read_digits(word, size)
        is_plain &= is_digit
        mantissa = np.where(is_plain, mantissa * _TENS[size] + part, 0)
    return mantissa, decimals, is_plain


def _first_point(word: Words) -> Ints:
    """Return the position of the first "." in each word, 8 where there is none."""
    without = word ^ _U(0x2E2E2E2E2E2E2E2E)
    # The lowest zero byte leaves its high bit as the lowest bit that is set.
    zero = (without - _U(0x0101010101010101)) & ~without & _U(0x8080808080808080)
    lowest = zero & (~zero + _U(1))
    # A power of two is exact as a double, so its exponent is the bit's number.
    exponent = (lowest.astype(np.float64).view(np.int64) >> 52) - 1023
    return np.where(zero == 0, 8, exponent >> 3)


def _quotient(mantissa: Ints, decimals: Ints, is_plain: npt.NDArray[np.bool_]) -> Floats:
    """Return mantissa / 10**decimals rounded to nearest; unsure ones are marked as not plain."""
    divisor = _TENS[decimals].astype(np.float64)
    out = mantissa / divisor
    # Below 2**53 the integer is exact as a double, and a single division rounds only once.
    long = np.flatnonzero(mantissa >= 1 << 53)
    if len(long):
        value, is_sure = _long_quotient(mantissa[long], divisor[long])
        out[long] = value
        is_plain[long] &= is_sure
    return out


def _long_quotient(mantissa: Ints, divisor: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Divide in twice the precision (Dekker 1971), and say where the rounding is beyond doubt."""
    high = mantissa.astype(np.float64)
    low = (mantissa - high.astype(np.int64)).astype(np.float64)
    first = high / divisor
    product, error = _product(first, divisor)
    second = ((high - product) - error + low) / divisor
    total = first + second
    # What the last addition lost; close to half a unit, its own rounding could tip the balance.
    lost = np.abs(second - (total - first))
    unit = np.spacing(total)
    return total, np.abs(lost - unit / 2) > unit * 1e-6


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a·b as a double, and exactly what that rounding lost (Veltkamp's split)."""
    a_high, b_high = a * _SPLIT, b * _SPLIT
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error
