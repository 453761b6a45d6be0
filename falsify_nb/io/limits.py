"""How large an input may be: a file, a line, a compressed file once it is expanded."""

from __future__ import annotations

import mmap
from pathlib import Path

from falsify_nb.errors import ReadError

__all__ = [
    "MAX_BYTES",
    "MAX_JSON",
    "MAX_LINE",
    "MAX_RATIO",
    "RATIO_FREE",
    "check_expansion",
    "check_lines",
    "check_lines_on_disk",
    "check_size",
]

# A run of ten million rows is about 0.5 GB; four times the largest shared runs is enough.
MAX_BYTES = 4 << 30
# The longest line of a text format: a document of a corpus, or one query's results.
MAX_LINE = 64 << 20
# A JSON document is mostly written as a single line.
MAX_JSON = 512 << 20
# Runs shrink by 4 to 40. Past the first RATIO_FREE bytes, more than this is a bomb.
MAX_RATIO = 400
RATIO_FREE = 64 << 20


def check_size(size: int, name: str) -> None:
    """Refuse a file past the limit."""
    if size > MAX_BYTES:
        raise ReadError(
            f"{size:,} bytes are more than the limit of {MAX_BYTES:,}",
            where=name,
            remedy="Split the file, or keep only the top of each ranking.",
        )


def check_expansion(packed: int, expanded: int, kind: str, name: str) -> None:
    """Refuse compressed data that grows past the limits, while it grows."""
    if expanded > MAX_BYTES or (expanded > RATIO_FREE and expanded > MAX_RATIO * packed):
        raise ReadError(
            f"{packed:,} bytes of {kind} expand past the limit of {MAX_BYTES:,} bytes "
            f"or {MAX_RATIO} times their size",
            where=name,
            remedy="If the file is meant, decompress it yourself first.",
        )


def check_lines_on_disk(path: Path) -> None:
    """Refuse a file for its line lengths before it fills the memory."""
    with path.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as view:
        if view[:4] != b"PAR1":
            check_lines(view, path.name)


def check_lines(data: bytes | mmap.mmap, name: str) -> None:
    """Refuse a line past the limit, looking at one line break per stretch of that length."""
    limit = MAX_JSON if data[:1024].lstrip()[:1] in {b"{", b"["} else MAX_LINE
    start = 0
    while len(data) - start > limit:
        stop = start + limit
        end = data.rfind(b"\n", start, stop)
        end = data.rfind(b"\r", start, stop) if end < 0 else end
        if end < 0:
            line = data[:start].count(b"\n") + 1
            raise ReadError(
                f"A line is longer than the limit of {limit:,} bytes",
                where=f"{name}, line {line}",
                remedy="Give one record a line.",
            )
        start = end + 1
