# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.core has the names of the installed mlx.core, with the same parameters in the same order, and the same defaults."""

import inspect
import re

import mlx.core as mx
import pytest
import tenon.core as tn

MODULES = ["", "random", "linalg", "fft", "fast", "metal", "cuda"]

# What tenon.core does not have, and why.
ABSENT = {
    "ArrayLike": "a class for type checks of mlx.core's binding",
    "FunctionExporter": "the class of what exporter() gives has no name",
    "_gc_func": "a class for garbage collection of mlx.core's binding",
    "random.__getattr__": "random.state is an attribute",
    "random._RandomState": "random.state is a list",
}

# Members of arrays that tenon.core does not have, and why.
ABSENT_MEMBERS = {
    "__div__": "for Python 2",
    "__rdiv__": "for Python 2",
    "__setstate__": "pickles call array._from_bytes",
}

# Parameters that differ, and why.
DIFFERENT = {
    "clip": "a bound that is not given is none, as in the array API standard",
    "arange": "each of the three numbers has a default, so that inspect.signature can say it",
    "save_gguf": "`metadata` has a default, as it does in mlx.core, which does not say so",
}


# Keywords that the array API standard has besides.
STANDARD = {"append", "copy", "correction", "descending", "device", "dtype", "full_matrices", "include_initial", "invert", "mode", "prepend",
            "stable"}


def parameters_in(text):
    """The parameters in the first line of a docstring: names with the texts of their defaults."""
    inside, depth, parts = text.partition("(")[2], 0, [""]
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    out = {}
    for part in map(str.strip, parts):
        name = re.match(r"\**\w*", part)[0]
        if name not in ("", "*", "self", "stream"):
            out[name] = part.rpartition(" = ")[2].strip() if " = " in part else None
    return out


def parameters_of(function):
    """The same of what inspect.signature says."""
    out = {}
    for name, parameter in inspect.signature(function).parameters.items():
        star = "*" * {parameter.VAR_POSITIONAL: 1, parameter.VAR_KEYWORD: 2}.get(parameter.kind, 0)
        if name not in ("self", "stream"):
            out[star + name] = None if parameter.default is parameter.empty else repr(parameter.default)
    return out


def normal(default):
    """None stands for the dtype that mlx.core names."""
    if default is None or default in tn.__dict__ and isinstance(getattr(tn, default), tn.Dtype):
        return default and "None"
    try:
        return float(default)
    except ValueError:
        return default.replace('"', "'")


def compare(name, ours, theirs):
    expected, found = parameters_in(theirs.__doc__.split("\n")[0]), parameters_of(ours)
    keywords = {it.name for it in inspect.signature(ours).parameters.values() if it.kind is it.KEYWORD_ONLY}
    found = {key: value for key, value in found.items() if key in expected or key not in STANDARD & keywords}
    assert list(found) == list(expected), f"{name}: {list(found)} are not {list(expected)}"
    for parameter in expected:
        assert normal(found[parameter]) == normal(expected[parameter]), f"{name}: the default of {parameter}"


def names(module):
    whole = getattr(mx, module) if module else mx
    prefix = module + "." if module else ""
    return [(prefix + name, name, whole) for name in sorted(dir(whole)) if not (name.startswith("__") and name.endswith("__"))
            or name == "__getattr__"]


@pytest.mark.parametrize("module", MODULES)
def test_every_name_exists(module):
    ours = getattr(tn, module) if module else tn
    missing = [full for full, name, _ in names(module) if not hasattr(ours, name) and full not in ABSENT]
    assert not missing


@pytest.mark.parametrize("module", MODULES)
def test_functions_have_the_same_parameters(module):
    ours = getattr(tn, module) if module else tn
    for full, name, whole in names(module):
        function = getattr(whole, name)
        if type(function).__name__ != "nb_func" or full in DIFFERENT or not hasattr(ours, name):
            continue
        compare(full, getattr(ours, name), function)


def test_every_member_of_arrays_exists():
    assert not [name for name in dir(mx.array) if not hasattr(tn.array, name) and name not in ABSENT_MEMBERS]


def test_methods_have_the_same_parameters():
    for name in sorted(set(dir(mx.array)) & set(dir(tn.array))):
        method = getattr(mx.array, name)
        if type(method).__name__ != "nb_method" or name.startswith("__") or "array." + name in DIFFERENT:
            continue
        compare("array." + name, getattr(tn.array, name), method)


def test_constants_are_equal():
    for name in ["pi", "e", "euler_gamma", "inf", "newaxis"]:
        assert getattr(tn, name) == getattr(mx, name)
    assert tn.nan != tn.nan


def find(whole, full):
    for name in full.split("."):
        whole = getattr(whole, name, None)
    return whole


def test_reasons_are_for_what_differs():
    for full in ABSENT:
        assert find(mx, full) is not None and find(tn, full) is None, full
    for full in DIFFERENT:
        with pytest.raises(AssertionError):
            compare(full, find(tn, full), find(mx, full))
    assert not [name for name in ABSENT_MEMBERS if hasattr(tn.array, name) or not hasattr(mx.array, name)]
