from __future__ import annotations

import ast
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import falsify_nb

PACKAGE = Path(falsify_nb.__file__).parent
HEAVY = ("numpy", "pandas", "altair", "ipywidgets", "IPython", "scipy", "vl_convert")

# Who may import whom: a module may import from its own layer and from those before it.
LAYERS = (
    ("errors",),
    ("core",),
    ("io",),
    ("report",),
    ("api", "systems", "_leaflets", "_rankings", "demo", "environment", "robustness", "progress"),
    ("calibration", "controls"),
    ("notebook", "cli", "__main__"),
    ("__init__",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# The one upward edge: a result shows itself, so its view methods import the report when called.
# The package's own head is named by whoever needs its version.
UPWARD = {("core.result", "report"), ("core.result", "core")}
# Only these may import what is heavy or a matter of show.
ALLOWED = {
    "altair": ("report.charts",),
    "vl_convert": ("report.", "notebook.panel_svg"),
    "pandas": (
        "io.",
        "report.",
        "notebook.",
        "api",
        "systems",
        "environment",
        "robustness",
        "calibration",
        "controls",
    ),
    "IPython": ("notebook.", "report.display", "environment"),
    "ipywidgets": ("notebook.", "environment"),
}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts), path


def imports(path):
    """Yield (imported name, whether it stands inside a function, whether only for types)."""

    def walk(node, inside, typing_only):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield alias.name, inside, typing_only
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path} has a relative import"
                for alias in child.names:
                    yield f"{child.module}.{alias.name}", inside, typing_only
            else:
                in_function = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                for_types = typing_only or (
                    isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
                )
                yield from walk(child, in_function, for_types)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


def layer(module):
    return module.split(".")[0] if module else "__init__"


@pytest.mark.parametrize(("module", "path"), [pytest.param(m, p, id=m) for m, p in modules()])
def test_imports_run_one_way(module, path):
    assert layer(module) in LEVEL, f"{module} has no layer yet"
    for name, inside, typing_only in imports(path):
        if not name.startswith("falsify_nb.") or typing_only:
            continue
        target = layer(name.removeprefix("falsify_nb."))
        if target in ("__version__", *falsify_nb.__all__):
            target = "__init__"
        if target == "__init__":
            assert name == "falsify_nb.__version__", f"{module} imports {name} from the package"
            assert inside, f"{module} imports the package's head before it is complete"
        elif (module, target) in UPWARD:
            assert inside or LEVEL[target] <= LEVEL[layer(module)]
        else:
            assert LEVEL[target] <= LEVEL[layer(module)], f"{module} imports {name}"


@pytest.mark.parametrize(("module", "path"), [pytest.param(m, p, id=m) for m, p in modules()])
def test_heavy_packages_are_imported_where_they_are_needed(module, path):
    for name, inside, typing_only in imports(path):
        package = name.split(".")[0]
        if typing_only or package not in ALLOWED:
            continue
        assert module.startswith(ALLOWED[package]), f"{module} imports {package}"
        if package in ("altair", "pandas", "vl_convert"):
            assert inside, f"{module} imports {package} at its head"


def fresh(code, **env):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **env},
    )
    return done.stdout.split()


def test_import_loads_nothing_heavy():
    found = fresh("import sys, falsify_nb; dir(falsify_nb); print(*sys.modules)")
    assert not {name.split(".")[0] for name in found} & set(HEAVY)


def test_the_command_says_its_version_without_loading_numpy():
    code = (
        "import sys, falsify_nb.cli as c\n"
        "try: c.main(['--version'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    assert not {name.split(".")[0] for name in fresh(code)} & set(HEAVY)


def test_the_extension_waits_with_charts_and_frames(tmp_path):
    code = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell as S\n"
        "shell = S.instance(); before = set(sys.modules)\n"
        "shell.run_line_magic('load_ext', 'falsify_nb')\n"
        "print(*(set(sys.modules) - before))"
    )
    assert not {name.split(".")[0] for name in fresh(code, IPYTHONDIR=str(tmp_path))} & {
        "altair",
        "pandas",
        "ipywidgets",
    }


def test_every_public_name_can_be_had():
    assert len(falsify_nb.__all__) == len(set(falsify_nb.__all__))
    for name in falsify_nb.__all__:
        assert getattr(falsify_nb, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'falsfy'"):
        falsify_nb.falsfy  # noqa: B018


def test_all_is_what_is_visible():
    assert dir(falsify_nb) == sorted(falsify_nb.__all__)
    star = fresh("from falsify_nb import *; print(*(n for n in dir() if n[:2] != '__'))")
    assert sorted([*star, "__version__"]) == sorted(falsify_nb.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If))
    seen = {
        alias.asname: f"{n.module}".removeprefix("falsify_nb.")
        for n in block.body
        if isinstance(n, ast.ImportFrom) and n.module.startswith("falsify_nb")
        for alias in n.names
    }
    assert seen == falsify_nb._PUBLIC


def test_no_public_name_is_a_submodules():
    submodules = {m.name for m in pkgutil.iter_modules([str(PACKAGE)])}
    assert not submodules & set(falsify_nb.__all__)


@pytest.mark.parametrize("name", [n for n in falsify_nb.__all__ if n != "__version__"])
def test_public_names_are_documented(name):
    thing = getattr(falsify_nb, name)
    assert thing.__doc__
    members = vars(thing) if isinstance(thing, type) else {}
    undocumented = [
        k
        for k, v in members.items()
        if not k.startswith("_") and (callable(v) or isinstance(v, property)) and not v.__doc__
    ]
    assert undocumented == []


@pytest.mark.parametrize(("module", "path"), [pytest.param(m, p, id=m) for m, p in modules()])
def test_modules_say_what_they_are_for_and_what_they_export(module, path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not tree.body:
        return
    assert ast.get_docstring(tree), f"{module} has no first line"
    if module in ("__init__", "__main__") or path.name == "__init__.py":
        return
    loaded = import_module(f"falsify_nb.{module}")
    assert all(hasattr(loaded, name) for name in loaded.__all__)
