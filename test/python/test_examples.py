# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The examples in Python, run as their readers run them."""

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))


def run(name, *arguments, **environment):
    done = subprocess.run([sys.executable, ROOT / "examples" / name, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arrays():
    assert run("python/arrays.py") == "w 3.000, b 0.500, loss 0.000000\n"


def test_model(tmp_path):
    def predict(params, x):
        return jnp.tanh(x @ params["w"] + params["b"])

    params = {"w": np.zeros((3, 2), np.float32), "b": np.zeros(2, np.float32)}
    (tmp_path / "model.mlirbc").write_bytes(export.export(jax.jit(predict))(params, np.zeros((2, 3), np.float32)).mlir_module_serialized)
    assert run("python/model.py", tmp_path / "model.mlirbc") == (
        "<tenon.Program: params.b: 2xfloat32, params.w: 3x2xfloat32, x: 2x3xfloat32 -> result: 2x2xfloat32>\n"
        "[[0.9640276 0.9640276]\n [0.9640276 0.9640276]]\n")


def test_kernel(tmp_path):
    assert run("python/kernel.py", XDG_CACHE_HOME=str(tmp_path)) == "array([1.5, 2], dtype=float32)\n"


def test_jax_functions():
    printed = run("python/jax_functions.py", BUILD / "examples" / "swish" / "libswish.so", JAX_PLATFORMS="cpu")
    x = np.array([1.0, 2, 3], np.float32)
    sigmoid = 1 / (1 + np.exp(-2 * x))
    lines = printed.split("\n")
    assert float(lines[0]) == pytest.approx((x * sigmoid).sum(), rel=1e-5)
    assert [float(it) for it in lines[1].strip("[]").split()] == pytest.approx(sigmoid + 2 * x * sigmoid * (1 - sigmoid), rel=1e-5)
