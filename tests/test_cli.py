from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import falsify_nb
from falsify_nb import load_demo
from falsify_nb.cli import READER_GONE, main
from falsify_nb.notebook.options import GATE_OPTIONS


def lines_of_run(run):
    for q, docs in run.items():
        scores = docs.values() if isinstance(docs, dict) else range(len(docs), 0, -1)
        for rank, (d, score) in enumerate(zip(docs, scores, strict=True), 1):
            yield f"{q} Q0 {d} {rank} {score} tag"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The demo as the files that a shell would have."""
    folder, demo = tmp_path_factory.mktemp("demo"), load_demo()
    few = list(demo.qrels)[:8]
    texts = {
        "qrels": [f"{q} 0 {d} {g}" for q, docs in demo.qrels.items() for d, g in docs.items()],
        "few.qrels": [f"{q} 0 {d} {g}" for q in few for d, g in demo.qrels[q].items()],
        "ids": demo.corpus,
        "queries.tsv": [f"{q}\t{text}" for q, text in demo.queries.items()],
        "groups.tsv": [f"{q}\tg{i // 2}" for i, q in enumerate(demo.queries)],
        "bm25": lines_of_run(demo.runs["bm25"]),
        "popular": lines_of_run(demo.runs["popular"]),
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "latin").write_bytes("q1\tplain\nq2\tcaf\xe9\n".encode("latin-1"))
    return folder


@pytest.fixture
def run(files, monkeypatch, capsys):
    """Run a command in the files' folder; return its status, output and complaint."""

    def call(*words):
        monkeypatch.chdir(files)
        try:
            status = main(words)
        except SystemExit as stop:
            status = stop.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_demo_prints_both_verdicts_and_writes_one_page(run, files):
    status, out, err = run("demo")
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if "0." in line}
    assert rows == {"bm25": "PASS", "popular": "FAIL"}
    assert status == 0
    assert err == ""
    page = (files / "falsify-demo.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["']?(?!data:)[^"'>\s]+""", page)
    assert "<script" not in page
    assert "PASS" in page
    assert "FAIL" in page


def test_demo_writes_where_it_is_told(run, files):
    assert run("demo", "--out", "other.html")[0] == 0
    assert (files / "other.html").exists()


def test_the_page_stays_away_where_it_cannot_be_written(run, files):
    status, out, err = run("demo", "--out", "no/such/folder/x.html")
    assert status == 2
    assert len(err.splitlines()) == 1
    assert "its folder does not exist" in err
    assert not out, "it is told before anything is computed"


def test_the_demo_is_a_page(run, files):
    status, _, err = run("demo", "--out", "x.txt")
    assert status == 2
    assert "end the name with .html" in err
    assert not (files / "x.txt").exists()


@pytest.mark.parametrize("words", [["--bounds", "-1,1"], ["--bounds=-1,1"]])
def test_bounds_may_begin_with_a_minus(run, words):
    status, out, err = run("gate", "bm25", "--qrels", "qrels", "--json", *words)
    assert status in (0, 3), err
    assert json.loads(out)["protocol"]["bounds"] == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["bm25", "--qrels", "qrels", "--corpus", "ids"], 0),
        (["popular", "--qrels", "qrels", "--corpus", "ids"], 1),
        (["bm25", "--qrels", "few.qrels", "--corpus", "120"], 3),
        (["bm25", "--qrels", "qrels", "--tau", "0.9"], 1),
        (["bm25", "--qrels", "few.qrels", "--decision", "point"], 0),
        (["bm25", "--qrels", "qrels", "--groups", "groups.tsv", "--queries", "queries.tsv"], 0),
    ],
)
def test_the_exit_status_is_the_verdict(run, words, status):
    found, out, err = run("gate", *words)
    assert found == status
    assert {0: "PASS", 1: "FAIL", 3: "UNDER-NS"}[status] in out.splitlines()[0]
    assert err == ""


def test_json_is_json(run):
    status, out, _ = run("gate", "popular", "--qrels", "qrels", "--json")
    data = json.loads(out)
    assert (status, data["verdict"]) == (1, "FAIL")
    assert falsify_nb.GateResult.from_dict(data).verdict == "FAIL"


def test_settings_reach_the_protocol(run):
    words = "--metric P@5 --tau 0.1 --top-k 7 --n-boot 200 --seed 3 --interval percentile"
    more = "--decision point --strict True --bounds 0,1 --drop-self"
    _, out, _ = run("gate", "bm25", "--qrels", "qrels", "--json", *words.split(), *more.split())
    protocol = json.loads(out)["protocol"]
    expected = {
        "metric": "P@5",
        "tau": 0.1,
        "top_k": 7,
        "n_boot": 200,
        "seed": 3,
        "interval": "percentile",
        "decision": "point",
        "strict": True,
        "bounds": [0, 1],
        "drop_self": True,
    }
    assert {k: protocol[k] for k in expected} == expected


def test_help_names_every_option_and_exit_status(run):
    status, out, _ = run("gate", "--help")
    assert status == 0
    words = " ".join(out.split())
    for option in GATE_OPTIONS:
        if option.name not in ("run", "protocol", "n_jobs"):
            assert option.flag in words
    assert "0 the gate passes, 1 it fails, 2 bad input or usage, 3 undecided" in words


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["gate", "missing", "--qrels", "qrels"], "missing"),
        (["gate", "bm25", "--qrels", "missing"], "missing"),
        (["gate", "bm25", "--qrels", "qrels", "--corpus", "missing"], "missing"),
        (["gate", "qrels", "--qrels", "bm25"], "qrels"),
        (["gate", "bm25"], "--qrels"),
        (["gate", "bm25", "--qrels", "qrels", "--tau", "2"], "tau=2"),
        (["gate", "bm25", "--qrels", "qrels", "--tau", "much"], "much"),
        (["gate", "bm25", "--qrels", "qrels", "--metric", "nDGC@10"], "nDCG@10"),
        (["gate", "bm25", "--qrels", "qrels", "--n-boot", "5"], "n_boot=5"),
        (["gate", "bm25", "--qrels", "qrels", "--bounds", "0"], "two numbers"),
        (["gate", "bm25", "--qrels", "qrels", "--corpus", "3"], "3"),
        (["gate", "bm25", "--qrels", "qrels", "--queries", "ids"], "ids, line 1"),
        (["gate", "bm25", "--qrels", "qrels", "--queries", "latin"], "latin, line 2"),
        (["gate", "bm25", "--qrels", "qrels", "--queries", "missing"], "missing"),
        (["gate", "bm25", "--qrels", "qrels", "--strict", "maybe"], "maybe"),
        (["gate", "bm25", "--qrels", "qrels", "--colour", "red"], "--colour"),
        (["report", "bm25", "--qrels", "qrels"], "--output"),
        (["report", "bm25", "--qrels", "qrels", "-o", "x.docx"], "docx"),
        (["judge"], "judge"),
        ([], "demo|gate|report"),
    ],
)
def test_what_cannot_be_done_takes_one_line_and_status_2(run, words, complaint):
    status, out, err = run(*words)
    assert status == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert complaint in err


def test_report_writes_the_file_and_says_so(run, files):
    status, out, _ = run("report", "popular", "--qrels", "qrels", "-o", "report.md")
    assert status == 1
    assert out == "FAIL: report.md written\n"
    assert "FAIL" in (files / "report.md").read_text(encoding="utf-8")


def test_a_size_may_have_thousands_separators(run):
    _, out, _ = run("gate", "bm25", "--qrels", "qrels", "--corpus", "8,841,823", "--json")
    assert json.loads(out)["corpus_size"] == 8_841_823


def test_version(run):
    assert run("--version")[:2] == (0, f"falsify-nb {falsify_nb.__version__}\n")


def command(*words, **more):
    return subprocess.run([sys.executable, "-m", "falsify_nb", *words], check=False, **more)


def test_module_and_terminal_without_greek(files):
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = command("gate", "bm25", "--qrels", "qrels", cwd=files, env=env, capture_output=True)
    assert done.returncode == 0
    assert b"PASS" in done.stdout
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="pipes close differently")
def test_a_reader_that_stops_early_is_no_error(files):
    reading, writing = os.pipe()
    os.close(reading)
    done = command("gate", "bm25", "--qrels", "qrels", cwd=files, stdout=writing, stderr=-1)
    os.close(writing)
    assert done.stderr == b""


def test_interrupting_takes_one_line(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("falsify_nb.api.falsify", stop)
    status, _, err = run("gate", "bm25", "--qrels", "qrels")
    assert (status, err) == (130, "falsify-nb: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="asks for a pipe that is closed")
def test_a_reader_that_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "falsify_nb", "demo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == READER_GONE
