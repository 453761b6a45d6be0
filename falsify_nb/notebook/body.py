"""Running a cell's body as ordinary Python, and taking its last expression as the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from falsify_nb.errors import OptionError
from falsify_nb.notebook.line import is_option_like

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["Body", "read_body"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Body:
    """A parsed body, ready to run.

    Parameters
    ----------
    statements : ast.Module
        All that is executed.
    last : ast.Expression or None
        The expression whose value is the run.
    name : str
        The variable that holds the run after execution, where there is no such expression.
    filename : str
        The name under which the shell keeps the source for tracebacks.
    silenced : bool
        Whether the body ends with a semicolon.
    """

    statements: ast.Module
    last: ast.Expression | None
    name: str
    filename: str
    silenced: bool

    @property
    def is_empty(self) -> bool:
        """True for a body of comments and blank lines."""
        return self.last is None and not self.statements.body

    @property
    def run_name(self) -> str:
        """The name of the variable that is the run, empty where the run is an expression."""
        is_name = self.last is not None and isinstance(self.last.body, ast.Name)
        return self.last.body.id if is_name else self.name  # type: ignore[union-attr]

    def bound_names(self) -> set[str]:
        """Return the names that running may bind, wherever in the code."""
        names = set()
        for node in ast.walk(self.statements):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.alias):
                names.add((node.asname or node.name).partition(".")[0])
        return names

    def binds_unseen(self) -> bool:
        """Return whether names may be bound that the code does not show: a star, exec, a magic."""
        hidden = {"exec", "eval", "get_ipython", "globals", "setattr"}
        return "*" in self.bound_names() or any(
            isinstance(node, ast.Name) and node.id in hidden for node in ast.walk(self.statements)
        )

    def run(self, shell: InteractiveShell) -> Any:  # noqa: ANN401 - whatever the code gives
        """Execute the body in the notebook's namespace and return the run."""
        __tracebackhide__ = True
        space = shell.user_ns
        compiler: Any = shell.compile
        exec(compiler(self.statements, self.filename, "exec"), space)  # noqa: S102 - the user's
        if self.last is not None:
            return eval(compiler(self.last, self.filename, "eval"), space)  # noqa: S307 - the same
        return space[self.name] if self.name else None


def read_body(shell: Any, line: str, cell: str, *, needs_run: bool) -> Body:  # noqa: ANN401
    """Parse a cell's body without running anything of it.

    Parameters
    ----------
    shell : InteractiveShell
        Whose transformers and compiler are used, so that magics and ``!`` work in the body.
    line, cell : str
        The magic's first line and the rest.
    needs_run : bool
        Whether the body itself has to give the run.

    Raises
    ------
    OptionError
        If the body starts with options, awaits at its top level, or does not end in a run.
    SyntaxError
        As Python raises it.
    """
    __tracebackhide__ = True
    _refuse_options(cell)
    # The comment stands where the magic's line stood, so that tracebacks count lines as the
    # cell does.
    source = f"# %%falsify {line}".rstrip() + "\n" + shell.transform_cell(cell)
    filename = shell.compile.cache(source, shell.execution_count, raw_code=cell)
    tree = shell.compile.ast_parse(source, filename=filename)
    if _awaits(tree):
        raise OptionError(
            "the cell awaits at its top level, which a %%falsify cell cannot do",
            remedy="Await the run in its own cell (run = await …), then write "
            "%falsify run with the same options.",
        )
    tree = shell.transform_ast(tree)
    silenced = _ends_with_semicolon(source, tree)
    if not needs_run or not tree.body:
        return Body(tree, None, "", filename, silenced)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
        return Body(tree, ast.Expression(last.value), "", filename, silenced)
    return Body(tree, None, _assigned_name(last), filename, silenced)


def _refuse_options(cell: str) -> None:
    first = next((text for text in cell.splitlines() if text.strip()), "")
    if is_option_like(first):
        raise OptionError(
            f"the line {first.strip()!r} looks like options, but stands in the cell's body",
            remedy="Write all options on the cell's first line, behind %%falsify.",
        )


def _awaits(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
        or (isinstance(node, ast.comprehension) and bool(node.is_async))
        for node in _top_level(tree)
    )


def _top_level(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, _SCOPES):
            yield child
            yield from _top_level(child)


def _assigned_name(last: ast.stmt) -> str:
    if isinstance(last, ast.Assign) and isinstance(last.targets[-1], ast.Name):
        return last.targets[-1].id
    is_simple = isinstance(last, ast.AnnAssign | ast.AugAssign) and last.value is not None
    if is_simple and isinstance(last.target, ast.Name):  # type: ignore[attr-defined]
        return str(last.target.id)  # type: ignore[attr-defined]
    raise OptionError(
        "the cell's last line is neither an expression nor the assignment of one name, "
        "so there is no run to gate",
        where=f"line {last.lineno} of the cell",
        remedy="End the cell with the run itself, or name the variable that holds it: --run NAME.",
    )


def _ends_with_semicolon(source: str, tree: ast.Module) -> bool:
    if not tree.body:
        return False
    end = tree.body[-1]
    rest = source.splitlines()[(end.end_lineno or 1) - 1].encode()[end.end_col_offset or 0 :]
    return rest.strip().startswith(b";")
