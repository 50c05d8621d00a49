# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.ffi: handlers of XLA's FFI and untyped functions, called as jax.ffi calls them."""

import ctypes
import os
import pathlib
import subprocess

import jax
import numpy as np
import pytest
import tenon
import tenon.core as tn

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = """
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error Scale(ffi::Buffer<ffi::F32> x, float factor, int64_t shift, bool negate, std::string_view name,
                        ffi::Span<const int32_t> list, ffi::Result<ffi::Buffer<ffi::F32>> y) {
  if (name == "bad") return ffi::Error::InvalidArgument("a bad name");
  float total = 0;
  for (int32_t it : list) total += it;
  for (size_t i = 0; i < x.element_count(); ++i) {
    const float value = factor * x.typed_data()[i] + shift + total;
    y->typed_data()[i] = negate ? -value : value;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scale, Scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Attr<float>("factor")
    .Attr<int64_t>("shift").Attr<bool>("negate").Attr<std::string_view>("name").Attr<ffi::Span<const int32_t>>("list")
    .Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error SumOf(ffi::Buffer<ffi::F32> x, ffi::Buffer<ffi::F32> y, ffi::Result<ffi::Buffer<ffi::F32>> sum,
                        ffi::Result<ffi::Buffer<ffi::F32>> difference) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    sum->typed_data()[i] = x.typed_data()[i] + y.typed_data()[i];
    difference->typed_data()[i] = x.typed_data()[i] - y.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(sum_of, SumOf, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Arg<ffi::Buffer<ffi::F32>>()
    .Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

static int calls;
extern "C" int call_count() { return calls; }
extern "C" void count(void* out, const void** in) {
  ++calls;
  for (int i = 0; i < 4; ++i) static_cast<float*>(out)[i] = static_cast<const float*>(in[0])[i];
}
extern "C" void add_one(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) static_cast<float*>(out)[i] = static_cast<const float*>(in[0])[i] + 1;
}
"""
X = np.arange(4, dtype=np.float32)
ATTRIBUTES = {"factor": np.float32(2), "shift": 3, "negate": True, "name": "good", "list": np.array([1, 2], np.int32)}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ffi")
    (folder / "scale.cc").write_text(SOURCE)
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}",
                    folder / "scale.cc", "-o", folder / "libscale.so"], check=True)
    loaded = ctypes.cdll.LoadLibrary(folder / "libscale.so")
    for ffi in (tenon.ffi, jax.ffi):
        ffi.register_ffi_target("scale", ffi.pycapsule(loaded.scale), platform="cpu")
    tenon.ffi.register_ffi_target("sum_of", tenon.ffi.pycapsule(loaded.sum_of))
    tenon.ffi.register_ffi_target("count", tenon.ffi.pycapsule(loaded.count), api_version=0)
    tenon.ffi.register_ffi_target("add_one", tenon.ffi.pycapsule(loaded.add_one), api_version=0)
    return loaded


def test_the_same_lines_call_a_handler_in_jax_and_here(library):
    results = []
    for ffi in (tenon.ffi, jax.ffi):
        call = ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32))
        results.append(np.asarray(call(X, **ATTRIBUTES)).tolist())
    assert results[0] == results[1] == [-6, -8, -10, -12]


def test_a_sequence_of_results_gives_a_tuple(library):
    call = tenon.ffi.ffi_call("scale", [tn.array(X)])
    (y,) = call(tn.array(X) + 0, **ATTRIBUTES)
    assert y.tolist() == [-6, -8, -10, -12]


def test_errors_of_the_handler_are_raised(library):
    call = tenon.ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32))
    with pytest.raises(ValueError, match="a bad name"):
        tn.eval(call(X, **{**ATTRIBUTES, "name": "bad"}))


def test_untyped_functions_are_called_too(library):
    call = tenon.ffi.ffi_call("add_one", jax.ShapeDtypeStruct((4,), np.float32))
    assert call(X).tolist() == [1, 2, 3, 4]


def test_registering_again_is_fine_and_another_function_is_an_error(library):
    tenon.ffi.register_ffi_target("scale", tenon.ffi.pycapsule(library.scale))
    with pytest.raises(ValueError, match="scale"):
        tenon.ffi.register_ffi_target("scale", tenon.ffi.pycapsule(library.add_one), api_version=0)


KEYWORDS = [{}, {"has_side_effect": True}, {"custom_call_api_version": 4}, {"input_output_aliases": {}}, {"input_output_aliases": None},
            {"vmap_method": "sequential"}, {"input_layouts": [None]}, {"input_layouts": [(0,)], "output_layouts": (0,)}]


