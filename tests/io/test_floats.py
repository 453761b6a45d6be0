"""Numbers read a column at a time are those that float() reads."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext

import numpy as np
import pytest

from falsify_nb.io.floats import parse_floats
from falsify_nb.io.words import word_view


def parse(texts: list[str]):
    data = " ".join(texts).encode()
    lengths = np.array([len(t) for t in texts])
    starts = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
    block = data + b"\n" * 8
    return parse_floats(block, word_view(block), starts, lengths)


def halfway(rng: random.Random) -> str:
    """A text of up to 18 digits next to the middle of two neighbouring doubles."""
    low = rng.uniform(0.1, 1000)
    with localcontext() as context:
        context.prec = 60
        middle = (Decimal(low) + Decimal(float(np.nextafter(low, 1e9)))) / 2
        return f"{middle:.{rng.randrange(10, 16)}f}"


def texts(kind: str, n: int = 20_000) -> list[str]:
    rng = random.Random(kind)
    makers = {
        "shortest": lambda: repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-4, 6)),
        "six decimals": lambda: f"{rng.uniform(-50, 50):.6f}",
        "integers": lambda: str(rng.randrange(-(10 ** rng.randrange(1, 20)), 10**9)),
        "any digits": lambda: f"{rng.uniform(-1000, 1000):.{rng.randrange(0, 25)}f}",
        "exponents": lambda: (
            f"{rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300):.{rng.randrange(1, 20)}g}"
        ),
        "halfway": lambda: halfway(rng),
    }
    return [makers[kind]() for _ in range(n)]


@pytest.mark.parametrize(
    "kind", ["shortest", "six decimals", "integers", "any digits", "exponents", "halfway"]
)
def test_each_number_is_the_double_nearest_to_its_text(kind):
    given = texts(kind)
    expected = np.array([float(t) for t in given])
    assert parse(given).tobytes() == expected.tobytes()


def test_odd_spellings_are_read():
    given = ["5.", ".5", "+.5", "-0", "-0.0", "0", "00.10", "1e5", "1E-3", "12345678.", "+3"]
    assert parse(given).tolist() == [float(t) for t in given]
    assert np.signbit(parse(["-0.0"]))[0]


@pytest.mark.parametrize(
    "text",
    ["1_0", "abc", "-", "+", ".", "1,5", "--1", "1.2.3", "+-1", "1-2", "0x10", "1e", "e5", "-."],
)
def test_what_spells_no_number_is_left_to_the_line_reader(text):
    assert parse(["1.5", text, "2"]) is None
