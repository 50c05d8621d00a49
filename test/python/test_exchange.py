# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Memory shared with NumPy, JAX, MLX and others: the buffer protocol, DLPack, __array__, asarray."""

import concurrent.futures
import ctypes
import gc
import hashlib
import io
import mmap
import os
import subprocess
import sys
import sysconfig
import threading
import weakref
import zlib

import jax
import jax.numpy as jnp
import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import safetensors.mlx
import tenon.core as tn

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "complex64"]
SMALL = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "int4", "uint4"]


def aligned(count, dtype, offset=0):
    """An array of NumPy that begins `offset` bytes after a multiple of 64, in memory of its own."""
    size = count * np.dtype(dtype).itemsize
    memory = np.zeros(size + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    return memory[start:start + size].view(dtype)


def address(array):
    return np.asarray(array).__array_interface__["data"][0]


class Producer:
    """An array of another package, which counts what it is asked for."""

    def __init__(self, array, device=(1, 0), keywords=True, version=True):
        self.array, self.device, self.keywords, self.version, self.asked = array, device, keywords, version, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        if keywords and not self.keywords:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.asked.append(dict(keywords))
        if not self.version:
            keywords.pop("max_version", None)
        keywords.pop("dl_device", None)
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [tn.array, tn.asarray, tn.from_dlpack])
def test_arrays_of_numpy_become_arrays(dtype, make):
    given = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for layout in (given, given.T, given[:, ::-1], given[1:, 1:, ::2], given[0, 0, 0:1], given[:0]):
        array = make(layout)
        assert array.dtype.name == dtype and array.shape == layout.shape
        np.testing.assert_array_equal(np.asarray(array), layout)


@pytest.mark.parametrize("dtype", SMALL)
def test_arrays_of_ml_dtypes_convert_both_ways(dtype):
    given = np.array([[0, 1, 2], [3, 4, 5]], getattr(ml_dtypes, dtype))
    for layout in (given, given.T, given[0], given[:, ::-1], given[0, 1]):
        array = tn.array(layout)
        assert array.dtype.name == dtype and array.shape == layout.shape
        back = np.asarray(array)
        assert back.dtype == given.dtype and back.tolist() == layout.tolist()
    assert tn.array([1, 0, 1], getattr(tn, dtype)).__array__().dtype == given.dtype


def test_bfloat16_is_shared_with_numpy():
    array = tn.array([1.5, 2.5], tn.bfloat16)
    one, two = np.asarray(array), np.asarray(array)
    assert address(array) == one.__array_interface__["data"][0] == two.__array_interface__["data"][0]
    assert not one.flags.writeable
    del array, two
    gc.collect()
    assert one.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("value", [np.float32(2.5), np.float64(2.5), np.int8(3), np.int64(2**40), np.bool_(True), np.complex64(1j),
                                   np.float16(1.5), np.uint8(200), ml_dtypes.bfloat16(1.5), np.array(2.5), np.array(3)])
def test_scalars_of_numpy_have_their_dtype(value):
    ours, theirs = tn.array(value), mx.array(value)
    assert ours.shape == theirs.shape == () and ours.item() == theirs.item()
    assert ours.dtype.name == str(theirs.dtype).split(".")[-1]


@pytest.mark.parametrize("dtype", ["int8", "int32", "float16", "bfloat16", "float32", "complex64"])
@pytest.mark.parametrize("scalar", [np.int32(3), np.int64(3), np.float32(3), np.float64(3), np.bool_(True), ml_dtypes.bfloat16(3)])
def test_scalars_of_numpy_count_as_numbers_beside_arrays(dtype, scalar):
    array = tn.array([1, 2], getattr(tn, dtype))
    for ours, same in [(array + scalar, array + scalar.item()), (scalar + array, scalar.item() + array),
                       (tn.maximum(array, scalar) if dtype != "complex64" else array * scalar,
                        tn.maximum(array, scalar.item()) if dtype != "complex64" else array * scalar.item())]:
        assert isinstance(ours, tn.array) and ours.dtype == same.dtype and ours.tolist() == same.tolist()


@pytest.mark.parametrize("other", [np.array([10.0, 20.0], np.float32), np.array([10, 20], np.int32), jnp.array([10.0, 20.0])])
def test_operators_with_other_arrays_give_ours(other):
    x = tn.array([1.0, 2.0])
    for result in (x + other, other + x, x * 2 + other, other - x + x + x):
        assert isinstance(result, tn.array)
    assert (other + x).tolist() == [11, 22] and (other - x).tolist() == [9, 18] and (other < x).tolist() == [False, False]


