"""Draw the README's picture from the README's own cell: ``python -m docs.make_pictures``."""

from __future__ import annotations

from pathlib import Path

from falsify_nb import falsify, load_demo

__all__ = ["main"]

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Write ``docs/pictures/verdict.png``."""
    demo = load_demo()
    popular = ["hypertension", "diabetes", "hypertension-causes", "migraine", "asthma"]
    run = dict.fromkeys(demo.qrels, popular)
    result = falsify(run, qrels=demo.qrels, corpus=demo.corpus)
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "verdict.png").write_bytes(result.chart().png(scale=1.5))


if __name__ == "__main__":
    main()
