"""The table of the docs says what the code reads."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import InputError
from falsify_nb.io.adapt import to_run
from falsify_nb.io.catalog import OBJECT_FORMS, as_markdown
from falsify_nb.io.formats import FILE_FORMATS

RUN = [("q", "a", 2.0), ("q", "b", 1.0)]
QRELS = [("q", "a", 1.0), ("q", "b", 0.0)]
READ_RUN = {"q": {"a": 2.0, "b": 1.0}}
READ_QRELS = {"q": {"a": 1.0, "b": 0.0}}


def parquet(rows, *names) -> bytes:
    out = io.BytesIO()
    pd.DataFrame(rows, columns=list(names)).to_parquet(out)
    return out.getvalue()


def records(rows, *names) -> bytes:
    return "".join(json.dumps(dict(zip(names, r, strict=True))) + "\n" for r in rows).encode()


# One example of each kind for every format, and one that it must refuse.
FILES = {
    "Parquet": (
        parquet(RUN, "qid", "docno", "score"),
        parquet(QRELS, "qid", "docno", "label"),
        parquet([("a",), ("b",)], "docno"),
        parquet([("q", 1.0, 2.0)], "qid", "docno", "score"),
    ),
    "JSON lines": (
        records(RUN, "qid", "docno", "score"),
        b'{"query_id": "q", "gold": {"a": 1, "b": 0}}\n',
        records([("a",), ("b",)], "_id"),
        b'{"query_id": "q", "retrieved": ["a"]}\n{"query_id": "q", "retrieved": ["b"]}\n',
    ),
    "JSON": (
        json.dumps(READ_RUN).encode(),
        json.dumps(READ_QRELS).encode(),
        b'["a", "b"]',
        b'{"q": {"a": 1, "a": 2}}',
    ),
    "CSV, TSV": (
        b"qid,docno,score\nq,a,2\nq,b,1\n",
        b"query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\n",
        b"docno,text\na,x\nb,y\n",
        b"qid,docno,score\nq,a,2,3\n",
    ),
    "TREC, or lines of ids": (
        b"q Q0 a 1 2 t\nq Q0 b 2 1 t\n",
        b"q 0 a 1\nq 0 b 0\n",
        b"a\nb\n",
        b"q 0 a 1\n",
    ),
}


def test_every_format_has_an_example():
    assert [f.name for f in FILE_FORMATS] == list(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_format_reads_its_examples_and_refuses_what_it_says(name):
    run, qrels, corpus, bad = (io.BytesIO(data) for data in FILES[name])
    assert read_run(run).to_dict() == READ_RUN
    assert read_qrels(qrels).to_dict() == READ_QRELS
    assert sorted(read_corpus(corpus).ids) == ["a", "b"]
    with pytest.raises(InputError):
        read_run(bad)


class Dataset:
    def qrels_iter(self):
        return iter(QRELS)

    def docs_iter(self):
        return iter([{"doc_id": "a"}, {"doc_id": "b"}])


def dict_holder(content, module="ranx.data_structures"):
    """An object as ranx's: known by its module, read through its dict."""
    kind = type(
        "Held", (), {"to_dict": lambda _self: content, "name": "held", "__module__": module}
    )
    return kind()


def frame(rows, *names):
    return pd.DataFrame(rows, columns=list(names))


IDS = ["a", "b"]
OBJECTS = {
    "dict by query": (READ_RUN, READ_QRELS, None),
    "records, named tuples, tuples": (RUN, QRELS, [{"doc_id": "a"}, {"doc_id": "b"}]),
    "records, one a query": (
        [{"query_id": "q", "retrieved": READ_RUN["q"]}],
        [{"query_id": "q", "gold": READ_QRELS["q"]}],
        None,
    ),
    "generator": ((r for r in RUN), (r for r in QRELS), (i for i in IDS)),
    "pandas, polars or Arrow frame": (
        frame(RUN, "qid", "docno", "score"),
        frame(QRELS, "qid", "docno", "label"),
        frame([("a",), ("b",)], "docno"),
    ),
    "Hugging Face dataset": None,
    "ranx Run, Qrels": (dict_holder(READ_RUN), dict_holder(READ_QRELS), None),
    "dataset of ir_datasets or PyTerrier": (None, Dataset(), Dataset()),
    "retriever": (lambda _text: READ_RUN["q"], None, None),
    "list, set, array or column of ids": (None, None, IDS),
    "whole number": (None, None, 2),
}


def test_every_form_of_object_has_an_example():
    assert [o.name for o in OBJECT_FORMS] == list(OBJECTS)


@pytest.mark.parametrize("name", [n for n, v in OBJECTS.items() if v])
def test_every_form_of_object_is_read_as_what_the_table_says(name):
    form = next(o for o in OBJECT_FORMS if o.name == name)
    run, qrels, corpus = OBJECTS[name]
    given = [x is not None for x in (run, qrels, corpus)]
    assert given == [bool(form.run), bool(form.qrels), bool(form.corpus)]
    if run is not None:
        assert to_run(run, queries={"q": "text"} if callable(run) else None).to_dict() == READ_RUN
    if qrels is not None:
        assert read_qrels(qrels).to_dict() == READ_QRELS
    if corpus is not None:
        assert read_corpus(corpus).size == 2


def test_the_page_is_the_one_that_the_command_makes(root):
    page = (root / "docs" / "formats.md").read_text(encoding="utf-8")
    assert page == as_markdown(), "Type: python -m falsify_nb.io.catalog > docs/formats.md"
