# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tn_buffer_print writes what NumPy's str() gives, for every dtype; tn_buffer_print_json what json reads back."""

import ctypes
import json
import os

import ml_dtypes
import numpy as np
import pytest

NUMBERS = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
           "float16": 10, "float32": 11, "float64": 12, "complex64": 15, "bfloat16": 16, "complex128": 18,
           "float8_e5m2": 19, "float8_e4m3fn": 20, "int4": 21, "uint4": 22, "float8_e4m3b11fnuz": 23,
           "float8_e5m2fnuz": 24, "float8_e4m3fnuz": 25, "int2": 26, "uint2": 27, "float8_e4m3": 28, "float8_e3m4": 29,
           "float4_e2m1fn": 32, "float8_e8m0fnu": 33, "float6_e2m3fn": 100, "float6_e3m2fn": 101}
NARROW = [name for name in NUMBERS if hasattr(ml_dtypes, name)]
WRITE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


@pytest.fixture(scope="module")
def library():
    loaded = ctypes.CDLL(os.environ["TENON_SHARED_LIBRARY"])
    for name in ("tn_device_create", "tn_buffer_create_from_host", "tn_buffer_print", "tn_buffer_print_json"):
        getattr(loaded, name).restype = ctypes.c_void_p
    loaded.tn_buffer_release.argtypes = [ctypes.c_void_p]
    loaded.device = ctypes.c_void_p()
    assert loaded.tn_device_create(b"cpu", None, ctypes.byref(loaded.device)) is None
    return loaded


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name) if name in NARROW else name)


def shown(library, array, function="tn_buffer_print"):
    number = NUMBERS[array.dtype.name]
    # ml_dtypes leaves the upper bits of small integers 0; Tenon keeps the sign in them.
    array = np.array(array.astype(np.int8) if array.dtype.name in ("int4", "int2") else array, order="C")
    dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    buffer = ctypes.c_void_p()
    assert library.tn_buffer_create_from_host(
        library.device, number, ctypes.c_size_t(array.ndim), dims, array.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(array.nbytes), ctypes.byref(buffer)) is None
    pieces = []

    @WRITE
    def write(user, text, length):
        pieces.append(text[:length])

    assert getattr(library, function)(buffer, write, None) is None
    library.tn_buffer_release(buffer)
    return b"".join(pieces).decode()


def random_array(rng, dtype):
    rank = rng.integers(0, 5)
    longest = [1, 600, 40, 12, 6][rank]
    shape = tuple(int(rng.integers(0 if rng.random() < 0.05 else 1, longest + 1)) for _ in range(rank))
    return random_elements(rng, dtype, shape)


def random_elements(rng, dtype, shape):
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        bits = int(rng.integers(1, info.bits))
        return np.array(rng.integers(max(info.min, -(2**bits)), min(info.max, 2**bits - 1), shape, endpoint=True, dtype=dtype))
    if dtype.name in NARROW:
        most = 256 if dtype.itemsize == 1 else 65536
        count = {"int4": 16, "uint4": 16, "int2": 4, "uint2": 4, "float4_e2m1fn": 16, "float6_e2m3fn": 64,
                 "float6_e3m2fn": 64}.get(dtype.name, most)
        bits = np.array(rng.integers(0, count, shape), dtype=f"u{dtype.itemsize}")
        if dtype.name.startswith("int"):
            return np.array(rng.integers(-count // 2, count // 2, shape)).astype(dtype)
        return bits.view(dtype)
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        out = np.empty(shape, dtype)
        out.real, out.imag = random_elements(rng, part, shape), random_elements(rng, part, shape)
        return out
    return random_floats(rng, dtype, shape)


def random_floats(rng, dtype, shape):
    way = rng.integers(0, 7)
    with np.errstate(over="ignore"):
        if way == 0:
            out = np.array(rng.normal(size=shape), dtype=dtype)
        elif way == 1:
            out = np.array(rng.integers(-1000, 1000, shape), dtype=dtype)
        elif way == 2:
            out = np.array(np.round(rng.normal(size=shape) * 10.0 ** rng.integers(0, 6), rng.integers(0, 4)), dtype=dtype)
        elif way == 3:  # any bits at all
            out = np.array(rng.integers(0, 2**(8 * dtype.itemsize) - 1, shape, dtype=np.uint64)).astype(f"u{dtype.itemsize}").view(dtype)
        elif way == 4:
            out = np.array(rng.normal(size=shape) * 10.0 ** rng.integers(-12, 12, shape), dtype=dtype)
        elif way == 5:  # powers of two, whose neighbours are not equally far
            out = np.array(np.ldexp(1.0, rng.integers(-30, 60, shape)), dtype=dtype)
        else:
            out = np.array(rng.normal(size=shape) * 10.0 ** rng.integers(-9, 18), dtype=dtype)
        if rng.random() < 0.3:
            out = np.where(rng.random(shape) < 0.1, np.array(rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0]), dtype), out)
    return np.array(out, dtype=dtype)


