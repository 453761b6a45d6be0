"""Texts and groups by query: every form, and what is refused."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from falsify_nb import falsify
from falsify_nb.errors import FalsifyError, InputError, OptionError
from falsify_nb.io.per_query import to_per_query

GROUPS = {"1": "a", "2": "a", "3": "b"}


def frame(**columns):
    return pd.DataFrame(columns)


FORMS = {
    "dict": GROUPS,
    "whole numbers": {1: "a", 2: "a", 3: "b"},
    "series": pd.Series(GROUPS),
    "frame": frame(query_id=[1, 2, 3], group=["a", "a", "b"]),
    "frame, other names": frame(qid=["1", "2", "3"], cluster=["a", "a", "b"], note=[0, 0, 0]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_object_is_read(form):
    assert to_per_query(FORMS[form], "groups") == GROUPS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.tsv", "1\ta\n2\ta\n\n3\tb\n"),
        ("g.txt", "1\ta\r\n2\ta\r\n3\tb\r\n"),
        ("h.tsv", "query_id\tgroup\n1\ta\n2\ta\n3\tb\n"),
        ("h.csv", "qid,group\n1,a\n2,a\n3,b\n"),
        ("g.json", json.dumps(GROUPS)),
        ("l.json", json.dumps([{"id": q, "group": g} for q, g in GROUPS.items()])),
        ("g.jsonl", "".join(json.dumps({"_id": q, "group": g}) + "\n" for q, g in GROUPS.items())),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_of_a_file_is_read(tmp_path, name, content, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    assert to_per_query(path, "groups") == GROUPS
    assert to_per_query(str(path), "groups") == GROUPS


def test_texts_keep_their_tabs_and_blanks_and_benchmarks_name_them_their_way(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("1\t a\tb \n", encoding="utf-8")
    assert to_per_query(path, "queries") == {"1": " a\tb "}
    beir = tmp_path / "queries.jsonl"
    beir.write_text('{"_id": "PLAIN-2", "text": "Statins", "metadata": {}}\n', encoding="utf-8")
    assert to_per_query(beir, "queries") == {"PLAIN-2": "Statins"}
    pyterrier = frame(qid=["1"], query=["a b"])
    assert to_per_query(pyterrier, "queries") == {"1": "a b"}


def test_numbers_name_groups_and_nothing_is_nothing():
    numbers = {"1": 7, "2": np.int64(7), "3": 7.0, "4": 7.5}
    assert to_per_query(numbers, "groups") == {"1": "7", "2": "7", "3": "7", "4": "7.5"}
    assert to_per_query(None, "groups") is None


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("option", ["groups", "queries"])
def test_a_missing_value_is_refused_by_its_query(missing, option):
    with pytest.raises(InputError, match="Query 'q2' has no") as caught:
        to_per_query({"q1": "a", "q2": missing}, option)
    assert "leave it out" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a", "b"], "groups is a list, no mapping"),
        (5, "groups is an int"),
        ({1: "a", "1": "b"}, "'1' is given twice"),
        (pd.Series(["a", "b"], index=["1", "1"]), "given twice|stands twice"),
        (frame(query_id=["1", "1"], group=["a", "b"]), "'1' stands twice"),
        (frame(query_id=["1"], grp=["a"]), "No column holds the groups"),
        (frame(name=["1"], group=["a"]), "No column holds the query ids"),
        ({"1": ["a"]}, "The group of query '1' is a list"),
        ({"1": True}, "The group of query '1' is a bool"),
        ({"": "a"}, "query id is empty"),
    ],
)
def test_what_cannot_be_used_is_refused(given, said):
    with pytest.raises(FalsifyError, match=said):
        to_per_query(given, "groups")


def test_a_text_that_is_none_is_refused():
    with pytest.raises(InputError, match="The text of query '1' is an int: 5"):
        to_per_query({"1": 5}, "queries")


def test_a_file_without_tabs_names_the_line(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("1\ta\n2 a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"no tab after the id '2 a' \(g.txt, line 2\)"):
        to_per_query(path, "groups")


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"There is no groups file 'nothere\.tsv'"):
        to_per_query("nothere.tsv", "groups")


def test_the_gate_reads_them_all_alike(tmp_path):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(12)}
    run = {q: list(docs) for q, docs in qrels.items()}
    groups = {q: f"g{i // 3}" for i, q in enumerate(qrels)}
    path = tmp_path / "g.tsv"
    path.write_text("".join(f"{q}\t{g}\n" for q, g in groups.items()), encoding="utf-8")
    table = pd.DataFrame({"query_id": list(groups), "group": list(groups.values())})
    plain = falsify(run, qrels=qrels, groups=groups, metric="RR")
    for form in (path, str(path), table, pd.Series(groups)):
        assert falsify(run, qrels=qrels, groups=form, metric="RR").same_as(plain)
    with pytest.raises(OptionError, match="groups is a list"):
        falsify(run, qrels=qrels, groups=list(groups), metric="RR")
    with pytest.raises(InputError, match="Query 'q3' has no group"):
        falsify(run, qrels=qrels, groups={**groups, "q3": None}, metric="RR")
    texts = {q: f"text {q}" for q in qrels}
    seen = falsify(run, qrels=qrels, queries=pd.Series(texts), metric="RR")
    assert set(seen.texts) == set(texts.values())
