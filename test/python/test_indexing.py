# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Reading and writing elements, iteration, copies and pickles."""

import copy
import gc
import pickle
import weakref

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

# Indices into a 3 x 4 x 5 array, with a for the module's way to make an array.
INDICES = """
0
-1
1, 2, 3
...
..., 0
0, ...
None
None, 0, ..., None
slice(None)
slice(1, None), 0
slice(None, None, -1)
slice(5, 0, -2), slice(-3, -1)
slice(7, 9)
slice(None), slice(None), slice(4, 1, -1)
a([0, 2])
a([[0, 2], [1, 1]])
a([-1, 0]), a([1, 2])
slice(None), a([1, 3])
0, a([1, 3]), slice(1, 3)
a([0, 1]), slice(None), 2
..., a([0, 4])
None, a([0]), slice(None), None
[0, 1]
[0, 1], [1, 2], 3
a([True, False, True])
a([True, False, True]), 1
slice(None), a([True, False, True, True])
a([], int)
""".strip().split("\n")


def both(text):
    values = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    return values, tn.array(values), eval(text, {"a": np.array}), eval(text, {"a": lambda *a: tn.array(np.array(*a))})


@pytest.mark.parametrize("text", INDICES)
def test_elements_are_read_as_numpy_reads_them(text):
    values, array, index, ours = both(text)
    np.testing.assert_array_equal(np.asarray(array[ours]), values[index])
    np.testing.assert_array_equal(np.asarray(array[index]), values[index])


@pytest.mark.parametrize("text", INDICES)
def test_elements_are_written_as_numpy_writes_them(text):
    for update in (7, 2.5, np.arange(5, dtype=np.float32)):
        values, array, index, ours = both(text)
        if isinstance(update, np.ndarray) and (not values[index].ndim or values[index].shape[-1] != 5):
            continue
        same = array
        values[index] = update
        array[ours] = update if np.isscalar(update) else tn.array(update)
        assert same is array
        np.testing.assert_array_equal(np.asarray(array), values)


@pytest.mark.parametrize("text", [text for text in INDICES if "True" not in text and "int)" not in text])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum"])
def test_updates_at_indices_are_those_of_mlx(text, name):
    values, array, index, ours = both(text)
    theirs = eval(text, {"a": lambda *a: mx.array(np.array(*a))})
    result = getattr(array.at[ours], name)(3)
    np.testing.assert_allclose(np.asarray(result), np.array(getattr(mx.array(values).at[theirs], name)(value=3)), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(array), values)


def test_updates_at_the_same_index_add_up():
    assert tn.zeros(3).at[tn.array([0, 0, 2])].add(tn.array([1.0, 2.0, 3.0])).tolist() == [3, 0, 3]
    with pytest.raises(ValueError, match="expected indices"):
        tn.zeros(3).at.add(1)


def test_values_are_converted_to_the_dtype_of_the_array():
    array = tn.array([1, 2, 3])
    array[0] = 5.7
    array[1] = tn.array(2.9)
    array[2] = True
    assert array.dtype == tn.int32 and array.tolist() == [5, 2, 1]
    array[:] = [7, 8, 9]
    assert array.tolist() == [7, 8, 9]


def test_views_do_not_see_later_changes():
    array = tn.array([1, 2, 3])
    view, other = array[:2], copy.copy(array)
    array[0] = 9
    assert view.tolist() == [1, 2] and other.tolist() == [1, 2, 3] and array.tolist() == [9, 2, 3]


def test_masks_select_what_is_written():
    array = tn.zeros((2, 3))
    array[tn.array([[True, False, True], [False, False, True]])] = tn.array([1.0, 2.0, 3.0])
    assert array.tolist() == [[1, 0, 2], [0, 0, 3]]
    array[True] = 4
    array[False] = 5
    assert array.tolist() == [[4] * 3] * 2


@pytest.mark.parametrize("index, error", [(3, IndexError), (-4, IndexError), (1.0, ValueError), ("a", ValueError), ((0, 0), ValueError),
                                          (slice(0, 1.5), ValueError), (slice(0, 2, 0), ValueError), ((..., ...), ValueError),
                                          (np.array([1.0]), ValueError), ({}, ValueError), (2**70, OverflowError)])
def test_indices_that_are_none_are_errors(index, error):
    array = tn.array([1, 2, 3])
    with pytest.raises(error):
        array[index]
    with pytest.raises(error):
        array[index] = 1
    assert array.tolist() == [1, 2, 3]


def test_deletion_and_values_that_do_not_fit_are_errors():
    array = tn.array([1, 2, 3])
    with pytest.raises(TypeError, match="cannot be deleted"):
        del array[0]
    with pytest.raises(ValueError, match="broadcast"):
        array[:2] = tn.array([1, 2, 3])
    with pytest.raises(ValueError, match="overflow"):
        array[0] = 2**40


def test_iteration_is_along_the_first_axis():
    assert [row.tolist() for row in tn.array([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    a, b = tn.array([1, 2])
    assert (a.item(), b.item()) == (1, 2) and list(tn.zeros((0, 2))) == [] and 2 in tn.array([1, 2])
    with pytest.raises(TypeError, match="0-dimensional"):
        iter(tn.array(1))


@pytest.mark.parametrize("dtype", ["bool_", "int8", "uint64", "float16", "bfloat16", "float32", "float64", "complex64"])
def test_copies_and_pickles_are_equal(dtype):
    array = tn.array([[0, 1, 1], [1, 0, 1]], getattr(tn, dtype))
    for other in (copy.copy(array), copy.deepcopy(array), *(pickle.loads(pickle.dumps(array, i)) for i in range(2, 6)),
                  pickle.loads(pickle.dumps(array.T)).T):
        assert other is not array and other.dtype == array.dtype and other.tolist() == array.tolist()
    assert bytes(array) == bytes(mx.array([[0, 1, 1], [1, 0, 1]], getattr(mx, dtype)))


def test_pickles_that_lie_are_errors():
    for arguments in [(tn.int32, (2,), b"123"), (tn.int32, (-1,), b""), (tn.int32, (2**62, 4), b""), (tn.int32, (1,) * 65, b"1234")]:
        with pytest.raises(ValueError):
            tn.array._from_bytes(*arguments)
    for arguments in [(1, (2,), b"123"), (tn.int32, [2], b""), (tn.int32, ("a",), b"")]:
        with pytest.raises(TypeError):
            tn.array._from_bytes(*arguments)


def test_what_indexing_holds_is_freed():
    class Key(list):
        pass

    key = Key([0])
    alive = weakref.ref(key)
    at = tn.array([1, 2]).at[key]
    assert at.add(1).tolist() == [2, 2]
    del at, key
    gc.collect()
    assert alive() is None