def test_functions_of_numpy_take_arrays():
    x = tn.array([0.0, 1.0])
    assert isinstance(np.sin(x), np.ndarray) and np.add(x, x).tolist() == [0, 2]
    assert np.stack([x, x]).tolist() == [[0, 1], [0, 1]]
    given = np.zeros(2, np.float32)
    given += np.asarray(x)
    given[:] = x
    assert given.tolist() == [0, 1]


@pytest.mark.parametrize("value", [np.array(["a"]), np.array([object()]), np.datetime64("2020-01-01"),
                                   np.array(["2020-01-01"], "datetime64[D]"), np.ones(2, np.longdouble), np.zeros(2, "i4,f4")])
def test_elements_without_a_dtype_are_type_errors(value):
    with pytest.raises(TypeError, match="no dtype"):
        tn.array(value)


def test_other_byte_orders_are_converted():
    for dtype in (">f4", ">i2", "<i8", ">c8"):
        assert tn.array(np.arange(3).astype(dtype)).tolist() == [0, 1, 2]


def test_buffers_of_python_are_arrays():
    assert tn.array(b"ab").tolist() == mx.array(b"ab").tolist()
    assert tn.array(bytearray(b"ab")).dtype == tn.uint8
    assert tn.array(memoryview(b"abcd")[::2]).tolist() == [97, 99]
    assert tn.array((ctypes.c_int32 * 3)(1, 2, 3)).tolist() == [1, 2, 3]
    assert tn.array(memoryview(np.zeros((0, 3), np.int16))).shape == (0, 3)


# --- sharing


def test_aligned_memory_is_shared_by_asarray_and_copied_by_array():
    given = aligned(16, np.float32)
    shared, copied, asked = tn.asarray(given), tn.array(given), tn.asarray(given, copy=True)
    assert address(shared) == given.ctypes.data == address(tn.asarray(given, copy=False)) == address(tn.from_dlpack(given, copy=False))
    assert address(copied) != given.ctypes.data != address(asked)
    assert address(tn.from_dlpack(given, copy=True)) != given.ctypes.data
    given[:] = 7
    assert shared.tolist() == [7] * 16 and copied.tolist() == asked.tolist() == [0] * 16


@pytest.mark.parametrize("value", [aligned(16, np.float32, 4), aligned(16, np.float32)[::2], aligned(16, np.float64), [1, 2], 3,
                                   np.ones((4, 4), np.float32).T])
def test_what_cannot_be_shared_is_a_value_error_if_no_copy_may_be_made(value):
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        tn.asarray(value, copy=False)
    assert tn.asarray(value).size == np.size(value)


def test_asarray_takes_a_dtype():
    assert tn.asarray([1, 2], tn.float16).dtype == tn.float16
    assert tn.asarray(np.ones(2), dtype=tn.float64).dtype == tn.float64 and tn.asarray(np.ones(2)).dtype == tn.float32
    x = tn.array([1.0])
    assert tn.asarray(x, copy=False).tolist() == [1] and tn.asarray(x, tn.int8).dtype == tn.int8
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        tn.asarray(x, tn.int8, copy=False)
    double = aligned(8, np.float64)
    assert address(tn.asarray(double, tn.float64, copy=False)) == double.ctypes.data


def test_shared_memory_lives_as_long_as_it_is_used():
    given = aligned(1 << 16, np.float32)
    given[:] = 3
    owner = weakref.ref(given.base)
    array = tn.asarray(given, copy=False)
    later = array + 1
    del given, array
    gc.collect()
    assert owner() is not None
    tn.eval(later)
    gc.collect()
    assert owner() is None and tn.min(later).item() == 4


def test_shared_memory_is_not_written():
    given = aligned(1 << 16, np.float32)
    given[:] = 3
    result = tn.asarray(given, copy=False) + 1  # nothing else refers to the operand
    tn.eval(result)
    assert given.min() == given.max() == 3 and tn.max(result).item() == 4


