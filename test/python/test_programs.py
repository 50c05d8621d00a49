# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.load: StableHLO programs as functions, beside JAX that wrote them."""

import gc
import re
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tenon
import tenon.core as tn
from jax import export

PARAMS = {"w": np.arange(6, dtype=np.float32).reshape(3, 2) / 10, "b": np.array([0.5, -0.5], np.float32)}
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


def predict(params, x):
    return {"y": jnp.tanh(x @ params["w"] + params["b"]), "total": x.sum()}


def artifact(function, *arguments, **options):
    return export.export(jax.jit(function, **options))(*arguments).mlir_module_serialized


@pytest.fixture(scope="module")
def program():
    return tenon.load(artifact(predict, PARAMS, X))


def test_a_model_of_jax_is_served_without_jax(program):
    total, y = program(PARAMS["b"], PARAMS["w"], X)
    expected = predict(PARAMS, X)
    np.testing.assert_allclose(np.asarray(y), expected["y"], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(total), expected["total"], atol=1e-6)


def test_inputs_have_names_shapes_and_dtypes(program):
    assert [tuple(it) for it in program.inputs] == [
        ("params.b", (2,), tn.float32), ("params.w", (3, 2), tn.float32), ("x", (4, 3), tn.float32)]
    assert [it.name for it in program.outputs] == ["result.total", "result.y"]
    assert repr(program) == ("<tenon.Program: params.b: 2xfloat32, params.w: 3x2xfloat32, x: 4x3xfloat32 -> "
                             "result.total: float32, result.y: 4x2xfloat32>")
    named = program(x=X, **{"params.w": PARAMS["w"], "params['b']": PARAMS["b"]})
    assert named[1].tolist() == program(PARAMS["b"], PARAMS["w"], X)[1].tolist()


def test_inputs_are_arrays_of_any_package_or_numbers(program):
    expected = program(PARAMS["b"], PARAMS["w"], X)[1].tolist()
    for w in (jnp.asarray(PARAMS["w"]), tn.array(PARAMS["w"]), np.asfortranarray(PARAMS["w"])):
        assert program([0.5, -0.5], w, tn.array(X))[1].tolist() == expected
    lazy = tn.array(X) * 2 / 2
    assert program(PARAMS["b"], PARAMS["w"], lazy)[1].tolist() == expected


def test_a_path_and_a_text_are_modules_too(tmp_path):
    text = "func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> { %0 = stablehlo.add %a, %a : tensor<2xi32> return %0 : tensor<2xi32> }"
    (tmp_path / "double.mlir").write_text(text)
    for source in (tmp_path / "double.mlir", str(tmp_path / "double.mlir"), text.encode()):
        assert tenon.load(source)([1, 2]).tolist() == [2, 4]


@pytest.mark.parametrize("call, error, message", [
    (lambda p: p(1), TypeError, "input 1 (params.w) is missing"),
    (lambda p: p(X, X, X, X), TypeError, "the program takes 3 inputs; found 4"),
    (lambda p: p(v=1), TypeError, "the program has no input 'v'; its inputs are: params.b, params.w, x"),
    (lambda p: p(X, x=X, **{"params.b": X}), TypeError, "got multiple values for input 'params.b'"),
    (lambda p: p(np.zeros(2), PARAMS["w"], X), ValueError, "input 0 params.b is tensor<2xf64>; expected tensor<2xf32>"),
    (lambda p: p(np.zeros(3, np.float32), PARAMS["w"], X), ValueError, "expected tensor<2xf32>"),
    (lambda p: p("a", PARAMS["w"], X), TypeError, "input 0 (params.b): expected an array; found 'a'"),
    (lambda p: p(PARAMS["b"], PARAMS["w"], X, donate=[7]), ValueError, "donate: the program has no input 7"),
    (lambda p: p.print("plan", "pdf"), ValueError, "expected one of"),
    (lambda p: tenon.load("/no/such/file"), FileNotFoundError, "/no/such/file"),
    (lambda p: tenon.load(b"module {"), ValueError, "1:9: error: expected a function"),
    (lambda p: tenon.load(b"module {}", function="f"), FileNotFoundError, "f"),
])
def test_mistakes_are_named(program, call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call(program)


def test_dynamic_dimensions_are_none_and_take_any_size():
    (n,) = export.symbolic_shape("n")
    program = tenon.load(artifact(lambda x: x * 2, jax.ShapeDtypeStruct((n, 3), jnp.float32)))
    assert program.inputs[0].shape == (None, 3)
    for size in (1, 5):
        assert program(np.ones((size, 3), np.float32)).shape == (size, 3)


def test_donated_memory_is_reused():
    program = tenon.load(artifact(lambda x: x + 1, np.zeros(1 << 16, np.float32), donate_argnums=0))
    x = tn.zeros((1 << 16,)) + 1
    tn.eval(x)
    assert program(x, donate=[0]).tolist() == [2.0] * (1 << 16)


def test_programs_run_side_by_side_and_outlive_nothing(program):
    results = [None] * 4

    def work(i):
        for _ in range(50):
            results[i] = program(PARAMS["b"], PARAMS["w"], X + np.float32(i))[0]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        np.testing.assert_allclose(results[i].item(), (X + np.float32(i)).sum(), rtol=1e-5)
    y = tenon.load(artifact(lambda x: x + 1, np.float32(0)))(1.0)
    gc.collect()
    assert y.item() == 2


def test_people_can_look_inside(program):
    assert program._repr_svg_().startswith("<svg") and "cpu.dot_general" in program.to_text()
    assert "stablehlo.dot_general" in program.to_text("ir")
    assert program.statistics()["instruction_count"] > 3
