"""The magics ``%%falsify``, ``%falsify`` and ``%falsify_panel``, loaded and taken away again."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from IPython.core.magic import (
    Magics,
    line_cell_magic,
    line_magic,
    magics_class,
    no_var_expand,
)

from falsify_nb.errors import GateFailed, GateUndecided, OptionError
from falsify_nb.notebook import completion
from falsify_nb.notebook.body import Body, read_body
from falsify_nb.notebook.line import Word, is_silenced, parse
from falsify_nb.notebook.options import option_help
from falsify_nb.notebook.several import SeveralResults, as_several, may_be_several, named
from falsify_nb.notebook.variables import check_early, gate_arguments

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from falsify_nb.core.result import GateResult
    from falsify_nb.notebook.panel import Panel

__all__ = ["FalsifyMagics", "load", "unload"]

_USAGE = f"""Gate a retrieval run: could a dumb system have got this score?

As a cell magic, the body is ordinary Python, and its last expression is the run::

    %%falsify --qrels qrels --corpus corpus --metric nDCG@10 --out result
    {{query_id: search(text) for query_id, text in queries.items()}}

As a line magic, it takes a run that exists::

    result = %falsify run --qrels qrels --tau 0.1

All options stand on the first line. A bare name is a variable; anything else is a path, a
number or a word; a value with blanks goes in quotation marks. Options:

{option_help()}

A mapping of system names to runs shows one card for each.
"""


@magics_class
class FalsifyMagics(Magics):
    """The package's magics; they hold no state but the shell."""

    @no_var_expand
    @line_cell_magic
    def falsify(self, line: str, cell: str | None = None) -> GateResult | SeveralResults | None:
        """Gate a run; the text that users see is set below."""
        __tracebackhide__ = True
        if {"-h", "--help"} & set(line.split()):
            print(_USAGE)  # noqa: T201 - help is asked for
            return None
        given = parse(line)
        out = _out_name(given)
        if out:
            self._shell.user_ns.pop(out, None)
        body = self._read_body(line, cell, given)
        result = self._gate(given, body)
        if out:
            self._shell.push({out: result})  # type: ignore[no-untyped-call]
        silenced = "quiet" in given or (body.silenced if body else is_silenced(line))
        if "raise" in given:
            _raise_verdict(result, show=not silenced)
        return None if silenced else result

    falsify.__doc__ = _USAGE

    @no_var_expand
    @line_magic
    def falsify_panel(self, line: str) -> Panel:
        """Open the control panel: choose, run, look, change one thing, run again.

        ::

            %falsify_panel

        After the page was loaded anew, run the cell again: what the panel sends to its card does
        not reach a page that was opened later.
        """
        __tracebackhide__ = True
        from falsify_nb.notebook.panel import panel

        if line.strip() and not line.strip().startswith("#"):
            raise OptionError(
                f"%falsify_panel takes no options, but was given {line.strip()!r}",
                remedy="Choose everything in the panel, or call panel() with keyword arguments.",
            )
        return panel()

    @property
    def _shell(self) -> InteractiveShell:
        return cast("InteractiveShell", self.shell)

    def _read_body(
        self, line: str, cell: str | None, given: Mapping[str, Word | None]
    ) -> Body | None:
        __tracebackhide__ = True
        has_run = "run" in given
        body = None if cell is None else read_body(self._shell, line, cell, needs_run=not has_run)
        if not has_run and (body is None or body.is_empty):
            raise OptionError(
                "there is no run to gate",
                remedy="End the cell with the run, or name one that exists: "
                "%falsify run --qrels qrels.",
            )
        if "qrels" not in given:
            raise OptionError(
                "the relevance judgments are missing", remedy="Give them with --qrels QRELS."
            )
        if body is None:
            check_early(given, self._shell.user_ns, ())
        elif not body.binds_unseen():
            check_early(given, self._shell.user_ns, body.bound_names())
        return body

    def _gate(
        self, given: Mapping[str, Word | None], body: Body | None
    ) -> GateResult | SeveralResults:
        __tracebackhide__ = True
        from falsify_nb.api import falsify

        run = body.run(self._shell) if body else None
        arguments = gate_arguments(given, self._shell.user_ns)
        run = arguments.pop("run", run)
        forced = "compare" in given
        if forced or may_be_several(run):
            from falsify_nb.io.adapt import to_qrels

            arguments["qrels"] = to_qrels(arguments["qrels"])
            several = as_several(
                run, arguments["qrels"], queries=arguments.get("queries"), forced=forced
            )
            if several is not None:
                return SeveralResults.gated(several, falsify, arguments)
        word = given.get("run")
        name = word.text if word and word.is_name else body.run_name if body else ""
        return named(falsify(run, **arguments), name)


def _out_name(given: Mapping[str, Word | None]) -> str:
    word = given.get("out")
    if word is None:
        return ""
    name = word.text
    if not name.isidentifier() or keyword.iskeyword(name):
        raise OptionError(f"--out {name} is no name that a variable can have")
    readers = [o for o, w in given.items() if o != "out" and w and w.is_name and w.text == name]
    if readers:
        # It is unbound first, so that a failure cannot leave an old result behind.
        raise OptionError(
            f"--out {name} would replace the variable that --{readers[0]} reads",
            remedy="Give the result another name.",
        )
    return name


def _raise_verdict(result: GateResult | SeveralResults, *, show: bool) -> None:
    __tracebackhide__ = True
    results = result.values() if isinstance(result, SeveralResults) else [result]
    bad = [r for r in results if not r.passed]
    if not bad:
        return
    if show:
        # An exception leaves no value to show, and the reader wants to see why.
        result._ipython_display_()
    worst = next((r for r in bad if r.verdict == "FAIL"), bad[0])
    kind = GateFailed if worst.verdict == "FAIL" else GateUndecided
    null = next(n for n in worst.nulls.values() if n.verdict == worst.verdict)
    name = f"{worst.system}: " if worst.system else ""
    raise kind(
        f"{name}{worst.verdict} under {worst.metric} with tau {worst.tau:g}",
        where=f"null {null.name}, {null.title}: gap {null.delta:+.4f}",
        remedy=null.reason,
    )


def load(shell: InteractiveShell) -> None:
    """Register the magics and their completion; loading again changes nothing."""
    shell.register_magics(FalsifyMagics)
    completion.install(shell)


def unload(shell: InteractiveShell) -> None:
    """Take away all that `load` registered; unloading again changes nothing."""
    import sys

    manager = shell.magics_manager
    manager.magics["cell"].pop("falsify", None)
    for name in ("falsify", "falsify_panel"):
        manager.magics["line"].pop(name, None)
    manager.registry.pop(FalsifyMagics.__name__, None)
    completion.uninstall(shell)
    panels = sys.modules.get("falsify_nb.notebook.panel")
    if panels is not None:
        panels.close_all()