@pytest.mark.parametrize("name", NUMBERS)
def test_arrays_are_printed_as_numpy_prints_them(library, name):
    rng = np.random.default_rng(NUMBERS[name])
    for _ in range(int(os.environ.get("TENON_PRINTED_ARRAYS", 150))):
        array = random_array(rng, dtype_of(name))
        if name in NARROW and "float" in name:
            # ml_dtypes writes the sign of NaN as the C++ library does, which we do not: replace it.
            wide = array.astype(np.float64)
            array = np.where(np.isnan(wide), np.abs(wide), wide).astype(array.dtype)
        assert shown(library, array) == str(array), (array.shape, array.dtype, array.tolist() if array.size < 50 else "")


@pytest.mark.parametrize("shape", [(1001,), (2, 501), (40, 40), (7, 7, 30), (3, 4, 5, 20), (1, 1, 1, 1, 1200), (6, 200), (0, 5000)])
@pytest.mark.parametrize("name", ["float32", "int64", "bool", "complex128", "bfloat16"])
def test_large_arrays_show_their_edges(library, name, shape):
    array = random_elements(np.random.default_rng(len(shape)), dtype_of(name), shape)
    if name == "bfloat16":
        array = np.nan_to_num(array.astype(np.float32)).astype(array.dtype)
    assert shown(library, array) == str(array)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_numbers_alone_are_printed_as_python_prints_them(library, name):
    rng = np.random.default_rng(1)
    values = [0.0, -0.0, 1.0, -1.5, np.nan, np.inf, -np.inf, 1e-4, 9.9e-5, 999, 1000, 999999, 1e6, 1e15, 1e16, 1.7e308]
    with np.errstate(over="ignore"):
        for value in [*values, *(10.0 ** rng.uniform(-8, 20, 200))]:
            for imaginary in [0.0, -0.0, 2.5, np.nan, -np.inf] if name.startswith("complex") else [None]:
                number = dtype_of(name).type(value if imaginary is None else complex(value, imaginary))
                assert shown(library, number) == str(number)


def test_json_reads_back_exactly(library):
    rng = np.random.default_rng(2)
    words = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
    for name in ["bool", "int8", "uint64", "float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "int4"]:
        array = random_elements(rng, dtype_of(name), (3, 1, 7))
        read = json.loads(shown(library, array, "tn_buffer_print_json"), parse_int=int)
        flat = [words.get(x, x) if isinstance(x, str) else x for a in read for b in a for x in b]
        again = np.array(flat, dtype=np.uint64 if name == "uint64" else None).astype(array.dtype).reshape(array.shape)
        np.testing.assert_array_equal(again.astype(array.dtype), array)
    assert json.loads(shown(library, np.array([1 + 2j, complex(0, np.inf)]), "tn_buffer_print_json")) == [[1.0, 2.0], [0.0, "inf"]]
    assert json.loads(shown(library, np.zeros((2, 0, 3), np.float32), "tn_buffer_print_json")) == [[], []]
