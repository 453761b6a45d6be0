"""The magics, run through a real shell."""

from __future__ import annotations

import ast

import pytest
from IPython.utils.capture import capture_output

from falsify_nb.core.result import GateResult
from falsify_nb.errors import GateFailed, GateUndecided, InputError, OptionError


def error_of(result):
    assert result.error_before_exec is None
    assert result.error_in_exec is not None
    return result.error_in_exec


def test_the_last_expression_is_the_run(cell, gate, shell):
    result = cell("%%falsify --qrels qrels\nbest = {'q1': ['d1']}\nbest | {'q2': ['d2']}")
    assert gate.run == {"q1": ["d1"], "q2": ["d2"]}
    assert gate.arguments == {"qrels": shell.user_ns["qrels"]}
    assert isinstance(result.result, GateResult)
    assert shell.user_ns["best"] == {"q1": ["d1"]}


def test_the_body_is_ordinary_notebook_python(cell, gate):
    assert cell("%%falsify --qrels qrels\nlines = !echo d1\n{'q1': list(lines)}").success
    assert gate.run == {"q1": ["d1"]}


def test_ast_transformers_apply_to_the_body(cell, gate, shell):
    class Swap(ast.NodeTransformer):
        def visit_Constant(self, node):
            return ast.copy_location(ast.Constant("d2"), node) if node.value == "d1" else node

    shell.ast_transformers.append(Swap())
    cell("%%falsify --qrels qrels\n{'q1': ['d1']}")
    shell.ast_transformers.clear()
    assert gate.run == {"q1": ["d2"]}


@pytest.mark.parametrize(
    "body",
    ["mine = {'q1': ['d1']}", "mine: dict = {'q1': ['d1']}", "mine = {}\nmine |= {'q1': ['d1']}"],
)
def test_a_last_line_that_assigns_is_used_by_its_name(cell, gate, body):
    assert cell(f"%%falsify --qrels qrels\n{body}").success
    assert gate.run == {"q1": ["d1"]}


@pytest.mark.parametrize(
    "last",
    ["a, b = {}, {}", "for q in qrels: pass", "import os", "def f(): pass", "x.y = 1", "a: int"],
)
def test_a_last_line_that_gives_no_run_is_refused_before_anything_runs(cell, gate, shell, last):
    error = error_of(cell(f"%%falsify --qrels qrels\ntouched = 1\n{last}"))
    assert isinstance(error, OptionError)
    assert "--run NAME" in str(error)
    assert "line 3" in str(error)
    assert "touched" not in shell.user_ns
    assert gate.calls == []


def test_run_names_the_variable_that_the_body_leaves(cell, gate):
    assert cell(
        "%%falsify --run made --qrels qrels\nmade = {}\nfor q in qrels:\n    made[q] = ['d1']"
    ).success
    assert gate.run == {"q1": ["d1"], "q2": ["d1"], "q3": ["d1"]}


def test_an_option_may_name_what_the_body_binds(cell, gate):
    assert cell("%%falsify --qrels own --tau T\nown = {'q1': {'d1': 1}}\nT = 0.2\nrun").success
    assert gate.arguments == {"qrels": {"q1": {"d1": 1}}, "tau": 0.2}


def test_the_line_magic_takes_what_exists(cell, gate, shell):
    assert cell("r = %falsify run --qrels qrels --tau 0.1").success
    assert gate.run is shell.user_ns["run"]
    assert shell.user_ns["r"].tau == 0.1


@pytest.mark.parametrize(
    ("source", "system"),
    [
        ("%falsify run --qrels qrels --out result", "run"),
        ("best = run\n%falsify best --qrels qrels --out result", "best"),
        ("%%falsify --qrels qrels --out result\nbest = run", "best"),
        ("%%falsify --qrels qrels --out result\nbest = run\nbest", "best"),
        ("%%falsify --qrels qrels --out result\ndict(run)", ""),
        ("%falsify a.trec --qrels qrels --out result", ""),
    ],
)
def test_a_result_is_named_after_its_variable(cell, gate, shell, source, system):
    cell(source)
    assert shell.user_ns["result"].system == system


