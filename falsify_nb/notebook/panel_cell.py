"""The cell that does again what the panel shows."""

from __future__ import annotations

from collections.abc import Mapping

from falsify_nb.notebook.options import OPTIONS

__all__ = ["cell_text"]

# These are always written, so that the cell says what it rests on.
_ALWAYS = {"qrels", "metric", "tau"}


def cell_text(settings: Mapping[str, str], *, out: str = "result") -> str:
    """Return a ``%%falsify`` cell with the same settings.

    Parameters
    ----------
    settings : mapping of str to str
        What was chosen in the panel, as typed.
    out : str
        The name that the cell binds.

    Examples
    --------
    >>> print(cell_text({"run": "bm25", "qrels": "my qrels.txt", "tau": "0.1", "top_k": ""}))
    %%falsify --qrels "my qrels.txt" --tau 0.1 --out result
    bm25
    """
    words = ["%%falsify"]
    for name, text in settings.items():
        option = OPTIONS[name]
        default = "" if option.default is None else str(option.default)
        if name == "run" or not text.strip() or (name not in _ALWAYS and text == default):
            continue
        words += [option.flag, _quoted(text.strip())]
    run = settings["run"].strip()
    return f"{' '.join([*words, '--out', out])}\n{run if run.isidentifier() else repr(run)}"


def _quoted(text: str) -> str:
    if not any(c.isspace() for c in text) and text[:1] not in {"'", '"', "#", "-"}:
        return text
    mark = "'" if '"' in text else '"'
    return f"{mark}{text}{mark}"
