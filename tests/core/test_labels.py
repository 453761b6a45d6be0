"""Labels that are numbers behind a prefix say of ids what the same labels as strings say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from falsify_nb.core.labels import NumberedLabels, met, positions

PREFIXES = st.sampled_from(["", "d", "doc-", "00", "D1", "é_", "9"])
NUMBERS = st.lists(st.integers(0, 120), min_size=1, max_size=30, unique=True).map(sorted)
# Near relations of the labels, and texts that are none.
OTHERS = [
    "",
    "0",
    "00",
    "01",
    "d",
    "d1",
    "d01",
    "d+1",
    "d1.0",
    "D1",
    "9",
    "９",
    "d٣",
    "doc-1 ",
    "1" * 30,
]


def both(prefix, numbers):
    texts = np.array([f"{prefix}{n}" for n in numbers], dtype=object)
    return NumberedLabels(prefix, np.array(numbers, dtype=np.int64)), texts


@given(PREFIXES, NUMBERS)
def test_they_spell_their_ids(prefix, numbers):
    labels, texts = both(prefix, numbers)
    assert len(labels) == len(texts)
    assert labels.tolist() == list(labels) == texts.tolist()
    assert labels[0] == texts[0]
    assert labels[np.int64(-1)] == texts[-1]
    some = np.arange(0, len(texts), 2)
    assert labels[some].tolist() == texts[some].tolist()
    assert labels[:3].tolist() == texts[:3].tolist()
    assert labels[texts != texts[0]].tolist() == texts[1:].tolist()


@given(PREFIXES, NUMBERS, st.lists(st.integers(0, 120).map(str) | st.sampled_from(OTHERS)))
def test_they_meet_the_ids_that_strings_would(prefix, numbers, wanted):
    labels, texts = both(prefix, numbers)
    wanted += [f"{prefix}{w}" for w in wanted]
    position = {w: place for place, w in enumerate(wanted)}
    codes = np.arange(len(texts))
    assert met(labels, wanted) == met(texts, wanted) == set(wanted) & set(texts)
    np.testing.assert_array_equal(
        positions(labels, codes, position), [position.get(t, -1) for t in texts]
    )
    np.testing.assert_array_equal(
        positions(texts, codes[::-1], position), positions(labels, codes[::-1], position)
    )


@pytest.mark.parametrize("wanted", [[], ["d1"]])
def test_no_labels_meet_nothing(wanted):
    assert met(NumberedLabels("d", np.array([], dtype=np.int64)), wanted) == set()
