# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Gathers, scatters, segments, histograms, dynamic slices."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
SEGMENTS = integers(1, 40, low=-1, high=8)


@register(numbers(2, 40, 3), SEGMENTS, sample=True)
def segments(x, ids):
    return [f(x, ids, num_segments=8) for f in (jax.ops.segment_sum, jax.ops.segment_prod, jax.ops.segment_max,
                                                jax.ops.segment_min)] + [
        jax.ops.segment_sum(x, jnp.sort(ids), 8, indices_are_sorted=True),
        jax.grad(lambda a: jnp.sum(jax.ops.segment_sum(a, ids, 8) ** 2))(x)]


@register(numbers(3, 200), integers(4, 200, low=0, high=15), numbers(5, 200, scale=0.1), sample=True)
def histograms(x, counts, weights):
    return (jnp.histogram(x, 12), jnp.histogram(x, jnp.linspace(-2, 2, 9), weights=jnp.abs(weights)),
            jnp.histogram(x, 10, range=(-1, 1), density=True), jnp.bincount(counts, length=16),
            jnp.bincount(counts, weights=weights, length=20), jnp.histogram2d(x, weights, 5),
            jnp.histogramdd(jnp.stack([x, weights], 1), 4)[0], jnp.bincount(counts, minlength=3, length=10))


ROWS, COLUMNS = np.array([0, 3, 3, 7, -1, 20], np.int32), np.array([1, 1, 1, 4, 0, 2], np.int32)


@register(numbers(6, 8, 5), numbers(7, 6), ROWS, COLUMNS, sample=True)
def scatters(x, updates, rows, columns):
    at, row = x.at[rows, columns], x.at[rows]
    return (at.add(updates), at.mul(updates), at.min(updates), at.max(updates), at.add(updates, mode="clip"),
            at.set(1.5, mode="drop"), row.add(updates[:, None]), row.set(2.0), x.at[2].set(7.0), x.at[:, 1].add(1.0),
            x.at[1:4, ::2].mul(-1.0), x.at[::-1].add(x), at.get(mode="fill", fill_value=9.0), at.power(2.0),
            at.divide(updates), at.subtract(updates), at.apply(jnp.sin), x.at[jnp.array([0, 5])].max(0.0),
            x.at[..., 0].set(x[..., 1]), jnp.where(x > 1, x, x.at[rows].set(0.0)))


@register(integers(8, 10, low=-100, high=100), integers(9, 10, low=0, high=200, dtype=np.uint8), ROWS[:4], sample=True)
def scatters_of_integers(x, y, rows):
    return ([getattr(a.at[rows], f)(jnp.asarray(3, a.dtype)) for a in (x, y) for f in ("add", "mul",
            "min", "max", "set")], x.at[rows].bitwise_and(6) if hasattr(x.at[rows], "bitwise_and") else x)


@register(numbers(10, 8, 5, dtype=np.float16), numbers(11, 8, 5, dtype=ml_dtypes.bfloat16), ROWS,
          numbers(12, 8, 5) + 1j * numbers(13, 8, 5).astype(np.complex64), ulps=4)
def scatters_of_other_types(x, y, rows, z):
    return [a.at[rows].add(a[0]) for a in (x, y, z)], [a.at[rows].mul(a[1]) for a in (x, y)], (x > 0).at[rows].set(True)


@register(numbers(6, 8, 5), numbers(7, 6), ROWS, COLUMNS)
def scatters_gradient(x, updates, rows, columns):
    def total(x, updates):
        at = x.at[rows, columns]
        return jnp.sum(jnp.sin(at.add(updates))) + jnp.sum(at.set(updates, mode="drop") ** 2) + jnp.sum(
            x.at[rows[:2], columns[:2]].mul(updates[:2], unique_indices=True) ** 2)

    return jax.grad(total, argnums=(0, 1))(x, updates)


@register(numbers(14, 4, 8, 5), integers(15, 4, 3, low=0, high=7), numbers(16, 4, 3, 5), sample=True)
def batched_scatters(x, rows, updates):
    return (jax.vmap(lambda a, r, u: a.at[r].add(u))(x, rows, updates),
            jax.vmap(lambda a, r, u: a.at[r].set(u), in_axes=(2, None, 2))(x.transpose(1, 0, 2)[:, :, :], rows[0],
            updates[0][:, None] * jnp.ones((3, 4, 5))),
            jax.vmap(lambda a, s: lax.dynamic_update_slice(a, jnp.ones((2, 2)), (s[0], s[1])))(x, rows),
            jnp.put_along_axis(x, rows[:, :, None] * jnp.ones((1, 1, 5), jnp.int32), 0.5, axis=1, inplace=False))


