"""Front ends to open pages of, started once for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from front_ends import HERE, SECONDS, Server, Tab, launch

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")


@pytest.fixture(scope="session")
def _servers(tmp_path_factory) -> Iterator[dict[str, Server]]:
    running: dict[str, Server] = {}
    yield running
    for server in running.values():
        server.stop()


@pytest.fixture
def serve(_servers, tmp_path_factory):
    """Return the server of a front end, started once for all tests."""

    def start(app: str) -> Server:
        if find_spec(app) is None:
            pytest.skip(f"needs {app}")
        if app not in _servers:
            root = tmp_path_factory.mktemp(f"{app}-notebooks")
            server = Server(app, root, tmp_path_factory.mktemp(f"{app}-private"))
            _servers[app] = server
            server.wait()
        return _servers[app]

    return start


@pytest.fixture(scope="session")
def chromium():
    with playwright.sync_playwright() as pw:
        browser = launch(pw)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium, serve):
    """Open pages of a front end; every request that would leave this machine fails."""
    contexts = []

    def open_tab(app: str, *, width: int = 1300, height: int = 1300, theme: str = "Light") -> Tab:
        server = serve(app)
        server.choose_theme(f"JupyterLab {theme}")
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme.lower()
        )
        context.set_default_timeout(SECONDS * 1000)
        contexts.append((context, server))
        outside: list[str] = []

        def route(request) -> None:
            if HERE.match(request.request.url):
                request.continue_()
            else:
                outside.append(request.request.url)
                request.abort()

        context.route("**/*", route)
        return Tab(context.new_page(), server, outside)

    yield open_tab
    for context, server in contexts:
        context.close()
        if server.app != "voila":
            server.stop_kernels()


@pytest.fixture(scope="session")
def axe():
    """Assert that axe-core finds no serious violation in a part of a page."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("needs axe-playwright-python")
    folder = Path(find_spec("axe_playwright_python").origin).parent
    script = (folder / "axe.min.js").read_text()

    def check(page, part: str) -> None:
        page.evaluate(script)
        found = page.evaluate("part => axe.run(part)", part)
        serious = [
            f"{v['id']}: {v['nodes'][0]['html'][:200]}"
            for v in found["violations"]
            if v["impact"] in {"serious", "critical"}
        ]
        assert serious == []

    return check
