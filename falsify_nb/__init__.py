"""Could a dumb system have got this score? Four nulls, one verdict."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from falsify_nb.api import falsify as falsify
    from falsify_nb.api import plan as plan
    from falsify_nb.calibration import CalibrationCurve as CalibrationCurve
    from falsify_nb.calibration import calibration_curve as calibration_curve
    from falsify_nb.controls import SelfTest as SelfTest
    from falsify_nb.controls import self_test as self_test
    from falsify_nb.core.null_result import NullResult as NullResult
    from falsify_nb.core.power import Power as Power
    from falsify_nb.core.power import power as power
    from falsify_nb.core.protocol import Protocol as Protocol
    from falsify_nb.core.result import GateResult as GateResult
    from falsify_nb.demo import load_demo as load_demo
    from falsify_nb.environment import show_versions as show_versions
    from falsify_nb.errors import Cancelled as Cancelled
    from falsify_nb.errors import CorpusError as CorpusError
    from falsify_nb.errors import DuplicateError as DuplicateError
    from falsify_nb.errors import FalsifyError as FalsifyError
    from falsify_nb.errors import FunctionError as FunctionError
    from falsify_nb.errors import GateFailed as GateFailed
    from falsify_nb.errors import GateUndecided as GateUndecided
    from falsify_nb.errors import InputError as InputError
    from falsify_nb.errors import MemoryNeededError as MemoryNeededError
    from falsify_nb.errors import MetricError as MetricError
    from falsify_nb.errors import MissingExtraError as MissingExtraError
    from falsify_nb.errors import NoOverlapError as NoOverlapError
    from falsify_nb.errors import OptionError as OptionError
    from falsify_nb.errors import ReadError as ReadError
    from falsify_nb.errors import RetrieverError as RetrieverError
    from falsify_nb.errors import ScoreError as ScoreError
    from falsify_nb.errors import WriteError as WriteError
    from falsify_nb.io.read import read_corpus as read_corpus
    from falsify_nb.io.read import read_qrels as read_qrels
    from falsify_nb.io.read import read_run as read_run
    from falsify_nb.notebook.panel import panel as panel
    from falsify_nb.robustness import SensitivityResult as SensitivityResult
    from falsify_nb.robustness import sensitivity as sensitivity
    from falsify_nb.systems import baseline as baseline

__version__ = "0.1.0"

# Name -> module. Resolved on first use, so that `import falsify_nb` loads nothing heavy.
_PUBLIC = {
    "CalibrationCurve": "calibration",
    "Cancelled": "errors",
    "CorpusError": "errors",
    "DuplicateError": "errors",
    "FalsifyError": "errors",
    "FunctionError": "errors",
    "GateFailed": "errors",
    "GateResult": "core.result",
    "GateUndecided": "errors",
    "InputError": "errors",
    "MemoryNeededError": "errors",
    "MetricError": "errors",
    "MissingExtraError": "errors",
    "NoOverlapError": "errors",
    "NullResult": "core.null_result",
    "OptionError": "errors",
    "Power": "core.power",
    "Protocol": "core.protocol",
    "ReadError": "errors",
    "RetrieverError": "errors",
    "ScoreError": "errors",
    "SelfTest": "controls",
    "SensitivityResult": "robustness",
    "WriteError": "errors",
    "baseline": "systems",
    "calibration_curve": "calibration",
    "falsify": "api",
    "load_demo": "demo",
    "panel": "notebook.panel",
    "plan": "api",
    "power": "core.power",
    "read_corpus": "io.read",
    "read_qrels": "io.read",
    "read_run": "io.read",
    "self_test": "controls",
    "sensitivity": "robustness",
    "show_versions": "environment",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's names have any type
    if name in _PUBLIC:
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics: what ``%load_ext falsify_nb`` calls."""
    from falsify_nb.notebook.magic import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the magics away again: what ``%unload_ext falsify_nb`` calls."""
    from falsify_nb.notebook.magic import unload

    unload(shell)
