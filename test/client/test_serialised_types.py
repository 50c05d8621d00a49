# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Serialised types are XLA's: Tenon writes the bytes that jaxlib writes, and kernels read jaxlib's."""

import ctypes
import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest
from jaxlib.xla_client import Shape

import host
from support import ROOT

COMPILERS = [name for name in ("gcc", "clang", "g++", "clang++") if shutil.which(name)]

DUMP = r"""
#include <tenon/custom.h>
#ifdef __cplusplus
extern "C"
#endif
TN_EXPORT int64_t parse(const void* bytes, size_t size, int64_t* out);
/* dtype, elements, rank, dims, dynamic, layout of each part */
int64_t parse(const void* bytes, size_t size, int64_t* out) {
  tn_shape_t parts[64];
  const int64_t count = tn_shape_parse(bytes, size, parts, 64);
  for (int64_t i = 0; i < count; ++i) {
    *out++ = parts[i].dtype;
    *out++ = parts[i].element_count;
    *out++ = parts[i].rank;
    for (int64_t k = 0; k < parts[i].rank; ++k) *out++ = parts[i].dims[k];
    for (int64_t k = 0; k < parts[i].rank; ++k) *out++ = parts[i].minor_to_major[k];
    *out++ = (int64_t)parts[i].dynamic;
  }
  return count;
}
"""


@pytest.fixture(scope="module", params=COMPILERS)
def parse(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parse")
    (folder / "dump.c").write_text(DUMP)
    language = ["-xc++", "-std=c++17"] if "++" in request.param else ["-std=c11"]
    subprocess.run([request.param, *language, "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
                    "-shared", "-fPIC", "-I", ROOT / "include", folder / "dump.c", "-o", folder / "dump.so"], check=True)
    library = ctypes.CDLL(str(folder / "dump.so"))
    library.parse.restype = ctypes.c_int64

    def parse(shape):
        data, numbers = shape.to_serialized_proto(), (ctypes.c_int64 * 4096)()
        count = library.parse(data, ctypes.c_size_t(len(data)), numbers)
        return count, numbers

    return parse


def array(dtype, *dims, layout=None):
    return Shape.array_shape(np.dtype(dtype), dims, layout)


def numbers_of(shape):
    """What `parse` should find, from jaxlib's own view of the shape."""
    if shape.is_tuple():
        parts = [numbers_of(part) for part in shape.tuple_shapes()]
        return 1 + sum(count for count, _ in parts), [13, len(parts), 0, 0, *sum((found for _, found in parts), [])]
    dims = list(shape.dimensions())
    dynamic = sum(shape.is_dynamic_dimension(i) << i for i in range(len(dims)))
    return 1, [int(shape.xla_element_type()), 0, len(dims), *dims, *shape.layout().minor_to_major(), dynamic]


def shapes():
    dtypes = [np.bool_, np.int8, np.uint64, np.float16, np.float32, np.complex128, ml_dtypes.bfloat16,
              ml_dtypes.float8_e4m3fn, ml_dtypes.int4]
    yield from (array(dtype, 2, 300) for dtype in dtypes)
    yield array(np.float32)
    yield array(np.int32, 0)
    yield array(np.float64, 2, 3, 2**40, layout=(0, 2, 1))
    bounded = array(np.float32, 4, 5)
    bounded.set_dynamic_dimension(1, True)
    yield bounded
    inner = Shape.tuple_shape([array(np.float32, 64), array(np.float32, 128)])
    yield Shape.tuple_shape([array(np.float32, 32), inner, array(np.float32, 256), Shape.tuple_shape([])])


@pytest.mark.parametrize("shape", shapes(), ids=str)
def test_kernels_read_what_jaxlib_writes(parse, shape):
    count, wanted = numbers_of(shape)
    found, numbers = parse(shape)
    assert found == count
    assert numbers[:len(wanted)] == wanted


def through_tenon(data):
    """Read by a builder and written again."""
    builder, kind = host.out(), host.out()
    host.call("tn_builder_create", host.POINTER(), ctypes.c_char_p(b"types"), ctypes.byref(builder))
    try:
        host.call("tn_type_parse", builder, ctypes.c_char_p(data), ctypes.c_size_t(len(data)), ctypes.byref(kind))
        written = ctypes.create_string_buffer(1024)
        serialize = host.declare("tn_type_serialize", ctypes.c_size_t, host.POINTER, host.POINTER, ctypes.c_size_t)
        length = serialize(kind, written, len(written))
        return written.raw[:length]
    finally:
        host.declare("tn_builder_destroy", None, host.POINTER)(builder)


@pytest.mark.parametrize("shape", [shape for shape in shapes() if "{0,2,1}" not in str(shape)], ids=str)
def test_tenon_writes_what_jaxlib_writes(shape):
    assert through_tenon(shape.to_serialized_proto()) == shape.to_serialized_proto()
