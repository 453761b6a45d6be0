"""The result as a booktabs table, and as a document with a methods paragraph and its sources."""

from __future__ import annotations

from collections.abc import Iterable

from falsify_nb.core.null_result import Interval, NullResult
from falsify_nb.core.result import GateResult
from falsify_nb.report.charts import chart
from falsify_nb.report.html_report import HEADINGS, KINDS
from falsify_nb.report.latex_methods import REFERENCES, escape, methods
from falsify_nb.report.story import code, environment, paragraphs, worst_and_best
from falsify_nb.report.style import interval, number, p_value, signed
from falsify_nb.report.words import (
    finding,
    limits,
    opinions,
    protocol_line,
    protocol_rows,
    score_line,
    short,
)

__all__ = ["document", "escape", "methods", "to_latex"]

# Queries told from either end of the table, and characters of their ids and of the whole.
LISTED = 10
ID = 40
TEXT = 110


def to_latex(result: GateResult) -> str:
    r"""Return a booktabs table of the four nulls, caption and label included.

    Parameters
    ----------
    result : GateResult
        What to print. The document needs ``\usepackage{booktabs}``.
    """
    rows = "\n".join(_row(null) for null in result.nulls.values())
    caption = f"{finding(result)}. {score_line(result)}; {protocol_line(result)}."
    return (
        "\\begin{table}[htbp]\n\\centering\\small\\setlength{\\tabcolsep}{4pt}\n"
        f"\\caption{{{escape(caption)}}}\n\\label{{tab:four-nulls}}\n"
        "\\begin{tabular}{@{}llrrcrl@{}}\n\\toprule\n"
        "& Null & Its score & $\\Delta$ & 98.75\\,\\% interval & $p$ & Verdict \\\\\n\\midrule\n"
        f"{rows}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _row(null: NullResult) -> str:
    cells = [
        null.name,
        null.title,
        number(null.mean),
        signed(null.delta),
        _interval(null.interval_adjusted),
        p_value(null.p_value),
        null.verdict,
    ]
    return " & ".join(escape(cell) for cell in cells) + " \\\\"


def _interval(value: Interval | None) -> str:
    return interval(value)


def document(result: GateResult) -> str:
    """Return a whole LaTeX document that compiles under pdfLaTeX.

    Parameters
    ----------
    result : GateResult
        What to print.
    """
    paragraph, cited = methods(result)
    remarks = [f"{name}: {text}" for name, text, _ in opinions(result)]
    sources = "\n".join(f"\\bibitem{{{key}}} {REFERENCES[key]}" for key in dict.fromkeys(cited))
    return "\n".join(
        [
            "\\documentclass{article}",
            "\\usepackage[T1]{fontenc}",
            "\\usepackage[utf8]{inputenc}",
            "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}",
            "\\usepackage{textcomp,booktabs}",
            "\\setlength{\\emergencystretch}{3em}",
            f"\\title{{{escape(result.verdict + ': ' + finding(result))}}}",
            "\\author{}\\date{}",
            "\\begin{document}",
            "\\maketitle",
            *(f"{escape(text)}\n" for text in paragraphs(result)),
            to_latex(result),
            "\\section*{Figures in words}",
            *(_figure(result, kind) for kind in KINDS),
            "\\section*{Methods}",
            paragraph,
            *_list("Second opinions", remarks),
            *_list("What this does not prove", limits(result)),
            *_list("Notices", [str(notice) for notice in result.notices]),
            *_list("Protocol", [f"{k}: {v}" for k, v in protocol_rows(result)]),
            "\\section*{Worst and best queries}",
            _queries(result),
            *_list("Environment", [f"{k} {v}" for k, v in environment()]),
            "\\section*{To repeat it}",
            "\\begin{flushleft}\\ttfamily\\small",
            *(f"\\mbox{{}}{_code_line(line)}\\\\" for line in code(result).splitlines()),
            "\\end{flushleft}",
            "\\begin{thebibliography}{9}",
            sources,
            "\\end{thebibliography}",
            "\\end{document}\n",
        ]
    )


def _figure(result: GateResult, kind: str) -> str:
    title, *lines = chart(result, kind).text.splitlines()
    told = "\\\\\n".join(f"\\mbox{{}}{_code_line(line)}" for line in lines)
    head = f"\\subsection*{{{escape(HEADINGS[kind])}: {escape(title)}}}"
    return f"{head}\n\\begin{{flushleft}}\\footnotesize\n{told}\n\\end{{flushleft}}"


def _queries(result: GateResult) -> str:
    """Return the queries with the lowest and the highest gaps as a table of their own."""
    if len(result.scores) != result.n_queries:
        return "The figures of the single queries were left out of this result."
    hardest, some = worst_and_best(result, LISTED)
    rows = []
    for i, expected, gap in some:
        words = f"{short(result.query_ids[i], ID)} {result.texts[i] if result.texts else ''}"
        figures = [number(result.scores[i]), number(expected), signed(gap)]
        cells = ["\\raggedright " + _breakable(short(words, TEXT)), *map(escape, figures)]
        rows.append(" & ".join(cells) + " \\\\")
    return (
        "\\begin{center}\\footnotesize\\begin{tabular}{@{}p{.58\\textwidth}rrr@{}}\n\\toprule\n"
        f"Query & Score & Null {hardest} & Gap \\\\\n\\midrule\n"
        + "\n".join(rows)
        + "\n\\bottomrule\n\\end{tabular}\\end{center}"
    )


def _breakable(text: str) -> str:
    """Let a narrow column break a word that is too long for it, and code points, anywhere."""
    pieces = (text[i : i + 12] for i in range(0, len(text), 12))
    return "\\hspace{0pt}".join(map(escape, pieces)).replace("]", "]\\hspace{0pt}")


def _code_line(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return "~" * indent + escape(line)


def _list(title: str, items: Iterable[str]) -> list[str]:
    lines = [f"\\item {{}}{escape(item)}" for item in items]
    if not lines:
        return []
    return [f"\\section*{{{title}}}", "\\begin{itemize}", *lines, "\\end{itemize}"]
