"""The panel's style sheet: the front end's colours, one column where it is narrow."""

from __future__ import annotations

__all__ = ["PANEL_CSS"]

# JupyterLab's variables carry its theme; the second value of each is for other front ends.
_INK = "var(--jp-ui-font-color1,currentColor)"
_LINE = "rgba(128,128,128,.35)"
_P = ".fnb-panel.fnb-panel"

PANEL_CSS = f"""
.fnb-panel{{container-type:inline-size;font:14px/1.45 var(--jp-ui-font-family,system-ui,sans-serif);
color:{_INK};max-width:1280px}}
{_P} .fnb-columns{{display:grid;grid-template-columns:minmax(230px,270px) minmax(0,1fr);gap:0 24px;
align-items:start;overflow:visible}}
{_P} .widget-box,{_P} .fnb-columns>*{{overflow:visible;min-width:0}}
{_P} .widget-html,{_P} .widget-html>.widget-html-content{{height:auto;line-height:1.45;min-width:0;
white-space:normal;overflow:visible;flex:1 1 auto}}
{_P} .fnb-title{{font-size:17px;font-weight:650;margin:0 0 6px}}
{_P} .fnb-control{{margin:0 0 10px}}
{_P} .fnb-control .widget-inline-hbox,{_P} .fnb-stack.widget-inline-hbox{{flex-direction:column;
align-items:stretch;width:auto;height:auto;margin:0;overflow:visible}}
{_P} .fnb-control .widget-label,{_P} .fnb-stack>.widget-label{{width:auto;max-width:none;
text-align:left;font-weight:600;height:auto;line-height:1.5;margin:0;color:inherit;font-size:13px}}
{_P} .widget-inline-hbox :is(input,select,textarea){{width:100%;min-width:0;flex:none;
box-sizing:border-box}}
{_P} input[type=text],{_P} input[type=number],{_P} select:not([size]){{height:30px;font-size:13px}}
{_P} select:not([size]){{appearance:auto;background-image:none;padding-right:4px}}
{_P} select[size]{{height:auto;font-size:13px}}
{_P} .fnb-pair{{align-items:flex-end;gap:16px;overflow:visible}}
{_P} .fnb-pair>.widget-inline-hbox{{flex:0 0 96px}}
{_P} .fnb-pair>.fnb-slider{{flex:1 1 auto;flex-direction:row;height:30px;margin:0 10px 0 0}}
{_P} .fnb-slider input[type=range]{{width:100%;margin:7px 0;accent-color:#2b7de0;height:16px}}
{_P} .fnb-slider .slider-container{{margin:0;width:100%;flex:1 1 auto}}
{_P} .fnb-help,{_P} .fnb-problem{{font-size:12px;line-height:1.4;margin:2px 0 0;opacity:.8;
overflow-wrap:anywhere}}
{_P} .fnb-problem{{opacity:1;font-weight:600;border-left:3px solid #e5484d;padding-left:6px}}
{_P} .fnb-buttons{{gap:8px;flex-flow:row wrap;margin:2px 0 8px;align-items:flex-end}}
{_P} .fnb-buttons>*{{margin:0}}
{_P} button.jupyter-button{{height:32px;line-height:30px;width:auto;min-width:84px;margin:0;
padding:0 14px;font-size:13px;border-radius:4px}}
{_P} button.jupyter-button:disabled{{opacity:.5}}
{_P} :is(button,input,select,textarea,summary,[tabindex]):focus-visible{{
outline:2px solid #2b7de0;outline-offset:1px}}
{_P} .fnb-status{{font-size:13px;margin:0 0 6px}}
{_P} .fnb-progress{{height:8px;border-radius:4px;background:{_LINE};overflow:hidden;margin:4px 0}}
{_P} .fnb-progress i{{display:block;height:100%;background:#2b7de0;transition:width .1s}}
{_P} .fnb-error{{border-left:4px solid #e5484d;padding:2px 0 2px 10px;margin:4px 0 8px}}
{_P} .fnb-error p{{margin:0 0 4px;overflow-wrap:anywhere}}
{_P} .fnb-error pre{{max-height:260px;overflow:auto;font-size:12px;white-space:pre-wrap}}
{_P} .fnb-line{{margin:0 0 4px}}
{_P} .fnb-badge{{display:inline-block;font-weight:700;letter-spacing:.03em;white-space:nowrap;
border:2px solid;border-radius:99px;padding:0 9px;margin-right:6px;font-size:13px}}
{_P} .fnb-warning{{margin:2px 0 4px;border-left:4px solid #c77c02;padding-left:8px}}
{_P} .fnb-empty{{margin:24px 0;opacity:.8}}
{_P} code{{font-size:.92em;background:none;color:inherit;padding:0;overflow-wrap:anywhere}}
{_P} .fnb-facts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));
gap:8px 24px;margin:8px 0}}
{_P} .fnb-facts :is(dt,dd){{float:none;width:auto;margin:0;padding:0}}
{_P} .fnb-facts dt{{font-size:12px;opacity:.8;font-weight:400}}
{_P} .fnb-facts dd{{font-weight:600}}
{_P} .fnb-list{{margin:4px 0 4px 20px;padding:0}}
{_P} .fnb-scroll{{overflow-x:auto;max-width:100%}}
{_P} .fnb-scroll table{{border-collapse:collapse;border:0;font-size:13px;width:100%}}
{_P} .fnb-scroll tr{{background:none}}
{_P} .fnb-scroll :is(th,td){{text-align:left;vertical-align:top;font-weight:400;border:0;
border-top:1px solid {_LINE};padding:4px 14px 4px 0;color:inherit;background:none;max-width:340px}}
{_P} .fnb-scroll thead :is(th,td){{border-top:0;font-size:12px;white-space:nowrap}}
{_P} .fnb-scroll .fnb-n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
{_P} .fnb-key{{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:7px}}
{_P} .fnb-figure{{padding:0 34px 0 20px}}
{_P} .fnb-figure svg{{display:block;max-width:100%;height:auto;overflow:visible}}
{_P} .fnb-results{{container:fnb-results/inline-size}}
{_P} .fnb-narrow{{display:none}}
{_P} .fnb-row{{gap:8px 12px;flex-flow:row wrap;align-items:flex-end;margin:4px 0 8px}}
{_P} .fnb-row>.fnb-stack{{flex:1 1 180px;margin:0;width:auto}}
{_P} .fnb-list-box select{{height:auto;min-height:120px}}
{_P} .lm-TabBar-content{{flex-wrap:wrap}}
{_P} .widget-tab>.lm-TabBar .lm-TabBar-tab{{flex:0 1 auto;min-width:0;padding:0 10px;height:30px;
line-height:30px;color:inherit}}
{_P} .widget-tab>.widget-tab-contents{{padding:12px 12px 8px;overflow:visible}}
{_P} .fnb-live text[fill="#000"]{{fill:currentColor}}
@container (max-width:760px){{
{_P} .fnb-columns{{grid-template-columns:minmax(0,1fr)}}
}}
@container fnb-results (max-width:640px){{
{_P} .fnb-narrow{{display:block}}
{_P} .fnb-wide{{display:none}}
}}
""".strip().replace("\n", "")
