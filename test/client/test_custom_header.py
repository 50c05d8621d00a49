# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Kernels written with tenon/custom.h serve JAX: compiled by any compiler against the one file that is installed, with no Tenon
in the process."""

import ctypes
import gc
import re
import shutil
import subprocess
import textwrap

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from support import BUILD, ROOT

HEADER = BUILD / "include"  # custom.h alone

COMPILERS = [(name, *options) for name, *options in (
    ("gcc", "-std=c11"), ("clang", "-std=c11"), ("g++", "-xc++", "-std=c++17"), ("clang++", "-xc++", "-std=c++17"))
    if shutil.which(name)]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"]

KERNELS = r"""
#include <tenon/custom.h>

typedef enum mode { SUM = 0, MAX = 1 } mode_t_;
#define RANGE(FIELD) FIELD(lo, int64_t, TN_REQUIRED) FIELD(hi, int64_t, 100)
TN_RECORD(range_t, RANGE)

#define ATTRIBUTES(ARG, ATTR, RET)              \
  ATTR(n, int32_t, 7)                           \
  ATTR(flag, bool, false)                       \
  ATTR(scale, float, 0.5f)                      \
  ATTR(wide, double, 0.25)                      \
  ATTR(name, string, "nobody")                  \
  ATTR(list, array(int32_t), TN_EMPTY)          \
  ATTR(mode, enum_of(mode_t_, int32_t), MAX)    \
  ATTR(range, record(range_t), TN_REQUIRED)     \
  RET(y, f64, rank(1))
TN_OP(attributes, ATTRIBUTES, "writes its attributes") {
  double* y = call->y.data;
  if (tn_size(call->y) != 9) return TN_ERROR(call, OUT_OF_RANGE, "y has %d elements", (int)tn_size(call->y));
  y[0] = call->n;
  y[1] = call->flag;
  y[2] = (double)call->scale;
  y[3] = call->wide;
  y[4] = (double)call->name.size;
  y[5] = 0;
  for (int64_t i = 0; i < call->list.count; ++i) y[5] += call->list.data[i];
  y[6] = call->mode;
  y[7] = (double)call->range.lo;
  y[8] = (double)call->range.hi;
  return TN_OK;
}

#define IN_PLACE(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x)) RET(same, pred, rank(0))
TN_OP(in_place, IN_PLACE, "adds one to its argument; says whether it could do so in place") {
  *call->same.data = (const float*)call->y.data == call->x.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] + 1;
  return TN_OK;
}

static void add_part(void* user, int64_t begin, int64_t end) {
  tn_ret_any_t* y = (tn_ret_any_t*)user;
  for (int64_t i = begin; i < end; ++i) {
    if (y->dtype == TN_FFI_BF16) {
      tn_bf16_t* data = (tn_bf16_t*)y->data;
      data[i] = tn_bf16_from_float(tn_bf16_to_float(data[i]) * 2);
    } else {
      ((float*)y->data)[i] *= 2;
    }
  }
}
#define DOUBLE(ARG, ATTR, RET) ARG(x, of(f32, bf16), any_rank) RET(y, dtype_of(x), shape_of(x))
TN_OP(twice, DOUBLE, "y = 2 x, on the host's threads and with scratch memory") {
  void* scratch = tn_scratch(call, tn_byte_size(call->x));
  if (!scratch) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
  memcpy(scratch, call->x.data, tn_byte_size(call->x));
  memcpy(call->y.data, scratch, tn_byte_size(call->x));
  tn_ret_any_t y = call->y;
  tn_parallel_for(call, tn_size(call->x), 1000, add_part, &y);
  return TN_OK;
}

#define SUM_ALL(ARG, ATTR, RET) ARG(first, f32, rank(1)) ARG(more, f32, remaining) RET(y, f32, like(first))
TN_OP(sum_all, SUM_ALL, "adds up its arguments") {
  memcpy(call->y.data, call->first.data, tn_byte_size(call->first));
  for (int64_t k = 0; k < call->more.count; ++k) {
    tn_arg_f32_t x;
    TN_TRY(tn_get_arg(call, call->more, k, f32, &x));
    for (int64_t i = 0; i < tn_size(x); ++i) call->y.data[i] += x.data[i];
  }
  return TN_OK;
}

