# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""examples/roll: a kernel that sees arrays by their strides is a handler for JAX as well, where they are dense."""

import ctypes
import os
import pathlib
import subprocess

import jax
import numpy as np
import pytest

LIBRARY = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "examples/roll/libroll.so"


@pytest.fixture(scope="module")
def roll():
    library = ctypes.CDLL(str(LIBRARY))
    jax.ffi.register_ffi_target("roll", jax.ffi.pycapsule(library.roll), platform="cpu")

    def call(x, shift, axis):
        return jax.ffi.ffi_call("roll", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, shift=np.int64(shift), axis=np.int64(axis))

    return jax.jit(call, static_argnums=(1, 2))


def test_it_wants_no_symbol_of_tenon():
    symbols = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    assert "tn_" not in symbols


@pytest.mark.parametrize("shape", [(5,), (3, 1, 5), (0, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_jax_calls_it(roll, shape, dtype):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for axis in (-1, len(shape) - 2):
        for shift in (-2, 7):
            np.testing.assert_array_equal(roll(x, shift, axis), np.roll(x, shift, axis))


def test_its_errors_reach_jax(roll):
    with pytest.raises(jax.errors.JaxRuntimeError, match="axis 3 of an array with 1"):
        roll(np.zeros(4, np.float32), 1, 3).block_until_ready()
