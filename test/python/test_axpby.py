# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the tutorial's extension must do from Python: values, derivatives, batches, compilation, export, threads, layers."""

import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
import tenon
import tenon.core as tn

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
DTYPES = [tn.float32, tn.float16, tn.bfloat16, tn.complex64]
ALPHA, BETA = 4.0, 2.0
axpby = tenon.ops.load(BUILD / "examples" / "axpby" / "libaxpby.so").axpby


def numbers(shape=(3, 4), dtype=tn.float32, start=1):
    values = np.arange(start, start + int(np.prod(shape))).reshape(shape)
    return tn.array(values.tolist(), dtype)


def same(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype
    assert tn.array_equal(a, b).item()


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_values_and_both_derivatives_in_four_dtypes(dtype):
    x, y, t = numbers(dtype=dtype), numbers(dtype=dtype, start=2), tn.ones((3, 4), dtype=dtype)

    def call(x, y):
        return axpby(x, y, ALPHA, BETA)

    same(call(x, y), (ALPHA * x + BETA * y).astype(dtype))
    for function, inputs, tangent in ((lambda x: call(x, y), [x], ALPHA * t), (lambda y: call(x, y), [y], BETA * t)):
        outputs, tangents = tn.jvp(function, inputs, [t])
        same(outputs[0], call(x, y))
        same(tangents[0], tangent.astype(dtype))
        same(tn.vjp(function, inputs, [t])[1][0], tangent.astype(dtype))
    same(tn.jvp(call, [x, y], [t, t])[1][0], ((ALPHA + BETA) * t).astype(dtype))
    gradients = tn.vjp(call, [x, y], [t])[1]
    same(gradients[0], (ALPHA * t).astype(dtype))
    same(gradients[1], (BETA * t).astype(dtype))


@pytest.mark.parametrize("axes", [(0, 0), (1, 1), (0, 1), (0, None), (None, 1)])
def test_batches_along_any_axis(axes):
    x, y = numbers((4, 4)), numbers((4, 4), start=5)

    def batched(f):
        return tn.vmap(f, in_axes=axes)(x if axes[0] is not None else x[0], y if axes[1] is not None else y[0])

    same(batched(lambda x, y: axpby(x, y, ALPHA, BETA)), batched(lambda x, y: ALPHA * x + BETA * y))


def test_strided_arrays_numpy_arrays_and_lists():
    x, y = numbers((4, 6)), numbers((4, 6), start=3)
    for view in (lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: tn.broadcast_to(a[0], (4, 6))):
        same(axpby(view(x), view(y), ALPHA, BETA), ALPHA * view(x) + BETA * view(y))
    assert axpby(np.array([1, 2], np.float32), [3.0, 4.0], ALPHA, BETA).tolist() == [10, 16]
    assert axpby([[1, 2]], 1.0).tolist() == [[2, 3]]


def test_compiled_for_any_shape():
    call = tn.compile(lambda x, y: axpby(x, y, ALPHA, BETA) + 1, shapeless=True)
    for shape in ((3, 4), (2, 2), (5,)):
        same(call(numbers(shape), numbers(shape)), 6 * numbers(shape) + 1)


def test_exported_and_imported(tmp_path):
    path = str(tmp_path / "axpby.mlxfn")
    tn.export_function(path, lambda x, y: axpby(x, y, ALPHA, BETA), numbers(), numbers())
    (z,) = tn.import_function(path)(numbers(), numbers())
    same(z, 6 * numbers())


def test_streams_and_other_threads():
    same(axpby(numbers(), numbers(), ALPHA, BETA, stream=tn.cpu), 6 * numbers())
    same(axpby(numbers(), numbers(), stream=tn.new_stream(tn.cpu)), 2 * numbers())
    results = [None] * 4

    def work(i):
        results[i] = axpby(numbers(), numbers(), float(i), BETA)
        tn.eval(results[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        same(results[i], (i + 2) * numbers())


def test_uses_are_printed_by_the_library():
    picture = str(tenon.show(lambda x, y: axpby(x, y, ALPHA, BETA), numbers(), numbers()))
    assert "@axpby" in picture


def test_it_is_a_part_of_layers_that_learn(tmp_path):
    package = tmp_path / "axpby"
    package.mkdir()
    (package / "__init__.py").write_text((ROOT / "examples/axpby/src/axpby/__init__.py").read_text())
    (package / "libaxpby.so").symlink_to(BUILD / "examples" / "axpby" / "libaxpby.so")
    paths = os.pathsep.join([str(BUILD / "python"), str(tmp_path)])
    done = subprocess.run([sys.executable, ROOT / "examples/axpby/layer.py"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": paths})
    assert done.stdout == "the loss falls by a factor of 1000: True\n", done.stderr
