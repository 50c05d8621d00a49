# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The kernels of examples/digits serve JAX too: registered through jax.ffi, without Tenon in the process."""

import contextlib
import ctypes
import os
import pty
import re
import subprocess
import sys

import jax
import numpy as np
import pytest
from jaxlib.mlir import ir

from support import BUILD, ROOT, assert_same, parse, tenon, xla_run

EXAMPLE = ROOT / "examples" / "digits"
sys.path.insert(0, str(EXAMPLE))
import train  # noqa: E402

COMPILER = os.environ.get("CC", "cc")
IMAGES, LABELS = np.load(EXAMPLE / "images.npy"), np.load(EXAMPLE / "labels.npy")
TEXT = (EXAMPLE / "digits.mlir").read_text()


def compile_c(out, *arguments):
    subprocess.run([COMPILER, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", *map(str, arguments), "-o",
                    out, "-lm"], check=True)
    return out


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The library, compiled with nothing but the headers, its operations registered in JAX."""
    folder = tmp_path_factory.mktemp("kernels")
    path = compile_c(folder / "libdigits.so", "-fPIC", "-shared", "-I", ROOT / "include", EXAMPLE / "kernels.c")
    library = ctypes.CDLL(str(path))
    for name in ("digits_normalize", "digits_dense"):
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    return path


def weights():
    """The constants of digits.mlir, in the order of the layers."""
    module = parse(TEXT)
    arrays = []
    for operation in module.body.operations[0].regions[0].blocks[0].operations:
        if operation.operation.name == "stablehlo.constant":
            value = np.array(ir.DenseElementsAttr(operation.operation.attributes["value"]))
            if value.ndim > 0:
                arrays.append(value)
    w1, b1, w2, b2 = arrays
    return [(w1, b1), (w2, b2)]


def test_library_needs_nothing_of_tenon(kernels):
    symbols = subprocess.run(["nm", "-D", "--undefined-only", kernels], check=True, capture_output=True,
                             text=True).stdout
    assert "tn_" not in symbols and "XLA_" not in symbols, symbols


def test_kernels_give_in_jax_what_jax_numpy_gives(kernels):
    got = jax.jit(train.network(train.calls, weights()))(IMAGES)
    wanted = jax.jit(train.network(train.plain, weights()))(IMAGES)
    np.testing.assert_array_equal(got[0], wanted[0])
    assert_same(np.asarray(got[1]), wanted[1], slack=10, what="probabilities")
    assert train.accuracy(got[0], LABELS) >= 0.95


def test_program_in_the_repository_runs_in_xla_with_the_kernels(kernels):
    predictions, probabilities = xla_run(parse(TEXT), [IMAGES])
    wanted = jax.jit(train.network(train.plain, weights()))(IMAGES)
    np.testing.assert_array_equal(predictions, wanted[0])
    assert_same(probabilities, wanted[1], slack=10, what="probabilities")


def test_program_in_the_repository_is_what_the_script_lowers():
    assert train.lower(weights(), IMAGES) == TEXT


@pytest.mark.parametrize("activation", train.ACTIVATIONS)
def test_each_activation_is_that_of_jax_numpy(kernels, activation):
    rng = np.random.default_rng(1)
    x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((7, 33), (33, 19), (19,)))
    got = jax.jit(lambda *a: train.calls.dense(*a, activation=activation))(x, w, b)
    assert_same(np.asarray(got), train.plain.dense(x, w, b, activation=activation), slack=10)


def test_unknown_activation_is_an_error_that_names_it(kernels):
    x = np.ones((2, 2), np.float32)
    with pytest.raises(Exception, match="softmax"):
        jax.jit(lambda a: train.calls.dense(a, a, a[0], activation="softmax"))(x).block_until_ready()


def test_operands_that_do_not_fit_are_an_error_that_names_them(kernels):
    with pytest.raises(Exception, match="digits_dense.*w"):
        jax.jit(lambda x, w, b: train.calls.dense(x, w, b, activation="none"))(
            np.ones((2, 3), np.float32), np.ones((4, 5), np.float32), np.ones(5, np.float32)).block_until_ready()


def test_tenon_runs_the_program_with_the_same_library(kernels, tmp_path):
    tenon("run", EXAMPLE / "digits.mlir", "--load", kernels, "--input", EXAMPLE / "images.npy",
          "--output", tmp_path / "predictions.npy", "--output", tmp_path / "probabilities.npy")
    predictions, probabilities = (np.load(tmp_path / f"{name}.npy") for name in ("predictions", "probabilities"))
    wanted = jax.jit(train.network(train.plain, weights()))(IMAGES)
    np.testing.assert_array_equal(predictions, wanted[0])
    assert_same(probabilities, wanted[1], slack=10, what="probabilities")
    assert train.accuracy(predictions, LABELS) >= 0.95


def test_demo_prints_digits_accuracy_time_peak_and_what_to_try():
    done = subprocess.run([EXAMPLE / "demo.sh", BUILD], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "\033" not in done.stdout
    for part in ("Read wrong:", "accuracy: 98", "peak", "What to try next"):
        assert part in done.stdout, done.stdout
    assert re.search(r"\d+(\.\d+)? (us|ms|s)\b", done.stdout + done.stderr), done.stdout + done.stderr


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("show") / "digits_show", "-D_POSIX_C_SOURCE=200809L", EXAMPLE / "show.c",
                     EXAMPLE / "npy.c")


def run_show(show, *arguments, **environment):
    return subprocess.run([show, *arguments], capture_output=True, text=True, encoding="utf-8", env=environment)


def test_show_counts_and_marks_what_was_read_wrong(show, tmp_path):
    predictions = LABELS.astype(np.int32)
    predictions[[5, 50]] = (predictions[[5, 50]] + 1) % 10
    np.save(tmp_path / "predictions.npy", predictions)
    arguments = (EXAMPLE / "images.npy", EXAMPLE / "labels.npy", tmp_path / "predictions.npy")
    ascii_only = run_show(show, *arguments, LC_ALL="C")
    assert ascii_only.returncode == 0 and ascii_only.stdout.isascii() and "\033" not in ascii_only.stdout
    assert "accuracy: 99.44 % (358 of 360 images)" in ascii_only.stdout
    for i in (5, 50):
        assert f"{predictions[i]}, is {LABELS[i]}" in ascii_only.stdout
    assert "\u2588" in run_show(show, *arguments, LC_ALL="C.UTF-8").stdout


def printed_on_a_terminal(command, environment):
    """All that the command writes: a terminal holds a few kilobytes only, so it is read while the command runs."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        printed = b""
        with contextlib.suppress(OSError):  # Linux says EIO at the end
            while piece := os.read(ours, 65536):
                printed += piece
        os.close(ours)
    assert process.returncode == 0
    return printed


