# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Arrays of NumPy and JAX as Tenon's buffers, and the reverse, by DLPack: the structs have the layout that others expect."""

import ctypes

import jax
import numpy as np
import pytest

from host import POINTER, call, declare, out

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = POINTER
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [POINTER, ctypes.c_char_p, POINTER]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
release_buffer = declare("tn_buffer_release", None, POINTER)
release_device = declare("tn_device_release", None, POINTER)
USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}  # static: capsules keep the pointer


def make(name, *arguments):
    result = out()
    call(name, *arguments, ctypes.byref(result))
    return result


@pytest.fixture(scope="module")
def device():
    device = make("tn_device_create", b"cpu", None)
    yield device
    release_device(device)


def buffer_of(device, array, **options):
    capsule = array.__dlpack__(**options)
    name = b"dltensor_versioned" if options else b"dltensor"
    function = "tn_buffer_from_dlpack_versioned" if options else "tn_buffer_from_dlpack"
    buffer = make(function, device, POINTER(api.PyCapsule_GetPointer(capsule, name)))
    api.PyCapsule_SetName(capsule, USED[name])
    return buffer


class Lent:
    """What `from_dlpack` takes."""

    def __init__(self, buffer):
        self.buffer = buffer

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, max_version=None, **_):
        if max_version and max_version[0] >= 1:
            return api.PyCapsule_New(make("tn_buffer_to_dlpack_versioned", self.buffer), b"dltensor_versioned", None)
        return api.PyCapsule_New(make("tn_buffer_to_dlpack", self.buffer), b"dltensor", None)


ARRAYS = [np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(12, dtype=np.int16).reshape(3, 4).T,
          np.arange(20.0)[::-3], np.broadcast_to(np.complex64(1 + 2j), (2, 3)), np.array(True), np.zeros((0, 2), np.uint8)]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.strides}")
def test_arrays_of_numpy_come_back(device, array):
    buffer = buffer_of(device, array, max_version=(1, 0))
    again = np.from_dlpack(Lent(buffer))
    release_buffer(buffer)
    assert again.dtype == array.dtype and not again.flags.writeable
    np.testing.assert_array_equal(again, array)


def test_arrays_of_jax_come_back(device):
    array = jax.numpy.arange(6, dtype=jax.numpy.bfloat16).reshape(2, 3)
    buffer = buffer_of(device, array)
    again = jax.dlpack.from_dlpack(Lent(buffer))
    release_buffer(buffer)
    np.testing.assert_array_equal(np.asarray(again, np.float32), np.asarray(array, np.float32))