def test_references_are_returned_on_any_thread():
    given = aligned(1 << 10, np.int32)
    count = sys.getrefcount(given)
    arrays = [tn.asarray(given, copy=False) for _ in range(10)] + [tn.from_dlpack(given, copy=False) for _ in range(10)]
    assert sys.getrefcount(given) > count
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert sys.getrefcount(given) == count
    for bad in (given[::2], given[1:]):
        for make in (tn.asarray, tn.from_dlpack):
            with pytest.raises(ValueError):
                make(bad, copy=False)
            make(bad)
    with pytest.raises(TypeError):
        tn.asarray(given, dtype="nothing")
    del bad
    gc.collect()
    assert sys.getrefcount(given) == count


def test_mapped_files_are_shared(tmp_path):
    (tmp_path / "x").write_bytes(bytes(range(256)) * 16)
    with open(tmp_path / "x", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        array = tn.asarray(memory, copy=False)
        assert tn.max(array).item() == 255 and array.shape == (4096,)
        with pytest.raises(BufferError):  # it is still exported
            memory.close()
        del array
        gc.collect()


# --- DLPack


@pytest.mark.parametrize("dtype", DTYPES + ["bfloat16"])
def test_arrays_of_jax_and_mlx_are_imported_by_dlpack(dtype):
    values = [[0, 1, 2], [3, 4, 5]]
    narrow = {"int64": "int32", "uint64": "uint32"}.get(dtype, dtype)
    for given in (jnp.array(values, narrow), mx.array(values, getattr(mx, "bool_" if dtype == "bool" else dtype))):
        ours = tn.from_dlpack(given)
        assert ours.tolist() == given.tolist() == tn.array(given).tolist()
        assert str(given.dtype).split(".")[-1] == ours.dtype.name


def test_memory_of_jax_is_shared():
    given = jnp.arange(1 << 10, dtype=jnp.float32)
    assert address(tn.from_dlpack(given, copy=False)) == given.unsafe_buffer_pointer()
    assert address(tn.from_dlpack(given, copy=True)) != given.unsafe_buffer_pointer()
    array = tn.from_dlpack(given) * 2
    del given
    gc.collect()
    assert tn.sum(array).item() == 1023 * 1024


@pytest.mark.parametrize("dtype", DTYPES)
def test_other_packages_import_arrays(dtype):
    array = tn.array([[0, 1, 2], [3, 4, 5]], dtype)
    assert np.from_dlpack(array).tolist() == jnp.from_dlpack(array).tolist() == array.tolist()
    assert mx.from_dlpack(array).tolist() == array.tolist()
    assert np.from_dlpack(array.T).tolist() == array.T.tolist()
    assert address(array) == address(np.from_dlpack(array)) != address(np.from_dlpack(array, copy=True))


def test_jax_gets_bfloat16():
    assert jnp.from_dlpack(tn.array([1.5, 2], tn.bfloat16)).dtype == jnp.bfloat16


def test_exported_memory_is_read_only_unless_it_is_a_copy():
    array = tn.array([1.0, 2.0])
    assert not np.from_dlpack(array).flags.writeable
    copy = np.from_dlpack(array, copy=True)
    copy += 1
    assert array.tolist() == [1, 2] and copy.tolist() == [2, 3]


def test_exported_memory_outlives_its_array():
    views = [np.from_dlpack(tn.array([i, i])) for i in range(100)]
    gc.collect()
    assert [view.tolist() for view in views] == [[i, i] for i in range(100)]


def test_capsules_are_those_of_the_standard():
    array = tn.array([1.0])
    assert array.__dlpack_device__() == (1, 0)
    for keywords in ({}, {"max_version": None}, {"max_version": (0, 8)}, {"stream": None, "copy": None, "dl_device": None}):
        assert '"dltensor"' in repr(array.__dlpack__(**keywords))
    for keywords in ({"max_version": (1, 0)}, {"max_version": (1, 1), "copy": True}, {"max_version": (2, 0), "dl_device": (1, 0)},
                     {"max_version": (1, 0), "copy": False}):
        assert '"dltensor_versioned"' in repr(array.__dlpack__(**keywords))
    with pytest.raises(BufferError, match=r"\(2, 0\)"):
        array.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        array.__dlpack__(None)
    with pytest.raises(TypeError):
        array.__dlpack__(max_version=1)


def test_capsules_that_nobody_takes_release_their_memory():
    tn.clear_cache()
    before = tn.get_active_memory()
    for _ in range(8):
        array = tn.asarray(np.ones(1 << 18, np.float32)) + 1
        array.__dlpack__(), array.__dlpack__(max_version=(1, 0)), array.__dlpack__(copy=True)
    del array
    gc.collect()
    assert tn.get_active_memory() - before < 1 << 16


@pytest.mark.parametrize("options", [{}, {"keywords": False}, {"version": False}])
def test_older_producers_are_imported(options):
    given = aligned(16, np.int32)
    producer = Producer(given, **options)
    assert tn.from_dlpack(producer).tolist() == tn.array(producer).tolist() == [0] * 16
    assert address(tn.from_dlpack(producer, copy=False)) == given.ctypes.data
    assert address(tn.from_dlpack(producer, copy=True)) != given.ctypes.data


def test_producers_on_other_devices_are_asked_for_the_cpu():
    producer = Producer(np.arange(3, dtype=np.int32), device=(2, 0))
    assert tn.from_dlpack(producer).tolist() == [0, 1, 2]
    assert producer.asked[0]["dl_device"] == (1, 0) and producer.asked[0]["max_version"] == (1, 1)


def test_a_capsule_is_used_once():
    capsule = np.arange(3, dtype=np.int32).__dlpack__()

    class Once:
        def __dlpack__(self):
            return capsule

    assert tn.from_dlpack(Once()).tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        tn.from_dlpack(Once())


class Raises:
    def __dlpack__(self, **keywords):
        raise KeyError("mine")


class Nothing:
    def __dlpack__(self, **keywords):
        return 3


@pytest.mark.parametrize("value, error", [(3, TypeError), ([1], TypeError), (None, TypeError), (Raises(), KeyError),
                                          (Nothing(), (TypeError, ValueError)), (np.ndarray, TypeError)])
def test_objects_without_dlpack_are_errors(value, error):
    with pytest.raises(error):
        tn.from_dlpack(value)


# --- elements that share memory with each other are dense outside


# Broadcasts, and views with a stride of 0 or less than the elements before reach.
OVERLAPPING = {
    "ones": lambda core, dtype: core.ones((3, 4), dtype),
    "zeros": lambda core, dtype: core.zeros((3, 4), dtype),
    "full": lambda core, dtype: core.full((3, 4), 1, dtype),
    "ones_like": lambda core, dtype: core.ones_like(core.array([[1, 2], [3, 4]]).astype(dtype)),
    "zeros_like": lambda core, dtype: core.zeros_like(core.array([1, 0, 1]).astype(dtype)),
    "broadcast_to": lambda core, dtype: core.broadcast_to(core.array([[1, 0, 1]]).astype(dtype), (4, 3)),
    "transposed": lambda core, dtype: core.broadcast_to(core.array([[1], [0], [1]]).astype(dtype), (3, 4)),
    "windows": lambda core, dtype: core.as_strided(core.array([0, 1, 0, 1, 1]).astype(dtype), (3, 3), (1, 1), 0),
    "scalar": lambda core, dtype: core.ones((), dtype),
    "empty": lambda core, dtype: core.ones((0, 3), dtype),
}


def mlx_dtype(name):
    return getattr(mx, "bool_" if name == "bool" else name)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OVERLAPPING)
