"""The command ``falsify-nb``: demo, gate and report, for shells and continuous integration."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from falsify_nb.errors import FalsifyError, OptionError
from falsify_nb.notebook.options import GATE_OPTIONS, Option

if TYPE_CHECKING:
    from falsify_nb.core.result import GateResult

__all__ = ["main"]

EXIT_CODES = {"PASS": 0, "FAIL": 1, "UNDER-NS": 3}
BAD_INPUT = 2
INTERRUPTED = 130  # what a shell reports after Ctrl-C
READER_GONE = 141  # what it reports of a command whose pipe was closed, such as by head

_EPILOG = "Exit status: 0 the gate passes, 1 it fails, 2 bad input or usage, 3 undecided."
_DEMO_STORY = (
    "120 questions to a clinic with a shelf of 120 leaflets; one leaflet answers two in five. "
    "bm25 reads the question. popular hands everybody the same list of popular leaflets."
)
_DEMO_NAMES = {"bm25": "bm25, which reads the question", "popular": "popular, which does not"}
# These name a variable in a cell. A shell has files instead, declared below, or nothing.
_DATA = {"run", "qrels", "corpus", "queries", "groups", "protocol", "n_jobs"}
_HELP = {"metric": "The metric, such as nDCG@10, R@100, RR@10, AP or Success@1."}
_MARKS = {"PASS": "ok", "FAIL": "fail", "UNDER-NS": "?"}
_SETTINGS = tuple(option for option in GATE_OPTIONS if option.name not in _DATA)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. Default: those of the process.

    Returns
    -------
    int
        0 when the gate passes (or the demo is done), 1 when it fails, 2 on bad input, 3 when it
        is undecided; 130 when interrupted, 141 when the reader of its output is gone.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a τ gets a question mark, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    arguments = _parser().parse_args(_joined(sys.argv[1:] if argv is None else argv))
    try:
        status = int(arguments.command(arguments))
        sys.stdout.flush()
    except (FalsifyError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader has seen enough. Python would complain again while closing stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return READER_GONE
        print(f"falsify-nb: error: {_one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("falsify-nb: interrupted", file=sys.stderr)
        return INTERRUPTED
    return status


def _joined(words: Sequence[str]) -> list[str]:
    """Join --bounds to a value that begins with a minus, which would pass for an option."""
    out: list[str] = []
    for word in words:
        if out and out[-1] == "--bounds" and word.startswith("-"):
            out[-1] += f"={word}"
        else:
            out.append(word)
    return out


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _demo(arguments: argparse.Namespace) -> int:
    from falsify_nb.api import falsify
    from falsify_nb.demo import load_demo
    from falsify_nb.io.adapt import to_run
    from falsify_nb.report.files import write
    from falsify_nb.report.page import results_page

    _check_page(arguments.out)
    demo = load_demo()
    print(_DEMO_STORY, end="\n\n")
    results = {
        name: falsify(to_run(run, name=name), qrels=demo.qrels, corpus=demo.corpus)
        for name, run in demo.runs.items()
    }
    print(_table(results), end="\n\n")
    page = results_page(
        "Could a dumb system have got this score?",
        _DEMO_STORY,
        {_DEMO_NAMES[name]: result for name, result in results.items()},
    )
    write(arguments.out, page)
    print(f"Charts and reasons: open {arguments.out} in a browser.")
    return 0


def _check_page(path: str) -> None:
    """Refuse a page that could not be written or opened, before anything is computed."""
    from falsify_nb.report.files import check_folder

    if Path(path).suffix.lower() not in {".html", ".htm"}:
        raise OptionError(
            f"--out {path} is no page", remedy="The demo writes HTML: end the name with .html."
        )
    check_folder(path)


def _table(results: Mapping[str, GateResult]) -> str:
    metric = next(iter(results.values())).metric
    head = ["system", "verdict", metric, *(f"gap {k}" for k in "ABCD")]
    rows = [head]
    for name, result in results.items():
        gaps = (
            f"{round(null.delta, 3) + 0.0:+.3f} {_MARKS[null.verdict]}"
            for null in result.nulls.values()
        )
        rows.append([name, result.verdict, f"{result.score:.3f}", *gaps])
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _gate(arguments: argparse.Namespace) -> int:
    result = _judge(arguments)
    if arguments.json:
        print(json.dumps(result.to_dict(arrays=False), ensure_ascii=False, indent=2))
    else:
        print(result.to_text())
    return EXIT_CODES[result.verdict]


def _report(arguments: argparse.Namespace) -> int:
    result = _judge(arguments)
    result.save(arguments.output)
    print(f"{result.verdict}: {arguments.output} written")
    return EXIT_CODES[result.verdict]


def _judge(arguments: argparse.Namespace) -> GateResult:
    from falsify_nb.api import falsify

    given = vars(arguments)
    settings = {o.name: given[o.name] for o in _SETTINGS if given[o.name] is not None}
    return falsify(
        Path(arguments.run),
        qrels=Path(arguments.qrels),
        corpus=_corpus(arguments.corpus),
        queries=_path(arguments.queries),
        groups=_path(arguments.groups),
        **settings,
    )


def _corpus(text: str | None) -> int | Path | None:
    """Read ``--corpus``: a whole number is a size unless a file has that name."""
    if text is None:
        return None
    digits = text.replace(",", "").replace("_", "")
    return int(digits) if digits.isdecimal() and not Path(text).exists() else Path(text)


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors take one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    from falsify_nb import __version__

    parser = _Parser(
        prog="falsify-nb",
        description="Could a dumb system have got this score? Four nulls, one verdict.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"falsify-nb {__version__}")
    commands = parser.add_subparsers(required=True, metavar="demo|gate|report", dest="task")
    demo = commands.add_parser(
        "demo", help="gate an honest system and a cheat on a small built-in benchmark"
    )
    demo.add_argument(
        "--out", default="falsify-demo.html", metavar="PATH", help="the page to write [%(default)s]"
    )
    demo.set_defaults(command=_demo)
    gate = commands.add_parser("gate", help="judge a run", epilog=_EPILOG, allow_abbrev=False)
    _add_inputs(gate)
    gate.add_argument("--json", action="store_true", help="print the result as JSON")
    gate.set_defaults(command=_gate)
    report = commands.add_parser(
        "report", help="judge a run and write it up", epilog=_EPILOG, allow_abbrev=False
    )
    _add_inputs(report)
    report.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="PATH",
        help="the file to write; its ending decides the form: html, md, tex, ipynb, json, csv, ...",
    )
    report.set_defaults(command=_report)
    return parser


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", help="the rankings: TREC, CSV, JSON, JSON lines, Parquet"
    )
    parser.add_argument("--qrels", required=True, metavar="FILE", help="the relevance judgments")
    parser.add_argument("--corpus", metavar="FILE|SIZE", help="all document ids, or their number")
    parser.add_argument("--queries", metavar="FILE", help="the queries' texts: id, tab, text")
    parser.add_argument("--groups", metavar="FILE", help="each query's group: id, tab, group")
    for option in _SETTINGS:
        _add_setting(parser, option)


def _add_setting(parser: argparse.ArgumentParser, option: Option) -> None:
    if option.kind == "flag":
        parser.add_argument(option.flag, action="store_true", help=option.help)
        return
    kinds: dict[str, Any] = {"number": float, "integer": int, "pair": _two_numbers}
    words = option.choice_words()
    default = "" if option.default is None else f" [{_plain(option.default)}]"
    parser.add_argument(
        option.flag,
        type=kinds.get(option.kind, str) if not words else lambda text: words.get(text, text),
        choices=list(words.values()) or None,
        metavar="|".join(words) or ("LOW,HIGH" if option.kind == "pair" else option.kind.upper()),
        help=(_HELP.get(option.name, option.help) + default).replace("%", "%%"),
    )


def _two_numbers(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two numbers, such as 0,1") from None
    return low, high


def _plain(default: object) -> str:
    return ",".join(f"{x:g}" for x in default) if isinstance(default, tuple) else str(default)