#define PRODUCT(ARG, ATTR, RET) ARG(x, f32, dims(..., n, k)) ARG(w, f32, dims(k, m), "weights") RET(y, f32, dims(..., n, m))
TN_OP(product, PRODUCT, "y = x w") {
  const int64_t k = tn_dim(call->w, 0), m = tn_dim(call->w, 1), rows = tn_size(call->y) / (m ? m : 1);
  for (int64_t i = 0; i < rows * m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += call->x.data[i / m * k + j] * call->w.data[j * m + i % m];
    call->y.data[i] = sum;
  }
  return TN_OK;
}

#define CONTEXT(ARG, ATTR, RET) RET(y, s64, rank(1))
TN_OP(context, CONTEXT, "says where it is") {
  int32_t ordinal = -1;
  TN_TRY(tn_device_ordinal(call, &ordinal));
  TN_TRY(tn_run_id(call, &call->y.data[1]));
  call->y.data[0] = ordinal;
  call->y.data[2] = tn_thread_count(call);
  return TN_OK;
}

#define FUNCTIONS(ARG, ATTR, RET)                                                                          \
  ARG(x, f32, rank(1)) ARG(y, f64, shape_of(x)) ARG(half, f16, shape_of(x)) ARG(brain, bf16, shape_of(x))       \
  RET(softplus, f32, like(x)) RET(power, f64, like(y)) RET(sine, f16, like(half)) RET(cdf, bf16, like(brain))
TN_OP(functions, FUNCTIONS, "elementary functions, one of them in place") {
  const int64_t n = tn_size(call->x);
  tn_map(call, exp, f32, n, call->x.data, call->softplus.data);
  tn_map(call, log1p, f32, n, call->softplus.data, call->softplus.data);
  tn_map(call, logistic, f64, n, call->y.data, call->power.data);
  tn_map(call, pow, f64, n, call->power.data, call->y.data, call->power.data);
  tn_map(call, sin, f16, n, call->half.data, call->sine.data);
  tn_map(call, erf_inv, bf16, n, call->brain.data, call->cdf.data);
  return TN_OK;
}

#define STREAM(ARG, ATTR, RET) RET(y, s64, rank(0))
TN_OP(stream, STREAM, "asks a CPU for a stream") {
  void* stream = NULL;
  return tn_stream(call, &stream);
}

TN_OP(later, STREAM, "finishes through a future") {
  tn_future_t future;
  TN_TRY(tn_defer(call, &future));
  *call->y.data = 42;
  tn_finish(future);
  return TN_OK;
}
TN_OP(fails_later, STREAM, "fails through a future") {
  tn_future_t future;
  TN_TRY(tn_defer(call, &future));
  tn_fail(future, DATA_LOSS, "lost %d", 5);
  return TN_OK;
}