def test_safetensors_writes_the_bytes_of_mlx(name, dtype):
    # MLX's own broadcasts and windows leave with strides that safetensors does not look at.
    ours, theirs = OVERLAPPING[name](tn, getattr(tn, dtype)), mx.contiguous(OVERLAPPING[name](mx, mlx_dtype(dtype)))
    assert safetensors.mlx.save({"x": ours}) == safetensors.mlx.save({"x": theirs})


@pytest.mark.parametrize("dtype", [*DTYPES, *SMALL])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_elements_leave_without_overlaps(name, dtype):
    array = OVERLAPPING[name](tn, getattr(tn, dtype))
    values, bits = np.array(array), np.asarray(array)
    dense = np.ascontiguousarray(values)
    assert bits.flags.c_contiguous and bits.tobytes() == dense.tobytes()
    if dtype in DTYPES:
        view = memoryview(array)
        assert view.c_contiguous and zlib.crc32(array) == zlib.crc32(dense) and io.BytesIO().write(array) == array.nbytes
        if array.size:
            assert np.frombuffer(array, np.uint8).tobytes() == dense.tobytes() == view.cast("B").tobytes()
        if array.ndim < 2:
            assert hashlib.sha256(array).digest() == hashlib.sha256(dense).digest()
    if dtype not in ("int64", "uint64", "float8_e4m3b11fnuz", "int4", "uint4"):
        np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(array)), dense)


