from __future__ import annotations

import pytest

from falsify_nb import progress
from falsify_nb.progress import LateBar


class FakeBar:
    def __init__(self, total):
        self.n = 0
        self.total = total
        self.seen = []
        self.closed = False

    def update(self, more):
        self.n += more
        self.seen.append(self.n)

    def close(self):
        self.closed = True


@pytest.fixture
def bars(monkeypatch):
    """Every bar that is opened, with somebody watching and no patience needed."""
    opened = []

    def open_bar(stage, total):
        bar = FakeBar(total)
        opened.append((stage, total, bar))
        return bar

    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr(progress, "_open", open_bar)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    return opened


def test_one_bar_a_stage_follows_what_is_done(bars):
    hook = LateBar()
    for done in (1, 4, 10):
        hook("null A", done, 10)
    hook("null B", 5, 5)
    hook.close()
    assert [(stage, total, bar.seen, bar.closed) for stage, total, bar in bars] == [
        ("null A", 10, [1, 4, 10], True),
        ("null B", 5, [5], True),
    ]


def test_a_bar_is_closed_as_finished(bars):
    hook = LateBar()
    hook("null A", 7, 10)
    hook.close()
    assert bars[0][2].n == 10


def test_short_work_shows_nothing(bars, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 60.0)
    LateBar()("null A", 1, 10)
    assert bars == []


def test_nothing_is_shown_where_nobody_looks(bars, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    LateBar()("null A", 1, 10)
    assert bars == []


@pytest.mark.parametrize(("value", "shown"), [("1", 0), ("0", 1), ("", 1)])
def test_tqdms_own_switch_is_heeded(bars, monkeypatch, value, shown):
    monkeypatch.setenv("TQDM_DISABLE", value)
    LateBar()("null A", 1, 10)
    assert len(bars) == shown


def test_without_tqdm_there_is_no_bar(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    assert progress._open("null A", 10) is None
