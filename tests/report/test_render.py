from __future__ import annotations

import struct
import zlib

from falsify_nb.report import render

SPEC = {
    "data": {"values": [{"a": "x", "b": 2}, {"a": "y", "b": 5}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}},
}


def chunks(png):
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body, check = png[at + 8 : at + 8 + size], png[at + 8 + size : at + 12 + size]
        assert struct.unpack(">I", check)[0] == zlib.crc32(kind + body)
        yield kind, body
        at += 12 + size


def pixels(png):
    return zlib.decompress(b"".join(body for kind, body in chunks(png) if kind == b"IDAT"))


def test_a_squeezed_picture_is_smaller_and_has_the_same_pixels(monkeypatch):
    small = render.to_png(SPEC)
    monkeypatch.setattr(render, "_squeezed", lambda png: png)
    large = render.to_png(SPEC)
    assert pixels(small) == pixels(large)
    assert [c for c in chunks(small) if c[0] != b"IDAT"] == [
        c for c in chunks(large) if c[0] != b"IDAT"
    ]
    assert len(small) < len(large) / 2
