# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.load: StableHLO programs as functions, beside JAX that wrote them."""

import collections
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


Pair = collections.namedtuple("Pair", "a b")


def test_trees_are_the_inputs_that_jax_has_named_after_them(program):
    expected = [part.tolist() for part in program(PARAMS["b"], PARAMS["w"], X)]
    for result in (program(params=PARAMS, x=X), program(PARAMS, X), program(PARAMS, x=X), program(params={**PARAMS, "unused": X}, x=X),
                   program(params={"b": [0.5, -0.5], "w": PARAMS["w"]}, x=X)):
        assert [part.tolist() for part in result] == expected
    with pytest.raises(TypeError, match=r"params\.b"):
        program(params={"w": PARAMS["w"]}, x=X)
    with pytest.raises(TypeError, match="weights"):
        program(weights=PARAMS, x=X)
    with pytest.raises(TypeError, match="x"):
        program(PARAMS)


def test_trees_of_lists_and_named_tuples_are_inputs():
    def f(layers, pair, points, x):
        return x * layers[0]["b"] + layers[1]["b"] + pair[0] - pair[1] + points.a * points.b

    arrays = [np.full(3, i, np.float32) for i in range(1, 8)]
    arguments = [{"b": arrays[0]}, {"b": arrays[1]}], (arrays[2], arrays[3]), Pair(arrays[4], arrays[5]), arrays[6]
    loaded = tenon.load(artifact(f, *arguments))
    expected = np.asarray(f(*arguments)).tolist()
    assert loaded(*arguments).tolist() == loaded(*arrays).tolist() == expected
    assert loaded(**dict(zip(("layers", "pair", "points", "x"), arguments))).tolist() == expected


@pytest.mark.parametrize("timeout", [-1, -0.5, float("nan"), float("-inf")])
def test_a_time_limit_is_a_number_of_seconds(program, timeout):
    with pytest.raises(ValueError, match="timeout: expected seconds, or 0 or None for no limit; found"):
        program(PARAMS, X, timeout=timeout)
    with pytest.raises(TypeError):
        program(PARAMS, X, timeout="soon")


@pytest.mark.parametrize("timeout", [0, None, float("inf"), 1e300, 3600, np.float32(3600)])
def test_limits_that_no_run_reaches_are_none(program, timeout):
    assert len(program(PARAMS, X, timeout=timeout)) == 2


def test_a_run_that_takes_longer_is_a_timeout():
    forever = b"""func.func @main(%n: tensor<i64>) -> tensor<i64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %r = stablehlo.while(%i = %zero) : tensor<i64> cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i64>
        stablehlo.return %next : tensor<i64>
      }
      return %r : tensor<i64>
    }"""
    with pytest.raises(TimeoutError) as error:
        tenon.load(forever)(tn.array(2**62, tn.int64), timeout=0.01)
    assert isinstance(error.value, RuntimeError) and type(error.value) is tn.DeadlineExceededError


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
    (lambda p: tenon.load(b"module {}", function="f"), LookupError, "f"),
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