typedef struct counter { int64_t count; } counter_t;
static int64_t live;
static void counter_destroy(void* counter) { --live; free(counter); }
TN_STATE(counter_t, counter_destroy)
#define COUNT(ARG, ATTR, RET) ATTR(first, int64_t, 10) RET(y, s64, rank(0))
TN_STATEFUL_OP(count, COUNT, counter_t, "counts its calls") {
  *call->y.data = call->state->count++;
  return TN_OK;
}
TN_INSTANTIATE(count) {
  *state = (counter_t*)malloc(sizeof **state);
  if (!*state) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
  (*state)->count = call->first;
  ++live;
  return TN_OK;
}
#ifdef __cplusplus
extern "C"
#endif
TN_EXPORT int64_t live_states(void);
int64_t live_states(void) { return live; }
"""

TABLE = r"""
#include <tenon/custom.h>
#ifdef __cplusplus
#include <stdexcept>
#endif
#define NOTHING(ARG, ATTR, RET) RET(y, s64, rank(0))
TN_OP(throws, NOTHING, "throws where there are exceptions") {
  *call->y.data = 1;
#ifdef __cplusplus
  throw 1;
#endif
  return TN_OK;
}
TN_OP(throws_text, NOTHING, "throws an exception with a text where there are exceptions") {
  *call->y.data = 1;
#ifdef __cplusplus
  throw std::runtime_error("no such file");
#endif
  return TN_OK;
}
TN_LIBRARY(throws, throws_text, attributes, in_place, twice, sum_all, product, context, functions, stream, later, fails_later, count)
"""

FLOATS = r"""
#include <tenon/custom.h>
TN_EXPORT float read_float(int32_t dtype, uint32_t bits);
TN_EXPORT uint32_t write_float(int32_t dtype, float value);
float read_float(int32_t dtype, uint32_t bits) { return tn_float_read(dtype, bits); }
uint32_t write_float(int32_t dtype, float value) { return tn_float_write(dtype, value); }
"""


def compile_library(compiler, out, *sources):
    command = [*compiler, "-O2", *WARNINGS, "-Werror", "-fPIC", "-shared", "-fvisibility=hidden",
               "-I", HEADER, *sources, "-o", out]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(out))


@pytest.fixture(scope="module", params=COMPILERS, ids=[name for name, *_ in COMPILERS])
def call(request, tmp_path_factory):
    """Calls an operation of the library, which is two files; names in JAX tell the compilers apart."""
    folder = tmp_path_factory.mktemp("kernels")
    files = [folder / "kernels.c", folder / "table.c"]
    for file, text in zip(files, (KERNELS, TABLE)):
        file.write_text(text)
    library = compile_library(request.param, folder / "libkernels.so", *files)
    prefix = request.param[0]
    for name in ("attributes", "in_place", "twice", "sum_all", "product", "context", "functions", "stream", "later", "fails_later", "throws",
                 "throws_text"):
        jax.ffi.register_ffi_target(f"{prefix}.{name}", jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    jax.ffi.register_ffi_target(f"{prefix}.count", {
        "instantiate": jax.ffi.pycapsule(library.count_instantiate),
        "execute": jax.ffi.pycapsule(library.count)}, platform="cpu")

    def call(name, result, /, *arguments, jit=True, aliases=None, **attributes):
        def function(*values):
            return jax.ffi.ffi_call(f"{prefix}.{name}", result, input_output_aliases=aliases,
                                    has_side_effect=not arguments)(*values, **attributes)
        return jax.block_until_ready((jax.jit(function) if jit else function)(*arguments))

    call.library = library
    call.prefix = prefix
    return call


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def s64(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int64)


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def test_attributes_and_their_defaults(call):
    y = jax.ShapeDtypeStruct((9,), jnp.float64)
    np.testing.assert_array_equal(call("attributes", y, range={"lo": 3}), [7, 0, 0.5, 0.25, 6, 0, 1, 3, 100])
    np.testing.assert_array_equal(
        call("attributes", y, n=np.int32(1), flag=True, scale=np.float32(2), wide=4.0, name="ab\0d",
             list=np.arange(5, dtype=np.int32), mode=np.int32(0), range={"lo": -1, "hi": -2}),
        [1, 1, 2, 4, 4, 10, 0, -1, -2])
    # Python's numbers are taken for narrower ones if nothing is lost.
    np.testing.assert_array_equal(call("attributes", y, n=-5, scale=1.5, range={"lo": 3})[:3], [-5, 0, 1.5])


@pytest.mark.parametrize("attributes, message", [
    ({}, "INVALID_ARGUMENT: attributes: attribute range is missing; expected record(range_t)"),
    ({"range": {}}, "attributes: attribute range.lo is missing; expected int64_t"),
    ({"range": {"lo": 1, "hii": 2}}, "attributes: attribute range.hii is unknown; did you mean hi?"),
    ({"range": {"lo": 1}, "flags": 1}, "attributes: attribute flags is unknown; did you mean flag?"),
    ({"range": {"lo": 1}, "n": 2**31}, "attributes: attribute n: expected int32_t, found s64 2147483648"),
    ({"range": {"lo": 1}, "scale": 0.1}, "attributes: attribute scale: expected float, found f64 0.1"),
    ({"range": {"lo": 1}, "name": 3}, "attributes: attribute name: expected string, found s64 3"),
    ({"range": {"lo": 1}, "mode": 1}, "attributes: attribute mode: expected enum_of(mode_t_, int32_t), found s64 1; enums are not converted: "),
])
def test_errors_name_the_attribute(call, attributes, message):
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        call("attributes", jax.ShapeDtypeStruct((9,), jnp.float64), **attributes)
    assert message in str(raised.value)


def test_errors_name_the_operation_and_the_argument(call):
    x = np.ones((2, 3), np.float32)
    cases = [
        (("twice", f32(2, 3), x.astype(np.int32)), "twice: argument x: expected f32 or bf16, found 2x3xs32"),
        (("twice", f32(3, 2), x), "twice: result y: expected the shape of x, 2x3xf32, found 3x2xf32"),
        (("twice", f32(2, 3), x, x), "twice: expected 1 argument (x), found 2"),
        (("sum_all", f32(2, 3), x), "sum_all: argument first: expected f32 of rank 1, found 2x3xf32"),
        (("sum_all", f32(3), x[0], x[0].astype(np.float64)), "sum_all: argument more[0]: expected f32, found 3xf64"),
        (("attributes", jax.ShapeDtypeStruct((2,), jnp.float64)), "attributes: attribute range is missing"),
        (("stream", s64()), "UNIMPLEMENTED"),
    ]
    for arguments, message in cases:
        with pytest.raises(jax.errors.JaxRuntimeError) as raised:
            call(*arguments)
        assert message in str(raised.value)
    with pytest.raises(jax.errors.JaxRuntimeError, match="OUT_OF_RANGE: attributes: y has 2 elements"):
        call("attributes", jax.ShapeDtypeStruct((2,), jnp.float64), range={"lo": 1})


def test_named_dimensions_are_checked(call):
    x, w = np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.ones((4, 5), np.float32)
    for _ in range(2):
        np.testing.assert_array_equal(call("product", f32(2, 3, 5), x, w), x @ w)
        np.testing.assert_array_equal(call("product", f32(3, 5), x[0], w), x[0] @ w)
        for shapes, message in [
            (((2, 3, 5), x, w.T), "product: argument w: expected dims(k, m) where k is 4, found 5x4xf32"),
            (((1, 1), x, w), "product: result y: expected dims(..., n, m) where ... is 2 and n is 3 and m is 5, found 1x1xf32"),
            (((5, 5, 5), x, w), "found 5x5x5xf32"),
            (((4,), x[0, 0], w), "product: argument x: expected dims(..., n, k), found 4xf32"),
        ]:
            with pytest.raises(jax.errors.JaxRuntimeError) as raised:
                call("product", f32(*shapes[0]), *shapes[1:])
            assert message in str(raised.value)


def test_aliased_results_are_computed_in_place(call):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    results = (f32(2, 3), jax.ShapeDtypeStruct((), jnp.bool_))
    y, same = call("in_place", results, x, aliases={0: 0})
    np.testing.assert_array_equal(y, x + 1)
    assert same
    y, same = call("in_place", results, x)
    np.testing.assert_array_equal(y, x + 1)
    assert not same


def test_dtypes_threads_and_scratch(call):
    for dtype in (np.float32, ml_dtypes.bfloat16):
        for shape in ((), (7,), (300, 500), (0, 3)):
            x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
            y = call("twice", jax.ShapeDtypeStruct(shape, dtype), x)
            np.testing.assert_array_equal(np.asarray(y, np.float32), np.asarray(x, np.float32) * 2)


def test_remaining_arguments(call):
    x = np.arange(3, dtype=np.float32)
    for count in range(1, 5):
        np.testing.assert_array_equal(call("sum_all", f32(3), *[x] * count), x * count)


def test_vmap(call):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for method in ("sequential", "expand_dims", "broadcast_all"):
        def twice(row):
            result = jax.ShapeDtypeStruct(row.shape, row.dtype)
            return jax.ffi.ffi_call(f"{call.prefix}.twice", result, vmap_method=method)(row)
        np.testing.assert_array_equal(jax.jit(jax.vmap(twice))(x), x * 2)


def test_context(call):
    first, second = call("context", s64(3)), call("context", s64(3))
    assert first[0] == 0 and first[1] != second[1] and first[2] >= 1


def test_elementary_functions_over_arrays(call):
    for n in (0, 1, 33, 1000):
        y = np.linspace(-3, 3, n)
        x, half, brain = y.astype(np.float32), y.astype(np.float16), (y / 4).astype(ml_dtypes.bfloat16)
        softplus, power, sine, inverse = call(
            "functions", tuple(jax.ShapeDtypeStruct((n,), a.dtype) for a in (x, y, half, brain)), x, y, half, brain)
        np.testing.assert_allclose(softplus, np.log1p(np.exp(y)), rtol=3e-7)
        np.testing.assert_allclose(power, (1 / (1 + np.exp(-y))) ** y, rtol=1e-14)
        np.testing.assert_allclose(sine, np.sin(half.astype(np.float64)), rtol=2**-10)
        np.testing.assert_allclose(np.asarray(inverse, np.float64), jax.scipy.special.erfinv(brain.astype(np.float64)), rtol=2**-7)


def test_asynchronous_operations(call):
    assert call("later", s64()) == 42
    with pytest.raises(jax.errors.JaxRuntimeError, match="DATA_LOSS: lost 5"):
        call("fails_later", s64())


def test_exceptions_become_errors(call):
    if "++" not in call.prefix:
        assert call("throws", s64()) == call("throws_text", s64()) == 1
        return
    with pytest.raises(jax.errors.JaxRuntimeError,
                       match="UNKNOWN: throws_text: an exception left the body: no such file"):
        call("throws_text", s64())
    with pytest.raises(jax.errors.JaxRuntimeError, match="UNKNOWN: throws: an exception left the body"):
        call("throws", s64())


def test_states_live_with_the_program(call):
    live = call.library.live_states
    live.restype = ctypes.c_int64
    jax.clear_caches()
    before = live()
    function = jax.jit(lambda: jax.ffi.ffi_call(f"{call.prefix}.count", s64(), has_side_effect=True)(first=5))
    assert [int(function()) for _ in range(3)] == [5, 6, 7]
    assert live() == before + 1
    function.clear_cache()
    del function
    jax.clear_caches()
    gc.collect()
    assert live() == before


def test_the_library_exports_its_operations_and_the_table_only(call):
    names = subprocess.run(["nm", "-D", "--defined-only", call.library._name], capture_output=True, text=True,
                           check=True).stdout
    exported = {line.split()[-1] for line in names.splitlines()}
    assert exported == {"attributes", "in_place", "twice", "sum_all", "product", "context", "functions", "stream", "later", "fails_later",
                        "throws", "throws_text", "count", "count_instantiate", "live_states", "tenon_library"}


def test_small_floats_are_those_of_ml_dtypes(tmp_path):
    (tmp_path / "floats.c").write_text(FLOATS)
    library = compile_library(COMPILERS[0], tmp_path / "libfloats.so", tmp_path / "floats.c")
    library.read_float.restype = ctypes.c_float
    library.write_float.argtypes = [ctypes.c_int32, ctypes.c_float]
    library.write_float.restype = ctypes.c_uint32
    formats = {10: np.float16, 16: ml_dtypes.bfloat16, 19: ml_dtypes.float8_e5m2, 20: ml_dtypes.float8_e4m3fn,
               23: ml_dtypes.float8_e4m3b11fnuz, 24: ml_dtypes.float8_e5m2fnuz, 25: ml_dtypes.float8_e4m3fnuz,
               28: ml_dtypes.float8_e4m3, 29: ml_dtypes.float8_e3m4, 32: ml_dtypes.float4_e2m1fn,
               33: ml_dtypes.float8_e8m0fnu}
    samples = np.random.default_rng(0).standard_normal(3000).astype(np.float32)
    samples = np.concatenate([samples * np.float32(2.0) ** k for k in (-40, -20, -10, 0, 4, 8, 14)])
    samples = np.concatenate([samples, np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38, 65504, 65520])])
    for number, dtype in formats.items():
        bits = np.dtype(dtype).itemsize * 8 if number != 32 else 4
        unsigned = np.uint16 if bits == 16 else np.uint8
        every = np.arange(1 << bits, dtype=np.uint32)
        wanted = every.astype(unsigned).view(dtype).astype(np.float32)
        got = np.float32([library.read_float(number, int(code)) for code in every])
        np.testing.assert_array_equal(got, wanted, err_msg=str(dtype))
        if number == 33:
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            wanted = samples.astype(dtype).astype(np.float32)
        got = np.float32([library.read_float(number, library.write_float(number, float(value))) for value in samples])
        np.testing.assert_array_equal(got, wanted, err_msg=str(dtype))


# -- what a compiler says to a mistake in the list

MISTAKES = {
    "ARG(z, f33, any_rank)": "ARG(z, f33, any_rank): unknown dtype; expected any, of(f32, f64) with up to 12, dtype_of(x), pred, ",
    "ARG(z, of(f32, bfloat16), any_rank)": "ARG(z, of(f32, bfloat16), any_rank): unknown dtype; expected any, ",
    "ARG(z, of(f32, any), any_rank)": "ARG(z, of(f32, any), any_rank): unknown dtype; expected any, ",
    "ARG(z, of(s1, s2, s4, s8, s16, s32, s64, u1, u2, u4, u8, u16, u32), any_rank)": "unknown dtype; expected any, of(f32, f64) with up to 12",
    "RET(z, f32, rank2)": "RET(z, f32, rank2): unknown shape; expected any_rank, rank(2), dims(n, k + 1) with up to 12, like(x), "
                          "shape_of(x), optional, remaining",
    "RET(z, f32, dim(n))": "RET(z, f32, dim(n)): unknown shape; expected any_rank, rank(2), dims(n, k + 1)",
    "ARG(z, f32, rank())": "ARG(z, f32, rank()): unknown shape; expected any_rank, rank(2), ",
    "ARG(z, f32, dims())": "ARG(z, f32, dims()): unknown shape; expected any_rank, rank(2), dims(n, k + 1)",
    "ARG(z, f32, dims(n, ))": "ARG(z, f32, dims(n, )): unknown shape; expected any_rank, ",
    "ARG(z, f32, dims(n, ...))": "ARG(z, f32, dims(n, ...)): unknown shape; expected any_rank, ",
    'ARG(z, f32, dims("n"))': "unknown shape; expected any_rank, ",
    "ARG(z, f32, dims(a, b, c, d, e, f, g, h, i, j, k, l, m))": "unknown shape; expected any_rank, rank(2), dims(n, k + 1) with up to 12",
    "ATTR(z, flaot, 1)": "ATTR(z, flaot, ...): unknown type; expected string, array(float), ",
    "ATTR(z, array(flaot), TN_EMPTY)": "ATTR(z, array(flaot), ...): unknown type; expected string, array(float), ",
    "ATTR(z, array(string), TN_EMPTY)": "ATTR(z, array(string), ...): unknown type; expected string, array(float), ",
    "ATTR(z, string, 5)": "ATTR(z, string, 5): wrong default; expected a string literal for a string, a number for a number",
    "ATTR(z, string, NULL)": "ATTR(z, string, NULL): wrong default; expected a string literal",
    "ARG(z, f32)": "ARG(z, f32, ): unknown shape; expected any_rank, ",
    "ARG(z, f32, like(q))": "q",
    "ARG(x, f32, any_rank)": "x",
    "ARG(z, f32, remaining) ARG(w, f32, any_rank)": "op: an ARG follows the remaining ones",
    "RET(z, f32, optional) RET(w, f32, any_rank)": "op: a RET follows an optional one",
}


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_list_is_one_error(compiler, mistake, tmp_path):
    (tmp_path / "op.c").write_text(textwrap.dedent(f"""\
        #include <tenon/custom.h>
        #define LIST(ARG, ATTR, RET) ARG(x, f32, any_rank) {mistake} RET(y, f32, like(x))
        TN_OP(op, LIST, "doc") {{ return TN_OK; }}
        TN_LIBRARY(op)
        """))
    done = subprocess.run([*compiler, "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    assert len(errors) == 1 and MISTAKES[mistake] in errors[0], done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("attribute, result, message", [
    ("ATTR(z, float)", "TN_OK", "ATTR(z, float): no default; expected a value or TN_REQUIRED"),
    ('ATTR(z, float, "1")', "TN_OK", "wrong default; expected a string literal for a string, a number for a number"),
    ("", 'TN_ERROR(call, INVALID, "no such code")', "TN_ERROR(call, INVALID, ...): unknown code; expected one of CANCELLED UNKNOWN INVALID_ARGUMENT "),
    ("", 'TN_ERROR(call, F32, "an element type")', "TN_ERROR(call, F32, ...): unknown code; expected one of CANCELLED "),
    ("", "tn_map(call, expo, f32, 1, call->x.data, call->y.data), TN_OK", "tn__each_expo_f32"),
    ("", "tn_map(call, exp, f33, 1, call->x.data, call->y.data), TN_OK", "tn__each_exp_f33"),
])
def test_other_mistakes_begin_with_what_is_wrong(compiler, attribute, result, message, tmp_path):
    (tmp_path / "op.c").write_text(textwrap.dedent(f"""\
        #include <tenon/custom.h>
        #define LIST(ARG, ATTR, RET) ARG(x, f32, any_rank) {attribute} RET(y, f32, like(x))
        TN_OP(op, LIST, "doc") {{ return {result}; }}
        TN_LIBRARY(op)
        """))
    done = subprocess.run([*compiler, "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    assert errors and message in errors[0], done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("expression", ["tn_scratch(call, 4)", "call->x.data", "tn_size(call->x)"])
def test_only_statuses_are_tried(compiler, expression, tmp_path):
    (tmp_path / "op.c").write_text(textwrap.dedent(f"""\
        #include <tenon/custom.h>
        #define LIST(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
        TN_OP(op, LIST, "doc") {{ TN_TRY({expression}); return TN_OK; }}
        """))
    done = subprocess.run([*compiler, "-w", "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")], capture_output=True, text=True)
    assert done.returncode and "tn_status_t" in done.stderr, done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
def test_definitions_compile_without_warnings(compiler, tmp_path):
    (tmp_path / "op.c").write_text(textwrap.dedent("""\
        #include <tenon/kernel.h>
        #define LIST(ARG, ATTR, RET) ARG(x, f32, any_rank) ATTR(n, int64_t, 1) RET(y, f32, like(x))
        static tn_status_t part(void* user, int64_t begin, int64_t end) { return user || begin > end ? (tn_status_t)user : TN_OK; }
        TN_OP(op, LIST, "doc") {
          if (tn_dim(call->x, -1) == call->n) return TN_ERROR(call, INVALID_ARGUMENT, "n is %d", (int)call->n);
          return tn_try_parallel_for(call, tn_dim(call->x, 0), 1, part, NULL);
        }
        static tn_status_t op_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) { return rule && call ? TN_OK : TN_OK; }
        TN_DEFINE(op, .flags = TN_OP_ELEMENTWISE, .vjp = op_vjp)
        TN_LIBRARY(op)
        """))
    options = [option.replace("c++17", "c++20") for option in compiler]
    done = subprocess.run([*options, *WARNINGS, "-Werror", "-O1", "-fsyntax-only", "-I", str(ROOT / "include"), str(tmp_path / "op.c")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("line", [
    "#define LIST(ARG, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))",
    "#define LIST(ARG, ATTR, RET, FIELD) ARG(x, f32, any_rank) RET(y, f32, like(x))",
    "#define LIST(ARG, ATTR, RET) ARG(x) RET(y, f32, any_rank)",
    "#define LIST(ARG, ATTR, RET) ARG(x, f32, any_rank) RETT(y, f32, like(x))",
    "#define LISTS(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))",
], ids=["two parameters", "four parameters", "an entry of one", "a misspelt entry", "a misspelt list"])
@pytest.mark.parametrize("kind", ['TN_OP(op, LIST, "doc")', 'TN_STATEFUL_OP(op, LIST, counter_t, "doc")'])
def test_a_malformed_list_is_one_error_after_the_preprocessors(compiler, line, kind, tmp_path):
    (tmp_path / "op.c").write_text(textwrap.dedent(f"""\
        #include <tenon/custom.h>
        {line}
        typedef struct counter {{ int64_t count; }} counter_t;
        static void destroy(void* counter) {{ (void)counter; }}
        TN_STATE(counter_t, destroy)
        {kind} {{ return TN_OK; }}
        TN_LIBRARY(op)
        """))
    done = subprocess.run([*compiler, "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    assert len(errors) <= 2 and all("macro" in error for error in errors[:-1]), done.stderr
    assert "op: LIST is not a signature list; expected #define LIST(ARG, ATTR, RET), with ARG(name, " in errors[-1], done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_first_error_is_at_the_line_that_lacks_its_continuation(compiler, number, tmp_path):
    lines = ["#include <tenon/custom.h>",
             "#define LIST(ARG, ATTR, RET) \\",
             "  ARG(x, f32, any_rank) \\",
             "  ATTR(alpha, float, 1) \\",
             "  RET(y, f32, like(x))",
             'TN_OP(op, LIST, "doc") { return TN_OK; }']
    lines[number - 1] = lines[number - 1].rstrip("\\")
    (tmp_path / "op.c").write_text("\n".join(lines) + "\n")
    done = subprocess.run([*compiler, "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    # The preprocessor cannot tell: the rest of the list is read as C, and fails within two lines.
    assert int(errors[0].split("op.c:")[1].split(":")[0]) in (number + 1, number + 2), done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("definition, message", [
    ('TN_STATEFUL_OP(op, LIST, counter_t, "doc") { return TN_OK; }\nTN_INSTANTIATE(op) { *state = NULL; return TN_OK; }',
     "counter_t: expected TN_STATE(counter_t, destroy) before its first use"),
    ('TN_OP(op, LIST, "doc") { return TN_OK; }\nTN_DEFINE(op, .flags = 1)',
     "TN_DEFINE(op, ...): expected #include <tenon/operation.h>"),
], ids=["TN_STATE", "TN_DEFINE"])
def test_a_missing_definition_is_one_error(compiler, definition, message, tmp_path):
    (tmp_path / "op.c").write_text("#include <tenon/custom.h>\ntypedef struct counter { int64_t count; } counter_t;\n"
                                   "#define LIST(ARG, ATTR, RET) RET(y, f32, any_rank)\n" + definition + "\nTN_LIBRARY(op)\n")
    done = subprocess.run([*compiler, "-fsyntax-only", "-I", str(HEADER), str(tmp_path / "op.c")], capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    assert len(errors) == 1 and message in errors[0], done.stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
@pytest.mark.parametrize("includes", [["custom.h"], ["custom.h", "tenon.h"], ["tenon.h", "custom.h"]], ids=" ".join)
def test_the_header_compiles_alone_and_beside_the_runtimes(compiler, includes, tmp_path):
    lines = "".join(f"#include <tenon/{name}>\n" for name in includes)
    (tmp_path / "empty.c").write_text(lines + "extern int something;\n")
    folders = [HEADER] if includes == ["custom.h"] else [HEADER, ROOT / "include"]
    command = [*compiler, *WARNINGS, "-Werror", "-fsyntax-only", *(f"-I{folder}" for folder in folders), str(tmp_path / "empty.c")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_example_is_a_library_and_normalises(tmp_path):
    library = compile_library((COMPILERS[0][0], "-std=c11"), tmp_path / "librms_norm.so",
                              ROOT / "examples/rms_norm/rms_norm.c", "-lm")
    jax.ffi.register_ffi_target("rms_norm", jax.ffi.pycapsule(library.rms_norm), platform="cpu")
    x = np.random.default_rng(0).standard_normal((4, 5, 33)).astype(np.float32)
    y = jax.jit(lambda x: jax.ffi.ffi_call("rms_norm", f32(*x.shape))(x, eps=np.float32(1e-3)))(x)
    np.testing.assert_allclose(y, x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-3), rtol=2e-6)


@pytest.mark.parametrize("compiler", COMPILERS, ids=[name for name, *_ in COMPILERS])
def test_the_operations_of_the_guide_compile(compiler, tmp_path):
    library = compile_library(compiler, tmp_path / "libguide.so", ROOT / "examples" / "guide" / "guide.c")
    assert all(hasattr(library, name) for name in ("sum_all", "reduce_window", "running_sum", "count", "count_instantiate"))


def test_a_kernel_for_several_dtypes_runs_the_function_of_each(tmp_path):
    library = compile_library((COMPILERS[0][0], "-std=c11"), tmp_path / "libguide.so", ROOT / "examples" / "guide" / "guide.c")
    jax.ffi.register_ffi_target("running_sum", jax.ffi.pycapsule(library.running_sum), platform="cpu")
    with jax.enable_x64():
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            x = np.array([3, 1, 4, 1, 5], dtype)
            y = jax.ffi.ffi_call("running_sum", jax.ShapeDtypeStruct(x.shape, dtype))(x)
            assert y.dtype == dtype
            np.testing.assert_array_equal(y, np.cumsum(x))


DISPATCH = """#include <tenon/custom.h>
#define LIST(ARG, ATTR, RET) ARG(x, any, any_rank) RET(y, dtype_of(x), shape_of(x))
static tn_status_t copy_f32(const float* x, float* y) { return *y = *x, TN_OK; }
static tn_status_t copy_s8(const int8_t* x, int8_t* y) { return *y = *x, TN_OK; }
TN_OP(copy, LIST, "y = x") { TN_DISPATCH(call, x, copy, (call->x.data, call->y.data), f32, s8); }
TN_LIBRARY(copy)
"""


def test_a_dtype_without_a_kernel_is_an_error_that_names_it(tmp_path):
    (tmp_path / "copy.c").write_text(DISPATCH)
    library = compile_library((COMPILERS[0][0], "-std=c11"), tmp_path / "libcopy.so", tmp_path / "copy.c")
    jax.ffi.register_ffi_target("copy", jax.ffi.pycapsule(library.copy), platform="cpu")
    x = np.ones(1, np.int16)
    with pytest.raises(Exception, match="copy: x has dtype s16; expected one of f32, s8"):
        jax.ffi.ffi_call("copy", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
