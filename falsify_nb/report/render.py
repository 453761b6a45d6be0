"""Vega-Lite to PNG, SVG and script, through vl-convert where it is installed."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from falsify_nb.errors import MissingExtraError

__all__ = ["has_converter", "script", "to_png", "to_svg"]

# The oldest that all versions of vl-convert carry, and the nearest to JupyterLab's own 5.6.1.
VEGALITE = "5.8"


def has_converter() -> bool:
    """Return whether vl-convert can be imported."""
    return find_spec("vl_convert") is not None


def _converter() -> Any:  # noqa: ANN401 - a module without type hints
    if not has_converter():
        raise MissingExtraError(
            "a picture of a chart needs vl-convert-python, which is not installed",
            remedy="Type: pip install vl-convert-python",
        )
    import vl_convert

    return vl_convert


def to_png(spec: dict[str, Any], *, scale: float = 2) -> bytes:
    """Return a specification drawn as an opaque white PNG."""
    drawn: bytes = _converter().vegalite_to_png(_on_white(spec), vl_version=VEGALITE, scale=scale)
    return _squeezed(drawn)


def _squeezed(png: bytes) -> bytes:
    """Compress a PNG's pixels again: vl-convert is quick and leaves them four times the size."""
    out, pixels, at = [png[:8]], [], 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at : at + 12 + size]
        at += 12 + size
        if kind == b"IDAT":
            pixels.append(chunk[8:-4])
            continue
        if kind == b"IEND":
            data = zlib.compress(zlib.decompress(b"".join(pixels)), 6)
            head = struct.pack(">I4s", len(data), b"IDAT")
            out.append(head + data + struct.pack(">I", zlib.crc32(b"IDAT" + data)))
        out.append(chunk)
    return b"".join(out)


def to_svg(spec: dict[str, Any], *, ink: str = "") -> str:
    """Return a specification drawn as SVG: on white, or without ground and with text in `ink`."""
    placed = {**spec, "config": _inked(spec.get("config", {}), ink)} if ink else _on_white(spec)
    drawn: str = _converter().vegalite_to_svg(placed, vl_version=VEGALITE)
    return drawn


def _inked(config: dict[str, Any], ink: str) -> dict[str, Any]:
    return {
        **config,
        # The page around it describes the whole; a label on every mark would triple the size.
        "aria": False,
        "background": None,
        "title": {**config.get("title", {}), "color": ink, "subtitleColor": ink},
        "style": {"guide-label": {"fill": ink}, "guide-title": {"fill": ink}},
    }


def _on_white(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "background": "white"}


@lru_cache(maxsize=1)
def script() -> str:
    """Return one script that holds Vega, Vega-Lite and Vega-Embed, for a page without network."""
    bundle: str = _converter().javascript_bundle(vl_version=VEGALITE)
    return bundle
