"""What is installed here: for bug reports, and for the foot of a report."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version

__all__ = ["show_versions", "versions"]

_ORDER = ("numpy", "scipy", "pandas", "altair", "vl-convert-python", "ipywidgets", "ipython")


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, and of what the package builds on.

    Returns
    -------
    dict of str to str
        Name to version, in a fixed order; ``"-"`` for what is not installed. Optional packages
        are listed only where they are installed. Nothing is imported.
    """
    from falsify_nb import __version__

    found = {"falsify_nb": __version__, "python": platform.python_version()}
    found |= {name: _version(name) or "-" for name in _ORDER}
    optional = ((name, _version(name)) for name in _optional())
    return found | {name: number for name, number in optional if number}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _optional() -> list[str]:
    """Return the names that the extras for users ask for, sorted."""
    try:
        lines = requires("falsify_nb") or []
    except PackageNotFoundError:
        return []
    wanted = (line for line in lines if re.search(r"extra == ['\"](ir|lab|tutorials)['\"]", line))
    names = {re.split(r"[\s\[<>=!~;(]", line, maxsplit=1)[0] for line in wanted}
    return sorted(n for n in names if n.replace("-", "_").lower() != "falsify_nb")


def show_versions() -> None:
    """Print the versions of everything that matters, to paste into a bug report.

    Examples
    --------
    >>> show_versions()  # doctest: +ELLIPSIS
    falsify_nb         ...
    python             ...
    """
    system = f"{platform.system()} {platform.machine()}"
    for name, number in {**versions(), "system": system}.items():
        print(f"{name:<18} {number}")  # noqa: T201 - that is what it is for
