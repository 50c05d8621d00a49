# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What is asked about dtypes and shapes gives what mlx.core gives."""

import copy
import itertools
import pickle

import mlx.core as mx
import pytest
import tenon.core as tn

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex64"]
CATEGORIES = ["complexfloating", "floating", "inexact", "signedinteger", "unsignedinteger", "integer", "number", "generic"]


def test_categories_contain_the_dtypes_and_categories_of_mlx():
    for one, two in itertools.product(DTYPES + CATEGORIES, repeat=2):
        expected = mx.issubdtype(getattr(mx, one), getattr(mx, two))
        assert tn.issubdtype(getattr(tn, one), getattr(tn, two)) is expected, (one, two)


def test_dtypes_are_promoted_as_in_mlx():
    for one, two in itertools.product(DTYPES, repeat=2):
        assert tn.can_cast(getattr(tn, one), getattr(tn, two)) == mx.can_cast(getattr(mx, one), getattr(mx, two)), (one, two)
        ours, theirs = (m.result_type(getattr(m, one), m.array(1, getattr(m, two))) for m in (tn, mx))
        assert str(ours).replace("tenon", "mlx") == str(theirs)


@pytest.mark.parametrize("kind", ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"])
def test_kinds_are_those_of_mlx(kind):
    for dtype in DTYPES:
        assert tn.isdtype(getattr(tn, dtype), kind) == mx.isdtype(getattr(mx, dtype), kind)
        assert tn.isdtype(getattr(tn, dtype), (kind, tn.int8)) == mx.isdtype(getattr(mx, dtype), (kind, mx.int8))


def test_categories_are_objects_with_names():
    assert repr(tn.floating) == repr(mx.floating) == "DtypeCategory.floating"
    assert tn.DtypeCategory.inexact is tn.inexact and tn.inexact.name == "inexact"
    for name in CATEGORIES:
        category = getattr(tn, name)
        assert category.value == getattr(mx, name).value
        assert pickle.loads(pickle.dumps(category)) is copy.copy(category) is category


def test_limits_of_dtypes_are_those_of_mlx():
    for dtype in ["float16", "bfloat16", "float32", "float64", "complex64"]:
        ours, theirs = tn.finfo(getattr(tn, dtype)), mx.finfo(getattr(mx, dtype))
        assert repr(ours) == repr(theirs) and str(ours.dtype).replace("tenon", "mlx") == str(theirs.dtype)
        for name in ["bits", "eps", "max", "min", "smallest_normal"]:
            assert getattr(ours, name) == getattr(theirs, name), (dtype, name)
    for dtype in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        ours, theirs = tn.iinfo(getattr(tn, dtype)), mx.iinfo(getattr(mx, dtype))
        assert repr(ours) == repr(theirs) and (ours.min, ours.max) == (theirs.min, theirs.max)
        assert ours.dtype == getattr(tn, dtype)


def test_shapes_broadcast_as_in_mlx():
    for shapes in [((1, 2), (3, 1)), ((), (3,)), ((2, 3),), ((5, 1, 3), (4, 1), (1,))]:
        assert tn.broadcast_shapes(*shapes) == mx.broadcast_shapes(*shapes)


@pytest.mark.parametrize("call", ["m.finfo(m.int32)", "m.iinfo(m.float32)", "m.iinfo(m.bool_)", "m.isdtype(m.float32, 'foo')",
                                  "m.can_cast(1, m.float32)", "m.result_type(1, 2.0)", "m.broadcast_shapes()", "m.result_type()",
                                  "m.broadcast_shapes((2,), (3,))"])
def test_mistakes_are_errors_in_both(call):
    for m in (tn, mx):
        with pytest.raises(ValueError):
            eval(call, {"m": m})
