# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.core: arrays, conversions, promotion, operators, the functions of the table, and errors."""

import copy
import ctypes
import gc
import inspect
import operator
import os
import pickle
import re
import resource
import subprocess
import sys
import threading
import weakref

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex64"]


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert str(ours.dtype).replace("tenon", "mlx") == str(theirs.dtype)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("value", [True, 3, -(2**31), 2**31, 2.5, 1e300, 3 + 1j, [], [1, 2.5], [1, 2**40], [True, 2], [[1, 2], [3, 4]],
                                   ((1.0,), (2.0,)), [[], []], [True, False], [1, 2j]])
def test_python_values_become_the_arrays_of_mlx(value):
    same(tn.array(value), mx.array(value))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_dtype_can_be_asked_for(dtype):
    same(tn.array([0, 1, 2, 3], getattr(tn, dtype)), mx.array([0, 1, 2, 3], getattr(mx, dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 0.5, 1j])
def test_numbers_take_the_dtype_of_the_array_beside_them(dtype, number):
    ours, theirs = tn.array([1, 0], getattr(tn, dtype)), mx.array([1, 0], getattr(mx, dtype))
    if dtype == "float64" and number == 1j:
        pytest.skip("mlx has no complex128, and gives complex64")
    same(ours + number, theirs + number)
    same(number * ours, number * theirs)


def test_arrays_in_a_list_are_stacked():
    x = tn.array([1, 2])
    assert tn.array([x, [3, 4], np.array([5, 6], np.int32)]).tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.complex64])
def test_numpy_arrays_convert_both_ways(dtype):
    given = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for layout in (given, given.T, given[:, ::-1], given[1], given[0, 0, 0]):
        array = tn.array(layout)
        assert array.dtype.name == np.dtype(dtype).name
        np.testing.assert_array_equal(np.asarray(array), layout)


def test_memory_is_shared_with_numpy_and_read_only():
    array = tn.array([[0.0, 1, 2], [3, 4, 5]])
    one, two = np.asarray(array), np.from_dlpack(array)
    assert not one.flags.writeable
    assert one.__array_interface__["data"][0] == two.__array_interface__["data"][0]
    del array
    gc.collect()
    assert one.tolist() == two.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_transposed_arrays_are_shared_with_their_strides():
    array = tn.array([[1, 2, 3], [4, 5, 6]]).T
    assert np.asarray(array).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert memoryview(array).tolist() == [[1, 4], [2, 5], [3, 6]]
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_int32 * 6).from_buffer(array)


def test_operators_are_those_of_mlx():
    a, b = [[7, 2], [5, 9]], [[2, 3], [1, 4]]
    for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq",
                 "ne", "gt", "ge"]:
        same(getattr(operator, name)(tn.array(a), tn.array(b)), getattr(operator, name)(mx.array(a), mx.array(b)))
    for name in ["neg", "abs", "invert", "pos"]:
        same(getattr(operator, name)(tn.array(a)), getattr(operator, name)(mx.array(a)))
    same(tn.array(a, tn.float32) @ tn.array(b, tn.float32), mx.array(a, mx.float32) @ mx.array(b, mx.float32))


def test_in_place_operators_change_the_object_as_in_mlx():
    for core in (tn, mx):
        x = y = core.array([1, 2])
        y += 1
        y *= core.array([2, 2])
        assert x is y and x.tolist() == [4, 6]


def test_functions_take_positions_keywords_and_none():
    x = tn.array([[1.0, 2], [3, 4]])
    assert tn.sum(x, 0).tolist() == tn.sum(a=x, axis=0).tolist() == tn.sum(x, axis=[0]).tolist() == x.sum(axis=0).tolist() == [4, 6]
    assert tn.sum(x, None, True).shape == (1, 1) and tn.sum(x, axis=None).item() == 10
    assert tn.argmax(x).item() == 3 and tn.argmax(x, 1).tolist() == [1, 1]
    values, signs = tn.linalg.slogdet(x)
    assert isinstance(tn.linalg.qr(x), tuple) and values.shape == signs.shape == ()
    assert tn.clip(x, 2, None).tolist() == [[2, 2], [3, 4]]
    assert tn.where(x > 2, x, 0).dtype == tn.float32


