# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the array API standard has besides mlx.core, compared with NumPy."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
import tenon.core as tn

RANDOM = np.random.default_rng(0)
MATRICES = RANDOM.normal(size=(2, 3, 3)).astype(np.float32)
SIGNAL = RANDOM.normal(size=8).astype(np.float32)


def same(found, expected, tolerance=1e-4):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name, arguments, keywords", [
    ("diagonal", (MATRICES,), {"offset": 1}),
    ("matmul", (MATRICES, MATRICES), {}),
    ("matrix_norm", (MATRICES,), {}),
    ("matrix_norm", (MATRICES,), {"ord": np.inf, "keepdims": True}),
    ("matrix_power", (MATRICES, 0), {}),
    ("matrix_power", (MATRICES, 1), {}),
    ("matrix_power", (MATRICES, 5), {}),
    ("matrix_power", (MATRICES, -3), {}),
    ("matrix_rank", (np.array([[1, 2], [2, 4]], np.float32),), {}),
    ("matrix_rank", (MATRICES,), {}),
    ("matrix_rank", (MATRICES,), {"rtol": 0.9}),
    ("matrix_transpose", (MATRICES,), {}),
    ("outer", (SIGNAL, SIGNAL), {}),
    ("svdvals", (MATRICES,), {}),
    ("tensordot", (MATRICES, MATRICES), {"axes": ((0, 1), (0, 1))}),
    ("trace", (MATRICES,), {"offset": -1}),
    ("vecdot", (MATRICES, MATRICES), {"axis": 1}),
    *(("vector_norm", (MATRICES,), {"ord": order, "axis": axis, "keepdims": keepdims})
      for order, axis, keepdims in itertools.product([2, 1, 0, 3.5, -1, np.inf, -np.inf], [None, 1, (0, 2)], [False, True])),
])
def test_linalg_is_for_stacks_of_matrices(name, arguments, keywords):
    given = [tn.array(it) if isinstance(it, np.ndarray) else it for it in arguments]
    same(getattr(tn.linalg, name)(*given, **keywords), getattr(np.linalg, name)(*arguments, **keywords), 1e-3)


def test_results_of_decompositions_have_names():
    q, r = tn.linalg.qr(tn.array(MATRICES))
    symmetric = tn.array(MATRICES + MATRICES.transpose(0, 2, 1))
    assert tn.array_equal(tn.linalg.qr(tn.array(MATRICES)).Q, q) and isinstance(tn.linalg.qr(tn.array(MATRICES)), tuple)
    same(tn.linalg.svd(tn.array(MATRICES)).S, np.linalg.svd(MATRICES).S)
    same(tn.linalg.slogdet(tn.array(MATRICES)).logabsdet, np.linalg.slogdet(MATRICES).logabsdet)
    same(tn.linalg.eigh(symmetric).eigenvalues, np.linalg.eigh(np.asarray(symmetric)).eigenvalues)
    same(tn.compile(tn.linalg.qr)(tn.array(MATRICES))[1], r)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 5, 12])
def test_transforms_of_hermitian_signals(norm, n):
    spectrum = (SIGNAL + 1j * SIGNAL[::-1]).astype(np.complex64)
    same(tn.fft.hfft(tn.array(spectrum), n, norm=norm), np.fft.hfft(spectrum, n, norm=norm))
    same(tn.fft.ihfft(tn.array(SIGNAL), n, norm=norm), np.fft.ihfft(SIGNAL, n, norm=norm))


@pytest.mark.parametrize("n", [1, 7, 8])
def test_frequencies_in_a_dtype(n):
    for name in ("fftfreq", "rfftfreq"):
        found = getattr(tn.fft, name)(n, 0.3, dtype=tn.float64)
        assert found.dtype == tn.float64
        same(found, getattr(np.fft, name)(n, 0.3), 1e-15)
        assert getattr(tn.fft, name)(n, 0.3).dtype == tn.float32


SPECIAL = [0.0, -0.0, 1.0, -1.5, 3e38, -3e38, 1e-44, np.inf, -np.inf, np.nan, -np.nan]


@pytest.mark.parametrize("name", ["copysign", "hypot", "nextafter"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_pairs_of_special_numbers(name, dtype):
    with np.errstate(all="ignore"):
        a, b = (it.flatten() for it in np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype)))
        found, expected = np.asarray(getattr(tn, name)(tn.asarray(a, dtype=dtype), tn.asarray(b, dtype=dtype))), getattr(np, name)(a, b)
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, rtol=0 if name != "hypot" else 4 * np.finfo(dtype).eps)
    is_number = ~np.isnan(expected) & (a != b if dtype == "float16" else True)  # NumPy has another zero of halves
    np.testing.assert_array_equal(np.signbit(found[is_number]), np.signbit(expected[is_number]))


