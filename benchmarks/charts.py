"""Time every chart and every form of the report: ``python -m benchmarks.charts``."""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from falsify_nb import GateResult, falsify, load_demo
from falsify_nb.report.charts import chart, kinds_of
from falsify_nb.report.document import FORMATS

ROUNDS = 20
_COLD = "from falsify_nb import GateResult as G; r = G.from_json(open({path!r}).read()); "
_COLD += "import time; s = time.perf_counter(); r.chart(); print(time.perf_counter() - s)"


def main() -> None:
    """Print a table of times (best and median of twenty) and sizes."""
    results = {"120 queries": _demo(), "100,000 queries": _large()}
    print(f"{'what':<34}{'best':>10}{'median':>10}{'bytes':>12}{'rows':>7}")
    for name, result in results.items():
        for kind in kinds_of(result):
            made = chart(result, kind)
            rows = sum(map(len, made.spec["datasets"].values()))
            _line(f"{kind}, {name}", partial(chart, result, kind), len(made.json), rows)
    _pictures(results["120 queries"])
    _forms(results["120 queries"])
    _cold(results["120 queries"])


def _demo() -> GateResult:
    demo = load_demo()
    return falsify(demo.runs["bm25"], qrels=demo.qrels, corpus=demo.corpus, queries=demo.queries)


def _large() -> GateResult:
    n = 100_000
    qrels = {f"q{i}": {f"d{i % 997}": 1} for i in range(n)}
    run = {f"q{i}": [f"d{(i + i % 3) % 997}", f"e{i % 31}"] for i in range(n)}
    return falsify(run, qrels=qrels, metric="nDCG@10", strict=False, n_boot=100)


def _pictures(result: GateResult) -> None:
    for kind in kinds_of(result):
        made = chart(result, kind)
        _line(f"{kind}, PNG at 2x", made.png, len(made.png()), 0, rounds=5)


def _forms(result: GateResult) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for extension in FORMATS:
            path = Path(folder) / f"report{extension}"
            result.save(path)  # the first also loads what is needed
            size = path.stat().st_size
            _line(f"save {extension}", partial(result.save, path), size, 0, rounds=5)


def _cold(result: GateResult) -> None:
    """Time the first chart of a fresh interpreter, its imports included."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        result.save(path)
        code = _COLD.format(path=str(path))
        ran = [
            float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                 check=True).stdout)
            for _ in range(5)
        ]  # fmt: skip
    print(f"{'first chart of a session':<34}{_ms(min(ran))}{_ms(sorted(ran)[2])}")


def _line(
    what: str, call: Callable[[], object], size: int, rows: int, *, rounds: int = ROUNDS
) -> None:
    took = []
    gc.disable()
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    gc.enable()
    took.sort()
    print(f"{what:<34}{_ms(took[0])}{_ms(took[len(took) // 2])}{size:>12,}{rows or '':>7}")


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:>7.1f} ms"


if __name__ == "__main__":
    main()
