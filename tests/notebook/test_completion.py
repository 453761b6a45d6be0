"""Tab on a cell's first line, asked through the shell's completer as a kernel asks it."""

from __future__ import annotations

import pytest
from IPython.core.completer import provisionalcompleter

from falsify_nb.notebook.options import METRICS, OPTIONS


def error_rate(ranking, gold):
    return float(ranking[0] not in gold)


@pytest.fixture
def complete(shell):
    def ask(code: str, position: int | None = None) -> list[str]:
        """Return what replaces the text before the cursor, each completion applied to it."""
        position = len(code) if position is None else position
        with provisionalcompleter():
            found = list(shell.Completer.completions(code, position))
        return [code[: c.start] + c.text for c in found]

    return ask


def test_a_bare_line_offers_runs_and_options(complete, shell):
    shell.user_ns.update(n=3, name="x")
    found = complete("%%falsify ")
    assert "%%falsify run" in found
    assert {f"%%falsify {o.flag}" for o in OPTIONS.values()} <= set(found)
    assert not {"%%falsify n", "%%falsify name", "%%falsify print"} & set(found)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("%%falsify --gr", ["%%falsify --groups"]),
        ("%%falsify a --n-", ["%%falsify a --n-boot", "%%falsify a --n-jobs"]),
        ("%%falsify --interval d", ["%%falsify --interval dirichlet"]),
        ("%%falsify --interval=d", ["%%falsify --interval=dirichlet"]),
        ("%%falsify --metric=RR@", ["%%falsify --metric=RR@10"]),
        ("%%falsify --metric Succ", [f"%%falsify --metric Success@{k}" for k in (1, 5, 10)]),
        ("%%falsify --strict ", ["%%falsify --strict auto", "%%falsify --strict True",
                                 "%%falsify --strict False"]),
        ("%falsify run --tau T", ["%falsify run --tau TAU"]),
        ("%falsify run --tau=", ["%falsify run --tau=TAU"]),
        ("r = %falsify ru", ["r = %falsify run"]),
        ("%%falsify --quiet --qu", ["%%falsify --quiet --queries"]),
    ],
)  # fmt: skip
def test_what_is_offered_is_exactly_this(complete, shell, typed, completed):
    shell.user_ns.update(TAU=0.1, BIG=7.5, text="x")
    assert sorted(complete(typed)) == sorted(completed)


def test_only_variables_that_fit_are_offered(complete, shell):
    shell.user_ns.update(
        ids=["d1"], size=100, flag=True, texts={"q1": "what?"}, metric_of_mine=error_rate
    )
    offered = {
        name: set(complete(f"%%falsify --{name} ")) for name in ("qrels", "corpus", "queries")
    }
    assert offered["qrels"] == {"%%falsify --qrels qrels", "%%falsify --qrels run"}
    assert offered["corpus"] == {f"%%falsify --corpus {name}" for name in ("ids", "size", "texts")}
    assert offered["queries"] == {"%%falsify --queries texts"}
    offered_metrics = {*METRICS, "metric_of_mine"}
    assert set(complete("%%falsify --metric ")) == {
        f"%%falsify --metric {m}" for m in offered_metrics
    }


def test_the_first_line_completes_with_a_body_below(complete):
    code = "%%falsify --gr\n{q: [] for q in qrels}"
    assert complete(code, len("%%falsify --gr")) == ["%%falsify --groups"]


@pytest.mark.parametrize(
    "code",
    ["%%falsify --qrels qrels\n--gr", "%%falsify --qrels qrels\nqr", "--gr", "%%time --gr"],
)
def test_other_lines_are_not_ours(complete, code):
    assert not [text for text in complete(code) if "--groups" in text]


def test_the_body_still_completes_as_python(complete):
    assert "%%falsify --qrels qrels\nqrels" in complete("%%falsify --qrels qrels\nqre")


def test_a_path_is_still_completed(complete, tmp_path):
    (tmp_path / "judged.qrels").touch()
    assert any("judged.qrels" in text for text in complete("%%falsify --qrels ./jud"))


def test_nothing_is_offered_after_unloading(complete, shell):
    shell.run_line_magic("unload_ext", "falsify_nb")
    assert not [text for text in complete("%%falsify --gr") if "--groups" in text]
    shell.run_line_magic("load_ext", "falsify_nb")