def test_signs_of_numbers():
    np.testing.assert_array_equal(np.asarray(tn.signbit(tn.array(SPECIAL))), np.signbit(np.array(SPECIAL, np.float32)))
    assert tn.signbit(tn.array([-1, 0, 1])).tolist() == [True, False, False]
    assert tn.hypot(3, tn.array([4], tn.float64)).dtype == tn.float64 and tn.copysign(1, -2).item() == -1.0
    with pytest.raises(ValueError, match="hypot: takes no complex elements; got complex64"):
        tn.hypot(tn.array(1j), 1)


def test_sorting_down_keeps_the_order_of_equal_elements():
    values = np.array([[3, 1, 2, 3], [2, 2, 5, 1]])
    for axis in (0, 1, -1, None):
        kept = values.flatten() if axis is None else values
        same(tn.sort(tn.array(values), axis, descending=True), -np.sort(-values, axis))
        same(tn.argsort(tn.array(values), axis, descending=True), np.argsort(-kept, axis=axis or 0 if axis is None else axis, kind="stable"))


def test_several_axes_move_at_once():
    values = np.arange(24).reshape(1, 2, 3, 4)
    for source, destination in [((0, 1), (1, 0)), ((-1, 0), (0, -1)), ([3, 2, 1], [0, 1, 2]), ((), ()), ((2,), (0,))]:
        same(tn.moveaxis(tn.array(values), source, destination), np.moveaxis(values, source, destination))
    same(tn.array(values).moveaxis((0, 1), (1, 2)), np.moveaxis(values, (0, 1), (1, 2)))
    with pytest.raises(ValueError, match="moveaxis: an axis is named twice"):
        tn.moveaxis(tn.array(values), (0, 0), (1, 2))
    with pytest.raises(ValueError, match="moveaxis: 2 sources and 1 destinations"):
        tn.moveaxis(tn.array(values), (0, 1), (1,))
    with pytest.raises(IndexError, match="moveaxis: axis 4 is out of range"):
        tn.moveaxis(tn.array(values), (4,), (1,))


def test_corrections_are_real():
    for axis, correction in itertools.product([None, 0, (0, 2)], [0.0, 0.5, 1.0, 1.5]):
        same(tn.var(tn.array(MATRICES), axis, correction=correction), np.var(MATRICES, axis, correction=correction))
        same(tn.array(MATRICES).std(axis, True, correction=correction), np.std(MATRICES, axis, keepdims=True, correction=correction))


def test_differences_with_what_comes_before_and_after():
    values = np.arange(12).reshape(3, 4) ** 2
    before, after = np.full((1, 4), 7), np.full((2, 4), 9)
    same(tn.diff(tn.array(values), axis=0, prepend=before, append=tn.array(after)), np.diff(values, axis=0, prepend=before, append=after))
    same(tn.diff(tn.array(values), 2, append=values), np.diff(values, 2, append=values))


def test_a_device_is_where_arrays_are_made():
    for array in (tn.zeros(2, device=tn.cpu), tn.arange(3, device=tn.default_device()), tn.full((2,), 1, device=None),
                  tn.zeros_like(tn.array(1), device=tn.cpu), tn.astype(tn.array(1), tn.float16, device=tn.cpu, copy=False)):
        assert array.device == tn.default_device()
    with pytest.raises(TypeError, match="unexpected keyword argument 'device'"):
        tn.exp(1, device=tn.cpu)


def test_limits_and_types_of_arrays_and_numbers():
    assert tn.finfo(tn.zeros(2, tn.float16)).max == 65504 and tn.iinfo(tn.zeros(2, tn.int8)).max == 127
    assert tn.result_type(tn.int8, 1) == tn.int8 and tn.result_type(1, tn.uint8, True) == tn.uint8
    assert tn.result_type(tn.int16, 1.5) == tn.float32 and tn.result_type(tn.float16, 1.5) == tn.float16
    assert tn.result_type(tn.float64, 1j) == tn.complex128


def test_numbers_keep_their_precision_beside_double_precision():
    third = 1 / 3
    assert tn.full_like(tn.zeros(1, tn.float64), third).item() == third
    assert tn.full(1, third * 1j, dtype=tn.complex128).item() == third * 1j
    assert (tn.zeros(1, tn.complex128) + (third + 1j)).item() == third + 1j


