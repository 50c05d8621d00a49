# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Statistics: Hamiltonian Monte Carlo (Duane 1987), Gaussian processes (Rasmussen 2006), Sinkhorn's distance (Cuturi 2013)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from models import Weights, model


@model("HMC, logistic regression on 50,000 rows of 10")
def monte_carlo():
    weights = Weights()
    rows = weights.normal(50000, 10)
    labels = (rows @ weights.normal(10) + weights.normal(50000) > 0).astype(np.float32)

    def sample(key, rows, labels, start):
        def potential(w):
            scores = rows @ w
            return jnp.sum(jax.nn.softplus(scores) - labels * scores) + 0.5 * jnp.sum(w * w)

        slope = jax.grad(potential)

        def draw(state, key):
            w, energy = state
            for_momentum, for_choice = jax.random.split(key)
            p = jax.random.normal(for_momentum, w.shape)

            def leap(_, state):
                w, p = state
                p = p - 0.5 * 0.005 * slope(w)
                w = w + 0.005 * p
                return w, p - 0.5 * 0.005 * slope(w)

            new, q = lax.fori_loop(0, 8, leap, (w, p))
            new_energy = potential(new)
            gain = energy + 0.5 * jnp.sum(p * p) - new_energy - 0.5 * jnp.sum(q * q)
            takes = jnp.log(jax.random.uniform(for_choice)) < gain
            w, energy = jnp.where(takes, new, w), jnp.where(takes, new_energy, energy)
            return (w, energy), w

        return lax.scan(draw, (start, potential(start)), jax.random.split(jax.random.wrap_key_data(key), 8))[1]

    return sample, [np.array([1, 2], np.uint32), rows, labels, np.zeros(10, np.float32)]


@model("Gaussian process, 512 points and 256 new ones")
def gaussian_process():
    weights = Weights()
    x, new = weights.normal(512, 4), weights.normal(256, 4)
    y = np.sin(x.sum(1)) + weights.normal(512, scale=0.1)

    def covariance(a, b, scales, height):
        a, b = a / jnp.exp(scales), b / jnp.exp(scales)
        squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
        return jnp.exp(height - 0.5 * jnp.maximum(squares, 0))

    def solve(factor, b, is_transposed=False):
        return lax.linalg.triangular_solve(factor, b, left_side=True, lower=True, transpose_a=is_transposed)

    def factor(parameters, x):
        scales, height, noise = parameters
        return lax.linalg.cholesky(covariance(x, x, scales, height) + jnp.exp(noise) * jnp.eye(len(x)))

    def evidence(parameters, x, y):
        lower = factor(parameters, x)
        whitened = solve(lower, y[:, None])
        return 0.5 * jnp.sum(whitened ** 2) + jnp.sum(jnp.log(jnp.diagonal(lower))) + 0.5 * len(y) * np.log(2 * np.pi)

    def network(parameters, x, y, new):
        """A step towards better parameters, and with them the new points' means and variances."""
        value, gradient = jax.value_and_grad(evidence)(parameters, x, y)
        parameters = jax.tree.map(lambda p, g: p - 1e-3 * g, parameters, gradient)
        lower = factor(parameters, x)
        across = covariance(x, new, *parameters[:2])
        mean = across.T @ solve(lower, solve(lower, y[:, None]), is_transposed=True)
        variance = jnp.exp(parameters[1]) - (solve(lower, across) ** 2).sum(0)
        return value, parameters, mean, variance

    return network, [(np.zeros(4, np.float32), np.float32(0), np.float32(-2)), x, y, new]


@model("Sinkhorn's distance, 512 by 512 points, 50 turns")
def sinkhorn():
    weights = Weights()

    def distance(x, y):
        cost = ((x[:, None] - y[None]) ** 2).sum(-1)
        scaled, weight = -cost / 0.5, -np.log(512).astype(np.float32)

        def turn(_, state):
            f, g = state
            f = weight - jax.nn.logsumexp(scaled + g[None], axis=1)
            return f, weight - jax.nn.logsumexp(scaled + f[:, None], axis=0)

        f, g = lax.fori_loop(0, 50, turn, (jnp.zeros(512), jnp.zeros(512)))
        plan = jnp.exp(scaled + f[:, None] + g[None])
        return (plan * cost).sum(), f, g

    return distance, [weights.normal(512, 3), weights.normal(512, 3)]
