from __future__ import annotations

import pytest

from falsify_nb import SensitivityResult, falsify, load_demo, sensitivity
from falsify_nb.errors import Cancelled, InputError, OptionError


@pytest.fixture(scope="module")
def demo():
    return load_demo()


@pytest.fixture(scope="module")
def grid(demo):
    return sensitivity(
        demo.runs["popular"],
        qrels=demo.qrels,
        corpus=demo.corpus,
        metrics=["nDCG", "R"],
        cutoffs=[5, 1],
        taus=[0.2, 0.01],
        n_boot=200,
    )


def test_every_cell_is_the_gates_own_verdict(demo, grid):
    assert [(c.metric, c.k, c.tau) for c in grid.cells] == [
        (metric, k, tau) for metric in ("nDCG", "R") for k in (1, 5) for tau in (0.01, 0.2)
    ]
    for cell in grid.cells:
        result = falsify(
            demo.runs["popular"],
            qrels=demo.qrels,
            corpus=demo.corpus,
            metric=f"{cell.metric}@{cell.k}",
            tau=cell.tau,
            n_boot=200,
        )
        assert (cell.verdict, cell.score) == (result.verdict, result.score)
        assert cell.gap == min(null.delta for null in result.nulls.values())
        assert result.nulls[cell.null].delta == cell.gap


def test_a_grid_survives_json_and_draws_the_same_chart(grid):
    again = SensitivityResult.from_json(grid.to_json())
    assert again.cells == grid.cells
    assert again.chart().json == grid.chart().json


def test_the_chart_has_a_row_per_setting_and_says_what_was_found(grid):
    made = grid.chart()
    rows = made.spec["datasets"]["cells"]
    assert len(rows) == 8
    passed = [c for c in grid.cells if c.verdict == "PASS"]
    assert not passed
    assert made.title.startswith(("FAIL in all 8 settings", "Passes in none of 8 settings"))
    assert f"nDCG@5: score {grid.cells[2].score:.4f}" in made.text


def test_the_frame_has_a_row_per_setting(grid):
    frame = grid.to_frame()
    assert list(frame.columns) == ["metric", "k", "tau", "verdict", "score", "null", "gap"]
    assert frame["verdict"].tolist() == [c.verdict for c in grid.cells]


@pytest.mark.parametrize("name", ["g.html", "g.md", "g.json", "g.csv", "g.svg", "g.txt"])
def test_a_grid_can_be_saved(grid, tmp_path, name):
    grid.save(tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert "nDCG" in text
    assert len(text.encode()) < 2_000_000


def test_forms_that_a_grid_does_not_have_are_refused(grid, tmp_path):
    with pytest.raises(OptionError, match=r"\.tex.*There are: \.html, \.md"):
        grid.save(tmp_path / "g.tex")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": ["nDCG@10"]}, "'nDCG@10' is no metric without cutoff"),
        ({"metrics": []}, "metrics is empty"),
        ({"cutoffs": []}, "cutoffs is empty"),
        ({"taus": []}, "taus is empty"),
        ({"taus": [2]}, "tau=2 is not a number from 0 to 1"),
        ({"taus": ["0.1"]}, "tau='0.1' is not a number"),
        ({"taus": 7}, "tau=7 is not a number"),
        ({"cutoffs": 0}, r"0 is no cutoff"),
        ({"cutoffs": 2.5}, r"2.5 is no cutoff"),
        ({"cutoffs": "x"}, r"'x' is no cutoff"),
        ({"cutoffs": [5, 0]}, r"0 is no cutoff \(cutoffs\)"),
    ],
)
def test_bad_lists_are_refused(demo, options, said):
    with pytest.raises(OptionError, match=said):
        sensitivity(demo.runs["bm25"], qrels=demo.qrels, **options)


def test_raising_in_progress_cancels(demo):
    seen = []

    def progress(stage, done, total):
        seen.append((stage, done, total))
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        sensitivity(demo.runs["bm25"], qrels=demo.qrels, cutoffs=[1, 2], progress=progress)
    assert seen == [("settings", 1, 6)]


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(InputError, match="no sensitivity result"):
        SensitivityResult.from_dict({"schema": 1, "kind": "gate"})
