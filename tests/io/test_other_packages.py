"""Objects of packages that the tests do not ask for: read where they are installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from falsify_nb import read_corpus, read_qrels, read_run
from falsify_nb.errors import ReadError

ROWS = {"query-id": ["q1", "q1"], "corpus-id": ["a", "b"], "score": [1, 2]}
READ = {"q1": {"a": 1.0, "b": 2.0}}


def test_datasets_of_hugging_face():
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(ROWS)
    assert read_run(data).to_dict() == READ
    assert read_qrels(data).to_dict() == READ
    assert read_run(data.to_iterable_dataset()).to_dict() == READ
    texts = datasets.Dataset.from_dict({"_id": ["a", "b"], "text": ["x", "y"]})
    assert sorted(read_corpus(texts).ids) == ["a", "b"]
    with pytest.raises(ReadError, match="Take one: 'test'"):
        read_run(datasets.DatasetDict({"test": data}))


def test_ranx_objects_are_read_and_not_changed():
    ranx = pytest.importorskip("ranx")
    run = ranx.Run({"q1": {"a": 1.0, "b": 2.0}}, name="bm25")
    qrels = ranx.Qrels({"q1": {"a": 1, "b": 2}})
    before = run.to_dict()
    assert read_run(run).to_dict() == READ
    assert read_run(run).name == "bm25"
    assert read_qrels(qrels).to_dict() == READ
    assert run.to_dict() == before
    with pytest.raises(ReadError, match=r"ranx Qrels was given as the run\. Swap"):
        read_run(qrels)
    with pytest.raises(ReadError, match=r"ranx Run was given as the qrels\. Swap"):
        read_qrels(run)


def test_ir_measures_tuples():
    ir_measures = pytest.importorskip("ir_measures")
    rows = [ir_measures.ScoredDoc("q1", "a", 1.0), ir_measures.ScoredDoc("q1", "b", 2.0)]
    assert read_run(iter(rows)).to_dict() == READ
    judged = [ir_measures.Qrel("q1", "a", 1, "0"), ir_measures.Qrel("q1", "b", 2, "0")]
    assert read_qrels(judged).to_dict() == READ


def test_datasets_that_hand_out_their_parts_by_method():
    class Dataset:
        def qrels_iter(self):
            yield from [("q1", "a", 1), ("q1", "b", 2)]

        def docs_iter(self):
            yield from [{"doc_id": "a", "text": "x"}, {"doc_id": "b", "text": "y"}]

    assert read_qrels(Dataset()).to_dict() == READ
    assert sorted(read_corpus(Dataset()).ids) == ["a", "b"]


def test_no_package_is_imported_to_look_at_an_object():
    code = (
        "import sys; from falsify_nb import read_run; "
        "read_run({'q': {'d': 1.0}}); read_run([('q', 'd', 1.0)]); "
        "print(sorted({'pandas', 'polars', 'pyarrow', 'datasets', 'ranx', 'ir_measures'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
