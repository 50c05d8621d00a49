# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.jax: operations of libraries, and functions of tenon.core, under JAX's transforms."""

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tenon.core as tn
import tenon.jax
from jax.test_util import check_grads

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
X = jnp.linspace(-1, 1, 6, dtype=jnp.float32).reshape(2, 3)
Y = jnp.linspace(2, 3, 6, dtype=jnp.float32).reshape(2, 3)


@pytest.fixture(scope="module")
def axpby():
    return tenon.jax.register(BUILD / "examples" / "axpby" / "libaxpby.so").axpby


def plain(x, y, alpha=1.0, beta=1.0):
    return alpha * x + beta * y


def close(ours, theirs):
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a, np.float32), np.asarray(b, np.float32), rtol=1e-5, atol=1e-6)


def test_an_operation_is_a_function_of_jax(axpby):
    for run in (lambda f: f, jax.jit):
        close(run(lambda x, y: axpby(x, y, 4.0, beta=2.0))(X, Y), plain(X, Y, 4.0, 2.0))
    assert axpby(X.astype(jnp.bfloat16), Y.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    assert jax.eval_shape(axpby, X, Y).shape == (2, 3)


def test_its_derivatives_are_those_of_the_library(axpby):
    def loss(f):
        return lambda x, y: jnp.sin(f(x * 2, y, 4.0, 2.0)).sum()

    for transform in (jax.grad, lambda f: jax.grad(f, argnums=(0, 1)), jax.jacfwd, jax.jacrev, jax.hessian,
                      lambda f: jax.jit(jax.value_and_grad(f)), lambda f: jax.grad(lambda x, y: jax.grad(f)(x, y).sum())):
        close(transform(loss(axpby))(X, Y), transform(loss(plain))(X, Y))
    close(jax.jvp(axpby, (X, Y), (Y, X)), jax.jvp(plain, (X, Y), (Y, X)))
    close(jax.vjp(axpby, X, Y)[1](Y), jax.vjp(plain, X, Y)[1](Y))


HANDLERS_FOR_CUDA = """
import sys, jax, tenon.jax
jax.ffi.register_ffi_target = lambda name, stages, *, platform, traits: print(name, platform, sorted(stages))
for path in sys.argv[1:]:
    print(tenon.jax.register(path).__all__)
"""


@pytest.mark.skipif(not (BUILD / "simulated_cuda").exists(), reason="there is no simulated driver of CUDA")
def test_handlers_for_cuda_are_registered_under_their_platform():
    libraries = [BUILD / "simulated_cuda/libbroadcast_add_nvrtc.so", BUILD / "examples/broadcast_add/libbroadcast_add.so"]
    done = subprocess.run([sys.executable, "-c", HANDLERS_FOR_CUDA, *libraries], check=True, capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(BUILD / "simulated_cuda"), "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout.splitlines() == ["broadcast_add CUDA ['execute']", "['broadcast_add']", "broadcast_add cpu ['execute']", "['broadcast_add']"]


def test_jax_checks_its_gradients_in_both_modes(axpby):
    for function in (axpby, jax.jit(axpby), jax.vmap(axpby)):
        check_grads(lambda x, y: function(x, y, 4.0, 2.0) if function is axpby else jnp.tanh(function(x, y)), (X, Y), order=2,
                    modes=["fwd", "rev"], rtol=2e-2)


def test_it_is_batched(axpby):
    for axes in ((0, 0), (0, None), (None, 1), (1, 1)):
        if axes == (0, None):
            arguments = X, Y[0]
        elif axes == (None, 1):
            arguments = X[:, 0], Y
        else:
            arguments = X, Y
        close(jax.vmap(axpby, in_axes=axes)(*arguments), jax.vmap(plain, in_axes=axes)(*arguments))
    for f in (lambda g: jax.vmap(jax.grad(lambda x, y: jnp.tanh(g(x, y, 3.0)).sum()), in_axes=(0, None)),
              lambda g: jax.grad(lambda x, y: jax.vmap(g, in_axes=(0, None))(x, y).var()),
              lambda g: jax.vmap(lambda x, y: jax.jvp(g, (x, y), (y, x)), in_axes=(0, None))):
        close(f(axpby)(X, Y[0]), f(plain)(X, Y[0]))


def test_loops_and_scans_call_it(axpby):
    def step(f):
        return lambda carry, y: (f(carry, y, 0.5), carry.sum())

    close(jax.lax.scan(step(axpby), X, jnp.stack([Y, X])), jax.lax.scan(step(plain), X, jnp.stack([Y, X])))


def test_any_function_of_tenon_core_is_one_of_jax():
    def normalise(x):
        return x / tn.sqrt(tn.sum(x * x, axis=-1, keepdims=True)), tn.argmax(x, axis=-1)

    def twin(x):
        return x / jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True)), jnp.argmax(x, axis=-1).astype(jnp.uint32)

    wrapped = tenon.jax.wrap(normalise)
    close(wrapped(X), twin(X))
    close(jax.grad(lambda x: (wrapped(x)[0] ** 3).sum())(X), jax.grad(lambda x: (twin(x)[0] ** 3).sum())(X))
    close(jax.vmap(wrapped)(X), jax.vmap(twin)(X))


