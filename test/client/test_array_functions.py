# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The table of array functions that tools/array_functions.py makes from the public headers: keywords and defaults as mlx.core
has them, and errors for declarations that it cannot read."""

import ast
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "array_functions.py"
HEADERS = ROOT / "include" / "tenon" / "detail"
sys.path.insert(0, str(TOOL.parent))

import array_functions  # noqa: E402

FUNCTIONS = array_functions.parse()
VARIADIC = "any number of operands in Python, a list in C"
VIEWS = "C has one function for static and one for dynamic indices"
BOOLEAN = "a boolean in C, a word in Python"
OUTPUTS = "which results are computed follows from the outputs in C"
DTYPE = "C converts the result with astype"
MODE = "C combines values in other ways, too"
SAMPLES = "one function for each kind of first argument in C"
OPTIONAL = "MLX has another parameter without an effect on the CPU"
# Where keywords differ from mlx.core's, so that a binding has to translate.
TRANSLATED = {
    "broadcast_arrays": VARIADIC, "atleast_1d": VARIADIC, "atleast_2d": VARIADIC, "atleast_3d": VARIADIC, "einsum": VARIADIC,
    "meshgrid": VARIADIC, "slice": VIEWS, "slice_update": VIEWS, "split": SAMPLES, "unstack": "C needs the number of results",
    "contiguous": OPTIONAL, "gather_mm": OPTIONAL, "pad": "low and high in C, pairs in Python", "cumprod": DTYPE, "cumsum": DTYPE,
    "full": DTYPE, "empty_like": DTYPE, "full_like": DTYPE, "zeros_like": DTYPE, "ones_like": DTYPE, "searchsorted": BOOLEAN,
    "unique": OUTPUTS, "put_along_axis": MODE, "tensordot": "two lists of axes in C", "conv_general": "two lists of padding in C",
    "linalg_svd": OUTPUTS, "linalg_eigh": BOOLEAN, "linalg_eigvalsh": BOOLEAN, "linalg_norm": "the kind is apart from the order in C",
    "stft": "options of both directions", "istft": "options of both directions", "random_multivariate_normal": DTYPE,
    "random_categorical": SAMPLES, "random_permutation": SAMPLES, "rope": "keywords alone in MLX: another order",
    "scaled_dot_product_attention": "causal is a word as the mask in MLX",
}


def mlx_parameters(doc):
    """The keywords of a signature in the first line of `doc`, and their defaults."""
    line, depth, parts = doc.strip().split("\n")[0].partition(" -> ")[0], 0, [""]
    for letter in line[line.index("(") + 1:line.rindex(")")]:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    pairs = [part.strip().partition(" = ") for part in parts if part.strip() not in ("", "/", "*")]
    return {name.partition(":")[0].strip(): default or None for name, _, default in pairs if not name.startswith("stream")}


def mlx_function(function):
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    return getattr(getattr(mx, function.module) if function.module else mx, function.attribute, None)


def same_default(ours, theirs):
    """None and 0 of ours stand for what MLX says otherwise (no sizes, neutral strides)."""
    return None in (ours, theirs) or ours in ("None", "0") or theirs == "None" or ast.literal_eval(ours) == ast.literal_eval(theirs)


def test_keywords_and_defaults_are_those_of_mlx():
    for function in FUNCTIONS:
        theirs = mlx_function(function)
        if theirs is None:
            continue
        ours = {parameter.name: parameter.default and array_functions.default_in_python(parameter) for parameter in function.parameters}
        theirs = mlx_parameters(theirs.__doc__)
        assert (list(ours) != list(theirs)) == (function.name in TRANSLATED), (function.name, ours, theirs)
        if function.name not in TRANSLATED:
            for name in ours:
                is_dtype = ours[name] in array_functions.DTYPES.values()
                assert is_dtype and theirs[name] in (ours[name], "None") or same_default(ours[name], theirs[name]), \
                    (function.name, name, ours[name], theirs[name])


def test_every_function_is_documented_and_named_once():
    names = [function.name for function in FUNCTIONS]
    assert len(names) == len(set(names)) > 200
    for function in FUNCTIONS:
        assert function.doc[0].isprintable() and "NULL" not in function.doc and "TN_" not in function.doc, function.name


def test_signatures_have_keywords_defaults_and_choices():
    signatures = {function.name: array_functions.signature(function) for function in FUNCTIONS}
    assert signatures["argmax"] == "argmax(a, axis=None, keepdims=False)"
    assert signatures["zeros"] == "zeros(shape, dtype=float32)"
    assert signatures["linalg_cross"] == "cross(a, b, axis=-1)"
    assert signatures["pad"] == "pad(a, low, high, mode='constant', constant_values=None)"


@pytest.mark.parametrize("before, after, message", [
    ("// Sine. Integers", "int x;\n// Sine. Integers", "expected a comment, a type or a function; found: int x;"),
    ("// Cosine. Integers and booleans are converted to float32.\n", "", "cos has no comment directly above it"),
    ("axes TN_COUNT(rank(a)) TN_DEFAULT(NULL));", "axes TN_DEFAULT(NULL));", "transpose: axes has no TN_COUNT"),
    ("axes TN_COUNT(rank(a)) TN_DEFAULT(NULL));", "axes TN_COUNT(rank(z)) TN_DEFAULT(NULL));", "TN_COUNT(rank(z)): expected a number"),
    ("dims) TN_ORDER(shape, dtype);", "dims) TN_ORDER(shape, type);", "TN_ORDER names shape, type; expected dtype, shape in any order"),
    ("dims) TN_ORDER(shape, dtype);", "dims);", "zeros: a parameter without a default follows one with a default; add TN_ORDER"),
    ("int decimals TN_DEFAULT(0)", "float decimals TN_DEFAULT(0)", "decimals has the type float, which no kind of parameter has"),
    ("TN_API tn_array_t* tn_array_cos(", "TN_API tn_array_t* tn_cos(", "tn_cos does not fit into the table; name it in LEFT_OUT"),
])
def test_declarations_that_cannot_be_read_are_errors_with_their_place(before, after, message, tmp_path):
    shutil.copytree(HEADERS, tmp_path / "detail")
    header = tmp_path / "detail" / "array_ops.h"
    text = header.read_text()
    assert before in text
    header.write_text(text.replace(before, after, 1))
    done = subprocess.run([sys.executable, TOOL, "--headers", tmp_path / "detail", "--table", tmp_path / "table.c"], text=True,
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert "array_ops.h:" in done.stderr and "Traceback" not in done.stderr
