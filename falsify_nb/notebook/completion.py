"""Tab completion: the magics' options, metrics and fitting variables, and kinds of charts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from falsify_nb.notebook.chart_kinds import chart_kinds
from falsify_nb.notebook.fits import candidates, user_variables
from falsify_nb.notebook.options import METRICS, OPTIONS, Option

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["install", "uninstall"]

_IDENTIFIER = "falsify_nb.magic"
# Above IPython's own matchers, which would mix in every name and file.
_PRIORITY = 110
_MAGIC = re.compile(r"(?:.*=\s*)?%%?falsify\s")


def install(shell: InteractiveShell) -> None:
    """Add our matcher to the shell's completer, once."""
    from IPython.core.completer import context_matcher

    uninstall(shell)

    @context_matcher(identifier=_IDENTIFIER, priority=_PRIORITY)  # type: ignore[untyped-decorator]
    def match(context: Any) -> Any:  # noqa: ANN401 - IPython's own dictionary types
        return _match(context, user_variables(shell))

    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(match)


def uninstall(shell: InteractiveShell) -> None:
    """Remove our matcher, also one that an earlier import of this module added."""
    if shell.Completer is None:
        return
    matchers = shell.Completer.custom_matchers
    matchers[:] = [m for m in matchers if getattr(m, "matcher_identifier", "") != _IDENTIFIER]


def _match(context: Any, namespace: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    from IPython.core.completer import SimpleCompletion

    line = context.full_text.split("\n")[context.cursor_line]
    asked = chart_kinds(line[: context.cursor_position], namespace)
    if asked is not None:
        kinds, fragment = asked
        return {
            "completions": [SimpleCompletion(text=k, type="chart") for k in kinds],
            "suppress": True,
            "matched_fragment": fragment,
        }
    magic = _MAGIC.match(line)
    is_first = context.cursor_line == 0 or not line.lstrip().startswith("%%")
    if magic is None or not is_first or magic.end() > context.cursor_position:
        return {"completions": [], "suppress": False}
    words, fragment = _typed(line[magic.end() : context.cursor_position])
    found = _proposals(words, fragment, namespace)
    kept = {t: hint for t, hint in found.items() if t.lower().startswith(fragment.lower())}
    return {
        "completions": [SimpleCompletion(text=t, type=hint) for t, hint in kept.items()],
        # A path is still IPython's to complete.
        "suppress": bool(kept) or fragment.startswith("-"),
        "matched_fragment": fragment,
    }


def _typed(text: str) -> tuple[list[str], str]:
    """Return the finished words and the unfinished one; ``--tau=`` is a finished word."""
    words = re.split(r"\s+", text.lstrip())
    fragment = words.pop()
    key, equals, value = fragment.partition("=")
    if equals and key.startswith("--"):
        return [*words, key], value
    return [word.partition("=")[0] if word.startswith("--") else word for word in words], fragment


def _proposals(words: list[str], fragment: str, namespace: dict[str, Any]) -> dict[str, str]:
    last = words[-1] if words else ""
    option = OPTIONS.get(last[2:].replace("-", "_")) if last.startswith("--") else None
    if option is not None and option.takes_value and not fragment.startswith("-"):
        return _values(option, namespace)
    given = {word[2:].replace("-", "_") for word in words if word.startswith("--")}
    flags = {o.flag: "option" for o in OPTIONS.values() if o.name not in given}
    if not words and not fragment.startswith("-"):
        return {**candidates("run", namespace), **flags}
    return flags


def _values(option: Option, namespace: dict[str, Any]) -> dict[str, str]:
    if option.kind == "choice":
        return dict.fromkeys(option.choice_words(), "choice")
    found = candidates(option.name, namespace)
    if option.kind == "metric":
        return {**dict.fromkeys(METRICS, "metric"), **found}
    return found
