"""The two parts of the panel that need a script of their own, where anywidget is installed."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import ipywidgets as widgets

__all__ = ["live_chart", "range_slider", "why_not_live"]

# JupyterLab's shortcuts take the arrow keys before an input sees them, so the keys are heard
# first, at the window, and only while the slider has the focus.
_SLIDER = """
function render({ model, el }) {
  const input = document.createElement("input");
  input.type = "range";
  for (const key of ["min", "max", "step"]) input[key] = model.get(key);
  input.setAttribute("aria-label", model.get("label"));
  const show = () => { input.value = model.get("value"); };
  const tell = () => {
    model.set("value", Number(input.value));
    model.save_changes();
  };
  const moves = {
    ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1,
    PageUp: 10, PageDown: -10, Home: -1e9, End: 1e9,
  };
  const press = (event) => {
    const steps = moves[event.key];
    if (event.target !== input || !steps || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    input.value = Number(input.value) + steps * model.get("step");
    tell();
  };
  window.addEventListener("keydown", press, true);
  input.addEventListener("input", tell);
  model.on("change:value", show);
  show();
  el.append(input);
  // How wide the panel is, so that the chart that fits is drawn first. Here the slider does not
  // stand in it yet; once it does, its own size is what tells.
  const watch = new ResizeObserver(() => {
    const panel = el.closest(".fnb-panel");
    if (!panel) return;
    model.set("room", panel.clientWidth);
    model.save_changes();
  });
  watch.observe(el);
  return () => {
    watch.disconnect();
    window.removeEventListener("keydown", press, true);
  };
}
export default { render };
"""

# The bundle resolves vegaEmbed; no request leaves the machine.
_CHART = """
async function render({ model, el }) {
  let view = null;
  const draw = async () => {
    if (view) view.finalize();
    view = null;
    el.replaceChildren();
    const forms = model.get("forms");
    if (!forms.length) return;
    // A chart is not scaled: its brush would no longer be where the pointer is.
    const spec = forms[el.clientWidth < 700 ? 1 : 0];
    const ink = getComputedStyle(el).color;
    const text = { labelColor: ink, titleColor: ink };
    const config = {
      ...spec.config, background: null,
      axis: { ...spec.config.axis, ...text }, legend: { ...spec.config.legend, ...text },
      header: { ...spec.config.header, ...text },
      title: { ...spec.config.title, color: ink, subtitleColor: ink },
    };
    const made = await vegaEmbed(el, { ...spec, config }, { actions: false, renderer: "svg" });
    view = made.view;
    el.setAttribute("role", "img");
    el.setAttribute("aria-label", spec.description);
    for (const svg of el.querySelectorAll("svg")) svg.setAttribute("aria-hidden", "true");
    try {
      view.addSignalListener("pick", (_, value) => {
        model.set("picked", (value && value.place) || []);
        model.save_changes();
      });
    } catch (_) { /* a chart without a brush */ }
  };
  model.on("change:forms", draw);
  await draw();
  return () => view && view.finalize();
}
export default { render };
"""


def why_not_live() -> str:
    """Return why no widget of a script of its own is made, or an empty text where one can be."""
    # Colab loads the code of such widgets from elsewhere, which is the user's to decide; and one
    # that is not loaded would leave a hole in the panel.
    if "google.colab" in sys.modules:
        return "Colab shows no chart to brush."
    if find_spec("anywidget") is None:
        return "Install anywidget to brush a chart."
    return ""


def range_slider(label: str, low: float, high: float, step: float) -> widgets.DOMWidget:
    """Return a slider that has a name for a screen reader.

    ipywidgets' own slider has none; it stands in where `why_not_live` gives a reason.
    """
    if why_not_live():
        return widgets.FloatSlider(min=low, max=high, step=step, readout=False)
    made: widgets.DOMWidget = _slider_class()(label=label, min=low, max=high, step=step)
    return made


@lru_cache(maxsize=1)
def _slider_class() -> Any:  # noqa: ANN401 - a class made where its base is installed
    import anywidget
    import traitlets

    class RangeSlider(anywidget.AnyWidget):
        """An HTML range input."""

        _esm = _SLIDER
        label = traitlets.Unicode().tag(sync=True)
        min = traitlets.Float().tag(sync=True)
        max = traitlets.Float().tag(sync=True)
        step = traitlets.Float().tag(sync=True)
        value = traitlets.Float().tag(sync=True)
        room = traitlets.Float().tag(sync=True)

    return RangeSlider


def live_chart() -> Any:  # noqa: ANN401
    """Return an empty live chart: set its `forms`, wide and narrow, and observe `picked`.

    The first takes seconds: it makes one script of Vega and Vega-Lite that needs no network.
    """
    return _chart_class()()


def _bundled(script: str) -> str:
    """Return the script with Vega and Vega-Lite inside."""
    from falsify_nb.report.render import VEGALITE

    # vl-convert holds the interpreter's lock for seconds here, and no cell could run meanwhile.
    code = (
        "import sys, vl_convert\n"
        "sys.stdin.reconfigure(encoding='utf-8'); sys.stdout.reconfigure(encoding='utf-8')\n"
        f"print(vl_convert.javascript_bundle(sys.stdin.read(), vl_version={VEGALITE!r}))"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter, with code of ours
        [sys.executable, "-c", code],
        input=script,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return done.stdout


@lru_cache(maxsize=1)
def _chart_class() -> Any:  # noqa: ANN401 - the same
    import anywidget
    import traitlets

    class LiveChart(anywidget.AnyWidget):
        """A Vega-Lite chart whose brush is known here."""

        _esm = _bundled(_CHART)
        forms: traitlets.List[Any] = traitlets.List().tag(sync=True)
        picked: traitlets.List[float] = traitlets.List().tag(sync=True)

    return LiveChart