@pytest.mark.parametrize("keywords", KEYWORDS)
def test_the_keywords_are_those_of_jax(library, keywords):
    for ffi in (tenon.ffi, jax.ffi):
        call = ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32), **keywords)
        assert np.asarray(call(X, **ATTRIBUTES)).tolist() == [-6, -8, -10, -12]


def test_platforms_are_spelt_as_jax_spells_them(library):
    for platform in ("cpu", "CPU", "CUDA", "cuda", "OpenCL"):
        tenon.ffi.register_ffi_target(f"scale_{platform}", tenon.ffi.pycapsule(library.scale), platform=platform)


@pytest.mark.parametrize("layout", [(0, 1), (1, 0)])
def test_layouts_are_orders_of_axes_in_memory(library, layout):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    attributes = {**ATTRIBUTES, "negate": False, "shift": 0, "list": np.array([0], np.int32)}
    for layouts in ({"input_layouts": [layout]}, {"output_layouts": layout}, {"input_layouts": [layout], "output_layouts": layout}):
        ours, theirs = (np.asarray(ffi.ffi_call("scale", jax.ShapeDtypeStruct((2, 3), np.float32), **layouts)(x, **attributes))
                        for ffi in (tenon.ffi, jax.ffi))
        assert ours.tolist() == theirs.tolist()
    for wrong in ([layout, layout], [(0, 2)], [(0,)]):
        with pytest.raises(ValueError, match="layout"):
            tenon.ffi.ffi_call("scale", jax.ShapeDtypeStruct((2, 3), np.float32), input_layouts=wrong)(x, **attributes)


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"])
def test_batches_are_those_of_jax(library, method):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

    def run(ffi, vmap, axes, array):
        call = ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32), vmap_method=method)
        one = vmap(lambda row: call(row, **ATTRIBUTES))
        return np.asarray(vmap(one, in_axes=axes)(array))

    for axes, array in ((0, x), (1, x)):
        np.testing.assert_array_equal(run(tenon.ffi, tn.vmap, axes, tn.array(array)), run(jax.ffi, jax.vmap, axes, array))


@pytest.mark.parametrize("method", ["sequential", "broadcast_all"])
def test_operands_without_a_batch_are_the_same_for_all(library, method):
    call = tenon.ffi.ffi_call("sum_of", [jax.ShapeDtypeStruct((2,), np.float32)] * 2, vmap_method=method)
    x, y = tn.arange(6.0).reshape(3, 2), tn.array([10.0, 20.0])
    total, difference = tn.vmap(call, in_axes=(0, None))(x, y)
    assert total.tolist() == (x + y).tolist() and difference.tolist() == (x - y).tolist()


def test_a_call_without_a_method_has_no_batch(library):
    call = tenon.ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32))
    with pytest.raises(NotImplementedError):
        tn.vmap(lambda row: call(row, **ATTRIBUTES))(tn.ones((2, 4)))


def test_calls_with_side_effects_are_started_at_once(library):
    before = library.call_count()
    tenon.ffi.ffi_call("count", jax.ShapeDtypeStruct((4,), np.float32))(X)
    assert library.call_count() == before
    tenon.ffi.ffi_call("count", jax.ShapeDtypeStruct((4,), np.float32), has_side_effect=True)(X)
    tn.synchronize()
    assert library.call_count() == before + 1


@pytest.mark.parametrize("keywords, error, text", [
    ({"vmap_method": "parallel"}, ValueError, "vmap_method"),
    ({"custom_call_api_version": 5}, ValueError, "custom_call_api_version"),
    ({"input_output_aliases": {0: 0}}, NotImplementedError, "output_operand_aliases"),
    ({"legacy_backend_config": "x"}, NotImplementedError, "attributes as keywords"),
])
def test_what_a_call_cannot_do_is_named(keywords, error, text):
    with pytest.raises(error, match=text):
        tenon.ffi.ffi_call("scale", jax.ShapeDtypeStruct((4,), np.float32), **keywords)


@pytest.mark.parametrize("arguments, error, text", [
    (("f", {"run": None}), ValueError, "stages"),
    (("f", None, "tpu"), ValueError, "platforms"),
    (("f", None, "cpu", 2), ValueError, "api_version"),
    (("f", 3), TypeError, "capsule"),
])
def test_mistakes_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        tenon.ffi.register_ffi_target(*arguments)
    for kind in (FileNotFoundError, LookupError, tn.NotFoundError):
        with pytest.raises(kind, match="nothing_of_this_name"):
            tenon.ffi.ffi_call("nothing_of_this_name", tn.array(X))(X)
