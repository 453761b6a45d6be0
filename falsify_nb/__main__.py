"""``python -m falsify_nb``: the same as the command ``falsify-nb``."""

from __future__ import annotations

import sys

from falsify_nb.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
