"""Why ids do not meet, in words."""

from __future__ import annotations

import pytest

from falsify_nb.core.overlap_hint import diagnose_overlap, hidden_matches

CAUSES = {
    "blanks": (["d1 ", "d2\t"], ["d1", "d2"], "blanks"),
    "case": (["DOC-A", "DOC-B"], ["doc-a", "doc-b"], "case"),
    "padding": (["CACM-115", "CACM-7"], ["CACM-0115", "CACM-0007"], "zero padding"),
    "padding of bare numbers": (["7", "12"], ["007", "012"], "zero padding"),
    "fractions": (["5.0", "6.0"], ["5", "6"], "5.0 where the other has 5"),
    "truncated": (
        [f"clueweb09-en0000-{i:02d}" for i in range(5)],
        [f"clueweb09-en0000-{i:02d}-{i * 7:05d}" for i in range(5)],
        "cut off at 19 characters",
    ),
    "unicode": (["caf\u00e9"], ["cafe\u0301"], "NFC"),
    "quotes": (['"d1"', '"d2"'], ["d1", "d2"], "quotes"),
    "byte-order mark": (["\ufeffq1"], ["q1"], "byte-order mark"),
    "folders": (["data/docs/d1", "data/docs/d2"], ["d1", "d2"], "folder or namespace"),
    "suffixes": (["d1.txt", "d2.txt"], ["d1", "d2"], "file suffix"),
    "chunks": (["d1#3", "d2#0"], ["d1", "d2"], "chunk number"),
    "prefixes": (["doc17", "doc18"], ["17", "18"], "word before the number"),
}


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("name", CAUSES)
def test_the_likely_cause_is_named_from_either_side(name, side):
    run, qrels, says = CAUSES[name]
    if side == "qrels":
        run, qrels = qrels, run
    text = diagnose_overlap(run, qrels)
    assert "share 0 query ids" in text
    assert says in text.partition("Likely cause: ")[2]


def test_counts_and_three_ids_of_each_side_are_given():
    text = diagnose_overlap([f"r{i}" for i in range(5)], ["x", "y"], "document")
    assert "share 0 document ids" in text
    assert "the run has 5 ('r0', 'r1', 'r2')" in text
    assert "the qrels have 2 ('x', 'y')" in text


def test_unrelated_ids_get_no_made_up_cause():
    assert "Likely cause" not in diagnose_overlap(["alpha", "beta"], ["x!", "y!"])


def test_the_cause_that_explains_most_ids_comes_first():
    found = hidden_matches(["A", "b ", "c ", "d "], ["a", "b", "c", "d"])
    assert [(f[1], f[0].split(":")[0]) for f in found] == [
        (3, "blanks"),
        (1, "upper and lower case"),
    ]


def test_ids_that_match_already_are_no_hidden_matches():
    assert hidden_matches(["a", "b"], ["a", "b"]) == []


def test_large_sets_are_thinned_out():
    found = hidden_matches((f"D{i}" for i in range(300_000)), (f"d{i}" for i in range(300_000)))
    assert found[0][0].startswith("upper and lower case")
    assert found[0][1] <= 2_000
