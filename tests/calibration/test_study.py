"""The calibration study's fast form, and that it studies the product and would notice a failure."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.calibration.parts import cells
from benchmarks.calibration.study import Cell, run
from benchmarks.calibration.verdicts import of_rows
from benchmarks.calibration.worlds import Plain, Skewed
from falsify_nb import falsify
from falsify_nb.core.nulls import NULLS

HITS = Plain("hit rate 0.98", metric="Success@1", places=(0.98,))
SHARED = Skewed("several", most=5, grades=3, skill=2.0)


def test_the_fast_form_reaches_every_figure(root):
    """Bars at three standard errors; the figures are in benchmarks/calibration/RESULTS.md."""
    command = [sys.executable, "-m", "benchmarks.calibration", "--fast"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count("| yes |") > 15
    assert "**NO**" not in done.stdout


@pytest.mark.parametrize("world", [HITS, SHARED], ids=lambda w: w.name)
def test_a_world_is_judged_as_falsify_judges_it(world):
    task = world.draw(np.random.default_rng(3), 25)
    table, qrels = world.tables(np.random.default_rng(3), 25)
    result = falsify(table, qrels=qrels, corpus=world.corpus_size, metric=world.metric, n_boot=100)
    np.testing.assert_allclose(task.scores, result.scores)
    for name, null in NULLS.items():
        expected = null.expect(task)
        part = null.contribute(task, expected)
        assert expected.mean == pytest.approx(result.nulls[name].mean)
        np.testing.assert_allclose(part.values, result.nulls[name].contributions)
        assert (part.low, part.high) == result.nulls[name].bounds


def test_clusters_are_judged_as_groups():
    sizes = (3, 4, 5, 6, 7)
    group = np.repeat(np.arange(5), sizes)
    world = dataclasses.replace(SHARED, alike=0.5)
    table, qrels = world.tables(np.random.default_rng(3), 25, group)
    task = world.draw(np.random.default_rng(3), 25, group)
    names = {f"q{i:07}": f"g{g}" for i, g in enumerate(group)}
    result = falsify(table, qrels=qrels, corpus=world.corpus_size, groups=names, n_boot=100)
    for name, null in NULLS.items():
        part = null.contribute(task, null.expect(task))
        np.testing.assert_allclose(part.values, result.nulls[name].contributions)


def test_an_interval_that_does_not_cover_is_noticed():
    rows = run(Cell("binary", HITS, 20, method="percentile"), 60, (1,))
    missed = {check.what for check in of_rows(rows) if not check.is_met}
    assert "coverage at 98.75 %, every world, N and null" in missed
    # Twenty hits of twenty: an interval without width at 1, above the true 0.98.
    assert "false PASS at Δ = τ (lower end too high)" in missed
    assert "mean coverage of 0/1 scores, N = 20" in missed


def test_the_study_has_every_kind_of_cell():
    every = cells()
    assert {cell.part for cell in every} == {cell.part for cell in cells(fast=True)}
    assert {cell.n for cell in every if cell.part == "binary"} == {5, 20, 80, 323}
    assert any(len(set(cell.group)) > 1 for cell in every)
