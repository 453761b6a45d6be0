from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

import falsify_nb

NEVER_ON_BINDER = {"jupyterlab", "notebook", "jupyter-server", "ipykernel"}
RUN_COMMANDS = (
    "python -m pip install -e . && python -m falsify_nb demo",
    'python -m pip install -e ".[test]" && pytest',
)


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def bounds(lines):
    """Return {name: lower bound} of requirements such as ``numpy>=1.26``."""
    out = {}
    for line in lines:
        name, _, bound = re.match(r"([A-Za-z0-9._-]+)(\[.*\])?(?:>=|==)?([\d.]*)", line).groups()
        out[normal(name)] = bound
    return out


def pins(path):
    lines = (line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return {normal(n): v for n, v in (line.split("==") for line in lines if line)}


def test_the_oldest_pins_are_the_lower_bounds(root, project):
    oldest = pins(root / ".ci" / "oldest.txt")
    extras = project["optional-dependencies"]
    for name, bound in bounds(project["dependencies"]).items():
        assert bound, f"{name} has no lower bound"
        assert (oldest[name] + ".").startswith(bound + "."), name
    asked = bounds([*extras["ir"], *extras["tutorials"], *extras["test"]])
    for name, version in oldest.items():
        if name in asked:
            assert (version + ".").startswith(asked[name] + "."), name


def test_bounds_have_no_upper_end(project):
    lines = [*project["dependencies"]]
    for extra in ("ir", "lab", "tutorials", "test", "dev"):
        lines += project["optional-dependencies"][extra]
    assert [line for line in lines if "<" in line or "~=" in line or "!=" in line] == []


def test_binder_pins_exactly_what_the_tutorials_need(root, project):
    pinned = pins(root / "binder" / "requirements.txt")
    extras = project["optional-dependencies"]
    needed = bounds([*project["dependencies"], *extras["ir"], *extras["tutorials"]])
    assert needed.keys() - NEVER_ON_BINDER - {"falsify-nb"} <= pinned.keys()
    assert not NEVER_ON_BINDER & pinned.keys()
    assert all(re.fullmatch(r"[\d.]+(\.post\d+)?", version) for version in pinned.values())


def test_binder_builds_what_it_should(root, tmp_path):
    # A dry run: what the image would be built from, without building it.
    tool = pytest.importorskip("repo2docker.buildpacks.conda", reason="jupyter-repo2docker")
    assert tool
    done = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(root)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    dockerfile = done.stdout + done.stderr
    assert "binder/requirements.txt" in dockerfile
    assert "./binder/postBuild" in dockerfile
    assert "conda environment for python=3.11" in dockerfile


def test_binder_asks_for_the_oldest_python_that_we_promise(root, project):
    runtime = (root / "binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    assert project["requires-python"] == f">={runtime.removeprefix('python-')}"


def test_post_build_stops_at_the_first_error(root):
    lines = (root / "binder" / "postBuild").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["#!/bin/bash", "set -e"]
    assert (root / "binder" / "postBuild").stat().st_mode & 0o100


def test_versions_agree(root):
    version = falsify_nb.__version__
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(\d.*?)\]", changes, flags=re.MULTILINE)[0] == version


def test_the_licence_is_whole(root, project):
    text = (root / "LICENSE").read_text(encoding="utf-8")
    assert project["license"] == "Apache-2.0"
    assert text.lstrip().startswith("Apache License\n")
    assert "END OF TERMS AND CONDITIONS" in text
    assert all(f"\n   {n}. " in text for n in range(1, 10))


@pytest.mark.parametrize("command", RUN_COMMANDS)
def test_the_readme_and_the_ci_run_the_same_commands(root, command):
    assert command in (root / "README.md").read_text(encoding="utf-8").splitlines()
    assert f"'{command}'" in (root / ".ci" / "run").read_text(encoding="utf-8")


def test_the_badge_opens_the_repository_that_is_named_once(root):
    repository = (root / "binder" / "repository.txt").read_text(encoding="utf-8").strip()
    readme = (root / "README.md").read_text(encoding="utf-8")
    links = re.findall(
        r"https://mybinder\.org/v2/gh/([^/]+/[^/]+)/([^?]+)\?labpath=(\S+?)\)", readme
    )
    assert links == [(repository, "main", "notebooks/01-quickstart.ipynb")]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/method.md"])
def test_links_lead_somewhere(root, page):
    text = (root / page).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in headings}
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (root / page).parent.joinpath(target).exists(), target
