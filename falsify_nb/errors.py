"""Every error that the package raises on purpose.

::

    FalsifyError
    ├── InputError (ValueError)          a run, qrels or corpus that cannot be used
    │   ├── ReadError                    a file or table that cannot be read
    │   ├── DuplicateError               the same (query, document) twice
    │   ├── ScoreError                   a score or grade that is not a finite number
    │   ├── NoOverlapError               run and qrels share no query
    │   └── CorpusError                  documents and corpus contradict each other
    ├── OptionError (ValueError)         a parameter outside its range
    │   └── MetricError                  a metric name that is unknown or refused
    ├── WriteError (OSError)             a report or file that cannot be written
    ├── FunctionError (RuntimeError)     a user's function failed or returned no usable value
    │   └── RetrieverError               a retriever failed on one query; keeps what was done
    ├── Cancelled                        the work was stopped on request
    ├── MissingExtraError (ImportError)  an optional package is needed
    ├── MemoryNeededError (MemoryError)  the task would not fit in memory
    ├── GateFailed                       the verdict is FAIL and the caller asked to be stopped
    └── GateUndecided                    the same for UNDER-NS
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = [
    "Cancelled",
    "CorpusError",
    "DuplicateError",
    "FalsifyError",
    "FunctionError",
    "GateFailed",
    "GateUndecided",
    "InputError",
    "MemoryNeededError",
    "MetricError",
    "MissingExtraError",
    "NoOverlapError",
    "OptionError",
    "ReadError",
    "RetrieverError",
    "ScoreError",
    "WriteError",
]


class FalsifyError(Exception):
    """Base of all errors of the package.

    Parameters
    ----------
    what : str
        What is wrong, with the value quoted.
    where : str, optional
        Where it stands: a query id, a file and line, a row and column.
    remedy : str, optional
        What to type or change.

    Examples
    --------
    >>> print(FalsifyError("tau is 2", where="option --tau", remedy="Use a value from 0 to 1."))
    tau is 2 (option --tau). Use a value from 0 to 1.
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what, where, remedy)

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions rebuild themselves from `args`; ours take two of them by keyword.
        return (_rebuild, (type(self), self.what, self.where, self.remedy))

    def __str__(self) -> str:
        text = self.what
        if self.where:
            text += f" ({self.where})"
        if self.remedy:
            text += f". {self.remedy}"
        return text

    def _render_traceback_(self) -> list[str]:
        # IPython calls this instead of printing a traceback, and still sends an error message
        # with our class name, so that nbclient and papermill see the failure.
        return [f"{type(self).__name__}: {self}"]


def _rebuild(cls: type[FalsifyError], what: str, where: str, remedy: str) -> FalsifyError:
    return cls(what, where=where, remedy=remedy)


class InputError(FalsifyError, ValueError):
    """A run, qrels, corpus or mapping that cannot be used."""


class ReadError(InputError):
    """A file or table that cannot be read as what it was given for."""


class DuplicateError(InputError):
    """The same (query, document) pair twice, or one query given twice."""


class ScoreError(InputError):
    """A score or grade that is missing, NaN, infinite or no number."""


class NoOverlapError(InputError):
    """Run and qrels have no query in common."""


class CorpusError(InputError):
    """A document outside the corpus, or a corpus smaller than the documents seen."""


class OptionError(FalsifyError, ValueError):
    """A parameter outside its range."""


class MetricError(OptionError):
    """A metric name that is unknown, malformed or refused."""


class WriteError(FalsifyError, OSError):
    """A file that cannot be written; what stood there before is untouched."""


class FunctionError(FalsifyError, RuntimeError):
    """A user's metric or retriever raised, or returned no usable value."""


class RetrieverError(FunctionError):
    """A retriever raised on one query, or gave an answer that is no ranking.

    Its attribute `done` maps the queries asked before to their hits; it can be given as a run.
    """

    done: Mapping[str, object] = MappingProxyType({})


class Cancelled(FalsifyError):  # noqa: N818 - what happened is no error of anybody's
    """The work was stopped on request.

    While a retriever was asked, its attribute `done` maps queries to the hits so far.
    """

    done: Mapping[str, object] = MappingProxyType({})


class MissingExtraError(FalsifyError, ImportError):
    """An optional package is needed for this."""


class MemoryNeededError(FalsifyError, MemoryError):
    """The task would need more memory than its budget."""


class GateFailed(FalsifyError):  # noqa: N818 - named for the verdict
    """The gate's verdict is FAIL, and the caller asked for an exception."""


class GateUndecided(FalsifyError):  # noqa: N818 - named for the verdict
    """The gate's verdict is UNDER-NS, and the caller asked for an exception."""


def near_names(word: str, known: Iterable[str], n: int = 3) -> list[str]:
    """Return up to `n` of the known names that resemble a word, best first, blind to case."""
    by_lower = {name.lower(): name for name in known}
    return [by_lower[m] for m in difflib.get_close_matches(word.lower(), by_lower, n, 0.5)]


def a_kind(value: object) -> str:
    """Return the type of a value with its article.

    Examples
    --------
    >>> a_kind(5), a_kind({})
    ('an int', 'a dict')
    """
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def shorten(value: object, width: int = 60) -> str:
    """Return the repr of a value cut to `width` characters, for use in a message."""
    text = repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"