def test_arguments_and_results_are_pytrees():
    def scaled(tree, *, factors):
        return {"y": tree["a"] * factors[0], "rest": (tree["b"][0],)}

    wrapped = tenon.jax.wrap(scaled)
    tree, factors = {"a": X, "b": [Y]}, [jnp.float32(3)]
    for run in (lambda f: f, jax.jit):
        result = run(lambda tree, factors: wrapped(tree, factors=factors))(tree, factors)
        assert jax.tree.structure(result) == jax.tree.structure({"y": X, "rest": (Y,)})
        close(result, {"y": 3 * X, "rest": (Y,)})
    close(jax.grad(lambda tree: wrapped(tree, factors=factors)["y"].sum())(tree), {"a": 3 * jnp.ones_like(X), "b": [jnp.zeros_like(Y)]})
    close(jax.vmap(lambda tree: wrapped(tree, factors=factors))(tree), {"y": 3 * X, "rest": (Y,)})


def test_a_wrapped_function_reads_other_values_once():
    scale = [1.0]
    wrapped = tenon.jax.wrap(lambda x: x * scale[0])
    assert wrapped(jnp.ones(2)).tolist() == [1, 1]
    scale[0] = 5.0
    assert wrapped(jnp.ones(2)).tolist() == [1, 1] and "never again" in tenon.jax.wrap.__doc__


def test_scalars_of_jax_and_numpy_are_attributes(axpby):
    for two in (jnp.float32(2), np.float32(2), np.int32(2), jnp.asarray(2), 2):
        close(axpby(X, Y, alpha=two), plain(X, Y, 2.0))
    with pytest.raises(TypeError, match="attribute 'alpha'"):
        axpby(X, Y, alpha=jnp.ones(2))


def export_polymorphic(function, *shapes):
    types = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    return jax.export.export(jax.jit(function), disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("axpby")])(*types)


def test_operations_have_symbolic_dimensions(axpby):
    b, n = jax.export.symbolic_shape("b, n")
    exported = export_polymorphic(lambda x, y: axpby(jnp.sin(x), y, alpha=3.0) + 1, (b, n, 4), (b, n, 4))
    assert exported.out_avals[0].shape == (b, n, 4)
    for shape in ((2, 3, 4), (5, 1, 4)):
        x, y = np.full(shape, 0.5, np.float32), np.full(shape, 2, np.float32)
        close(exported.call(x, y), plain(jnp.sin(x), y, 3.0) + 1)


def test_named_dimensions_may_be_symbolic(tmp_path):
    library = tmp_path / "libproduct.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", ROOT / "examples" / "product" / "kernels.c", "-o", library],
                   check=True)
    product = tenon.jax.register(library).product
    n, k, m = jax.export.symbolic_shape("n, k, m")
    types = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((n, k), (k, m))]
    exported = jax.export.export(jax.jit(product), disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("product")])(*types)
    assert exported.out_avals[0].shape == (n, m)
    x, w = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 4), np.float32)
    close(exported.call(x, w), x @ w)
    assert jax.eval_shape(product, x, w).shape == (2, 4)
    with pytest.raises(ValueError, match=r"product: operand 1 \(w\): expected dims\(k, m\) where k is 3; found tensor<2x3xf32>"):
        product(x, x)


def test_symbolic_dimensions_elsewhere_are_named(axpby):
    (b,) = jax.export.symbolic_shape("b")
    with pytest.raises(NotImplementedError, match=r"axpby\(\): operands with symbolic dimensions must have one shape and dtype"):
        export_polymorphic(lambda x, y: axpby(x, y), (b, 4), (4,))
    with pytest.raises(NotImplementedError, match=r"double\(\): an array has the shape \(b, 4\)"):
        def double(x):
            return x * 2

        export_polymorphic(tenon.jax.wrap(double), (b, 4))


def test_one_module_serves_many_calls_of_a_program(axpby):
    text = jax.jit(lambda x, y: axpby(axpby(x, y), y)).lower(X, Y).as_text()
    assert text.count("func.func private @tenon_") == 1 and text.count("stablehlo.custom_call @axpby") == 1


def test_mistakes_are_raised_at_the_trace(axpby):
    with pytest.raises(ValueError, match="axpby: shapes 2x3 and 2 do not broadcast"):
        jax.jit(axpby)(X, X[:, 0])
    with pytest.raises(TypeError, match=r"axpby\(\): missing a required argument: 'y'; it is axpby\(x, y, alpha=1.0, beta=1.0"):
        axpby(X)
    with pytest.raises(TypeError, match=r"axpby\(\): got an unexpected keyword argument 'gamma'"):
        axpby(X, Y, gamma=1)
    with pytest.raises(TypeError, match="attribute 'alpha' is traced"):
        jax.jit(axpby)(X, Y, 1.0)
    with pytest.raises(TypeError, match=r"attribute 'alpha': expected a number, text or a list of numbers; found dict"):
        axpby(X, Y, {})
    with pytest.raises(TypeError, match="there is no stream"):
        axpby(X, Y, stream=tn.cpu)
    with pytest.raises(TypeError, match="the function should return arrays; it returned 'a'"):
        tenon.jax.wrap(lambda x: (x, "a"))(X)
    with pytest.raises(TypeError):
        tenon.jax.wrap(lambda x: x)("a")


def test_a_call_outside_of_jit_is_compiled_once(axpby):
    axpby(X, Y, 7.0)
    with pytest.MonkeyPatch.context() as patch:
        compiled = []
        patch.setattr(jax, "jit", lambda *arguments, **options: compiled.append(arguments))
        axpby(X, Y, 7.0)
    assert not compiled
