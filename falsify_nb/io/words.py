"""Short texts as 64-bit words: how ids are told apart, whole columns at once.

A field of a file is a start and a length in a block of bytes. Reading eight bytes at each start
as one little-endian word, and clearing those past the field's end, gives a number that is equal
for equal texts. Longer fields take several words.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsify_nb.core.labels import NumberedLabels
from falsify_nb.core.tables import IdColumn

__all__ = [
    "KEEP",
    "Ints",
    "Words",
    "code_decimals",
    "code_words",
    "join_words",
    "pack",
    "parse_decimals",
    "read_digits",
    "word_view",
]

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

# KEEP[n] keeps the first n bytes of a word, FILL[n] puts zeros ("0") before n right-aligned ones.
KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_ZEROS = 0x3030303030303030
_FILL = np.array([_ZEROS & ((1 << (8 * (8 - n))) - 1) for n in range(9)], dtype=np.uint64)
_SHIFT = np.array([8 * (8 - n) if n else 0 for n in range(9)], dtype=np.uint64)
_U = np.uint64
# A table of numbers may have so many places; beyond, sorting is leaner.
_PLACES_PER_VALUE = 12
_LEAST_PLACES = 1_000_000


def word_view(block: bytes) -> Words:
    """View every eight neighbouring bytes as a word, shape (len(block) − 7,)."""
    return np.ndarray((len(block) - 7,), dtype="<u8", buffer=block, strides=(1,))


def pack(words: Words, starts: Ints, lengths: Ints) -> Words:
    """Return each field's bytes as words, shape (n_fields, n_words), zero-padded."""
    width = (int(lengths.max(initial=1)) + 7) // 8
    # Word by word in memory, since each is filled and compared as a column of its own.
    out = np.zeros((width, len(starts)), dtype=np.uint64).T
    out[:, 0] = words[starts] & KEEP[np.minimum(lengths, 8)]
    for j in range(1, width):
        is_long = lengths > 8 * j
        rows = slice(None) if is_long.all() else np.flatnonzero(is_long)
        rest = np.minimum(lengths[rows] - 8 * j, 8)
        out[rows, j] = words[starts[rows] + 8 * j] & KEEP[rest]
    return out


def join_words(parts: list[Words]) -> Words:
    """Stack packed columns of unequal width, padding with zeros."""
    width = max(p.shape[1] for p in parts)
    if all(p.shape[1] == width for p in parts):
        return np.concatenate(parts)
    out = np.zeros((sum(len(p) for p in parts), width), dtype=np.uint64)
    at = 0
    for part in parts:
        out[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return out


def read_digits(first: Words, lengths: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Read up to eight digits from each left-aligned word; also say where all were digits.

    Three multiplications add up neighbouring digits, then pairs, then fours (Lemire 2018).
    """
    word = (first << _SHIFT[lengths]) | _FILL[lengths]
    word[lengths == 0] = _ZEROS
    high = word & _U(0xF0F0F0F0F0F0F0F0)
    is_digit = (high == _U(_ZEROS)) & (
        ((word + _U(0x0606060606060606)) & _U(0xF0F0F0F0F0F0F0F0)) == _U(_ZEROS)
    )
    word = word & _U(0x0F0F0F0F0F0F0F0F)
    word = (word * _U(2561)) >> _U(8)
    word = ((word & _U(0x00FF00FF00FF00FF)) * _U(6553601)) >> _U(16)
    word = ((word & _U(0x0000FFFF0000FFFF)) * _U(42949672960001)) >> _U(32)
    return word.astype(np.int64), is_digit


def parse_decimals(words: Words, starts: Ints, lengths: Ints, prefix: bytes = b"") -> Ints | None:
    """Return the numbers of ids that are a prefix and a decimal of at most eight digits.

    Parameters
    ----------
    words : numpy.ndarray of uint64
        `word_view` of the block.
    starts, lengths : numpy.ndarray of int, shape (n_fields,)
        The fields.
    prefix : bytes
        What each of them begins with.

    Returns
    -------
    numpy.ndarray of int, shape (n_fields,), or None
        None if one of them is none: only one spelling per number counts, without sign and
        leading zero, so that number and text agree.
    """
    digits = lengths - len(prefix)
    if int(digits.min()) < 1 or int(digits.max()) > 8:
        return None
    for j in range(0, len(prefix), 8):
        part = prefix[j : j + 8]
        wanted = _U(int.from_bytes(part, "little"))
        if ((words[starts + j] & KEEP[len(part)]) != wanted).any():
            return None
    first = words[starts + len(prefix)] & KEEP[digits]
    value, is_digit = read_digits(first, digits)
    has_leading_zero = ((first & _U(0xFF)) == _U(0x30)) & (digits > 1)
    return value if is_digit.all() and not has_leading_zero.any() else None


def code_words(packed: Words) -> IdColumn | None:
    """Code packed texts as an id column; None if two texts share a hash, which is next to never."""
    import pandas as pd

    if packed.shape[1] == 1:
        codes, keys = pd.factorize(packed[:, 0])
        first = keys.reshape(-1, 1)
    else:
        mixed = packed[:, 0].copy()
        for j in range(1, packed.shape[1]):
            mixed *= _U(0x9E3779B97F4A7C15)
            mixed ^= mixed >> _U(29)
            mixed += packed[:, j]
        mixed *= _U(0xBF58476D1CE4E5B9)
        codes, keys = pd.factorize(mixed)
        # Written backwards, the first row of each code is what stays.
        example = np.empty(len(keys), dtype=np.int64)
        example[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        first = packed[example]
        if any((first[codes, j] != packed[:, j]).any() for j in range(packed.shape[1])):
            return None
    return IdColumn(codes.astype(np.int64, copy=False), _texts(first))


def _texts(packed: Words) -> npt.NDArray[np.object_]:
    """Return packed texts as strings."""
    n, width = packed.shape
    raw = np.empty((n, 8 * width + 1), dtype=np.uint8)
    raw[:, :-1] = np.ascontiguousarray(packed.astype("<u8")).view(np.uint8).reshape(n, -1)
    raw[:, -1] = 10
    labels = np.empty(n, dtype=object)
    # No field holds a zero byte or a line end, so what is left after the padding splits cleanly.
    labels[:] = raw.tobytes().translate(None, b"\0").decode("utf-8").split("\n")[:-1]
    return labels


def code_decimals(values: Ints, prefix: str = "") -> IdColumn:
    """Code ids that are a prefix and a number, by a table where it is not much longer than they."""
    if int(values.max()) > _PLACES_PER_VALUE * len(values) + _LEAST_PLACES:
        distinct, codes = np.unique(values, return_inverse=True)
        return IdColumn(codes.astype(np.int64, copy=False), NumberedLabels(prefix, distinct))
    is_seen = np.zeros(int(values.max()) + 1, dtype=bool)
    is_seen[values] = True
    distinct = np.flatnonzero(is_seen)
    # Half the width, half the memory that the lookups jump about in.
    position = np.empty(len(is_seen), dtype=np.int32)
    position[distinct] = np.arange(len(distinct), dtype=np.int32)
    return IdColumn(position[values].astype(np.int64), NumberedLabels(prefix, distinct))