@pytest.mark.parametrize("environment, colored", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_show_uses_colors_on_a_terminal_that_wants_them(show, environment, colored):
    labels = EXAMPLE / "labels.npy"
    printed = printed_on_a_terminal([show, EXAMPLE / "images.npy", labels, labels], {"TERM": "xterm", **environment})
    assert b"accuracy" in printed
    assert (b"\033[32m" in printed) == colored


@pytest.mark.parametrize("content, complaint", [
    (b"", "not an .npy file"),
    (b"\x93NUMPY\x01\x00\xff\xffx", "ends within its header"),
    ((EXAMPLE / "labels.npy").read_bytes()[:-1], "its shape wants 360 elements"),
    ((EXAMPLE / "labels.npy").read_bytes() + b"x", "its shape wants 360 elements"),
    ((EXAMPLE / "labels.npy").read_bytes().replace(b"(360,)", b"(9e9,)"), "shape"),
    ((EXAMPLE / "labels.npy").read_bytes().replace(b"|u1", b"|O8"), "another type"),
    ((EXAMPLE / "images.npy").read_bytes(), "rank 1"),
])
def test_show_says_what_is_wrong_with_a_file(show, tmp_path, content, complaint):
    bad = tmp_path / "bad.npy"
    bad.write_bytes(content)
    done = run_show(show, EXAMPLE / "images.npy", bad, EXAMPLE / "labels.npy", LC_ALL="C")
    assert done.returncode == 1 and complaint in done.stderr, done.stderr