def test_values_are_variables_numbers_words_or_paths(cell, gate, shell):
    shell.user_ns.update(T=0.07, ids=["d1", "d2"], mine=error_of)
    cell(
        "%falsify a.trec --qrels 'my qrels.txt' --corpus ids --metric mine --tau T --top-k 5 "
        "--n-boot 500 --seed 7 --interval percentile --decision point --strict True "
        "--bounds 0,2 --drop-self --n-jobs 2"
    )
    assert gate.run == "a.trec"
    assert gate.arguments == {
        "qrels": "my qrels.txt",
        "corpus": ["d1", "d2"],
        "metric": shell.user_ns["mine"],
        "tau": 0.07,
        "top_k": 5,
        "n_boot": 500,
        "seed": 7,
        "interval": "percentile",
        "decision": "point",
        "strict": True,
        "bounds": (0.0, 2.0),
        "drop_self": True,
        "n_jobs": 2,
    }


@pytest.mark.parametrize(
    ("option", "name", "value"),
    [
        ("--corpus 8_841_823", "corpus", 8_841_823),
        ("--corpus 8,841,823", "corpus", 8_841_823),
        ("--corpus ids.txt", "corpus", "ids.txt"),
        ("--metric map", "metric", "map"),
        ("--metric nDCG(dcg='exp-log2')@10", "metric", "nDCG(dcg='exp-log2')@10"),
        ("--top-k None", "top_k", None),
        ("--strict auto", "strict", "auto"),
        ("--drop-self=False", "drop_self", False),
        ("--bounds (0,1)", "bounds", (0.0, 1.0)),
    ],
)
def test_a_value_is_read_by_its_kind(cell, gate, option, name, value):
    assert cell(f"%falsify run --qrels qrels {option}").success
    assert gate.arguments[name] == value


def test_a_metrics_name_is_not_hidden_by_a_variable_that_is_no_metric(cell, gate, shell):
    shell.user_ns["map"] = {"a": 1}
    cell("%falsify run --qrels qrels --metric map")
    assert gate.arguments["metric"] == "map"


def test_any_names_of_the_user_are_left_alone(cell, gate, shell):
    mine = {"falsify": 3, "np": "x", "run": "mine", "sum": 0, "k": 1, "result": 5, "display": 0}
    shell.user_ns.update(mine)
    assert cell("%%falsify --qrels qrels --out verdict\n{'q1': ['d1']}").success
    assert {name: shell.user_ns[name] for name in mine} == mine
    assert shell.user_ns["verdict"].verdict == "PASS"


@pytest.mark.parametrize(
    ("line", "mentions"),
    [
        ("run --qrels qrel", ["qrel is no variable", "qrels", "./qrel"]),
        ("run --qrels qrels --tau abc", ["abc is no variable"]),
        ("run --qrels qrels --tau 0,1", ["0,1", "no number"]),
        ("run --qrels qrels --n-boot 1e3", ["1e3", "no whole number"]),
        ("run --qrels qrels --interval bca", ["bca", "dirichlet", "percentile"]),
        ("run --qrels qrels --strict ye.s", ["ye.s", "auto", "True", "False"]),
        ("run --qrels qrels --bounds 0", ["no pair of numbers"]),
        ("run --qrels data['qrels']", ["expression", "qrels = data['qrels']"]),
        ("data.run --qrels qrels", ["expression", "run = data.run"]),
        ("run --qrels qrels --drop-self=maybe.", ["--drop-self", "maybe."]),
        ("run", ["--qrels"]),
        ("--qrels qrels", ["no run"]),
        ("run --qrels qrels --out 1x", ["1x", "name"]),
        ("run --qrels qrels --out class", ["class", "name"]),
        ("run --qrels qrels --out qrels", ["--out qrels", "--qrels reads"]),
        ("run --qrels $qrels", ["--qrels qrels"]),
        ("run --qrels qrels --tau 2", ["tau=2", "0 to 1"]),
        ("run --qrels qrels --n-boot 99", ["n_boot=99", "100"]),
        ("run --qrels qrels --top-k 0", ["top_k=0"]),
        ("run --qrels qrels --seed -1", ["seed=-1"]),
        ("run --qrels qrels --metric nDGC@10", ["nDGC", "nDCG"]),
    ],
)
def test_a_bad_line_says_what_to_type_and_gates_nothing(cell, gate, shell, line, mentions):
    shell.user_ns["data"] = {"qrels": 1}
    error = error_of(cell(f"%falsify {line}"))
    assert isinstance(error, OptionError)
    for words in mentions:
        assert words in str(error)
    assert gate.calls == []


