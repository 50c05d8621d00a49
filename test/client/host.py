# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A small host of Tenon for tests: registers functions by address, compiles StableHLO text, runs it on NumPy arrays."""

import contextlib
import ctypes
import os
import pathlib

import numpy as np

from dtypes import BY_NUMBER, BY_NUMPY
from support import BUILD

PATH = pathlib.Path(os.environ.get("TENON_SHARED_LIBRARY", BUILD / "src" / "libtenon.so"))
LIBRARY = ctypes.CDLL(PATH)

class Error(Exception):
    """The whole report of a status."""


def declare(name, result, *arguments):
    function = LIBRARY[name]
    function.restype = result
    function.argtypes = arguments
    return function


POINTER = ctypes.c_void_p
OUT = ctypes.POINTER(POINTER)
status_format = declare("tn_status_format", ctypes.c_size_t, POINTER, ctypes.c_char_p, ctypes.c_size_t)
status_release = declare("tn_status_release", None, POINTER)


def check(status):
    if not status:
        return
    text = ctypes.create_string_buffer(65536)
    status_format(status, text, len(text))
    status_release(status)
    raise Error(text.value.decode())


def call(name, *arguments, library=LIBRARY):
    """A function that returns a status; its arguments are ctypes' own objects."""
    function = library[name]
    function.restype = POINTER
    check(function(*arguments))


def out():
    return POINTER()


def register(name, address, api_version=4, platform="Host", **stages):
    """`address` is that of the function, or of the execute stage."""
    if stages:
        order = ("instantiate", "prepare", "initialize")
        table = (POINTER * 4)(*[stages.get(stage) for stage in order], address)
        call("tn_target_register_stages", ctypes.c_char_p(name.encode()), ctypes.c_char_p(platform.encode()),
             ctypes.cast(table, POINTER))
    else:
        call("tn_target_register", ctypes.c_char_p(name.encode()), ctypes.c_char_p(platform.encode()),
             POINTER(address), ctypes.c_int(api_version))


def load(spec):
    call("tn_library_load", ctypes.c_char_p(str(spec).encode()))


DEVICE = out()
call("tn_device_create", ctypes.c_char_p(b"cpu"), POINTER(), ctypes.byref(DEVICE))

buffer_release = declare("tn_buffer_release", None, POINTER)
buffer_dtype = declare("tn_buffer_dtype", ctypes.c_int, POINTER)
buffer_rank = declare("tn_buffer_rank", ctypes.c_size_t, POINTER)
buffer_dims = declare("tn_buffer_dims", ctypes.POINTER(ctypes.c_int64), POINTER)
program_release = declare("tn_program_release", None, POINTER)
module_release = declare("tn_module_release", None, POINTER)
result_count = declare("tn_program_output_count", ctypes.c_size_t, POINTER)


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("stream", POINTER), ("donated", POINTER), ("run_id", ctypes.c_int64),
                ("user_data_count", ctypes.c_size_t), ("user_data", POINTER), ("nested_outputs", ctypes.c_bool)]


class UserData(ctypes.Structure):
    _fields_ = [("type_id", ctypes.c_int64), ("data", POINTER)]


class Program:
    """A module's main, compiled."""

    def __init__(self, text):
        encoded = text.encode()
        module = out()
        self.handle = out()
        call("tn_module_parse", POINTER(), ctypes.c_char_p(b"test.mlir"), ctypes.c_char_p(encoded),
             ctypes.c_size_t(len(encoded)), ctypes.byref(module))
        try:
            call("tn_program_compile", DEVICE, module, POINTER(), ctypes.byref(self.handle))
        finally:
            module_release(module)

    def __del__(self):
        program_release(self.handle)

    def __call__(self, *arrays, user_data=()):
        """`user_data`: pairs of the id of a type and the address of an object."""
        objects = (UserData * len(user_data))(*user_data)
        options = RunOptions(struct_size=ctypes.sizeof(RunOptions), user_data_count=len(objects),
                             user_data=ctypes.cast(objects, POINTER))
        with contextlib.ExitStack() as stack:
            inputs = (POINTER * len(arrays))()
            for i, array in enumerate(arrays):
                array = np.asarray(array, order="C")
                dims = (ctypes.c_int64 * array.ndim)(*array.shape)
                buffer = out()
                call("tn_buffer_create_from_host", DEVICE, ctypes.c_int(BY_NUMPY[array.dtype].number),
                     ctypes.c_size_t(array.ndim), dims, POINTER(array.ctypes.data), ctypes.c_size_t(array.nbytes),
                     ctypes.byref(buffer))
                stack.callback(buffer_release, buffer)
                inputs[i] = buffer
            count = result_count(self.handle)
            outputs = (POINTER * count)()
            call("tn_program_run", self.handle, ctypes.c_size_t(len(arrays)), inputs, ctypes.byref(options),
                 ctypes.c_size_t(count), outputs)
            for output in outputs:
                stack.callback(buffer_release, output)
            return [read(output) for output in outputs]


def read(buffer):
    rank = buffer_rank(buffer)
    array = np.empty([buffer_dims(buffer)[i] for i in range(rank)], BY_NUMBER[buffer_dtype(buffer)].numpy)
    call("tn_buffer_to_host", POINTER(buffer), POINTER(array.ctypes.data), ctypes.c_size_t(array.nbytes))
    return array
