"""What a word of a cell's first line stands for: a variable, a path, a number or a choice."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from falsify_nb.errors import OptionError, near_names
from falsify_nb.notebook.line import Word
from falsify_nb.notebook.options import GATE_OPTIONS, Option

__all__ = ["check_early", "check_values", "gate_arguments", "value_of"]

_EXPRESSION = re.compile(r"([A-Za-z_]\w*)[.\[(]")
_LITERALS = {"None": None, "True": True, "False": False}


def gate_arguments(
    given: Mapping[str, Word | None], namespace: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the keyword arguments of `falsify()` that a line stands for, the run included.

    Parameters
    ----------
    given : mapping of str to Word or None
        What `line.parse` returned.
    namespace : mapping of str to object
        The notebook's variables.
    """
    return {
        option.name: value_of(option, given[option.name], namespace)
        for option in GATE_OPTIONS
        if option.name in given
    }


def check_early(
    given: Mapping[str, Word | None], namespace: Mapping[str, Any], bound_later: Iterable[str]
) -> None:
    """Refuse a value that cannot become good while the cell's body runs.

    A search may take an hour: a typing mistake in ``--tau`` should not wait for it. A variable
    that the body may still bind is left alone.
    """
    later = set(bound_later)
    known = {}
    for option in GATE_OPTIONS:
        word = given.get(option.name)
        if option.name in given and not (word and word.is_name and word.text in later):
            known[option.name] = value_of(option, word, namespace)
    check_values(known)


def check_values(arguments: Mapping[str, Any]) -> None:
    """Refuse a metric or a parameter of the protocol that `falsify()` would refuse.

    Raises
    ------
    OptionError
        As `Protocol` and the metrics raise it.
    """
    from falsify_nb.core.protocol import Protocol
    from falsify_nb.io.metric import to_metric

    # These three are made from the inputs; the user does not write them.
    names = {f.name for f in dataclasses.fields(Protocol)} - {"metric", "groups", "corpus"}
    Protocol(**{name: value for name, value in arguments.items() if name in names})
    if "metric" in arguments:
        to_metric(arguments["metric"])


def value_of(option: Option, word: Word | None, namespace: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return what a word stands for: a variable's value, a number, a choice, or the text itself.

    Raises
    ------
    OptionError
        If a bare name is no variable, or the text is no value of this option.
    """
    if word is None:
        return True
    text = word.text
    if option.kind == "choice" and text in option.choice_words():
        return option.choice_words()[text]
    if option.kind == "metric":
        return _metric(word, namespace)
    if word.is_name:
        if text in namespace:
            return namespace[text]
        if option.kind != "data" and text in _LITERALS:
            return _LITERALS[text]
        raise _unknown_name(option, text, namespace)
    return _literal(option, text, namespace)


def _metric(word: Word, namespace: Mapping[str, Any]) -> Any:  # noqa: ANN401
    # "map" and "AP" are metrics as well as identifiers: a variable of that name is meant only
    # where it could be a metric.
    value = namespace.get(word.text) if word.is_name else None
    if isinstance(value, str) or callable(value):
        return value
    return word.text


def _literal(option: Option, text: str, namespace: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if option.kind == "data":
        return _path_or_size(option, text, namespace)
    if option.kind in _READERS:
        read, noun = _READERS[option.kind]
        try:
            return read(text)
        except ValueError:
            raise OptionError(
                f"{option.flag} {text} is no {noun} and no variable's name",
                remedy=option.help,
            ) from None
    if option.kind == "choice":
        listed = ", ".join(option.choice_words())
        raise OptionError(f"{option.flag} {text} is not one of {listed}")
    raise OptionError(f"{option.flag} takes no value such as {text!r}", remedy=option.help)


def _pair(text: str) -> tuple[float, float]:
    low, high = (float(part) for part in text.strip("()[]").split(","))
    return low, high


_READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "number": (float, "number"),
    "integer": (int, "whole number"),
    "pair": (_pair, "pair of numbers"),
}


def _path_or_size(option: Option, text: str, namespace: Mapping[str, Any]) -> str | int:
    if option.name == "corpus" and text.replace("_", "").replace(",", "").isdecimal():
        return int(text.replace("_", "").replace(",", ""))
    match = _EXPRESSION.match(text)
    if match and match[1] in namespace and not Path(text).exists():
        raise OptionError(
            f"{text!r} is an expression, and {option.flag} takes a variable's bare name or a path",
            remedy=f"Write {option.name} = {text} in a cell, then {option.flag} {option.name}.",
        )
    return text


def _unknown_name(option: Option, name: str, namespace: Mapping[str, Any]) -> OptionError:
    known = [n for n in namespace if not n.startswith("_")]
    if option.kind == "choice":
        listed = ", ".join(option.choice_words())
        return OptionError(f"{option.flag} {name} is not one of {listed}, nor a variable")
    near = near_names(name, known)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    path = f"A file of that name is written ./{name}." if option.kind == "data" else ""
    return OptionError(
        f"{name} is no variable of this notebook", where=option.flag, remedy=(hint + path).strip()
    )
