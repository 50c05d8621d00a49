# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""examples/axpby: the library that serves lazy arrays, with rules for gradients and batches, loads into JAX as it is."""

import ctypes
import os
import pathlib
import subprocess

import jax
import numpy as np

LIBRARY = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "examples/axpby/libaxpby.so"


def test_it_wants_no_symbol_of_tenon():
    symbols = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    assert "tn_" not in symbols


def test_jax_calls_it():
    library = ctypes.CDLL(str(LIBRARY))
    jax.ffi.register_ffi_target("axpby", jax.ffi.pycapsule(library.axpby), platform="cpu")
    x, y = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)

    @jax.jit
    def axpby(x, y):
        call = jax.ffi.ffi_call("axpby", jax.ShapeDtypeStruct(x.shape, x.dtype), vmap_method="broadcast_all")
        return call(x, y, alpha=np.float32(4), beta=np.float32(2))

    np.testing.assert_array_equal(axpby(x, y), np.float32(4) * x + np.float32(2) * y)
    np.testing.assert_array_equal(jax.vmap(axpby)(x, y), axpby(x, y))
