"""Servers of the front ends, and pages of them in a Chromium that may not leave this machine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import nbformat

__all__ = ["HERE", "SECONDS", "Server", "Tab", "launch"]

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
HERE = re.compile(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:")
_SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": {
        "windowingMode": "none",
        "autoStartDefaultKernel": True,
    },
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
SECONDS = 90


def launch(playwright: Any) -> Any:
    """Return a Chromium of this machine."""
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
        headless=True,
        args=_FLAGS,
    )


class Server:
    """One front end's server with a folder of notebooks, on a port of its own."""

    def __init__(self, app: str, root: Path, private: Path) -> None:
        self.app = app
        self.root = root
        self._private = private
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._log = (private / "server.log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", app, *self._arguments(port)],
            env=self._environment(),
            cwd=root,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _arguments(self, port: int) -> list[str]:
        if self.app == "voila":
            return ["--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1", str(self.root)]
        return [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={self.root}",
        ]

    def _environment(self) -> dict[str, str]:
        private = self._private
        overrides = private / "config" / "labconfig" / "default_setting_overrides.json"
        overrides.parent.mkdir(parents=True)
        overrides.write_text(json.dumps(_SETTINGS))
        return {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(private / "config"),
            "JUPYTER_RUNTIME_DIR": str(private / "runtime"),
            "JUPYTER_DATA_DIR": str(private / "data"),
            "JUPYTERLAB_SETTINGS_DIR": str(private / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(private / "workspaces"),
            "IPYTHONDIR": str(private / "ipython"),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }

    def wait(self) -> None:
        """Wait until the server answers."""
        probe = self.url + ("/" if self.app == "voila" else "/api/status")
        end = time.monotonic() + SECONDS
        while True:
            try:
                urllib.request.urlopen(probe, timeout=5).read()
            except OSError:
                assert self._process.poll() is None, (self._private / "server.log").read_text()
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.1)
            else:
                return

    def choose_theme(self, name: str) -> None:
        """Let pages that are opened from now on have a theme of JupyterLab."""
        folder = self._private / "settings" / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "themes.jupyterlab-settings").write_text(json.dumps({"theme": name}))

    def get(self, path: str) -> list[dict]:
        """Return what the server's own interface answers."""
        return json.load(urllib.request.urlopen(self.url + path, timeout=10))

    def stop_kernels(self) -> None:
        """End all kernels, so that they do not slow the next test down."""
        for session in self.get("/api/sessions"):
            url = f"{self.url}/api/sessions/{session['id']}"
            # One that is restarting at this moment cannot be deleted; the server ends it later.
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(urllib.request.Request(url, method="DELETE"), timeout=20)

    def stop(self) -> None:
        """End the server and its kernels."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._log.close()


class Tab:
    """A page of a front end with one notebook open."""

    def __init__(self, page, server: Server, outside: list[str]) -> None:
        self.page = page
        self.server = server
        self.outside = outside
        self.errors: list[str] = []
        page.on("pageerror", lambda e: self.errors.append(str(e)[:300]))

    def write(self, name: str, *sources: str) -> None:
        """Write a notebook into the server's folder."""
        cells = [nbformat.v4.new_code_cell(s, id=f"cell-{i}") for i, s in enumerate(sources)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(notebook, self.server.root / name)

    def open(self, name: str) -> None:
        """Open a notebook and wait until its kernel is there: Run All is lost before that."""
        prefix = "/lab/tree/" if self.server.app == "jupyterlab" else "/notebooks/"
        suffix = "?reset" if self.server.app == "jupyterlab" else ""
        self.page.goto(f"{self.server.url}{prefix}{name}{suffix}")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=SECONDS * 1000)
        end = time.monotonic() + SECONDS
        while not self._is_ready(name):
            assert time.monotonic() < end, "the kernel does not start"
            self.page.wait_for_timeout(100)
        idle = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
        self.page.locator(idle).first.wait_for(state="attached", timeout=SECONDS * 1000)

    def _is_ready(self, name: str) -> bool:
        for session in self.server.get("/api/sessions"):
            kernel = session["kernel"]
            if session["path"] == name and kernel["connections"] >= 1:
                return kernel["execution_state"] == "idle"
        return False

    def run_all(self, n_cells: int) -> None:
        """Run all cells and wait until each has its number."""
        self.page.get_by_role("menuitem", name="Run", exact=True).first.click()
        self.page.get_by_role("menuitem", name=re.compile("^Run All Cells$")).first.click()
        self.wait_for_cells(n_cells)

    def wait_for_cells(self, n_cells: int) -> None:
        """Wait until this many cells have run."""
        self.page.wait_for_function(
            """n => [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')]
                .filter(e => /^\\[\\d+\\]:$/.test(e.textContent.trim())).length >= n""",
            arg=n_cells,
            timeout=SECONDS * 1000,
        )

    def shoot(self, name: str, **options: object) -> None:
        """Keep a picture where FALSIFY_NB_SHOTS names a folder."""
        folder = os.environ.get("FALSIFY_NB_SHOTS")
        if folder:
            self.page.screenshot(path=Path(folder) / f"{name}.png", **options)