def test_elements_are_made_dense_once():
    array = tn.broadcast_to(tn.array([1.0, 2.0]), (1 << 16, 2))
    tn.eval(array)
    before = tn.get_active_memory()
    one, two = np.asarray(array), np.from_dlpack(array)
    assert address(one) == address(two) == address(array.__array__())
    assert tn.get_active_memory() - before == array.nbytes
    assert one.tolist() == array.tolist()
    del one, two, array
    gc.collect()
    assert tn.get_active_memory() < before


def test_threads_share_the_dense_elements():
    array = tn.broadcast_to(tn.arange(8.0), (4096, 8))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        views = list(pool.map(np.asarray, [array] * 64))
    assert {address(view) for view in views} == {address(array)}
    assert all((view == np.arange(8)).all() for view in views)


def test_views_without_overlaps_are_not_copied():
    array = tn.arange(24.0).reshape(2, 3, 4)
    start = address(array)
    for view, offset in ((array.T, 0), (array[1:, ::2], 48), (array[:, :, ::-1], 12), (array[:, 1:2, :], 16), (array[None], 0)):
        assert address(view) == start + offset


# --- the buffer protocol, __array__


def test_memoryviews_show_the_elements():
    view = memoryview(tn.array([[1, 2, 3], [4, 5, 6]]))
    assert (view.format, view.shape, view.strides, view.readonly, view.itemsize) == ("i", (2, 3), (12, 4), True, 4)
    assert view.tolist() == [[1, 2, 3], [4, 5, 6]] and view.c_contiguous
    for core in (tn, mx):
        assert bytes(core.array([[1, 2], [3, 4]], core.int16)) == b"\1\0\2\0\3\0\4\0"
    assert bytes(tn.array([[1, 2], [3, 4]], tn.uint8).T) == b"\1\3\2\4"
    assert memoryview(tn.array(2.5)).tolist() == 2.5 and memoryview(tn.array([])).tolist() == []
    formats = [memoryview(tn.array([1], dtype)).format for dtype in ("bool", "int8", "int64", "uint64", "float16", "complex64")]
    assert formats == ["?", "b", "q", "Q", "e", "Zf"]


def get_buffer(exporter, flags):
    class Buffer(ctypes.Structure):
        _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                    ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                    ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]

    buffer = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(exporter), ctypes.byref(buffer), flags)
    seen = buffer.format, bool(buffer.shape), bool(buffer.strides), buffer.len
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return seen


def test_the_flags_of_a_buffer_are_kept():
    SIMPLE, WRITABLE, FORMAT, ND, STRIDES, C, F, ANY = 0, 1, 4, 8, 0x18, 0x38, 0x58, 0x98
    array = tn.array([[1, 2, 3], [4, 5, 6]])
    assert get_buffer(array, SIMPLE) == (None, False, False, 24)
    assert get_buffer(array, ND) == (None, True, False, 24)
    assert get_buffer(array, STRIDES | FORMAT) == (b"i", True, True, 24)
    assert get_buffer(array, C) == get_buffer(array, ANY) == get_buffer(array.T, F) == get_buffer(array.T, ANY) == (None, True, True, 24)
    for exporter, flags in [(array, F), (array.T, C), (array.T, ND), (array.T, SIMPLE), (array, WRITABLE), (array, STRIDES | WRITABLE)]:
        with pytest.raises(BufferError):
            get_buffer(exporter, flags)
    tn.eval(array)
    before = tn.get_active_memory()
    del array, exporter
    gc.collect()
    assert tn.get_active_memory() <= before


def test_array_gives_arrays_of_numpy():
    x = tn.array([1.0, 2.0])
    assert x.__array__().dtype == np.float32 and not x.__array__().flags.writeable
    assert x.__array__(np.float64).dtype == np.float64 == np.asarray(x, dtype=np.float64).dtype
    assert x.__array__(copy=True).flags.writeable and x.__array__(dtype=np.int32, copy=True).tolist() == [1, 2]
    assert address(x.__array__(copy=False)) == address(x)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__(np.float64, copy=False)
    assert np.array(x).flags.writeable and np.array(tn.array([1.5], tn.bfloat16)).flags.writeable


