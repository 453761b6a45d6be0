"""The options are those of falsify() and of the protocol, and nothing else."""

from __future__ import annotations

import dataclasses
import inspect

import falsify_nb
from falsify_nb.core.protocol import Protocol
from falsify_nb.notebook.options import GATE_OPTIONS, MAGIC_OPTIONS, OPTIONS, option_help


def test_the_options_are_the_parameters_of_falsify():
    parameters = dict(inspect.signature(falsify_nb.falsify).parameters)
    parameters.pop("progress")  # a hook for programs: the magic and the panel have their own
    assert {o.name for o in GATE_OPTIONS} == set(parameters)
    required = {"run", "qrels"}
    for option in GATE_OPTIONS:
        if option.name not in required:
            assert option.default == parameters[option.name].default, option.name


def test_every_field_of_the_protocol_has_an_option_with_its_default():
    for field in dataclasses.fields(Protocol):
        assert field.name in OPTIONS
        assert OPTIONS[field.name].default == field.default, field.name


def test_ranges_and_choices_are_those_that_the_protocol_accepts():
    for option in GATE_OPTIONS:
        if option.name not in {f.name for f in dataclasses.fields(Protocol)}:
            continue
        for value in (option.low, option.high, *option.choices):
            if value is not None:
                number = int(value) if option.kind == "integer" else value
                assert getattr(Protocol(**{option.name: number}), option.name) == number


def test_names_are_unique_and_help_names_every_option():
    assert len(OPTIONS) == len(GATE_OPTIONS) + len(MAGIC_OPTIONS)
    text = option_help()
    for option in OPTIONS.values():
        assert f"  {option.flag} " in text
        assert option.help in text
