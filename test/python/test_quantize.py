# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Quantized matrices have the codes, scales and products of mlx.core."""

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

AFFINE = [{"bits": bits, "group_size": size} for bits in (1, 2, 3, 4, 5, 6, 8) for size in (32, 64, 128)]
FLOATS = [{"mode": mode} for mode in ("mxfp4", "mxfp8", "nvfp4")]
DTYPES = ["float32", "float16", "bfloat16"]


def matrix(*shape):
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values[..., 0, :] = 0  # rows that have no scale
    values[..., 1, :128] = 0
    return values


def numbers(array):
    return np.array(array.tolist())


def same(ours, theirs, **tolerance):
    assert ours.shape == theirs.shape and str(ours.dtype).replace("tenon", "mlx") == str(theirs.dtype)
    np.testing.assert_allclose(numbers(ours), numbers(theirs), **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", AFFINE + FLOATS, ids=str)
def test_codes_and_scales_are_those_of_mlx(options, dtype):
    values = matrix(5, 256)
    ours = tn.quantize(tn.array(values, getattr(tn, dtype)), **options)
    theirs = mx.quantize(mx.array(values).astype(getattr(mx, dtype)), **options)
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs):
        same(one, two, rtol=0)
    same(tn.dequantize(*ours, **options), mx.dequantize(*theirs, **options), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("mode", ["affine", "mxfp4", "mxfp8", "nvfp4"])
def test_products_are_those_of_mlx(mode):
    x, w = matrix(4, 256), matrix(8, 256)
    packed = {m: m.quantize(m.array(w), mode=mode) for m in (tn, mx)}
    for transpose in (True, False):
        left = x if transpose else x[:, :8]
        same(*(m.quantized_matmul(m.array(left), *packed[m], transpose=transpose, mode=mode) for m in (tn, mx)), rtol=1e-4, atol=1e-4)
    assert tn.quantized_matmul(tn.array(x, tn.float16), *packed[tn], mode=mode).dtype == (tn.float32 if mode == "affine" else tn.float16)


@pytest.mark.parametrize("mode", ["affine", "mxfp8"])
def test_products_of_selected_matrices_are_those_of_mlx(mode):
    x, w = matrix(3, 2, 128), matrix(4, 8, 128)
    results = []
    for m in (tn, mx):
        packed = m.quantize(m.array(w), mode=mode)
        results.append(m.gather_qmm(m.array(x), *packed, lhs_indices=m.array([2, 0], m.uint32), rhs_indices=m.array([3, 1], m.uint32), mode=mode))
    same(*results, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["nvfp4", "mxfp8"])
def test_products_of_two_quantized_matrices(mode):
    x, w = tn.array(matrix(4, 64)), tn.array(matrix(8, 64))
    back = [tn.dequantize(*tn.quantize(a, mode=mode), mode=mode, dtype=tn.float32) for a in (x, w)]
    expected = numbers(back[0] @ back[1].T)
    for given in ((w,), tn.quantize(w, mode=mode)):
        np.testing.assert_allclose(numbers(tn.qqmm(x, *given, mode=mode)), expected, rtol=1e-5, atol=1e-5)
    indices = tn.array([0], tn.uint32)
    np.testing.assert_allclose(numbers(tn.gather_qqmm(x[None], w[None], None, indices, indices, mode=mode))[0], expected, rtol=1e-5, atol=1e-5)


def test_a_scale_of_the_whole_array_is_taken_back():
    w = tn.array(matrix(4, 64) * 1000)
    top = tn.max(tn.abs(w))
    back = tn.dequantize(*tn.quantize(w, mode="nvfp4", global_scale=top), mode="nvfp4", global_scale=top, dtype=tn.float32)
    np.testing.assert_allclose(numbers(back), numbers(w), rtol=0.26, atol=100)


@pytest.mark.parametrize("call", [
    "m.quantize(w, mode='xyz')", "m.quantize(w, bits=7)", "m.quantize(w, group_size=16)", "m.quantize(w, bits=3, mode='mxfp4')",
    "m.quantize(w, group_size=64, mode='nvfp4')", "m.quantize(w.astype(m.int32))", "m.quantize(w[0])", "m.quantize(w[:, :40])",
    "m.dequantize(q, s)", "m.dequantize(q, s.T, b)", "m.dequantize(q, s, b[:1])", "m.dequantize(q, s.astype(m.int32), b)",
    "m.dequantize(w, s, b)", "m.dequantize(q, s, b, mode='mxfp8')", "m.quantized_matmul(w, q.T, s, b)",
    "m.quantized_matmul(w, q, s, b, False)", "m.quantized_matmul(w.astype(m.int32), q, s, b)", "m.qqmm(w, w, mode='affine')",
])
def test_mistakes_are_value_errors(call):
    w = tn.array(matrix(8, 256))
    q, s, b = tn.quantize(w)
    with pytest.raises(ValueError):
        eval(call, {"m": tn, "w": w, "q": q, "s": s, "b": b})