def test_functions_say_what_they_are():
    assert str(inspect.signature(tn.softmax)) == "(a, axis=None, precise=False, *, stream=None)"
    assert tn.linalg.qr.__module__ == "tenon.core.linalg" and tn.sum.__name__ == "sum"
    assert tn.sum.__doc__.startswith("sum(a, axis=None, keepdims=False, *, dtype=None, stream=None)\n")
    assert repr(tn.sin) == "<built-in function sin>" and pickle.loads(pickle.dumps([tn.sin, tn.linalg.qr])) == [tn.sin, tn.linalg.qr]
    assert all(getattr(tn, name).__doc__ for name in ("random", "linalg", "fft", "fast", "metal", "cuda"))


def test_the_public_names_are_those_of_mlx_and_the_standard():
    ours = {name for name, it in vars(tn).items() if not name.startswith("_") and not isinstance(it, tn.Dtype)}
    assert ours - set(dir(mx)) - set(dir(np)) == {"DeadlineExceededError", "NotFoundError", "OutOfRangeError", "Program"}


@pytest.mark.parametrize("call, error, text", [
    (lambda x: x + tn.array([1, 2]), ValueError, "shapes 3 and 2 do not broadcast"),
    (lambda x: tn.sum(x, axis=3), IndexError, "axis 3 is out of range"),
    (lambda x: tn.sum("a"), TypeError, "sum(): argument 'a': expected an array, a number or a sequence of them; found str"),
    (lambda x: x + "a", ValueError, "add: expected an array or a number; found 'a'"),
    (lambda x: x * "a", ValueError, "multiply: expected an array or a number; found 'a'"),
    (lambda x: "a" * x, ValueError, "multiply: expected an array or a number; found 'a'"),
    (lambda x: bool(x > 0), ValueError, "of an array of 3 elements is ambiguous; use any() or all()"),
    (lambda x: tn.sum(x, foo=1), TypeError, "sum() got an unexpected keyword argument 'foo'"),
    (lambda x: tn.sum(x, axes=0), TypeError, "sum() got an unexpected keyword argument 'axes' (did you mean 'axis'?); it is sum(a, axis=None"),
    (lambda x: x.sum(keepdim=True), TypeError, "sum() got an unexpected keyword argument 'keepdim' (did you mean 'keepdims'?)"),
    (lambda x: tn.exp(x, steam=tn.cpu), TypeError, "exp() got an unexpected keyword argument 'steam' (did you mean 'stream'?)"),
    (lambda x: tn.meshgrid(arrays=[x, x]), TypeError, "meshgrid() got an unexpected keyword argument 'arrays'; it is meshgrid(*arrays"),
    (lambda x: tn.sum(), TypeError, "sum() missing required argument 'a'"),
    (lambda x: tn.sum(x, 0, True, 1), TypeError, "sum() takes 3 positional arguments but 4 were given"),
    (lambda x: tn.sum(x, a=x), TypeError, "multiple values for argument 'a'"),
    (lambda x: tn.reshape(x, (2, 2)), ValueError, "3 elements"),
    (lambda x: bool(x), ValueError, "Only length-1 arrays"),
    (lambda x: x + 2**40, ValueError, "Converting 1099511627776 to int32 would result in overflow."),
    (lambda x: tn.astype(x, 3), TypeError, "expected a dtype such as tenon.core.float32; found 3"),
    (lambda x: tn.array([[1], [2, 3]]), ValueError, "non-uniform length"),
    (lambda x: tn.array(object()), TypeError, "found object"),
    (lambda x: tn.array([[1, 2], [x]]), ValueError, "non-uniform length"),
    (lambda x: tn.array([object()]), ValueError, "Invalid type object"),
    (lambda x: len(tn.array(1)), TypeError, "0-dimensional"),
])
def test_mistakes_raise_at_the_call(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call(tn.array([1, 2, 3]))


def test_comparison_with_something_else_is_python_s():
    assert ([1, 2] == tn.array([1, 2])) is False and (tn.array([1, 2]) != (1, 2)) is True
    assert (tn.array(1) == None) is False  # noqa: E711
    assert hash(tn.array(1)) != hash(tn.array(1))


def test_dtypes_are_objects_with_names():
    assert repr(tn.float32) == "tenon.core.float32" and tn.float32.size == 4
    assert pickle.loads(pickle.dumps(tn.bfloat16)) is tn.bfloat16 and copy.copy(tn.bool_) is tn.bool_
    for dtype in (np.float16, np.dtype("float16"), "float16", tn.float16):
        assert tn.array(1, dtype).dtype == tn.float16
    assert tn.array(1, ml_dtypes.bfloat16).dtype == tn.bfloat16


def test_arrays_have_weak_references():
    array = tn.array([1])
    alive = weakref.ref(array)
    assert alive() is array
    del array
    assert alive() is None


def test_an_axis_out_of_range_is_an_index_error_and_a_value_error():
    for error in (IndexError, ValueError, tn.OutOfRangeError):
        with pytest.raises(error, match="axis 2 is out of range"):
            tn.sum(tn.array([1]), axis=2)


def test_integers_cannot_be_divided_in_place():
    for core in (tn, mx):
        array = core.array([1, 2])
        with pytest.raises(ValueError):
            array /= 2
        array //= 2
        assert array.tolist() == [0, 1]


def test_results_are_owned_by_their_objects():
    x = tn.array(np.zeros(1 << 20, np.float32))

    def used():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(20):
        tn.eval(x + 1)
    before = used()
    for _ in range(300):
        tn.eval(x + 1)
    assert used() - before < 64 * 1024  # kilobytes; 300 results would be 1.2 GB


def test_eval_takes_trees():
    x = tn.array([1.0, 2])
    tree = {"a": [x + 1, (x * 2, None)], "b": 3}
    tn.eval(tree, x - 1)
    assert tree["a"][1][0].tolist() == [2, 4]


def test_threads_work_side_by_side():
    results = [None] * 4

    def work(i):
        x = tn.array(float(i))
        for _ in range(200):
            x = x + 1
            if int(x.item()) % 50 == 0:
                tn.eval(x)
        results[i] = x.item()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200, 201, 202, 203]


