# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The type stubs of tenon.core: they say what the module has, and mypy finds mistakes with them."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
CLAIMS = """
    from typing import assert_type

    import numpy as np
    import tenon
    import tenon.core as tn

    x = tn.array([1.0, 2.0])

    assert_type(x + 1, tn.array)
    assert_type(2 / x, tn.array)
    assert_type(x == x, tn.array)
    assert_type(-x ** 2, tn.array)
    assert_type(x[0, ..., None, ::2], tn.array)
    assert_type(x[tn.array([0]) > 0], tn.array)
    assert_type(x.at[0].add(1), tn.array)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.dtype, tn.Dtype)
    assert_type(x.sum(axis=(0, 1), keepdims=True), tn.array)
    assert_type(x.reshape(2, -1, stream=tn.cpu), tn.array)
    assert_type(float(x[0]), float)
    assert_type(len(x), int)
    assert_type([row for row in x], list[tn.array])
    np.asarray(x)

    # Whatever is like an array.
    for operand in (x, 1, 1.0, 1j, True, [1, 2], ((1, 2), (3, 4)), b"ab", np.ones(2), np.float32(1)):
        assert_type(tn.sum(operand), tn.array)
    for dtype in (tn.float32, "float32", np.float32, np.dtype("f4")):
        assert_type(tn.zeros((2, np.int64(3)), dtype=dtype), tn.array)

    # Results of several arrays.
    assert_type(tn.divmod(x, 2), tuple[tn.array, tn.array])
    assert_type(tn.split(x, 2), list[tn.array])
    assert_type(tn.unstack(x), tuple[tn.array, ...])
    assert_type(tn.meshgrid(x, x), tuple[tn.array, ...])
    assert_type(tn.atleast_1d(x), tn.array)
    assert_type(tn.atleast_1d(x, x), list[tn.array])
    assert_type(tn.linalg.svd(x).Vh, tn.array)
    assert_type(tn.linalg.svd(x, compute_uv=False), tn.array)
    assert_type(tn.random.normal((2,), key=tn.random.key(0)), tn.array)
    assert_type(tn.fft.rfft(x, norm="ortho"), tn.array)
    assert_type(tn.fast.rms_norm(x, None, 1e-5), tn.array)
    assert_type(tn.result_type(x, tn.float16), tn.Dtype)


    # Transforms keep the parameters of a function.
    def loss(weights: dict[str, tn.array], x: tn.array, scale: float = 1.0) -> tn.array:
        return scale * (weights["w"] * x).sum()


    def pair(x: tn.array) -> tuple[tn.array, tn.array]:
        return x.sum(), x


    weights = {"w": x}
    assert_type(tn.grad(loss)(weights, x, scale=2.0), dict[str, tn.array])
    assert_type(tn.value_and_grad(loss)(weights, x), tuple[tn.array, dict[str, tn.array]])
    assert_type(tn.value_and_grad(pair)(x), tuple[tuple[tn.array, tn.array], tn.array])
    assert_type(tn.compile(loss)(weights, x), tn.array)
    assert_type(tn.vmap(pair)(x), tuple[tn.array, tn.array])
    assert_type(tn.checkpoint(pair)(x), tuple[tn.array, tn.array])
    assert_type(tn.jvp(pair, [x], [x]), tuple[list[tn.array], list[tn.array]])


    @tn.custom_function
    def double(x: tn.array) -> tn.array:
        return 2 * x


    @double.vjp
    def double_vjp(primals: tn.array, cotangent: tn.array, output: tn.array) -> tn.array:
        return 2 * cotangent


    @tn.compile
    def decorated(x: tn.array) -> tn.array:
        return double(x)


    assert_type(decorated(x), tn.array)

    with tn.stream(tn.cpu), tenon.profile("trace.json"):
        assert_type(tn.default_stream(tn.default_device()).device.type, tn.DeviceType)
    assert_type(tenon.load("program.mlir").inputs, tuple[tenon.programs.Value, ...])
    assert_type(tenon.__version__, str)
"""
MISTAKES = {
    "tn.sum(x, axes=0)": '"axes"',
    "tn.sum('abc')": "incompatible type",
    "x.sum(keepdim=True)": '"keepdim"',
    "tn.fft.fft(x, norm='orthogonal')": "incompatible type",
    "tn.meshgrid(x, indexing='ji')": "incompatible type",
    "tn.roll(a=x, shift=1)": "Unexpected keyword",
    "tn.zeros(2, tn.float23)": "no attribute",
    "x + 'a'": "Unsupported operand types",
    "x.append(1)": "no attribute",
    "tn.compile(double)(1.0)": "incompatible type",
    "tn.grad(double)()": "Too few arguments",
    "tenon.lode('a')": "no attribute",
}


def mypy(module, *arguments, cwd):
    return subprocess.run([sys.executable, "-m", module, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, "MYPYPATH": str(BUILD / "python"), "PYTHONPATH": str(BUILD / "python")})


def check(folder, *arguments):
    return mypy("mypy", "--strict", "--follow-imports=silent", f"--cache-dir={folder}", *arguments, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_names_parameters_and_defaults_are_those_of_the_built_module(folder):
    (folder / "allowed").write_text("tenon.core.array.__buffer__\n")  # in Python from 3.12 on, and in memory for all
    done = mypy("mypy.stubtest", "tenon.core", "--allowlist", "allowed", "--ignore-unused-allowlist", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_what_functions_take_and_give(folder):
    (folder / "claims.py").write_text(textwrap.dedent(CLAIMS))
    done = check(folder, "claims.py")
    assert done.returncode == 0, done.stdout


def test_mistakes_are_found(folder):
    head = "import tenon\nimport tenon.core as tn\n\nx = tn.array(1)\n\n\ndef double(x: tn.array) -> tn.array:\n    return 2 * x\n\n\n"
    (folder / "mistakes.py").write_text(head + "\n".join(MISTAKES) + "\n")
    first = head.count("\n") + 1
    found = {}
    for line in check(folder, "mistakes.py").stdout.splitlines():
        parts = line.split(": ", 2)
        if len(parts) == 3 and parts[1] == "error":
            found.setdefault(int(parts[0].split(":")[1]) - first, parts[2])
    for i, (mistake, message) in enumerate(MISTAKES.items()):
        assert message in found.get(i, "no error"), (mistake, found.get(i))


def test_the_examples_have_none(folder):
    done = check(folder, "--allow-untyped-defs", "--allow-untyped-calls", *sorted((ROOT / "examples" / "python").glob("*.py")))
    assert done.returncode == 0, done.stdout
