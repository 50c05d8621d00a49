# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Arrays are printed as mlx.core prints them."""

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex64"]
NUMBERS = [0.1, -0.0, 1e-10, 1e10, 1.23456789, 100000, 1e6, 1e7, 1 / 3, 123456.78, float("nan"), float("inf"), -float("inf")]


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_dtype(dtype):
    for value in (1, [0, 1, 3, 100], [[1, 2], [3, 4]], [[[1], [2]], [[3], [4]]]):
        ours, theirs = tn.array(value, getattr(tn, dtype)), mx.array(value, getattr(mx, dtype))
        assert repr(ours) == str(ours) == repr(theirs)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("number", NUMBERS)
def test_fractions_and_numbers_that_are_none(dtype, number):
    assert repr(tn.array([number], getattr(tn, dtype))) == repr(mx.array([number], getattr(mx, dtype)))


@pytest.mark.parametrize("number", [1 + 2j, -1e-5 - 3j, complex("nan"), complex(0, -0.0), complex(1, float("nan")), complex(1, float("-inf"))])
def test_complex_numbers(number):
    assert repr(tn.array([number])) == repr(mx.array([number]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_the_ends_of_integers(dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    assert repr(tn.array(ends)) == repr(mx.array(ends))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 0, 3), (0, 2, 3), (2, 3, 0), (9, 0), (1, 1, 0), (6,), (7,), (1000,), (6, 7),
                                   (40, 40), (8, 9, 30), (2, 1, 2, 1, 2)])
def test_shapes_with_edges_of_long_axes(shape):
    values = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    assert repr(tn.array(values)) == repr(mx.array(values))


def test_views_are_printed_in_their_order():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert repr(tn.array(values).T) == repr(mx.array(values).T)


def test_the_precision_is_an_option():
    values = [1 / 3, 123456.789, 1e-9, float("nan"), 2e20]
    for digits in (0, 1, 3, 8, 300):
        with tn.printoptions(precision=digits), mx.printoptions(precision=digits):
            assert tn.get_printoptions().precision == digits
            for value in (values, 1 / 3, [1 / 3 + 2j], [1, 2]):
                assert repr(tn.array(value)) == repr(mx.array(value))
    assert tn.get_printoptions().precision == -1
    tn.set_printoptions(precision=2)
    assert repr(tn.array([0.5])) == "array([0.50], dtype=float32)"
    tn.set_printoptions()
    assert repr(tn.array([0.5])) == "array([0.5], dtype=float32)"
    assert tn.PrintOptions(3).precision == 3 and tn.PrintOptions().precision == -1


def test_format_is_that_of_a_number_or_of_str():
    for core in (tn, mx):
        assert f"{core.array(1.5):.2f}" == "1.50" and f"{core.array(1.5)}" == "1.5"
        assert f"{core.array([1.5, 2])}" == "array([1.5, 2], dtype=float32)"
        with pytest.raises(TypeError, match="unsupported format string"):
            f"{core.array([1.5]):.2f}"