def test_conversions_may_call_the_functions_again():
    class Late:
        def __array__(self, dtype=None, copy=None):
            for _ in range(10):
                tn.eval(tn.array([[5.0] * 50]) + 1)
            return np.float32(3)

    for _ in range(20):
        assert tn.stack([1.0, 2.0, Late(), 4.0]).tolist() == [1, 2, 3, 4]
        assert tn.add(1.0, tn.stack([Late(), tn.array(7.0)]), stream=tn.cpu).tolist() == [4, 8]


WITHOUT_JAX = """
import sys
for name in ("jax", "jaxlib", "ml_dtypes"):
    sys.modules[name] = None
import inspect, pydoc
import tenon
assert not hasattr(tenon, "jax") and "tenon.core" in pydoc.render_doc(tenon)
assert {"core", "ops", "load"} <= dict(inspect.getmembers(tenon, lambda it: True)).keys()
try:
    tenon.jax
except AttributeError as error:
    assert "jax" in str(error) and isinstance(error.__cause__, ImportError), error
try:
    import tenon.jax
except ModuleNotFoundError:
    print("done")
"""


def test_the_package_can_be_looked_at_without_jax():
    done = subprocess.run([sys.executable, "-c", WITHOUT_JAX], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout == "done\n", done.stdout + done.stderr
