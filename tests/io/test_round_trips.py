"""Any valid run or qrels, through each format and back, is identical."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsify_nb import read_qrels, read_run
from falsify_nb.errors import OptionError
from falsify_nb.io.columns import SPELLINGS, plain_name
from falsify_nb.io.write import WRITTEN_SUFFIXES, write_qrels, write_run

finite = st.floats(allow_nan=False, allow_infinity=False)
# Any text that may be an id at all, and such as every format can hold.
any_id = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
any_id = any_id.filter(lambda s: s == s.strip())
word = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1
).filter(lambda s: not s.startswith("#"))
PACKED = ["", ".gz", ".bz2", ".xz"]
ANY_ID = [".csv", ".json", ".jsonl", ".parquet"]


def spelled(role):
    return {name for group in SPELLINGS[role] for name in group}


DOC, NUMBER = spelled("doc"), spelled("score") | spelled("grade") | spelled("rank")


def is_clear(numbers):
    """Whether documents cannot be taken for the fields of one record, which is refused."""
    names = {plain_name(doc) for doc in numbers}
    return names.isdisjoint(DOC) or names.isdisjoint(NUMBER)


def scored(ids):
    return st.dictionaries(
        ids, st.dictionaries(ids, finite, min_size=1).filter(is_clear), min_size=1
    )


def ranked(ids):
    return st.dictionaries(ids, st.lists(ids, unique=True, min_size=1), min_size=1)


def back(write, read, table, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write(table, path)
        return read(path)


@pytest.mark.parametrize("suffix", ANY_ID)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_runs_with_any_ids(suffix, data):
    content = data.draw(scored(any_id))
    again = back(write_run, read_run, read_run(content), suffix)
    assert again.to_dict() == content
    assert again.score.tobytes() == read_run(content).score.tobytes()


@pytest.mark.parametrize("suffix", ANY_ID)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_rankings_with_any_ids(suffix, data):
    content = data.draw(ranked(any_id))
    again = back(write_run, read_run, read_run(content), suffix)
    assert again.score is None
    assert again.to_dict() == content


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("suffix", [".trec", ".txt", ".tsv"])
@settings(max_examples=10, deadline=None)
@given(content=scored(word))
def test_runs_in_text(suffix, packed, content):
    again = back(write_run, read_run, read_run(content), suffix + packed)
    assert again.to_dict() == content


@pytest.mark.parametrize("suffix", WRITTEN_SUFFIXES)
@settings(max_examples=10, deadline=None)
@given(content=scored(word))
def test_qrels(suffix, content):
    again = back(write_qrels, read_qrels, read_qrels(content), suffix)
    assert again.to_dict() == content


@settings(max_examples=20, deadline=None)
@given(content=ranked(word))
def test_a_ranking_in_a_trec_file_keeps_its_order(content):
    again = back(write_run, read_run, read_run(content), ".trec").to_dict()
    in_order = {q: sorted(docs, key=docs.get, reverse=True) for q, docs in again.items()}
    assert in_order == content


@settings(max_examples=20, deadline=None)
@given(content=scored(any_id))
def test_frames(content):
    rows = [(q, d, s) for q, docs in content.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    assert read_run(frame).to_dict() == content
    assert (
        read_run(pl.DataFrame(rows, schema=list(frame.columns), orient="row")).to_dict() == content
    )
    assert read_run(pa.Table.from_pylist(frame.to_dict("records"))).to_dict() == content
    assert read_run(rows).to_dict() == content
    assert read_run(frame.to_dict("records")).to_dict() == content
    renamed = frame.rename(columns={"score": "relevance"})
    assert read_qrels(renamed).to_dict() == content
    assert read_qrels(read_qrels(content).to_dict()).to_dict() == content


@pytest.mark.parametrize(
    ("content", "suffix", "says"),
    [
        ({"q": {"my doc": 1.0}}, ".trec", "'my doc'"),
        ({"#q": {"d": 1.0}}, ".trec", "'#q'"),
        ({"q": {"a\tb": 1.0}}, ".tsv", "quotes"),
        ({"q": {"d": 1.0}}, ".xlsx", r"\.parquet"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(content, suffix, says, tmp_path):
    with pytest.raises(OptionError, match=says):
        write_run(read_run(content), tmp_path / f"run{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_written_files_are_the_same_each_time(tmp_path):
    run = read_run({"q": {"d": 1.0}})
    for name in ("one.trec.gz", "two.trec.gz"):
        write_run(run, tmp_path / name)
    assert (tmp_path / "one.trec.gz").read_bytes()[10:] == (tmp_path / "two.trec.gz").read_bytes()[
        10:
    ]
