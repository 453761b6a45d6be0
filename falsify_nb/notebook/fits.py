"""Which of the notebook's variables fit an option: for completion and the panel's lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsify_nb.notebook.options import OPTIONS, Option

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["candidates", "shape_hint", "user_variables"]

# A longer text is no path, and some systems are slow to say so.
_LONGEST_PATH = 1000


def user_variables(shell: InteractiveShell) -> dict[str, Any]:
    """Return the variables that the user made, without the shell's own such as ``In``."""
    own = shell.user_ns_hidden
    return {n: v for n, v in shell.user_ns.items() if n not in own or own[n] is not v}


def candidates(name: str, namespace: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that fit an option, each with a hint of its shape.

    Parameters
    ----------
    name : str
        The option's name, such as ``"qrels"``.
    namespace : mapping of str to object
        The notebook's variables; looked at, never called or changed.

    Examples
    --------
    >>> candidates("qrels", {"judged": {"q1": {"d1": 1}}, "n": 3, "search": print})
    {'judged': '1 query'}
    """
    found = {}
    for variable, value in list(namespace.items()):
        if variable.startswith("_") or not isinstance(variable, str):
            continue
        hint = shape_hint(OPTIONS[name], value)
        if hint is not None:
            found[variable] = hint
    return found


def shape_hint(option: Option, value: object) -> str | None:
    """Return a few words about a value that fits an option, or None where it does not fit."""
    if option.kind == "data":
        return _DATA_HINTS[option.name](value)
    if option.kind == "metric":
        is_function = callable(value) and not isinstance(value, type) and hasattr(value, "__code__")
        return "function" if is_function else None
    if option.kind in {"number", "integer"} and not isinstance(value, bool):
        kinds = (int,) if option.kind == "integer" else (int, float)
        return f"{value}" if isinstance(value, kinds) and option.accepts(value) else None
    return None


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401
    return next(iter(values), None)


def _is_number(value: object) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str | bytes)


def _frame_columns(value: object) -> set[str] | None:
    # The type says whether it is a frame: asking an unknown object for attributes may run code
    # of the user's, and no frame library is imported to look.
    if type(value).__module__.partition(".")[0] not in {"pandas", "polars", "pyarrow"}:
        return None
    columns = getattr(value, "column_names", getattr(value, "columns", ()))
    return {str(name).lower() for name in columns}


def _own(value: object) -> str:
    origin = type(value)
    return origin.__name__ if origin.__module__.startswith("falsify_nb.") else ""


def _run_hint(value: object) -> str | None:
    if _own(value) == "Run":
        return _count(len(value.query.labels), "query", "queries")  # type: ignore[attr-defined]
    columns = _frame_columns(value)
    if columns is not None:
        is_judged = columns & {"relevance", "label", "grade", "rel"} and not columns & {"score"}
        fits = columns & {"score", "rank", "sim"} and not is_judged
        return _count(len(value), "row") if fits else None  # type: ignore[arg-type]
    if isinstance(value, Mapping) and value:
        inner = _first(value.values())
        if isinstance(inner, Mapping):
            return _count(len(value), "query", "queries")
        if isinstance(inner, list | tuple) or hasattr(inner, "tolist"):
            return _count(len(value), "query", "queries")
    return _file_hint(value)


def _qrels_hint(value: object) -> str | None:
    if _own(value) == "Qrels":
        return _count(len(value.query.labels), "query", "queries")  # type: ignore[attr-defined]
    columns = _frame_columns(value)
    if columns is not None:
        fits = columns & {"relevance", "label", "grade", "rel"}
        return _count(len(value), "row") if fits else None  # type: ignore[arg-type]
    if isinstance(value, Mapping) and value:
        inner = _first(value.values())
        if isinstance(inner, Mapping) and (not inner or _is_number(_first(inner.values()))):
            return _count(len(value), "query", "queries")
    return _file_hint(value)


def _corpus_hint(value: object) -> str | None:
    if _own(value) == "Corpus":
        return _count(len(value), "document")  # type: ignore[arg-type]
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,} documents" if value > 0 else None
    if isinstance(value, Mapping) and value:
        inner = _first(value.values())
        is_text = isinstance(_first(inner.values()) if isinstance(inner, Mapping) else inner, str)
        return _count(len(value), "id") if is_text else None
    if isinstance(value, list | tuple | set | frozenset) and value:
        return _count(len(value), "id") if isinstance(_first(value), str) else None
    return _file_hint(value)


def _texts_hint(value: object) -> str | None:
    if isinstance(value, Mapping) and value and isinstance(_first(value.values()), str | int):
        return _count(len(value), "query", "queries")
    return None


def _protocol_hint(value: object) -> str | None:
    return "protocol" if _own(value) == "Protocol" else _file_hint(value)


def _file_hint(value: object) -> str | None:
    if not isinstance(value, str | os.PathLike) or len(os.fspath(value)) > _LONGEST_PATH:
        return None
    path = Path(value)
    try:
        return f"file {path.name}" if path.is_file() else None
    except (OSError, ValueError):
        return None


_DATA_HINTS: dict[str, Callable[[Any], str | None]] = {
    "run": _run_hint,
    "qrels": _qrels_hint,
    "corpus": _corpus_hint,
    "queries": _texts_hint,
    "groups": _texts_hint,
    "protocol": _protocol_hint,
}
