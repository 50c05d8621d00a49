# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The functions used most document their parameters, shapes and dtypes, with an example that gives what it says."""

import doctest
import inspect
import pathlib
import re
import sys

import pytest
import tenon.core as tn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import array_functions  # noqa: E402

DETAILS = array_functions.read_details()


@pytest.mark.parametrize("name", DETAILS)
def test_details_are_of_the_parameters_and_in_the_docstring(name):
    function = tn
    for part in name.split("."):
        function = getattr(function, part)
    parameters = inspect.signature(function).parameters
    described = DETAILS[name].parameters
    assert "returns" in described and described.keys() - {"returns"} <= parameters.keys(), name
    required = {it.name for it in parameters.values() if it.default is it.empty}
    assert required <= described.keys(), f"{name}: {required - described.keys()} are not described"
    for parameter, text in described.items():
        assert f"\n{parameter}: {text}\n" in function.__doc__


@pytest.mark.parametrize("name", DETAILS)
def test_examples_give_what_they_say(name):
    source = "\n".join(DETAILS[name].example) + "\n"
    test = doctest.DocTestParser().get_doctest(source, {"tn": tn}, name, None, 0)
    assert test.examples and all(example.want for example in test.examples)
    runner, found = doctest.DocTestRunner(verbose=False), []
    runner.run(test, out=found.append)
    assert not runner.failures, "".join(found)


def test_the_fifty_functions_used_most_have_them():
    assert len(DETAILS) >= 50
    assert "causal`" not in tn.fast.scaled_dot_product_attention.__doc__ and '"causal"' in tn.fast.scaled_dot_product_attention.__doc__


def test_types_stubs_have_the_same_documentation():
    stub = pathlib.Path(tn.__file__).parent / "core" / "__init__.pyi"
    text = stub.read_text()
    for name in ("conv2d", "softmax", "take"):
        assert re.search(rf"^def {name}\(.*\n(?:.*\n)*?    >>> tn\.{name}\(", text, re.MULTILINE)
