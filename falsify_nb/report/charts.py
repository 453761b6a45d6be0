"""Charts of results: the frozen `Chart` and the list of kinds.

Specifications are written as plain dicts, not through Altair's classes. Those read the user's
theme and data transformer, which are global, copy every layer many times (a third of a second
for the main chart) and take seconds to import. So no setting of the user can change a chart, no
lock is needed, and Altair is loaded only by whoever asks for `Chart.altair`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from falsify_nb.errors import OptionError, near_names, shorten
from falsify_nb.report.parts import CONFIG

if TYPE_CHECKING:
    import os

    import altair as alt

__all__ = ["KINDS", "Chart", "chart", "kinds_of"]

SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v5.json"
MIME = "application/vnd.vegalite.v5+json"
NO_PNG = "(no picture beside the chart: install vl-convert-python to have one)"
PNG_SCALE = 2


@dataclass(frozen=True, eq=False, slots=True)
class Chart:
    r"""A finished chart: a Vega-Lite specification, a title and the same facts in words.

    Parameters
    ----------
    kind : str
        Which question it answers, such as ``"gate"``.
    title : str
        The finding, in one line.
    text : str
        Title, protocol and every row's figures as plain text.
    json : str
        The specification as JSON text.

    Examples
    --------
    >>> chart = Chart("gate", "Passes", "Passes\nA: …", '{"mark": "bar"}')
    >>> chart
    <Chart gate: Passes>
    >>> chart.spec
    {'mark': 'bar'}
    """

    kind: str
    title: str
    text: str
    json: str

    def __repr__(self) -> str:
        return f"<Chart {self.kind}: {self.title}>"

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification, a copy of your own."""
        spec: dict[str, Any] = json.loads(self.json)
        return spec

    @property
    def altair(self) -> alt.TopLevelMixin:
        """The chart as an Altair object, to build on."""
        import altair as alt

        spec = self.spec
        for key, cls in _ALTAIR_CLASSES.items():
            if key in spec:
                made: alt.TopLevelMixin = getattr(alt, cls).from_dict(spec, validate=False)
                return made
        raise AssertionError("a specification is always of one of these classes")

    def png(self, *, scale: float = PNG_SCALE) -> bytes:
        """Return the chart as an opaque white PNG.

        Parameters
        ----------
        scale : float
            Pixels per unit, 2 by default.

        Raises
        ------
        MissingExtraError
            If vl-convert-python is not installed.
        """
        from falsify_nb.report.render import to_png

        return to_png(self.spec, scale=scale)

    def svg(self) -> str:
        """Return the chart as SVG text.

        Raises
        ------
        MissingExtraError
            If vl-convert-python is not installed.
        """
        from falsify_nb.report.render import to_svg

        return to_svg(self.spec)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chart as .png, .svg, .json (Vega-Lite) or .txt, as the extension says."""
        from falsify_nb.report.document import save_chart

        save_chart(self, path)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ANN401, ARG002 - IPython's signature
        from falsify_nb.report.render import has_converter, to_png

        bundle: dict[str, Any] = {MIME: self.spec, "text/plain": self.text}
        if has_converter():
            bundle["image/png"] = to_png(self.spec, scale=PNG_SCALE)
        else:
            bundle["text/plain"] += f"\n{NO_PNG}"
        return bundle


_ALTAIR_CLASSES = {
    "hconcat": "HConcatChart",
    "vconcat": "VConcatChart",
    "layer": "LayerChart",
    "facet": "FacetChart",
    "mark": "Chart",
}

# Result class -> kind -> module and function that build it, the default kind first.
KINDS: Mapping[str, Mapping[str, str]] = {
    "GateResult": {
        "gate": "falsify_nb.report.gate_chart:gate",
        "draws": "falsify_nb.report.draws_chart:draws",
        "queries": "falsify_nb.report.queries_chart:queries",
        "labels": "falsify_nb.report.labels_chart:labels",
    },
    "CalibrationCurve": {
        "calibration": "falsify_nb.report.calibration_chart:calibration",
    },
    "SelfTest": {
        "self-test": "falsify_nb.report.self_test_chart:self_test",
    },
    "SensitivityResult": {
        "sensitivity": "falsify_nb.report.sensitivity_chart:sensitivity",
    },
}


def kinds_of(result: object) -> tuple[str, ...]:
    """Return the kinds of chart that a result can give, the default first."""
    return tuple(KINDS.get(type(result).__name__, {}))


def chart(result: object, kind: str | None = None, *, narrow: bool = False) -> Chart:
    """Build one chart of a result.

    Parameters
    ----------
    result : GateResult, SensitivityResult, CalibrationCurve or SelfTest
        Whatever the chart is about.
    kind : str, optional
        Which chart; default the first of `kinds_of`.
    narrow : bool
        Stack the panels, for columns below about 600 pixels.

    Raises
    ------
    OptionError
        If the result has no such chart; the message lists those it has.
    """
    known = kinds_of(result)
    kind = known[0] if kind is None and known else kind
    if kind not in known:
        near = near_names(str(kind), known)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise OptionError(
            f"there is no chart {shorten(kind)} of a {type(result).__name__}",
            remedy=f"{hint}There are: {', '.join(known) or 'none'}.",
        )
    module, name = KINDS[type(result).__name__][kind].split(":")
    build: Callable[..., Chart] = getattr(import_module(module), name)
    return build(result, narrow=narrow)


def finish(
    kind: str, text: str, spec: dict[str, Any], datasets: dict[str, list[dict[str, Any]]]
) -> Chart:
    """Turn a specification and its rows into a `Chart`, the text alternative included."""
    spec = {
        "$schema": SCHEMA_URL,
        "description": text,
        "config": CONFIG,
        **spec,
        "datasets": datasets,
    }
    title = spec["title"]["text"]
    title = title if isinstance(title, str) else " ".join(title)
    encoded = json.dumps(spec, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Chart(kind, title, text, encoded)