@pytest.mark.parametrize(
    ("body", "mentions"),
    [
        ("--metric map\nrun", ["'--metric map'", "first line"]),
        ("\n  --tau 0.1\nrun", ["'--tau 0.1'", "first line"]),
        ("# nothing but a comment", ["no run", "End the cell with the run"]),
        ("import asyncio\nawait asyncio.sleep(0)", ["await", "own cell", "%falsify run"]),
        ("{q: await search(q) for q in qrels}", ["await", "own cell"]),
        ("[d async for d in search()]", ["await", "own cell"]),
    ],
)
def test_a_bad_body_says_what_to_write_and_runs_nothing(cell, gate, body, mentions):
    error = error_of(cell(f"%%falsify --qrels qrels\n{body}"))
    assert isinstance(error, OptionError)
    for words in mentions:
        assert words in str(error)
    assert gate.calls == []


def test_await_inside_a_function_is_fine(cell, gate):
    assert cell("%%falsify --qrels qrels\nasync def f():\n    await g()\nrun").success


def test_a_typing_mistake_does_not_wait_for_the_search(cell, gate, shell):
    error = error_of(cell("%%falsify --qrels qrelz --tau 0.1\nsearched = True\nrun"))
    assert "qrelz" in str(error)
    assert "searched" not in shell.user_ns


def test_names_that_the_body_binds_out_of_sight_are_waited_for(cell, gate):
    assert cell('%%falsify --qrels own\nexec(\'own = {"q1": {"d1": 1}}\')\nrun').success
    assert gate.arguments["qrels"] == {"q1": {"d1": 1}}


def test_an_option_line_that_goes_on_is_refused(cell, gate):
    error = error_of(cell("%%falsify --qrels qrels \\\n  --metric map\nrun"))
    assert "backslash" in str(error)
    assert gate.calls == []


def test_a_comment_after_the_options_is_allowed(cell, gate):
    assert cell("%%falsify --qrels qrels --top-k 5 # top five\nrun").success
    assert gate.arguments["top_k"] == 5


def test_a_failing_body_keeps_its_own_error_and_leaves_no_old_result(cell, gate, shell):
    shell.user_ns["result"] = "of an earlier cell"
    with capture_output() as shown:
        outcome = cell("%%falsify --qrels qrels --out result\nx = 1\n1/0")
    assert isinstance(error_of(outcome), ZeroDivisionError)
    assert "result" not in shell.user_ns
    # Once in the heading and once in the last line of one traceback, as IPython writes it.
    assert shown.stdout.count("ZeroDivisionError") == 2
    assert "line 3" in shown.stdout
    assert "body.py" not in shown.stdout
    assert "magic.py" not in shown.stdout


def test_a_syntax_error_in_the_body_points_at_its_line(cell, gate, shell):
    with capture_output() as shown:
        outcome = cell("%%falsify --qrels qrels --out result\nx = 1\nx +")
    error = error_of(outcome)
    assert type(error) is SyntaxError
    assert error.lineno == 3
    assert "invalid syntax" in shown.stdout


def test_an_interrupt_stays_one_and_binds_nothing(cell, gate, shell):
    shell.user_ns["result"] = "of an earlier cell"
    outcome = cell(
        "%%falsify --qrels qrels --out result\nif True:\n    raise KeyboardInterrupt\nrun"
    )
    assert type(error_of(outcome)) is KeyboardInterrupt
    gate.error = KeyboardInterrupt()
    outcome = cell("%%falsify --qrels qrels --out result\nrun")
    assert type(error_of(outcome)) is KeyboardInterrupt
    assert "result" not in shell.user_ns


def test_an_error_of_ours_is_one_line(cell, gate, shell):
    gate.error = InputError("the qrels are empty", remedy="Give some.")
    with capture_output() as shown:
        outcome = cell("%%falsify --qrels qrels --out result\nrun")
    assert isinstance(error_of(outcome), InputError)
    assert shown.stdout.strip() == "InputError: the qrels are empty. Give some."
    assert "result" not in shell.user_ns


