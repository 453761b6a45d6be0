"""Whatever comes in, only our own errors come out, and soon.

FALSIFY_NB_FUZZ multiplies the number of examples for a longer run.
"""

from __future__ import annotations

import io
import json
import os
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import FalsifyError

FACTOR = int(os.environ.get("FALSIFY_NB_FUZZ", "1"))
short = settings(
    max_examples=40 * FACTOR,
    deadline=5_000,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
READERS = {"run": read_run, "qrels": read_qrels, "corpus": read_corpus}

SEEDS = [
    b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n",
    b"q1\t0\td1\t1\r\nq1\t0\td2\t-1\r\n",
    b"# c\n\nq1 0 d1 1",
    b'qid,docno,score\nq1,a,1\nq1,"b",2\n',
    b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    b'{"query_id": "q", "retrieved": ["a"], "gold": "a", "rel": 1}\n{"query_id": "r"}\n',
    b'{"q1": {"a": 1.0, "b": [2]}}',
    b'[{"qid": "q", "docno": "d", "rank": 1, "score": null}]',
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc",
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00\x00",
    b"PAR1\x15\x04\x15",
    b"\xff\xfeq\x00",
    b"a\nb\tc\n",
]
PIECES = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b" ",
    b",",
    b'"',
    b"#",
    b"\x00",
    b"\xff",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"nan",
    b"inf",
    b"1e999",
    b"1_0",
    b"-",
    b".",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"null",
    b"NaN",
    b"true",
    b"q1",
    b"d1",
    b"qid",
    b"query_id",
    b"docno",
    b"score",
    b"rank",
    b"label",
    b"gold",
    b"retrieved",
    b"\x0b",
    b"\x1c",
    b"\xc2\xa0",
    b"99999999999999999999",
    b"0.1234567890123456789",
]


def survives(reader, source) -> None:
    with suppress(FalsifyError):
        reader(source)


@st.composite
def damaged(draw):
    """A valid file with pieces put in, taken out or doubled."""
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=3))
        end = draw(st.integers(at, min(len(data), at + 4)))
        data = data[:at] + piece * draw(st.integers(1, 2)) + data[end:]
    return data


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("errors", ["raise", "collect"])
@short
@given(data=damaged())
def test_damaged_files(kind, errors, data):
    survives(lambda source: READERS[kind](source, errors=errors), io.BytesIO(data))


@pytest.mark.parametrize("kind", READERS)
@short
@given(data=st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join) | st.binary(max_size=80))
def test_files_of_anything(kind, data):
    survives(READERS[kind], io.BytesIO(data))


scalar = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.binary(max_size=2),
    st.sampled_from([np.float32(1), np.int64(2), np.nan, pd.NA, pd.NaT, np.array(1), object()]),
)
key = st.one_of(
    st.text(max_size=3),
    st.integers(0, 3),
    st.sampled_from(
        [
            "query_id",
            "qid",
            "doc_id",
            "docno",
            "score",
            "rank",
            "label",
            "gold",
            "retrieved",
            None,
            1.5,
            True,
        ]
    ),
)
value = st.recursive(
    scalar,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.tuples(inner, inner, inner),
        st.dictionaries(key, inner, max_size=4),
        st.frozensets(st.text(max_size=2), max_size=2),
        st.builds(iter, st.lists(inner, max_size=3)),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("kind", READERS)
@short
@given(obj=value)
def test_objects_of_any_shape(kind, obj):
    survives(READERS[kind], obj)


@pytest.mark.parametrize("kind", READERS)
@short
@given(
    obj=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["qid", "docno", "score", "gold", "retrieved", "a", "q", "rel"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    )
)
def test_json_of_any_shape(kind, obj):
    survives(READERS[kind], io.StringIO(json.dumps(obj)))
    survives(READERS[kind], io.StringIO(f"{json.dumps(obj)}\n{json.dumps(obj)}\n"))


@pytest.mark.parametrize("kind", READERS)
@short
@given(
    columns=st.dictionaries(
        st.sampled_from(["qid", "docno", "score", "label", "rank", "text", 3]),
        st.lists(scalar, min_size=2, max_size=2),
        max_size=5,
    )
)
def test_frames_of_any_cells(kind, columns):
    survives(READERS[kind], pd.DataFrame(columns, dtype=object))
    survives(READERS[kind], pd.DataFrame(columns))
