# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Strict arithmetic: each operation rounds, and sums take their terms in order. NumPy computes the same, operation by
operation, in the same dtype."""

import subprocess

import numpy as np
import pytest

from command import COMMAND as TENON

RANDOM = np.random.default_rng(11)
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "complex<f32>": np.complex64}


def run(tmp_path, text, inputs, *options):
    (tmp_path / "program.mlir").write_text(text)
    arguments = []
    for number, value in enumerate(inputs):
        np.save(tmp_path / f"{number}.npy", value)
        arguments += ["-i", tmp_path / f"{number}.npy"]
    done = subprocess.run([TENON, "run", tmp_path / "program.mlir", *arguments, "-o", tmp_path / "out.npy", *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return np.load(tmp_path / "out.npy")


def numbers(dtype, *shape):
    values = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.standard_normal(shape)
    return values.astype(dtype)


def product(dtype, a, b):
    """Rounded part by part: NumPy may fuse what is inside one product of complex numbers."""
    if np.dtype(dtype).kind != "c":
        return dtype(a * b)
    re = np.float32(np.float32(a.real * b.real) - np.float32(a.imag * b.imag))
    im = np.float32(np.float32(a.real * b.imag) + np.float32(a.imag * b.real))
    return dtype(complex(re, im))


def total(dtype, terms):
    value = dtype(0)
    for term in terms:
        value = dtype(value + term)
    return value


@pytest.mark.parametrize("name", DTYPES)
def test_products_round_each_term_and_each_partial_sum(tmp_path, name):
    dtype = DTYPES[name]
    text = f"""func.func @main(%a: tensor<3x40x{name}>, %b: tensor<40x5x{name}>) -> tensor<3x5x{name}> {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x40x{name}>, tensor<40x5x{name}>) -> tensor<3x5x{name}>
      return %0 : tensor<3x5x{name}>
    }}"""
    a, b = numbers(dtype, 3, 40), numbers(dtype, 40, 5)
    wanted = [[total(dtype, (product(dtype, x, y) for x, y in zip(row, column))) for column in b.T] for row in a]
    np.testing.assert_array_equal(run(tmp_path, text, [a, b], "--arithmetic", "strict"), np.array(wanted, dtype))


def test_convolutions_and_windows_take_their_terms_in_order(tmp_path):
    x, w = numbers(np.float32, 1, 9, 3), numbers(np.float32, 4, 3, 2)
    text = """func.func @main(%x: tensor<1x9x3xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x6x2xf32> {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x3xf32>, tensor<4x3x2xf32>) -> tensor<1x6x2xf32>
      return %0 : tensor<1x6x2xf32>
    }"""
    wanted = [[total(np.float32, (x[0, i + k, f] * w[3 - k, f, o] for k in range(4) for f in range(3))) for o in range(2)]
              for i in range(6)]
    np.testing.assert_array_equal(run(tmp_path, text, [x, w], "-a", "strict"), np.array([wanted], np.float32))
    y = numbers(np.float32, 7, 8)
    text = """func.func @main(%x: tensor<7x8xf32>) -> tensor<5x4xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 5>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<7x8xf32>, tensor<f32>) -> tensor<5x4xf32>
      return %0 : tensor<5x4xf32>
    }"""
    wanted = [[total(np.float32, y[i:i + 3, j:j + 5].ravel()) for j in range(4)] for i in range(5)]
    np.testing.assert_array_equal(run(tmp_path, text, [y], "-a", "strict"), np.array(wanted, np.float32))


@pytest.mark.parametrize("name", ["f32", "f16"])
def test_reductions_take_their_terms_in_order(tmp_path, name):
    x = numbers(DTYPES[name], 1000)
    text = f"""func.func @main(%x: tensor<1000x{name}>) -> tensor<{name}> {{
      %z = stablehlo.constant dense<0.0> : tensor<{name}>
      %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000x{name}>, tensor<{name}>) -> tensor<{name}>
      return %0 : tensor<{name}>
    }}"""
    assert run(tmp_path, text, [x], "--arithmetic", "strict") == total(DTYPES[name], x)


def test_a_test_is_strict_unless_it_asks_for_the_devices_kernels(tmp_path):
    ones = ", ".join(["1.0"] + ["5.9604645e-8"] * 64)  # each is lost when it is added to 1 alone
    (tmp_path / "test.mlir").write_text(f"""func.func @main() {{
      %x = stablehlo.constant dense<[{ones}]> : tensor<65xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<65xf32>, tensor<f32>) -> tensor<f32>
      check.expect_eq_const %0, dense<1.0> : tensor<f32>
      return
    }}""")
    for options, code in (([], 0), (["--arithmetic", "strict"], 0), (["--device", "reference"], 0), (["--arithmetic", "fast"], 1)):
        done = subprocess.run([TENON, "test", tmp_path / "test.mlir", *options], capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr


def test_another_word_is_refused(tmp_path):
    done = subprocess.run([TENON, "run", "x.mlir", "--arithmetic", "exact"], capture_output=True, text=True)
    assert done.returncode == 2 and "--arithmetic exact is not one of: fast strict" in done.stderr
