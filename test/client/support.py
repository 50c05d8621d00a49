# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the tests in this folder share: the command, XLA as the other side, and what "the same" means."""

import functools
import os
import pathlib
import subprocess

import jax
import ml_dtypes
import numpy as np
from jax.interpreters import mlir as jax_mlir
from jaxlib import _jax
from jaxlib.mlir import ir

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
COMMAND = pathlib.Path(os.environ.get("TENON_CLI", BUILD / "cli" / "tenon"))

# Relative tolerance by the precision of a dtype; XLA's own functions differ from the exact value by a few of its units.
RELATIVE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5, np.dtype(np.float16): 4e-3,
            np.dtype(ml_dtypes.bfloat16): 3e-2, np.dtype(np.complex64): 1e-5, np.dtype(np.complex128): 1e-12}


def tenon(*arguments):
    """Runs the command and returns what it printed; its failure is the test's."""
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"tenon {' '.join(map(str, arguments))}\nexit code {done.returncode}\n{done.stderr}"
    return done.stdout


def load_npy(path, dtype):
    """.npy files name bfloat16 and similar types by their size alone."""
    array = np.load(path)
    return array.view(dtype) if array.dtype.kind == "V" else array


def assert_same(got, wanted, slack=1.0, what=""):
    """Equal dtype and shape; integers and booleans bit for bit, floats within the tolerance of their dtype."""
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype, f"{what}: dtype {got.dtype}, wanted {wanted.dtype}"
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, wanted {wanted.shape}"
    if wanted.dtype not in RELATIVE:
        np.testing.assert_array_equal(got, wanted, err_msg=what)
        return
    relative = RELATIVE[wanted.dtype] * slack
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    got, wanted = got.astype(wide), wanted.astype(wide)
    finite = np.abs(wanted[np.isfinite(wanted)])
    # An element near zero in an array of ones was a difference of ones.
    scale = min(1.0, finite.max()) if finite.size else 0.0
    np.testing.assert_allclose(got, wanted, rtol=relative, atol=relative * scale, equal_nan=True, err_msg=what)


@functools.cache
def _device_list():
    return _jax.DeviceList(tuple(jax.local_devices(backend="cpu")[:1]))


def parse(text):
    """jaxlib's own parser and verifier. Use the module within its context."""
    with jax_mlir.make_ir_context():
        return ir.Module.parse(text)


def xla_run(module, inputs, x64=False):
    """Compiles a parsed module with XLA for the CPU and runs it."""
    device = jax.local_devices(backend="cpu")[0]
    with jax.enable_x64(x64), module.context:
        program = device.client.compile_and_load(module, _device_list(), _jax.CompileOptions())
        arrays = [jax.device_put(x, device) for x in inputs]
        results = program.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return [np.asarray(shards[0]) for shards in results]
