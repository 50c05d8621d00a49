# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Transforms of functions: grad, value_and_grad, jvp, vjp, vmap, compile, checkpoint, custom_function."""

import collections
import functools
import gc
import re
import threading
import weakref

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

Point = collections.namedtuple("Point", "x y")


def plain(tree):
    """Nested lists in the place of arrays."""
    if isinstance(tree, (tn.array, mx.array)):
        return np.array(tree.tolist()).round(4).tolist()
    if isinstance(tree, dict):
        return {key: plain(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [plain(part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def both(work):
    """What the work gives with tenon.core, which is what it gives with mlx.core."""
    ours, theirs = work(tn), work(mx)
    assert plain(ours) == plain(theirs)
    return ours


def loss(x, y=2.0, z=None):
    return (x * x * y).sum()


@pytest.mark.parametrize("options, names", [
    ({}, ()), ({"argnums": 1}, ()), ({"argnums": [0, 1]}, ()), ({"argnums": (1,)}, ()), ({"argnames": "y"}, "y"),
    ({"argnums": 0, "argnames": "y"}, "y"), ({"argnames": ["y"]}, "y"), ({"argnames": []}, ()),
])
def test_gradients_have_the_form_of_mlx(options, names):
    def work(core):
        x, y = core.array([1.0, 2.0]), core.array(3.0)
        f, g = core.value_and_grad(loss, **options), core.grad(loss, **options)
        return (f(x, y=y), g(x, y=y)) if names else (f(x, y), g(x, y))

    both(work)


def test_arguments_and_auxiliary_outputs_are_trees():
    def fun(p, scale, flag=None):
        value = (p["a"][0] * p["b"].x * scale).sum() + p["b"].y
        return value, {"twice": 2 * value, "flag": flag}, "text"

    def work(core):
        p = {"a": [core.array([1.0, 2.0])], "b": Point(core.array([3.0, 4.0]), core.array(5.0))}
        return core.value_and_grad(fun)(p, 2.0, flag=True)

    value, gradients = both(work)
    assert isinstance(gradients["b"], Point)


def test_a_function_may_change_the_trees_of_its_arguments():
    def fun(arrays):
        arrays[1] = arrays[0] * 3
        return arrays[1]

    for core in (tn, mx):
        given = [core.array(1.0), core.array(1.0)]
        first, second = given
        assert plain(core.grad(fun)(given)) == [3, 0]
        assert given[0] is first and given[1] is not second and given[1].item() == 3


def test_gradients_nest():
    for x in (0.5, -2.0):
        assert both(lambda core: core.grad(core.grad(lambda v: v * v * v))(core.array(x))).item() == 6 * x


def test_a_function_may_branch_on_values():
    assert both(lambda core: core.grad(lambda x: x * 2 if x.item() > 1 else x * 3)(core.array(1.5))).item() == 2


def test_complex_gradients_have_the_convention_of_mlx():
    both(lambda core: core.grad(lambda x: core.abs(x * x).sum())(core.array([1 + 2j, 3 - 1j])))
    both(lambda core: core.vjp(lambda x: x * (1 + 2j), [core.array([1 + 1j])], [core.array([2 - 3j])]))


def test_jvp_and_vjp_give_lists():
    def work(core):
        x, t = core.array([1.0, 2.0]), core.array([1.0, 10.0])
        return (core.jvp(lambda a: a * a, [x], [t]), core.jvp(lambda a, b: (a * b, a), (x, x), (t, x)),
                core.vjp(lambda a: a * a, [x], [t]), core.vjp(lambda a, b: [a * b, a], (x, x), (t, x)))

    both(work)


def test_a_batch_goes_where_it_is_wanted():
    def work(core):
        m = core.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        x = core.array([1.0, 2.0])
        return [core.vmap(lambda v: v.sum())(m), core.vmap(lambda a, b: a + b, in_axes=(0, None))(m, x),
                core.vmap(lambda v: v, in_axes=-1, out_axes=-1)(m), core.vmap(lambda v: (v, v), out_axes=(0, 1))(m),
                core.vmap(lambda v: {"a": v, "b": (v * 2,)}, out_axes={"a": 1, "b": 0})(m),
                core.vmap(lambda t: t["a"] * t["b"], in_axes={"a": 0, "b": 1})({"a": m, "b": m.T}),
                core.vmap(core.grad(lambda v: (v * v).sum()))(m), core.grad(lambda v: core.vmap(lambda r: (r * r).sum())(v).sum())(m)]

    both(work)


@pytest.mark.parametrize("call, error", [
    (lambda core, x: core.grad(loss, argnums=[]), ValueError),
    (lambda core, x: core.grad(loss, argnums=-1)(x), ValueError),
    (lambda core, x: core.grad(loss, argnums=(0, 0))(x), ValueError),
    (lambda core, x: core.grad(loss, argnums=5)(x), ValueError),
    (lambda core, x: core.grad(loss, argnums=1.5), TypeError),
    (lambda core, x: core.grad(loss, argnames=3), TypeError),
    (lambda core, x: core.grad(loss, argnames="y")(x), ValueError),
    (lambda core, x: core.grad(loss)(3.0), ValueError),
    (lambda core, x: core.grad(loss)({"a": x, "b": 3}), ValueError),
    (lambda core, x: core.grad(lambda v: v)(x), ValueError),
    (lambda core, x: core.grad(lambda v: 3)(x), ValueError),
    (lambda core, x: core.grad(lambda v: (v.sum(), v))(x), ValueError),
    (lambda core, x: core.value_and_grad(lambda v: [v.sum()])(x), ValueError),
    (lambda core, x: core.value_and_grad(lambda v: (3, v))(x), ValueError),
    (lambda core, x: core.grad(lambda v: x.sum())([]), ValueError),
    (lambda core, x: core.grad(3), TypeError),
    (lambda core, x: core.jvp(loss, [1.0], [1.0]), TypeError),
    (lambda core, x: core.jvp(loss, [x], [x, x]), ValueError),
    (lambda core, x: core.jvp(loss, [x], [x.sum()]), ValueError),
    (lambda core, x: core.vjp(lambda v: (v, v), [x], [x]), ValueError),
    (lambda core, x: core.vjp(lambda v: v, [x], [x.sum()]), ValueError),
    (lambda core, x: core.vmap(loss)(x=x), TypeError),
    (lambda core, x: core.vmap(loss, in_axes=None), TypeError),
    (lambda core, x: core.vmap(loss, in_axes=(0,))(x, x), ValueError),
    (lambda core, x: core.vmap(loss, in_axes="a")(x), ValueError),
    (lambda core, x: core.vmap(loss, in_axes=5)(x), IndexError),
    (lambda core, x: core.vmap(lambda a, b: a)(x, core.array([1.0])), ValueError),
    (lambda core, x: core.vmap(lambda v: (v, v), out_axes=(0,))(x), ValueError),
    (lambda core, x: core.compile(3), TypeError),
    (lambda core, x: core.compile(lambda a, b: a)(x, object()), ValueError),
])
def test_mistakes_are_those_of_mlx(call, error):
    for core in (tn, mx):
        with pytest.raises(error):
            call(core, core.array([1.0, 2.0]))


class Mine(Exception):
    pass


@pytest.mark.parametrize("transform", [
    lambda f: tn.grad(f), lambda f: tn.vmap(f), lambda f: tn.compile(f), lambda f: tn.grad(tn.checkpoint(f)),
    lambda f: lambda x: tn.jvp(f, [x], [x]), lambda f: tn.vmap(tn.grad(tn.compile(f))),
])
def test_exceptions_of_functions_come_out_unchanged(transform):
    error = Mine("text")

    def fail(x):
        raise error

    for _ in range(2):
        with pytest.raises(Mine) as info:
            transform(fail)(tn.array([1.0]))
        assert info.value is error
    assert tn.grad(lambda x: x * x)(tn.array(3.0)).item() == 6


def test_exceptions_of_rules_come_out_unchanged():
    error = Mine("text")

    @tn.custom_function
    def f(x):
        return x * 2

    def fail(*arguments):
        raise error

    f.vjp(fail), f.jvp(fail), f.vmap(fail)
    for call in (lambda: tn.grad(f)(tn.array(1.0)), lambda: tn.jvp(f, [tn.array(1.0)], [tn.array(1.0)]),
                 lambda: tn.vmap(f)(tn.array([1.0]))):
        with pytest.raises(Mine) as info:
            call()
        assert info.value is error


def test_rules_of_a_function_count_under_vmap():
    @tn.custom_function
    def f(x, w):
        return x * w, x

    @f.vjp
    def _(primals, cotangents, outputs):
        (x, w), (a, b) = primals, cotangents
        assert x.shape == () and a.shape == () and outputs[0].shape == ()
        return 3.0 * a * w + b, 5.0 * a * x

    @f.jvp
    def _(primals, tangents):
        return 7.0 * tangents[0], None

    x, w = tn.array([1.0, 2.0, 4.0]), tn.array(10.0)

    def total(x, w):
        a, b = tn.vmap(f, in_axes=(0, None))(x, w)
        return tn.sum(a) + tn.sum(b)

    wanted = tn.vmap(tn.grad(lambda x, w: sum(f(x, w)), argnums=(0, 1)), in_axes=(0, None))(x, w)
    for function in (total, tn.compile(total)):
        got = tn.grad(function, argnums=(0, 1))(x, w)
        assert got[0].tolist() == wanted[0].tolist() == [31.0, 31.0, 31.0]
        assert got[1].item() == tn.sum(wanted[1]).item() == 35.0
    assert tn.jvp(total, [x, w], [tn.ones(3), tn.zeros(())])[1][0].item() == 21.0
    rows = tn.array([[1.0, 2.0], [3.0, 4.0]])
    assert tn.grad(lambda x: tn.sum(tn.vmap(tn.vmap(lambda x: f(x, x)[0]))(x)))(rows).tolist() == \
        [[8.0, 16.0], [24.0, 32.0]]

    @f.vmap
    def _(inputs, axes):
        assert axes == [0, None] or axes == (0, None)
        return (inputs[0] * inputs[1] * 100.0, inputs[0]), (0, 0)

    assert tn.vmap(f, in_axes=(0, None))(x, w)[0].tolist() == [1000.0, 2000.0, 4000.0]
    assert tn.grad(total)(x, w).tolist() == [31.0, 31.0, 31.0]


def test_a_program_is_made_once_for_each_structure_types_and_constants():
    calls = []

    @tn.compile
    def f(tree, n=2.0, *, name="a"):
        calls.append(name)
        return {"sum": tree["x"] + tree["y"][0] * n, "name": name}, None

    def call(shape, **options):
        return f({"x": tn.array(np.ones(shape, np.float32)), "y": [tn.array(np.ones(shape, np.float32))]}, **options)

    assert plain(call((2,))) == ({"sum": [3, 3], "name": "a"}, None)
    assert plain(call((2,))) == plain(call((2,), n=2.0))
    assert len(calls) == 2  # n by default and as a keyword
    assert plain(call((2,), n=3.0))[0]["sum"] == [4, 4] and len(calls) == 3
    assert plain(call((1,)))[0]["sum"] == [3] and len(calls) == 4
    assert call((1,), name="b")[0]["name"] == "b" and calls[-1] == "b"
    call((2,)), call((1,))
    assert len(calls) == 5


def test_compiled_functions_read_and_set_captured_arrays():
    def work(core):
        state, results = {"n": core.array(0.0), "more": [core.array([1.0])]}, []

        @core.compile
        def unused(x):
            return x

        def step(x):
            state["n"] = state["n"] + x.sum()
            state["more"][0] = state["more"][0] * 2
            return state["n"] * x

        compiled = core.compile(step, inputs=state, outputs=state)
        for i in range(3):
            results.append(plain(compiled(core.array([1.0, float(i)]))))
        return results, state

    both(work)


def test_functions_without_shapes_are_called_once_for_a_rank_and_dtype():
    calls = []

    @functools.partial(tn.compile, shapeless=True)
    def f(x, scale):
        calls.append(x.shape)
        x[0] = 5
        return {"y": [tn.softmax(x * scale, axis=-1)[..., :2], 3], "z": x.sum(keepdims=True)}

    for shape in [(2, 3), (4, 2), (2, 3), (1, 5)]:
        x, plain = tn.ones(shape), np.ones(shape)
        plain[0] = 5
        out = f(x, 2)
        expected = np.exp(2 * plain) / np.exp(2 * plain).sum(-1, keepdims=True)
        np.testing.assert_allclose(np.array(out["y"][0]), expected[..., :2], rtol=1e-6)
        assert out["y"][1] == 3 and out["z"].item() == plain.sum()
    assert len(calls) == 1
    f(tn.ones(3), 2), f(tn.ones((2, 3), tn.float16), 2), f(tn.ones((2, 3)), 3)
    assert len(calls) == 4


def test_functions_without_shapes_advance_what_they_capture():
    state = {"sum": tn.array([0.0])}

    @functools.partial(tn.compile, inputs=state, outputs=state, shapeless=True)
    def add(x):
        state["sum"] = state["sum"] + x.sum()
        return state["sum"] * 2

    assert [add(tn.ones(n)).item() for n in (2, 3, 2)] == [4, 10, 14] and state["sum"].item() == 7


def test_functions_without_shapes_use_the_state_of_random_numbers():
    f = tn.compile(lambda x: x + tn.random.uniform(shape=x.shape), inputs=tn.random.state, outputs=tn.random.state, shapeless=True)
    g = tn.compile(lambda x: x + tn.random.uniform(shape=x.shape), inputs=tn.random.state, shapeless=True)
    for h in (f, g):
        for n in (2, 3, 3):
            tn.random.seed(n)
            assert h(tn.zeros(n)).tolist() == tn.random.uniform(shape=[n], key=tn.random.split(tn.random.key(n))[1]).tolist()
    tn.random.seed(0)


# What has no record is called again: gradients, batches, iteration.
def test_functions_without_shapes_may_use_transforms():
    f = tn.compile(lambda x: tn.grad(lambda y: (y * y).sum())(x) + sum(row for row in x), shapeless=True)
    assert f(tn.ones((2, 1))).tolist() == [[4], [4]] and f(tn.ones((3, 1))).tolist() == [[5], [5], [5]]


def test_errors_of_functions_without_shapes_leave_no_record():
    f = tn.compile(lambda x: (x.reshape(2, -1), x @ tn.ones((2, 2)))[1], shapeless=True)
    for shape in ((3, 3), (2, 3)):
        with pytest.raises(ValueError):
            f(tn.ones(shape))
    assert f(tn.ones((2, 2))).shape == (2, 2)
    with pytest.raises(ValueError, match="3 elements|9 elements|reshape"):
        f(tn.ones((3, 3)))


def test_compiled_functions_may_add_captured_arrays():
    def work(core):
        state = {}

        def step(x):
            state["last"] = x + state.get("last", core.array(0.0))
            return x * 2

        compiled = core.compile(step, inputs=state, outputs=state)
        return [plain(compiled(core.array(2.0))) for _ in range(3)], state

    both(work)


def test_compiled_functions_read_and_advance_the_state_of_random_numbers():
    def draw(core):
        return core.random.uniform(shape=(4,))

    def work(core, compiled):
        counter = {"n": core.array(0)}
        state = [counter, core.random.state]

        def step():
            counter["n"] = counter["n"] + 1
            return draw(core)

        one = core.compile(lambda: draw(core), inputs=core.random.state, outputs=core.random.state) if compiled else lambda: draw(core)
        two = core.compile(step, inputs=state, outputs=state) if compiled else step
        core.random.seed(5)
        return [one(), one(), two(), two(), draw(core)], counter

    assert plain(both(lambda core: work(core, True))) == plain(work(tn, False))
    constant = tn.compile(lambda: draw(tn))
    assert constant().tolist() == constant().tolist()


def test_compiled_functions_are_functions_for_transforms():
    def work(core):
        f = core.compile(lambda x: (core.exp(x) * x).sum())
        x = core.array([[1.0, 2.0], [3.0, 4.0]])
        return core.grad(f)(x), core.vmap(f)(x), core.compile(core.grad(f))(x), core.compile(core.value_and_grad(f))(x)

    both(work)


def test_compilation_can_be_disabled():
    calls = []
    f = tn.compile(lambda x: calls.append(1) or x + 1)
    tn.disable_compile()
    try:
        f(tn.array(1)), f(tn.array(1))
        assert len(calls) == 2
    finally:
        tn.enable_compile()
    f(tn.array(1)), f(tn.array(1))
    assert len(calls) == 3


def test_values_are_not_known_in_programs_and_batches():
    for transform in (tn.compile, tn.vmap):
        with pytest.raises(Exception, match="transform"):
            transform(lambda x: x.sum().item())(tn.array([[1.0]]))


def test_constants_have_no_gradient():
    both(lambda core: core.grad(lambda x: (core.stop_gradient(x) * x).sum())(core.array([1.0, 2.0])))


def test_checkpoints_call_the_function_again():
    calls = []

    def f(tree, y):
        calls.append(1)
        return {"out": tn.sin(tree["x"]) * y}

    gradient = tn.grad(lambda x: tn.checkpoint(f)({"x": x}, y=tn.array(2.0))["out"].sum())(tn.array([1.0, 2.0]))
    np.testing.assert_allclose(gradient.tolist(), 2 * np.cos([1.0, 2.0]), rtol=1e-6)
    assert len(calls) == 2


def test_rules_take_the_place_of_the_function():
    def work(core):
        @core.custom_function
        def f(tree, y):
            return {"out": tree["x"] * y}

        log = []
        x, y = core.array([1.0, 2.0]), core.array([3.0, 4.0])

        def call(a):
            return f({"x": a}, y)["out"]

        results = [core.grad(lambda a: call(a).sum())(x)]

        @f.vjp
        def vjp(primals, cotangents, outputs):
            log.append((plain(primals), plain(cotangents), plain(outputs)))
            return {"x": core.ones_like(x) * 7}, None

        results += [core.grad(lambda a: call(a).sum())(x), core.jvp(call, [x], [x])]

        @f.jvp
        def jvp(primals, tangents):
            log.append((plain(primals), plain(tangents)))
            return {"out": tangents[0]["x"] * 9}

        @f.vmap
        def vmap(inputs, axes):
            log.append(axes)
            return {"out": inputs[0]["x"] * 11}, axes[0]["x"]

        results += [core.jvp(call, [x], [x]), core.vmap(call, in_axes=1)(core.array([[1.0], [2.0]])), call(x)]
        return results, log

    both(work)


@pytest.mark.parametrize("give", [lambda c: 7 * c, lambda c: [7 * c], lambda c: (7 * c,)])
def test_a_list_of_one_gradient_is_that_gradient(give):
    for core in (tn, mx):
        f = core.custom_function(lambda x: 3 * x)
        f.vjp(lambda primals, cotangent, output: give(cotangent))
        assert core.grad(lambda x: f(x).sum())(core.array([1.0, 2.0])).tolist() == [7, 7]
        g = core.custom_function(lambda x: 3 * x)
        g.jvp(lambda primals, tangents: give(tangents))
        assert core.jvp(g, [core.array([1.0, 2.0])], [core.array([1.0, 2.0])])[1][0].tolist() == [7, 14]


@pytest.mark.parametrize("given", [3.0, {}, "a", [3.0]])
def test_what_a_rule_gives_is_no_zero_unless_it_is_none(given):
    f, g = tn.custom_function(lambda x: 3 * x), tn.custom_function(lambda x: 3 * x)
    f.vjp(lambda primals, cotangent, output: given)
    g.vjp(lambda primals, cotangent, output: None)
    with pytest.raises(TypeError, match="expected an array or None"):
        tn.grad(lambda x: f(x).sum())(tn.array([1.0, 2.0]))
    assert tn.grad(lambda x: g(x).sum())(tn.array([1.0, 2.0])).tolist() == [0, 0]


def test_a_function_with_one_rule_has_the_usual_others():
    def make(core, rule):
        f = core.custom_function(lambda x: x * x)
        getattr(f, rule)({"vjp": lambda x, c, y: c * 5, "jvp": lambda x, t: t * 5, "vmap": lambda x, a: (x * 5, a)}[rule])
        return f

    def work(core):
        x = core.array([1.0, 2.0])
        return [(core.grad(lambda v: f(v).sum())(x), core.jvp(f, [x], [x]), core.vmap(f)(x))
                for f in [make(core, rule) for rule in ("vjp", "vmap")]]

    both(work)
    f, x = make(tn, "jvp"), tn.array([1.0, 2.0])  # mlx has no gradient here
    assert tn.grad(lambda v: f(v).sum())(x).tolist() == [2, 4] and tn.vmap(f)(x).tolist() == [1, 4]


def test_captured_arrays_are_constants_to_a_function_with_a_rule():
    def g(core, x, y):
        f = core.custom_function(lambda v: v * y)
        f.vjp(lambda v, c, out: c * 100)
        return f(x)

    both(lambda core: core.grad(lambda x, y: g(core, x, y), argnums=(0, 1))(core.array(2.0), core.array(3.0)))


@pytest.mark.parametrize("transform", [tn.grad, tn.value_and_grad, tn.compile, tn.checkpoint, tn.custom_function, tn.vmap])
def test_cycles_through_functions_are_collected(transform):
    class Token:
        pass

    def make():
        token, box = Token(), {}

        def f(x):
            return token, box

        box["f"] = transform(f)
        return weakref.ref(token)

    ref = make()
    gc.collect()
    assert ref() is None


def test_transformed_functions_are_named_as_the_functions():
    assert tn.grad(loss).__name__ == tn.compile(loss).__name__ == "loss" and tn.vmap(loss).__wrapped__ is loss


def test_threads_transform_side_by_side():
    errors = []
    compiled = tn.compile(lambda x: (x * x).sum())

    def work(n):
        try:
            for i in range(50):
                x = tn.array([float(n), float(i)])
                assert tn.grad(compiled)(x).tolist() == [2.0 * n, 2.0 * i]
                assert compiled(x).item() == n * n + i * i
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_trees_that_hold_themselves_are_refused():
    tree = []
    tree.append(tree)
    with pytest.raises(RecursionError, match=re.escape("tree of arrays")):
        tn.grad(loss)(tree)
