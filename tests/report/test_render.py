from __future__ import annotations

import io

import pytest

from falsify_nb.report import render

SPEC = {
    "data": {"values": [{"a": "x", "b": 2}, {"a": "y", "b": 5}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}},
}


def test_a_squeezed_picture_is_smaller_and_has_the_same_pixels(monkeypatch):
    image = pytest.importorskip("PIL.Image")
    small = render.to_png(SPEC)
    monkeypatch.setattr(render, "_squeezed", lambda png: png)
    large = render.to_png(SPEC)
    pictures = [image.open(io.BytesIO(png)) for png in (small, large)]
    assert pictures[0].size == pictures[1].size
    assert pictures[0].tobytes() == pictures[1].tobytes()
    assert len(small) < len(large) / 2
