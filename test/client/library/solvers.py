# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Solvers of differential equations, optimisers with donated state, root finding."""

import jax
import jax.numpy as jnp
import jax.scipy.optimize
import numpy as np
from jax import lax
from jax.experimental.ode import odeint

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
TIMES = np.linspace(0, 2, 9).astype(np.float32)


def pendulum(state, t, friction):
    angle, speed = state
    return speed, -jnp.sin(angle) - friction * speed + 0.1 * jnp.cos(t)


# Steps are accepted or not by comparisons: the sides may take different steps, each within the tolerance asked for.
@register((np.float32(1.0), np.float32(0.0)), TIMES, np.float32(0.1), ulps=4000, sample=True)
def ordinary_differential_equation(start, times, friction):
    return odeint(pendulum, start, times, friction, rtol=1e-6, atol=1e-6)


@register((np.float32(1.0), np.float32(0.0)), TIMES, np.float32(0.1), ulps=20000)
def ordinary_differential_equation_gradient(start, times, friction):
    def total(start, friction):
        return jnp.sum(odeint(pendulum, start, times, friction, rtol=1e-6, atol=1e-6)[0])

    return jax.grad(total, argnums=(0, 1))(start, friction)


@register(np.array([1.0, 1.0, 1.0], np.float64), x64=True, ulps=4000)
def lorenz_by_runge_kutta(start):
    def slope(s):
        x, y, z = s
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + 0.005 * k1)
        k3 = slope(s + 0.005 * k2)
        k4 = slope(s + 0.01 * k3)
        s = s + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s, s

    return lax.scan(step, start, None, length=200)[1]


@register(np.abs(numbers(1, 24, 24)))
def heat_equation(x):
    def step(_, u):
        padded = jnp.pad(u, 1, mode="edge")
        return u + 0.2 * (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * u)

    return lax.fori_loop(0, 50, step, x)


@register(numbers(2, 12, 3), numbers(3, 12, 3), ulps=400)
def bodies(position, velocity):
    def force(p):
        apart = p[:, None] - p[None]
        return -jnp.sum(apart / (jnp.sum(apart ** 2, axis=-1, keepdims=True) + 0.5) ** 1.5, axis=1)

    def step(state, _):
        p, v = state
        v = v + 0.005 * force(p)
        p = p + 0.01 * v
        v = v + 0.005 * force(p)
        return (p, v), 0.5 * jnp.sum(v * v)

    return lax.scan(step, (position, velocity), None, length=30)


WEIGHTS = {"w": numbers(4, 8, 5), "b": numbers(5, 5)}
DATA = (numbers(6, 20, 8), numbers(7, 20, 5))


def loss(weights, x, y):
    return jnp.mean((jnp.tanh(x @ weights["w"] + weights["b"]) - y) ** 2)


@register(WEIGHTS, {k: np.zeros_like(v) for k, v in WEIGHTS.items()}, DATA, donate=(0, 1), sample=True)
def momentum_step(weights, velocity, data):
    gradient = jax.grad(loss)(weights, *data)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradient)
    return jax.tree.map(lambda w, v: w - 0.05 * v, weights, velocity), velocity


@register(WEIGHTS, {k: np.zeros_like(v) for k, v in WEIGHTS.items()}, {k: np.zeros_like(v) for k, v in WEIGHTS.items()},
          np.int32(0), DATA, donate=(0, 1, 2, 3), sample=True)
def adam_steps(weights, mean, square, count, data):
    def step(_, state):
        weights, mean, square, count = state
        gradient = jax.grad(loss)(weights, *data)
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
        scale = jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
        weights = jax.tree.map(lambda w, m, s: w - 0.01 * scale * m / (jnp.sqrt(s) + 1e-8), weights, mean, square)
        return weights, mean, square, count

    return lax.fori_loop(0, 10, step, (weights, mean, square, count))


@register(numbers(8, 4, 4), numbers(9, 4, 6), numbers(9, 5), donate=(0, 1, 2), sample=True)
def donations_of_every_kind(x, y, z):
    """To a result of the same type, to one of the same size alone (jax.buffer_donor), and to none."""
    return x + jnp.sum(y), y.T * 2, jnp.sum(x) + jnp.sum(z)


@register(numbers(10, 6), ulps=4000)
def minimum_by_bfgs(start):
    def rosenbrock(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    found = jax.scipy.optimize.minimize(rosenbrock, start * 0.1 + 1, method="BFGS", options={"maxiter": 4})
    return found.x, found.fun


@register(np.float32(3.0), numbers(11, 5))
def newton_with_implicit_gradient(a, xs):
    @jax.custom_jvp
    def root(a):
        return lax.while_loop(lambda x: jnp.abs(x * x * x - a) > 1e-5, lambda x: x - (x ** 3 - a) / (3 * x * x), a + 1)

    @root.defjvp
    def _(primal, tangent):
        x = root(primal[0])
        return x, tangent[0] / (3 * x * x)

    return root(a), jax.grad(root)(a), jax.vmap(root)(jnp.abs(xs) + 1)


@register(numbers(12, 8, 8), numbers(13, 8))
def custom_root_and_linear_solve(matrix, b):
    matrix = matrix @ matrix.T / 8 + 4 * jnp.eye(8)

    def solve(matvec, b):
        return lax.fori_loop(0, 60, lambda _, x: x + 0.1 * (b - matvec(x)), jnp.zeros_like(b))

    def total(b):
        return jnp.sum(lax.custom_linear_solve(lambda x: matrix @ x, b, solve, symmetric=True) ** 2)

    return jax.value_and_grad(total)(b), lax.custom_root(
        lambda x: x ** 3 - 5.0, jnp.float32(1.0), lambda f, x: lax.fori_loop(0, 30, lambda _, y: y - f(y) / (3 * y * y),
        x),
        lambda g, y: y / g(1.0))


@register(numbers(14, 20, 3))
def power_iteration(x):
    matrix = x.T @ x

    def step(state):
        v, _, count = state
        w = matrix @ v
        w = w / jnp.linalg.norm(w)
        return w, jnp.linalg.norm(w - v), count + 1

    v, _, _ = lax.while_loop(lambda s: (s[1] > 1e-4) & (s[2] < 60), step, (jnp.ones(3) / 3 ** 0.5, jnp.float32(1), 0))
    return v @ matrix @ v
