"""Frames of every library: columns by name, ids as text, never changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import DuplicateError, ReadError, ScoreError

ROWS = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [1.0, 2.0, 0.5]}
READ = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 0.5}}
QIDS = pa.array(ROWS["qid"])


def pandas_frame(dtype: str) -> pd.DataFrame:
    return pd.DataFrame(ROWS).astype({"qid": dtype, "docno": dtype})


MAKERS = {
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas object": lambda: pandas_frame("object"),
    "pandas str": lambda: pandas_frame("str"),
    "pandas string": lambda: pandas_frame("string"),
    "pandas arrow": lambda: pandas_frame("string[pyarrow]"),
    "pandas category": lambda: pandas_frame("category"),
    "pandas float32": lambda: pd.DataFrame(ROWS).astype({"score": "float32"}),
    "pandas Float64": lambda: pd.DataFrame(ROWS).astype({"score": "Float64"}),
    "pandas arrow scores": lambda: pd.DataFrame(ROWS).astype({"score": "double[pyarrow]"}),
    "pandas object scores": lambda: pd.DataFrame(ROWS).astype({"score": object}),
    "index levels": lambda: pd.DataFrame(ROWS).set_index(["qid", "docno"]),
    "index level": lambda: pd.DataFrame(ROWS).set_index("docno"),
    "indexed series": lambda: pd.DataFrame(ROWS).set_index(["qid", "docno"])["score"],
    "odd index": lambda: pd.DataFrame(ROWS, index=[7, 7, -1]),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars lazy": lambda: pl.LazyFrame(ROWS),
    "polars categorical": lambda: pl.DataFrame(ROWS, schema_overrides={"qid": pl.Categorical}),
    "polars enum": lambda: pl.DataFrame(ROWS, schema_overrides={"docno": pl.Enum(["b", "a"])}),
    "polars float32": lambda: pl.DataFrame(ROWS, schema_overrides={"score": pl.Float32}),
    "arrow": lambda: pa.table(ROWS),
    "arrow batch": lambda: pa.RecordBatch.from_pydict(ROWS),
    "arrow dictionary": lambda: pa.table(
        {**ROWS, "qid": pa.array(ROWS["qid"]).dictionary_encode()}
    ),
    "arrow large text": lambda: pa.table({**ROWS, "qid": QIDS.cast(pa.large_string())}),
    "arrow chunks": lambda: pa.concat_tables([pa.table(ROWS).slice(0, 1), pa.table(ROWS).slice(1)]),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_run_is_read_from_every_kind_of_frame(kind):
    assert read_run(MAKERS[kind]()).to_dict() == READ


@pytest.mark.parametrize("kind", [k for k in MAKERS if k.startswith(("pandas", "polars", "arrow"))])
def test_qrels_are_read_from_every_kind_of_frame(kind):
    frame = MAKERS[kind]()
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table):
        frame = frame.rename_columns(["qid", "docno", "label"])
    elif isinstance(frame, pd.DataFrame):
        frame = frame.rename(columns={"score": "label"})
    else:
        frame = frame.rename({"score": "label"})
    assert read_qrels(frame).to_dict() == READ


@pytest.mark.parametrize(
    "dtype", ["int64", "int32", "uint8", "Int64", "int64[pyarrow]", "object", "category"]
)
def test_whole_numbers_become_their_decimal_text(dtype):
    frame = pd.DataFrame({"qid": [7, 7], "docno": [10, 9], "score": [1, 2]})
    frame = frame.astype({"qid": dtype, "docno": dtype})
    assert read_run(frame).to_dict() == {"7": {"10": 1.0, "9": 2.0}}


@pytest.mark.parametrize("maker", [pl.DataFrame, pa.table])
def test_whole_numbers_of_other_libraries_become_text(maker):
    frame = maker({"qid": [7, 7], "docno": [10, 9], "score": [1, 2]})
    assert read_run(frame).to_dict() == {"7": {"10": 1.0, "9": 2.0}}


def test_unused_categories_are_no_queries():
    frame = pd.DataFrame(ROWS)
    frame["qid"] = pd.Categorical(frame["qid"], categories=["q9", "q2", "q1", " bad "])
    run = read_run(frame)
    assert sorted(run.query.labels) == ["q1", "q2"]


@pytest.mark.parametrize(
    "names",
    [
        ("qid", "docno", "score"),
        ("query_id", "doc_id", "score"),
        ("query-id", "corpus-id", "score"),
        ("q_id", "doc_id", "score"),
        ("query", "docid", "score"),
        ("topic", "docno", "sim"),
        ("Query ID", "Doc.ID", "SCORE"),
        ("qid", "id", "similarity"),
    ],
)
def test_the_spellings_of_other_tools_are_known(names):
    frame = pd.DataFrame([["q1", "a", 1.0]], columns=list(names))
    assert read_run(frame).to_dict() == {"q1": {"a": 1.0}}


@pytest.mark.parametrize("grade", ["relevance", "label", "rel", "grade", "judgment"])
def test_grades_go_by_several_names(grade):
    frame = pd.DataFrame([["q1", "a", 2, 0.5]], columns=["query_id", "doc_id", grade, "score"])
    assert read_qrels(frame).to_dict() == {"q1": {"a": 2.0}}


def test_pyterriers_frames_are_read_by_docno_and_qid():
    frame = pd.DataFrame(
        {
            "qid": ["1", "1"],
            "docid": [5, 6],
            "docno": ["a", "b"],
            "rank": [0, 1],
            "score": [3.0, 2.0],
            "query": ["some words", "some words"],
        }
    )
    run = read_run(frame)
    assert run.to_dict() == {"1": {"a": 3.0, "b": 2.0}}
    assert run.rank.tolist() == [0, 1]


def test_beirs_judgments_call_the_grade_a_score():
    rows = {"query-id": ["q"], "corpus-id": ["d"], "score": [2]}
    assert read_qrels(pd.DataFrame(rows)).to_dict() == {"q": {"d": 2.0}}


def test_ranks_alone_make_a_ranking():
    frame = pd.DataFrame({"qid": ["q", "r", "q"], "docno": ["a", "x", "b"], "rank": [2, 1, 1]})
    run = read_run(frame)
    assert run.score is None
    assert run.to_dict() == {"q": ["b", "a"], "r": ["x"]}


def test_nothing_of_the_users_is_changed():
    frame = pd.DataFrame(ROWS)
    before = frame.copy(deep=True)
    run = read_run(frame)
    assert not run.score.flags.writeable
    pd.testing.assert_frame_equal(frame, before)
    frame.loc[0, "score"] = 99.0
    assert run.score[0] == 1.0
    values = frame["score"].to_numpy()
    assert frame.assign(score=values + 1)["score"].iloc[0] == 100.0


CHANGES = {
    "fractional ids": ({"qid": [1.0, 1.0, 2.0]}, ReadError, r"column 'qid'.*dtype=str"),
    "fractional ids in objects": ({"docno": ["a", 1.5, "b"]}, ReadError, "row 1"),
    "truth values as ids": ({"qid": [True, True, False]}, ReadError, "column 'qid'"),
    "dates as ids": ({"docno": pd.to_datetime(["2020-01-01"] * 3)}, ReadError, "datetime64"),
    "a missing id": ({"docno": ["a", None, "a"]}, ReadError, "document id is missing.*row 1"),
    "NaN as an id": ({"docno": ["a", float("nan"), "a"]}, ReadError, "missing.*row 1"),
    "an empty id": ({"docno": ["a", "b", ""]}, ReadError, "document id is empty.*row 2"),
    "blanks at an id": ({"docno": ["a", "b ", "a"]}, ReadError, r"'b ' has blanks.*row 1"),
    "lists as ids": ({"docno": ["a", ["b"], "c"]}, ReadError, r"\['b'\] is a list.*row 1"),
    "a pandas mark as id": ({"docno": ["a", pd.NA, "c"]}, ReadError, "missing.*row 1"),
    "bytes as ids": ({"qid": [b"q1", b"q1", b"q2"]}, ReadError, "decode"),
    "a missing score": (
        {"score": [1.0, None, 2.0]},
        ScoreError,
        r"document 'b' is NaN.*row 1",
    ),
    "an infinite score": ({"score": [1.0, 2.0, np.inf]}, ScoreError, r"is \+inf.*row 2"),
    "scores as text": ({"score": ["1", "2", "3"]}, ScoreError, "to_numeric"),
    "None among objects": ({"score": pd.Series([1, 2, None], dtype=object)}, ScoreError, "row 2"),
    "text among objects": (
        {"score": pd.Series([1, "x", 2], dtype=object)},
        ScoreError,
        "'x'.*row 1",
    ),
    "complex scores": ({"score": [1j, 2j, 3j]}, ScoreError, "complex"),
    "a pair twice": ({"docno": ["a", "a", "a"]}, DuplicateError, r"row 1; first at row 0"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_faulty_column_is_named(change):
    columns, error, says = CHANGES[change]
    with pytest.raises(error, match=says):
        read_run(pd.DataFrame({**ROWS, **columns}))


@pytest.mark.parametrize("maker", [pl.DataFrame, pa.table])
def test_missing_cells_of_other_libraries_are_named(maker):
    with pytest.raises(ReadError, match=r"missing.*row 1"):
        read_run(maker({**ROWS, "docno": ["a", None, "b"]}))
    with pytest.raises(ReadError, match=r"missing.*row 1"):
        read_run(maker({**ROWS, "docno": [1, None, 2]}))
    with pytest.raises(ScoreError, match=r"NaN.*row 1"):
        read_run(maker({**ROWS, "score": [1.0, None, 2.0]}))


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["qid", "query_id", "docno", "score"], r"'query_id' and 'qid'"),
        (["qid", "doc_id", "docno", "score"], r"'doc_id' and 'docno'"),
        (["qid", "docno", "score", "sim"], r"'score' and 'sim'"),
        (["qid", "docno", "text", "n"], r"No column holds the scores.*'qid', 'docno', 'text', 'n'"),
        (["qid", "docno", "label", "n"], "qrels, not a run"),
        (["user", "docno", "score", "n"], "No column holds the query ids"),
        (["qid", "docnum", "score", "n"], r"document ids.*Rename 'docnum'\?"),
    ],
)
def test_columns_that_are_missing_or_double_are_named(names, says):
    with pytest.raises(ReadError, match=says):
        read_run(pd.DataFrame([["a", "b", 1.0, 2.0]], columns=names))


def test_a_run_given_as_qrels_is_refused():
    with pytest.raises(ReadError, match="a run, not qrels"):
        read_qrels(pd.DataFrame(ROWS))


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([["q", "a", 1.0, 2.0]], columns=["qid", "docno", "score", "score"])
    with pytest.raises(ReadError, match="two columns 'score'"):
        read_run(frame)


def test_an_empty_frame_is_refused():
    with pytest.raises(ReadError, match="empty"):
        read_run(
            pd.DataFrame({"qid": [], "docno": [], "score": []}).astype({"qid": str, "docno": str})
        )


@pytest.mark.parametrize(
    "corpus",
    [
        pd.DataFrame({"docno": ["a", "b"], "text": ["x", "y"]}),
        pd.DataFrame({"text": ["x", "y"]}, index=pd.Index(["a", "b"], name="docno")),
        pd.Series(["a", "b"]),
        pd.Index(["a", "b"]),
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        pl.DataFrame({"_id": ["a", "b"]}),
        pa.table({"doc_id": ["a", "b"], "title": ["x", "y"]}),
    ],
    ids=lambda c: type(c).__name__,
)
def test_a_corpus_is_read_from_a_column(corpus):
    assert sorted(read_corpus(corpus).ids) == ["a", "b"]


def test_whole_numbers_of_a_corpus_become_text():
    assert sorted(read_corpus(np.array([3, 12])).ids) == ["12", "3"]
    assert sorted(read_corpus(pd.Series([3, 12])).ids) == ["12", "3"]


def test_a_column_of_fractions_is_no_corpus():
    with pytest.raises(ReadError, match="fractions"):
        read_corpus(np.array([1.0, 2.0]))


@pytest.mark.parametrize("maker", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_row_a_query_with_its_documents_in_one_cell(maker):
    frame = maker({"query_id": ["q1", "q2"], "retrieved": [["a", "b"], ["c"]]})
    assert read_run(frame).to_dict() == {"q1": ["a", "b"], "q2": ["c"]}
    frame = maker({"query_id": ["q1", "q2"], "gold": [["a", "b"], ["c"]], "rel": [2, 1]})
    assert read_qrels(frame).to_dict() == {"q1": {"a": 2.0, "b": 2.0}, "q2": {"c": 1.0}}


def test_a_row_a_query_in_parquet(tmp_path):
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": ["q1"], "retrieved": [["a", "b"]]}).write_parquet(path)
    assert read_run(path).to_dict() == {"q1": ["a", "b"]}


def test_arrow_columns_and_streams():
    rows = pa.table({"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [1.0, 2.0]})
    stream = pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches())
    assert read_run(stream).to_dict() == {"q1": {"a": 1.0, "b": 2.0}}
    for ids in (pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]])):
        assert sorted(read_corpus(ids).ids) == ["a", "b"]


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this polars has no integers so wide")
def test_polars_numbers_wider_than_numpy_has():
    frame = pl.DataFrame({"qid": ["q"], "docno": ["a"], "score": [3]})
    wide = frame.with_columns(pl.col("score").cast(pl.Int128))
    assert read_run(wide).to_dict() == {"q": {"a": 3.0}}


def test_a_lazy_frame_that_fails_is_refused_by_name():
    with pytest.raises(ReadError, match=r"cannot be collected.*nope.*collect\(\)"):
        read_run(pl.LazyFrame({"a": [1]}).select("nope"))


@pytest.mark.parametrize("text", [b"extra", b"cell"])
def test_damaged_text_in_parquet_is_refused(text, tmp_path):
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame({"qid": ["q"], "docno": ["cell"], "score": [1.0], "extra": ["x"]})
    pq.write_table(frame.to_arrow(), path, store_schema=False, compression="none")
    path.write_bytes(path.read_bytes().replace(text, b"\xb2" + text[1:]))
    with pytest.raises(ReadError, match=r"Parquet file cannot be read.*run\.parquet"):
        read_run(path)