# --- distinct elements, and others whose shape depends on values

SETS = [np.array([3, 1, 2, 3, 1, 3]), np.array([[2, 1], [1, 2], [5, 5]]), np.array([True, False, True]), np.array(7), np.zeros((0, 3), np.int32),
        np.array([1.5, -0.0, 0.0, np.inf, -np.inf, 1.5], np.float32), np.array([np.nan, 1, np.nan], np.float32)]


@pytest.mark.parametrize("values", SETS)
def test_distinct_elements_are_those_of_numpy(values):
    ours, theirs = tn.unique_all(tn.array(values)), np.unique_all(values)
    assert ours._fields == theirs._fields if hasattr(ours, "_fields") else True
    same(ours.values, theirs.values)
    if not np.isnan(values).any():  # NumPy sorts NaNs by their bits
        same(ours.indices, theirs.indices)
    assert ours.inverse_indices.shape == values.shape and ours.counts.tolist() == theirs.counts.tolist()
    if values.size and not np.isnan(values).any():
        same(np.asarray(ours.values)[np.asarray(ours.inverse_indices)], values)
    same(tn.unique_values(tn.array(values)), theirs.values)
    assert tn.unique_counts(tn.array(values)).counts.tolist() == theirs.counts.tolist()
    same(tn.unique_inverse(tn.array(values)).inverse_indices, theirs.inverse_indices)


@pytest.mark.parametrize("values", SETS)
def test_indices_of_elements_that_are_not_zero(values):
    if not values.ndim:
        with pytest.raises(ValueError, match="nonzero"):
            tn.nonzero(tn.array(values))
        return
    ours, theirs = tn.nonzero(tn.array(values)), np.nonzero(values)
    assert isinstance(ours, tuple) and [part.tolist() for part in ours] == [part.tolist() for part in theirs]


@pytest.mark.parametrize("values", SETS)
@pytest.mark.parametrize("among", [np.array([1, 3]), np.array([[5], [2]]), np.zeros(0, np.int32), np.array([2.0, np.inf])])
def test_whether_elements_are_among_others(values, among):
    for invert in (False, True):
        assert tn.isin(tn.array(values), tn.array(among), invert=invert).tolist() == np.isin(values, among, invert=invert).tolist()


def test_values_are_needed_for_distinct_elements():
    for function in (tn.unique_values, tn.nonzero):
        with pytest.raises(Exception, match="transform"):
            tn.vmap(function)(tn.array([[1, 2], [3, 3]]))


# --- keywords of the standard


def test_sums_and_products_in_a_dtype():
    x = np.array([[200, 100], [50, 6]], np.uint8)
    for name in ("sum", "prod"):
        for dtype in ("int32", "float32", "uint8"):
            for keywords in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}):
                ours = getattr(tn, name)(tn.array(x), dtype=getattr(tn, dtype), **keywords)
                theirs = getattr(np, name)(x, dtype=dtype, **keywords)
                assert ours.dtype.name == dtype and ours.tolist() == theirs.tolist()
        assert getattr(tn.array(x), name)(dtype=tn.float16).dtype == tn.float16
        assert getattr(tn, name)(tn.array(x), dtype=None).tolist() == getattr(tn, name)(tn.array(x)).tolist()
    assert tn.grad(lambda x: tn.sum(x * x, dtype=tn.float32))(tn.array([1.0, 2.0])).tolist() == [2, 4]


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative_sums_may_begin_with_that_of_nothing(name):
    x = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    for axis in (0, 1, -1):
        same(getattr(tn, name)(tn.array(x), axis=axis, include_initial=True), getattr(np, name)(x, axis=axis, include_initial=True))


