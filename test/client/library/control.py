# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Control flow inside control flow, transformations of it, rules of one's own."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)


@register(np.int32(7), numbers(1, 6), sample=True)
def nested_control(n, x):
    def outer(i, a):
        def inner(state):
            j, b = state
            b = lax.cond(j %
    2 == 0, lambda c: c *
    0.5 +
    1, lambda c: lax.switch(j %
     3, [jnp.sin, jnp.cos, jnp.tanh], c), b)
            return j + 1, b

        return lax.while_loop(lambda s: s[0] < i, inner, (0, a))[1] + \
                              lax.fori_loop(0, i, lambda k, s: s + x[k % 6], 0.0)

    return lax.fori_loop(0, n, outer, x)


@register(integers(2, 8, low=-2, high=5), numbers(3, 8, 4), sample=True)
def batched_control(index, x):
    branches = [lambda a: a * 2, jnp.sin, lambda a: lax.cond(a[0] > 0, jnp.exp, jnp.negative, a)]

    def count(n, a):
        return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 0.9 + 0.1), (jnp.int32(0), a))

    return (jax.vmap(lambda i, a: lax.switch(i, branches, a))(index, x), jax.vmap(count)(index, x),
            jax.vmap(lambda i, a: lax.fori_loop(0, jnp.abs(i), lambda _, b: b + a, a))(index, x),
            jax.vmap(lambda a: lax.scan(lambda c, e: (c + e, c * e), 0.0, a))(x))


@register(numbers(4, 6), np.float32(0.3))
def derivatives_of_control(x, p):
    def f(x, p):
        y = lax.cond(p > 0, lambda a: jnp.sin(a) * p, lambda a: a * a, x)
        y = lax.scan(lambda c, e: (c * 0.9 + e, jnp.tanh(c)), y, jnp.stack([x, y, x]))[1]
        return jnp.sum(lax.fori_loop(0, 4, lambda i, a: a * p + jnp.cos(a), y) ** 2)

    return (jax.value_and_grad(f, argnums=(0, 1))(x, p), jax.jvp(f, (x, p), (x, p)),
            jax.hessian(f)(x, p), jax.linearize(f, x, p)[1](x, p))


@register(numbers(5, 10))
def rematerialised(x):
    @jax.checkpoint
    def block(a):
        return jnp.sin(jnp.exp(jnp.tanh(a)))

    kept = functools.partial(
    jax.checkpoint,
    policy=jax.checkpoint_policies.dots_saveable)(
        lambda a: jnp.sin(
            jnp.outer(
                a,
                 a) @ a))
    return jax.grad(lambda a: jnp.sum(block(block(a))))(x), jax.grad(
        lambda a: jnp.sum(kept(a)))(x), jax.hessian(lambda a: jnp.sum(block(a)))(x[:3])


@register(numbers(6, 7), sample=True)
def own_rules(x):
    @jax.custom_jvp
    def softplus(a):
        return jnp.maximum(a, 0) + jnp.log1p(jnp.exp(-jnp.abs(a)))

    softplus.defjvp(lambda p, t: (softplus(*p), jax.nn.sigmoid(p[0]) * t[0]))

    @jax.custom_vjp
    def clipped(a):
        return a

    clipped.defvjp(lambda a: (a, a), lambda a, g: (jnp.clip(g, -0.5, 0.5),))

    @jax.custom_vjp
    def straight(a):
        return jnp.round(a)

    straight.defvjp(lambda a: (jnp.round(a), None), lambda _, g: (g,))
    return (
    softplus(x),
    jax.vmap(
        jax.grad(softplus))(x),
        jax.grad(
            lambda a: jnp.sum(
                clipped(a) ** 3))(x),
                jax.grad(
                    lambda a: jnp.sum(
                        straight(a) ** 2))(x),
                        lax.stop_gradient(x),
                        jax.vmap(
                            jax.grad(
                                jax.grad(softplus)))(x))


@register(numbers(7, 3, 4), sample=True)
def jacobians(x):
    def f(a):
        return jnp.stack([jnp.sum(jnp.sin(a)), jnp.prod(a[0]), jnp.max(a), jnp.linalg.norm(a)])

    return jax.jacfwd(f)(x), jax.jacrev(f)(x), jax.jacfwd(
    jax.jacrev(
        lambda a: f(a)[
            :2]))(x), jax.vjp(
                f, x)[1](
                    jnp.arange(4.0))[0]


@register(numbers(8, 4, 5), numbers(9, 5, 3))
def nested_batches(x, y):
    return (jax.vmap(jax.vmap(lambda a, b: a * b, (None, 0)), (0, None))(x[:, 0], y),
            jax.vmap(jnp.dot, (0, None))(x, y),
            jax.vmap(lambda a: jax.vmap(lambda b: jnp.sum(a * b), 1)(y))(x),
            jax.vmap(jnp.convolve, (0, None))(x, y[:, 0]),
            jax.vmap(lambda a, i: lax.dynamic_update_slice(a, jnp.zeros(2), (i,)))(x, jnp.arange(4)),
            jax.vmap(jnp.sort, in_axes=1, out_axes=1)(x),
            jax.vmap(lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (2,)))(jnp.arange(6,
            dtype=jnp.uint32).reshape(3, 2)),
            jnp.vectorize(lambda a, b: a @ b, signature="(n),(n,m)->(m)")(x, y))


@register(np.int32(27), sample=True)
def collatz(n):
    return lax.while_loop(
    lambda s: s[0] != 1, lambda s: (
        jnp.where(
            s[0] %
             2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))


@register(numbers(10, 9))
def loops_without_data(x):
    """Loops that never run, that run once, whose state is empty, and branches that return nothing but constants."""
    return (lax.fori_loop(0, 0, lambda i, a: a * 2, x), lax.fori_loop(3, 4, lambda i, a: a + i, x),
            lax.while_loop(lambda a: False, lambda a: a, x),
            lax.cond(x[0] > 0, lambda: 1.0, lambda: 2.0), lax.scan(lambda c, _: (c + 1, c), 0, None, length=5),
            lax.scan(lambda c, e: (c, e), (), x),
            lax.map(lambda a: a * 2, x, batch_size=4), lax.fori_loop(0, 5, lambda i, a: a.at[i].set(i), x))


@register(integers(11, 8, low=0, high=9))
def insertion_sort(x):
    def insert(i, a):
        def move(state):
            j, b = state
            return j - 1, b.at[j].set(b[j - 1]).at[j - 1].set(b[j])

        return lax.while_loop(lambda s: (s[0] > 0) & (s[1][s[0] - 1] > s[1][s[0]]), move, (i, a))[1]

    return lax.fori_loop(1, 8, insert, x)


@register(np.zeros((8, 8), np.int32).astype(np.int32), sample=True)
def eight_queens(board):
    """Backtracking without recursion: the columns are the stack."""
    def going(state):
        row, columns, found = state
        return row >= 0

    def turn(state):
        row, columns, found = state
        rows = jnp.arange(8)

        def fits(column):
            before = rows < row
            clash = (columns == column) | (jnp.abs(columns - column) == row - rows)
            return ~jnp.any(before & clash)

        start = columns[row] + 1
        column = lax.while_loop(lambda c: (c < 8) & ~fits(c), lambda c: c + 1, start)
        placed = column < 8
        full = placed & (row == 7)
        columns = columns.at[row].set(jnp.where(placed, column, -1))
        return jnp.where(full, row, jnp.where(placed, row + 1, row - 1)), columns, found + full

    return lax.while_loop(going, turn, (jnp.int32(0), jnp.full(8, -1, jnp.int32) + board[0], jnp.int32(0)))[2]