@register(numbers(17, 9, 7, 3), integers(18, 4, low=0, high=8), integers(19, 4, low=0, high=6), sample=True)
def gathers(x, i, j):
    return (x[i], x[i, j], x[:, j], x[i[:, None], j[None, :]], x[i, :, 1], x[..., i[:2] % 3], x[2, j, ::-1],
            jnp.take(x, i, axis=1, mode="clip"), jnp.take_along_axis(x, jnp.broadcast_to(j[0] % 3, (9, 7, 1)), axis=2),
            jnp.choose(i % 3, [i, j, i + j], mode="clip"), jnp.select([x > 1, x < -1], [x, -x], 0.0), x.at[i, j].get(),
            jnp.piecewise(x, [x < 0, x > 1], [jnp.negative, jnp.square, 5.0]), jax.vmap(lambda a, k: a[k])(x[:4], j),
            jnp.indices((2, 3)), jnp.unravel_index(i * 7 + j, (9, 7)),
            jnp.ravel_multi_index((i, j), (9, 7), mode="clip"))


@register(numbers(17, 9, 7, 3), integers(18, 4, low=0, high=8), integers(19, 4, low=0, high=6))
def gathers_gradient(x, i, j):
    return jax.grad(lambda a: jnp.sum(jnp.sin(a[i, j])) +
    jnp.sum(a[i][:, j] ** 3) +
     jnp.sum(jnp.take(a, i, axis=1) ** 2))(x)


@register(numbers(20, 12, 9), np.int32(3), np.int32(-4), np.int32(100), sample=True)
def dynamic_slices(x, i, j, far):
    return (lax.dynamic_slice(x, (i, j), (4, 3)), lax.dynamic_slice(x, (far, i), (2, 9)),
            lax.dynamic_slice_in_dim(x, i, 5, 1),
            lax.dynamic_update_slice(x, jnp.ones((3, 3)), (i, far)), lax.dynamic_update_slice_in_dim(x, x[:2], i, 0),
            lax.dynamic_index_in_dim(x, i, 1), lax.dynamic_update_index_in_dim(x, x[0], j, 0), jnp.roll(x, i, axis=0),
            jax.grad(lambda a: jnp.sum(lax.dynamic_slice(a, (i, j), (4, 3)) ** 2))(x), x[i, j], x[i])


@register(numbers(21, 3, 40), integers(22, 3, low=0, high=30))
def sliding_windows(x, starts):
    windows = jax.vmap(lambda row, s: lax.dynamic_slice(row, (s,), (6,)))(x, starts)
    every = jax.vmap(lambda k: lax.dynamic_slice(x, (0, k), (3, 5)))(jnp.arange(0, 35, 5))
    return windows, every, jnp.stack([x[:, i:i + 30] for i in range(4)])


@register(integers(23, 30, 2, low=0, high=11), numbers(24, 12, 6), sample=True)
def graph_convolution(edges, features):
    """Messages along edges, summed where they end, normalised by degree."""
    source, target = edges[:, 0], edges[:, 1]
    degree = jnp.zeros(12).at[target].add(1.0)
    for _ in range(3):
        features = jnp.tanh(jnp.zeros_like(features).at[target].add(features[source]) / jnp.maximum(degree, 1)[:, None])
    return features, degree


@register(integers(25, 20, low=0, high=19), sample=True)
def union_of_sets(parents):
    """Pointer jumping until nothing changes."""
    parents = jnp.minimum(parents, jnp.arange(20))
    return lax.while_loop(lambda p: jnp.any(p[p] != p), lambda p: p[p], parents)


@register(numbers(26, 6, 6), numbers(27, 10))
def assembled_arrays(x, y):
    return (jnp.insert(y, 3, 7.0), jnp.delete(y, 2), jnp.append(y, y[:2]), jnp.resize(y, (3, 5)),
            jnp.fill_diagonal(x, 5.0, inplace=False),
            jnp.diagflat(y[:4]), jnp.diagonal(x, 1), jnp.tril_indices(4), jnp.split(x, 3, axis=1),
            jnp.array_split(y, 4),
            jnp.hstack([x, x]), jnp.block([[x, x], [x, x]]), jnp.repeat(y, jnp.array([1, 0, 2] + [1] * 7),
            total_repeat_length=12),
            jnp.rollaxis(x, 1), jnp.moveaxis(x[None], 0, 2), jnp.apply_along_axis(jnp.sum, 0, x),
            jnp.packbits(x > 0), jnp.unpackbits(jnp.arange(3, dtype=jnp.uint8)),
            jnp.place(y, y > 0, jnp.array([1.0, 2.0]), inplace=False),
            jnp.put(y, jnp.array([1, 4]), 9.0, inplace=False))