def test_decompositions_of_any_shape_reduced_and_complete():
    for shape in ((5, 3), (3, 5), (3, 3), (2, 6, 2), (0, 3), (2, 0)):
        a = RANDOM.normal(size=shape).astype(np.float32)
        count = min(shape[-2:])
        reduced, theirs = tn.linalg.svd(tn.array(a), full_matrices=False), np.linalg.svd(a, full_matrices=False)
        assert [part.shape for part in reduced] == [part.shape for part in theirs]
        same(reduced.S, theirs.S)
        same(reduced.U * reduced.S[..., None, :] @ reduced.Vh if count else a, a)
        same(tn.matrix_transpose(reduced.U) @ reduced.U, np.broadcast_to(np.eye(count), shape[:-2] + (count, count)))
        assert [part.shape for part in tn.linalg.svd(tn.array(a))] == [part.shape for part in np.linalg.svd(a)]
        if 0 in shape:
            continue
        for mode in ("reduced", "complete"):
            ours, theirs = tn.linalg.qr(tn.array(a), mode=mode), np.linalg.qr(a, mode)
            assert [part.shape for part in ours] == [part.shape for part in theirs]
            same(ours.Q @ ours.R, a)
            same(tn.matrix_transpose(ours.Q) @ ours.Q, np.broadcast_to(np.eye(ours.Q.shape[-1]), ours.Q.shape[:-2] + (ours.Q.shape[-1],) * 2))
    for shape in ((4, 2), (2, 4), (3, 2, 5)):
        a = (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(np.complex64)
        u, s, vh = tn.linalg.svd(tn.array(a), full_matrices=False)
        assert [part.shape for part in (u, s, vh)] == [part.shape for part in np.linalg.svd(a, full_matrices=False)]
        same(np.asarray(u) * np.asarray(s)[..., None, :] @ np.asarray(vh), a)
    with pytest.raises(ValueError):
        tn.linalg.svd(tn.ones(3), full_matrices=False)
    with pytest.raises(ValueError, match="'reduced' or 'complete'"):
        tn.linalg.qr(tn.eye(2), mode="r")


def test_parameters_have_the_names_of_the_standard_too():
    x = tn.array([1, 5, 9])
    assert tn.full((2,), fill_value=3).tolist() == tn.full((2,), vals=3).tolist() == [3, 3]
    assert tn.full_like(x, fill_value=2).tolist() == [2, 2, 2]
    assert tn.clip(x, min=2).tolist() == [2, 5, 9] and tn.clip(x, max=6).tolist() == [1, 5, 6] and tn.clip(x, min=2, max=6).tolist() == [2, 5, 6]
    assert tn.roll(x, 1, axis=0).tolist() == [9, 1, 5]
    with pytest.raises(TypeError, match="multiple values for argument 'fill_value'"):
        tn.full((2,), 3, fill_value=4)
    with pytest.raises(TypeError, match="fill_values"):
        tn.full((2,), fill_values=4)
    assert tn.bool is tn.bool_ and tn.zeros(2, tn.bool).dtype == tn.bool


def test_arrays_are_moved_to_devices():
    x = tn.array([1.0, float("nan"), -0.0])
    assert x.to_device(x.device) is not None and x.to_device(x.device, stream=None).tolist()[0] == 1
    assert tn.asarray(x, device=x.device).device == tn.from_dlpack(np.ones(2, np.float32), device=x.device).device == x.device
    assert tn.asarray([1, 2], device=tn.Device(tn.cpu, 0)).device == tn.Device(tn.cpu, 0)
    with pytest.raises((TypeError, ValueError)):
        x.to_device("nowhere")
    with pytest.raises((TypeError, ValueError)):
        tn.asarray(x, device="nowhere")


ON_A_DEVICE = """
import numpy as np, tenon.core as tn
there, here = tn.Device(tn.gpu, 0), tn.Device(tn.cpu, 0)
x = tn.asarray([1.0, float("nan"), -0.0, 3.0], device=here)
assert x.device == here
y = x.to_device(there)
assert y.device == there and y.to_device(there).device == there and y.to_device(here).device == here
assert np.asarray(y).tobytes() == np.asarray(x).tobytes() == np.asarray(y.to_device(here)).tobytes()
for dtype in (tn.bool, tn.int8, tn.float16, tn.bfloat16, tn.complex64, tn.int64):
    z = tn.array([0, 1, 3]).astype(dtype)
    assert tn.asarray(z, device=there).tolist() == z.tolist()
assert tn.asarray(np.ones(3, np.float32), device=there).device == there
try:
    tn.asarray(x, device=there, copy=False)
except ValueError:
    print("done")
"""


@pytest.mark.skipif('"opencl:0"' not in subprocess.run([os.environ["TENON_CLI"], "devices", "--json"], capture_output=True, text=True,
                                                       check=True).stdout, reason="there is no device of OpenCL")
def test_arrays_are_moved_between_devices():
    environment = {**os.environ, "TENON_DEVICE": "opencl", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", ON_A_DEVICE], env=environment, capture_output=True, text=True)
    assert done.stdout == "done\n", done.stdout + done.stderr