def test_out_binds_and_shows(cell, gate, shell):
    outcome = cell("%%falsify --qrels qrels --out result\nrun")
    assert outcome.result is shell.user_ns["result"]
    assert shell.user_ns["_"] is outcome.result


@pytest.mark.parametrize(
    "source",
    [
        "%%falsify --qrels qrels --out result --quiet\nrun",
        "%%falsify --qrels qrels --out result\nrun;",
        "%%falsify --qrels qrels --out result\nrun;  # no card",
        "%falsify run --qrels qrels --out result;",
        "%falsify run --qrels qrels --out result ;  # no card",
    ],
)
def test_quiet_and_a_semicolon_show_nothing_but_bind(cell, gate, shell, source):
    with capture_output() as shown:
        outcome = cell(source)
    assert outcome.result is None
    assert shown.stdout == ""
    assert not shown.outputs
    assert shell.user_ns["result"].verdict == "PASS"


@pytest.mark.parametrize(
    ("delta", "error"), [(0.4, None), (-0.2, GateFailed), (0.1, GateUndecided)]
)
def test_raise_stops_the_notebook_unless_the_gate_passes(cell, gate, shell, delta, error):
    gate.delta = delta
    outcome = cell("%%falsify --qrels qrels --out result --raise --quiet\nrun")
    assert type(outcome.error_in_exec) is (error or type(None))
    # The gate did complete: what was found may be looked at.
    assert shell.user_ns["result"].nulls["A"].delta == delta


def test_a_raised_verdict_says_which_null_and_why(cell, gate):
    gate.delta = -0.2
    text = str(error_of(cell("%falsify run --qrels qrels --raise --quiet")))
    for words in ("FAIL", "nDCG@10", "0.05", "null A", "permuted gold", "-0.2", "The gap is -0.2."):
        assert words in text


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_is_printed_and_nothing_runs(cell, gate, shell, flag):
    with capture_output() as shown:
        assert cell(f"%%falsify {flag}\ntouched = 1").success
    assert "--n-boot INTEGER" in shown.stdout
    assert "touched" not in shell.user_ns


def test_the_question_mark_shows_two_examples(shell):
    info = shell.object_inspect("%%falsify", detail_level=0)
    assert "%%falsify --qrels qrels --corpus corpus" in info["docstring"]
    assert "%falsify run --qrels qrels" in info["docstring"]
    assert "--tau NUMBER" in info["docstring"]


def test_loading_thrice_gates_once(cell, gate, shell):
    for command in ("load_ext", "load_ext", "reload_ext"):
        shell.run_line_magic(command, "falsify_nb")
    cell("%%falsify --qrels qrels\nrun")
    assert len(gate.calls) == 1
    identifiers = [m.matcher_identifier for m in shell.Completer.custom_matchers]
    assert identifiers.count("falsify_nb.magic") == 1


def test_unloading_leaves_the_shell_as_it_was(shell):
    def state():
        magics = shell.magics_manager
        return (
            {kind: set(names) for kind, names in magics.magics.items()},
            set(magics.registry),
            list(shell.Completer.custom_matchers),
            {event: list(calls) for event, calls in shell.events.callbacks.items()},
        )

    shell.run_line_magic("unload_ext", "falsify_nb")
    before = state()
    shell.run_line_magic("load_ext", "falsify_nb")
    assert state() != before
    shell.run_line_magic("unload_ext", "falsify_nb")
    assert state() == before
    shell.run_line_magic("unload_ext", "falsify_nb")
    assert state() == before
    shell.run_line_magic("load_ext", "falsify_nb")


def test_nothing_is_expanded_in_the_body(cell, gate, shell):
    shell.user_ns["name"] = "expanded"
    cell("%%falsify --qrels qrels\ntext = '{name} $name'\nrun")
    assert shell.user_ns["text"] == "{name} $name"


def test_loading_does_not_load_what_only_showing_needs(run_fresh):
    code = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "ip = InteractiveShell.instance()\n"
        "ip.run_line_magic('load_ext', 'falsify_nb')\n"
        "print([m for m in ('altair', 'pandas', 'ipywidgets', 'scipy') if m in sys.modules])"
    )
    assert run_fresh(code) == "[]"
