# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Sequences: recurrent cells by scan, generation loops by while, dynamic programming."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from library.networks import BLOCK, residual_block
from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)

LSTM = (numbers(1, 8, 64, scale=0.3), numbers(2, 16, 64, scale=0.2), numbers(3, 64, scale=0.1))


def lstm(xs, into, across, bias):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ into + h @ across + bias, 4, axis=-1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((xs.shape[1], across.shape[0]), xs.dtype)
    return lax.scan(step, (zeros, zeros), xs)


@register(numbers(4, 20, 3, 8), *LSTM, sample=True)
def lstm_by_scan(xs, *weights):
    return lstm(xs, *weights)


@register(numbers(4, 20, 3, 8), *LSTM, sample=True)
def lstm_gradient(xs, *weights):
    return jax.grad(lambda *a: jnp.sum(lstm(*a)[1] ** 2), argnums=(0, 1, 2, 3))(xs, *weights)


@register(numbers(4, 20, 3, 8), *LSTM)
def lstm_unrolled(xs, *weights):
    into, across, bias = weights

    def step(h, x):
        z, r, n = jnp.split((x @ into + h @ across + bias)[..., :48], 3, axis=-1)
        z, r = jax.nn.sigmoid(z), jax.nn.sigmoid(r)
        return (1 - z) * h + z * jnp.tanh(r * n), jnp.sum(h)

    return lax.scan(step, jnp.zeros((3, 16)), xs, unroll=4)


@register(numbers(5, 12, 3, 8), numbers(5, 12, 3, 8) > 0, *LSTM)
def lstm_both_ways(xs, mask, *weights):
    forward = lstm(xs, *weights)[1]
    backward = lstm(xs[::-1], *weights)[1][::-1]
    return jnp.concatenate([forward, backward], axis=-1) * mask[..., :1]


TABLE = numbers(6, 29, 32, scale=0.5)


@register(TABLE, BLOCK, np.array([[3, 1, 4], [1, 5, 9]], np.int32), sample=True)
def transformer_generation(table, weights, prompt):
    """Greedy generation by `while`: a transformer block over all that is there, until the line is full."""
    length, start = 12, prompt.shape[1]
    tokens = jnp.zeros((prompt.shape[0], length), jnp.int32).at[:, :start].set(prompt)

    def going(state):
        count, tokens = state
        return (count < length) & jnp.any(tokens[:, count - 1] != 0)

    def turn(state):
        count, tokens = state
        hidden = residual_block(table[tokens], weights)
        now = jnp.argmax(lax.dynamic_index_in_dim(hidden, count - 1, 1, keepdims=False) @ table.T, axis=-1)
        return count + 1, lax.dynamic_update_index_in_dim(tokens, now.astype(jnp.int32), count, 1)

    return lax.while_loop(going, turn, (jnp.int32(start), tokens))


@register(TABLE, np.uint32(11), np.array([7, 2], np.int32))
def generation_with_cache(table, seed, tokens):
    """Keys and values of earlier steps are kept; a token is drawn among the best few."""
    def turn(state):
        count, key, token, keys, values, line = state
        key, now = jax.random.split(key)
        x = table[token]
        keys, values = keys.at[:, count].set(x * 0.7), values.at[:, count].set(jnp.sin(x))
        scores = jnp.einsum("bd,btd->bt", x, keys) / 6
        scores = jnp.where(jnp.arange(16) <= count, scores, -jnp.inf)
        mixed = jnp.einsum("bt,btd->bd", jax.nn.softmax(scores), values) @ table.T
        best, which = lax.top_k(mixed, 5)
        drawn = jax.random.categorical(now, best, axis=-1)
        token = jnp.take_along_axis(which, drawn[:, None], axis=1)[:, 0]
        return count + 1, key, token, keys, values, line.at[:, count].set(token)

    caches = jnp.zeros((2, 16, 32))
    start = (jnp.int32(0), jax.random.key(seed), tokens, caches, caches, jnp.zeros((2, 16), jnp.int32))
    return lax.while_loop(lambda s: s[0] < 16, turn, start)[5]


@register(numbers(7, 15, 6), numbers(8, 6, 6))
def viterbi(scores, transitions):
    def step(best, score):
        candidates = best[:, None] + transitions
        return jnp.max(candidates, axis=0) + score, jnp.argmax(candidates, axis=0)

    last, back = lax.scan(step, scores[0], scores[1:])

    def walk(state, pointers):
        return pointers[state], state

    first, path = lax.scan(walk, jnp.argmax(last), back, reverse=True)
    return jnp.concatenate([first[None], path]), jnp.max(last)


@register(numbers(9, 2, 14, 9), integers(10, 2, 5, low=1, high=8), sample=True)
def forward_algorithm(scores, labels):
    """Log-probability of labels, as in connectionist temporal classification without repeats."""
    logs = jax.nn.log_softmax(scores)

    def one(log, label):
        def step(alpha, row):
            moved = jnp.concatenate([jnp.array([-jnp.inf]), alpha[:-1]])
            alpha = jnp.logaddexp(alpha + row[0], moved + jnp.concatenate([row[:1], row[label]]))
            return alpha, alpha[-1]

        return lax.scan(step, jnp.full(6, -1e30).at[0].set(0.0), log)

    return jax.vmap(one)(logs, labels)


@register(integers(11, 12, low=0, high=3), integers(12, 15, low=0, high=3))
def edit_distance(a, b):
    def row(before, x):
        def cell(left, pair):
            diagonal, above, y = pair
            best = jnp.minimum(jnp.minimum(left, above) + 1, diagonal + (x != y))
            return best, best

        first = before[0] + 1
        _, rest = lax.scan(cell, first, (before[:-1], before[1:], b))
        return jnp.concatenate([first[None], rest]), None

    return lax.scan(row, jnp.arange(16), a)[0][-1]


@register(numbers(13, 30, 4), numbers(14, 4, 4, scale=0.3), numbers(15, 4, scale=0.2))
def linear_recurrence_by_associative_scan(xs, matrix, bias):
    def combine(left, right):
        (a, x), (b, y) = left, right
        return jnp.einsum("tij,tjk->tik", b, a), jnp.einsum("tij,tj->ti", b, x) + y

    matrices = jnp.broadcast_to(matrix, (30, 4, 4))
    return lax.associative_scan(combine, (matrices, xs + bias))[1]


@register(numbers(16, 25), numbers(17, 25))
def kalman_filter(observed, control):
    def step(state, inputs):
        mean, variance = state
        y, u = inputs
        mean, variance = 0.9 * mean + u, 0.81 * variance + 0.1
        gain = variance / (variance + 0.3)
        state = mean + gain * (y - mean), (1 - gain) * variance
        return state, state

    return lax.scan(step, (jnp.float32(0), jnp.float32(1)), (observed, control))
