# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The functions of array_functions.c as JAX has them, and operands for them."""

import jax
import jax.numpy as jnp
import numpy as np
from array_twins import convolution

FUNCTIONS, OPERANDS = {}, {}


def function(*operands):
    """Shapes of the operands, or functions of the cases that draw them."""
    def register(twin):
        FUNCTIONS[twin.__name__] = lambda a, l, r: twin(*a)
        OPERANDS[twin.__name__] = operands
        return twin
    return register


def operands_of(cases, name):
    return [one(cases) if callable(one) else cases.array(one, "float32", -1, 1) for one in OPERANDS[name]]


def mask(cases):
    drawn = cases.array((3, 4), "bool")
    drawn[:, 0] = True
    return drawn


@function((4, 3), (3, 5), (5,), (5, 2), (2,), (4, 2))
def mlp_loss(x, w1, b1, w2, b2, y):
    return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y)**2)


@function((2, 3, 4), (2, 4, 4), (2, 4, 5), mask)
def attention_loss(q, k, v, mask):
    scores = jnp.where(mask, 0.5 * q @ k.swapaxes(-1, -2), -jnp.inf)
    return jnp.sum((jax.nn.softmax(scores, -1) @ v)**2)


@function((1, 2, 3, 4), (1, 2, 4, 4), (1, 2, 4, 5), mask)
def fast_attention_loss(q, k, v, mask):
    return attention_loss(q, k, v, mask)


@function((2, 5, 6, 2), (3, 3, 3, 2), (4, 2, 2, 3), (4, 3), lambda cases: cases.array((2, 1), "int32", 0, 2))
def convolution_loss(x, first, second, w, targets):
    x = jax.nn.relu(convolution(x, first, [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], 1, False))
    x = jax.nn.relu(convolution(x, second, [2, 2], [1, 1], [1, 1], [1, 1], [1, 1], 1, False))
    x = x.mean((1, 2)) @ w
    return jnp.mean(jax.scipy.special.logsumexp(x, -1, keepdims=True) - jnp.take_along_axis(x, targets, -1))


@function((3, 6), (6,), (6,))
def layer_norm_loss(x, w, b):
    x = x - x.mean(-1, keepdims=True)
    return jnp.sum((x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w + b)**3)


@function((3, 5))
def logsumexp_loss(x):
    return jax.scipy.special.logsumexp(x, -1).mean() * jax.scipy.special.logsumexp(x)


@function((5, 3), (3,), (3, 3))
def gaussian_likelihood(x, mean, root):
    factor = jnp.linalg.cholesky(root @ root.T + jnp.eye(root.shape[0]))
    z = jax.scipy.linalg.solve_triangular(factor, (x - mean).T, lower=True)
    return -0.5 * jnp.sum(z**2) - x.shape[0] * jnp.sum(jnp.log(jnp.diag(factor)))


@function((3, 8), (8,))
def fft_loss(x, kernel):
    product = jnp.fft.rfft(x) * jnp.fft.rfft(kernel)
    return jnp.sum(jnp.fft.irfft(product)**2) + jnp.sum(jnp.log1p(jnp.abs(product)**2))


@function((2, 3), (2, 4), (2, 4), (3, 16), (4, 16), (16,))
def lstm_loss(x, h, c, wx, wh, b):
    for _ in range(3):
        i, f, g, o = jnp.split(x @ wx + b + h @ wh, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return jnp.sum(h**2) + jnp.sum(c)


@function((2, 7), (2, 7))
def order_loss(x, y):
    largest = jax.lax.top_k(x, 3)[0]
    return jnp.sum((jnp.sort(x) - jnp.sort(y))**2) + jnp.sum(jnp.exp(largest)) + jnp.sum(jnp.median(x, -1)**2)


@function((2, 6))
def cumulative_loss(x):
    products = jnp.flip(jnp.cumprod(jnp.flip(x, -1), -1), -1)
    all_of_it = (jnp.cumsum(jax.nn.sigmoid(x), -1) + products) * jax.lax.cumlogsumexp(x, 1)
    return jnp.sum(all_of_it) + jnp.sum(jax.lax.cummax(x, 1)**2)


@function((5, 3), lambda cases: np.array([0, 3, 3, -1], np.int32))
def embedding_loss(table, rows):
    rows = jnp.where(rows < 0, rows + table.shape[0], rows)
    changed = (table**2).at[rows].add(jnp.sin(table[rows]))
    return jnp.sum((changed * jnp.cos(table))**2)


@function((6,), lambda cases: np.array([4, 1, 1, 0], np.int32), (4,))
def update_loss(x, places, updates):
    for change, what in ((jnp.multiply, updates), (jnp.maximum, jnp.sin(updates)), (jnp.divide, updates),
                         (jnp.minimum, updates**2)):
        for i in range(places.size):
            x = x.at[places[i]].set(change(x[places[i]], what[i]))
    return jnp.sum(x**2)


@function(lambda cases: cases.array((4, 4), "float32", -1, 1) + 3 * np.eye(4), (4, 2))
def system_loss(x, b):
    return jnp.sum((jnp.linalg.inv(x) @ b)**2) + jnp.linalg.slogdet(x)[1]


@function((3, 4), (3, 4))
def singular_loss(x, weights):
    u, values, vt = jnp.linalg.svd(x, full_matrices=False)
    return jnp.sum(values**2 * jnp.log(values**2)) + jnp.sum(u @ vt * weights)


@function((5, 3), (5,))
def qr_loss(x, y):
    q, r = jnp.linalg.qr(x)
    return jnp.sum((q @ (q.T @ y))**3) + jnp.sum(jnp.log(jnp.abs(jnp.diagonal(r))))
