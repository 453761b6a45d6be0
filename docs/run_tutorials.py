"""Run tutorials and store their outputs: ``python -m docs.run_tutorials [NAME ...]``.

What differs from run to run is taken out (counters, timings, split streams, tracebacks), so that
a second run changes nothing unless the product did.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

__all__ = ["clean", "leaks", "main"]

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
# Public evaluation data, which some tutorials need, where it lies beside the project.
DATA = Path(__file__).parents[2] / "shared" / "data"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Nothing that names a machine or a moment may be stored.
LEAKS = re.compile(
    r"/(?:root|home|tmp|work|Users)/\w|0x[0-9a-f]{6,}|\b\d\d:\d\d:\d\d\b|\b[A-Z]:\\+\w"
)


def main(names: list[str]) -> None:
    """Run the named notebooks, or all tutorials and the gallery of charts."""
    os.environ["TQDM_DISABLE"] = "1"
    if DATA.is_dir():
        os.environ.setdefault("FALSIFY_NB_DATA", str(DATA))
    paths = [NOTEBOOKS / f"{name.removesuffix('.ipynb')}.ipynb" for name in names]
    all_paths = [*sorted(NOTEBOOKS.glob("[0-9]*.ipynb")), NOTEBOOKS / "gallery.ipynb"]
    for path in paths or all_paths:
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(NOTEBOOKS)}},
        ).execute()
        clean(notebook)
        if found := leaks(notebook):
            raise SystemExit(f"{path.name} would store {', '.join(found)}")
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1000:,.0f} kB")  # noqa: T201 - a script


def clean(notebook: NotebookNode) -> None:
    """Take out of a notebook what differs from run to run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        cell.execution_count = number
        outputs: list[NotebookNode] = []
        for output in cell.outputs:
            last = outputs[-1] if outputs else None
            if last and output.output_type == last.output_type == "stream":
                last.text += output.text
                continue
            outputs.append(output)
            if "execution_count" in output:
                output.execution_count = number
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
        cell.outputs = outputs


def leaks(notebook: NotebookNode) -> list[str]:
    """Return what an output holds of a path, an address or a time."""
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    # A picture's base64 text may look like anything.
    texts = (
        str({k: v for k, v in output.items() if k != "data"})
        + str({k: v for k, v in output.get("data", {}).items() if not k.startswith("image/png")})
        for cell in code
        for output in cell.outputs
    )
    return sorted({found.group() for text in texts for found in LEAKS.finditer(text)})


if __name__ == "__main__":
    main(sys.argv[1:])
