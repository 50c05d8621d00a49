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


@pytest.mark.parametrize("arguments, error, text", [
    (("f", {"run": None}), ValueError, "stages"),
    (("f", None, "tpu"), ValueError, "platforms"),
    (("f", None, "cpu", 2), ValueError, "api_version"),
    (("f", 3), TypeError, "capsule"),
])
def test_mistakes_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        tenon.ffi.register_ffi_target(*arguments)
    with pytest.raises(FileNotFoundError, match="nothing_of_this_name"):
        tenon.ffi.ffi_call("nothing_of_this_name", tn.array(X))(X)