def test_arrays_name_their_namespace():
    assert tn.array(1).__array_namespace__() is tn and tn.array(1).__array_namespace__(api_version=None) is tn
    with pytest.raises(ValueError):
        tn.array(1).__array_namespace__(api_version="1999.1")


def names(value):
    if isinstance(value, dict):
        return {key: names(part) for key, part in value.items()}
    return [names(part) for part in value] if isinstance(value, tuple) else repr(value).replace("tenon", "mlx")


@pytest.mark.parametrize("call", ["default_device()", "default_dtypes()", "devices()", "dtypes()", "dtypes(kind='bool')",
                                  "dtypes(kind='signed integer')", "dtypes(kind='real floating')", "dtypes(kind='numeric')",
                                  "dtypes(kind=('bool', 'complex floating'))", "dtypes(kind=())"])
def test_the_namespace_is_described_as_by_mlx(call):
    ours, theirs = (names(eval("info." + call, {"info": core.__array_namespace_info__()})) for core in (tn, mx))
    assert ours == theirs


class Picture:
    """As PIL's are."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def test_objects_with_an_array_interface_are_arrays():
    array = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert tn.array(Picture(array)).tolist() == tn.asarray(Picture(array)).tolist() == array.tolist()
    assert tn.array(Picture(array)).dtype == tn.uint8 and (tn.array([1, 2, 3, 4]) + Picture(array)).shape == (3, 4)
    assert tn.stack([Picture(array), Picture(array)]).shape == (2, 3, 4)


PRODUCER = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static long long elements[6] = {1, 2, 3, 4, 5, 6};
static int dimensions;

static int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  *buffer = (Py_buffer){.buf = elements, .obj = Py_NewRef(self), .len = sizeof elements, .itemsize = 8, .readonly = 1,
                        .ndim = dimensions, .format = "q"};
  return 0;
}
static PyObject* set_dimensions(PyObject* self, PyObject* count) {
  dimensions = (int)PyLong_AsLong(count);
  return Py_NewRef(Py_None);
}
static PyMethodDef methods[] = {{"set_dimensions", set_dimensions, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyBufferProcs procs = {get_buffer, NULL};
static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "producer.Producer", .tp_basicsize = sizeof(PyObject),
                            .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_as_buffer = &procs};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "producer", .m_size = -1, .m_methods = methods};
PyMODINIT_FUNC PyInit_producer(void) {
  PyObject* it = PyModule_Create(&module);
  return it && PyModule_AddType(it, &type) == 0 ? it : NULL;
}
"""


def test_a_buffer_without_a_shape_is_one_line_or_an_error(tmp_path, monkeypatch):
    (tmp_path / "producer.c").write_text(PRODUCER)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "producer.c", "-o", "producer.so"],
                   cwd=tmp_path, check=True)
    monkeypatch.syspath_prepend(tmp_path)
    import producer

    producer.set_dimensions(1)
    assert tn.array(producer.Producer()).tolist() == tn.asarray(producer.Producer()).tolist() == [1, 2, 3, 4, 5, 6]
    for dimensions in (2, 64, -1):
        producer.set_dimensions(dimensions)
        for make in (tn.array, tn.asarray):
            with pytest.raises((BufferError, TypeError, ValueError), match="no shape"):
                make(producer.Producer())


def test_what_the_namespace_cannot_do():
    info = tn.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    for kind in ("float", 3, ("bool", "x")):
        with pytest.raises(ValueError, match="no kind of dtypes"):
            info.dtypes(kind=kind)


END = """
import mmap, threading, time
import numpy as np, tenon.core as tn
memory = mmap.mmap(-1, 1 << 20)
array = tn.asarray(memory, copy=False)
later = [tn.asarray(memory, copy=False) + i for i in range(10)]
threading.Thread(target=lambda: [tn.eval(x) for x in later], daemon=True).start()
views = [np.from_dlpack(tn.array([1.0])), memoryview(tn.array([2.0]))]
"""


def test_the_interpreter_ends_with_memory_shared():
    for _ in range(5):
        subprocess.run([sys.executable, "-c", END], check=True, env={"PYTHONPATH": ":".join(sys.path)}, timeout=600)


def test_jax_is_not_disturbed():
    assert jax.jit(lambda x: x + 1)(jnp.from_dlpack(tn.array([1.0]))).tolist() == [2]
