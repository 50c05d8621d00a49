# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Programs written for many devices, on a mesh of one: annotations are dropped, collectives are of one process."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
MESH = jax.make_mesh((1, 1), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))


def spread(*axes):
    return NamedSharding(MESH, PartitionSpec(*axes))


def mapped(function, into, out, **options):
    return jax.shard_map(function, mesh=MESH, in_specs=into, out_specs=out, check_vma=False, **options)


@register(numbers(1, 8, 16), numbers(2, 16, 32, scale=0.2), numbers(3, 32, 8, scale=0.2), sample=True)
def constrained_network(x, up, down):
    def loss(up, down):
        hidden = lax.with_sharding_constraint(jax.nn.gelu(x @ up), spread("data", "model"))
        return jnp.mean(lax.with_sharding_constraint(hidden @ down, spread("data")) ** 2)

    return jax.value_and_grad(loss, argnums=(0, 1))(up, down)


@register(numbers(4, 4, 6), integers(5, 4, 6), sample=True)
def collectives(x, y):
    def body(x, y):
        return (lax.psum(x, "data"), lax.pmean(x, ("data", "model")), lax.pmax(y, "model"), lax.pmin(y, "data"),
                lax.all_gather(x, "data"), lax.all_gather(x, "model", axis=1, tiled=True),
                lax.psum_scatter(x, "model", tiled=True), lax.ppermute(x, "data", [(0, 0)]),
                lax.all_to_all(x, "data", 0, 1, tiled=True), lax.axis_index("model"), lax.pswapaxes(x[None], "data", 0))

    return mapped(body, PartitionSpec("data", "model"), PartitionSpec())(x, y)


@register(numbers(6, 8, 6), numbers(7, 6, 6, scale=0.3), sample=True)
def loop_over_shards(x, w):
    """A loop inside a part that is mapped, with a sum over the axis in each turn, and its gradient."""
    def body(x, w):
        return lax.fori_loop(0, 3, lambda i, a: jnp.tanh(lax.psum(a @ w, "model")), x)

    whole = mapped(body, (PartitionSpec("data"), PartitionSpec()), PartitionSpec("data"))

    def scanned(w):
        return jnp.sum(lax.scan(lambda c, _: (whole(c, w), None), x, None, length=2)[0] ** 2)

    return whole(x, w), scanned(w), jax.jit(lambda a: lax.with_sharding_constraint(a, spread(None, "data")))(x)


@register(numbers(8, 4, 5))
def partly_manual(x):
    """One axis is mapped, the other is left to the partitioner."""
    body = jax.shard_map(lambda p: p * lax.axis_size("data"), mesh=MESH, in_specs=PartitionSpec("data"),
                         out_specs=PartitionSpec("data"), axis_names={"data"})
    return lax.with_sharding_constraint(body(x), spread(None, "model")) + 1


@register(numbers(9, 6, 4))
def batched_with_names(x):
    return (jax.vmap(lambda a: a / lax.psum(a, "rows"), axis_name="rows")(x),
            jax.vmap(lambda a: lax.all_gather(a, "rows") @ a, axis_name="rows")(x),
            jax.vmap(lambda a: lax.axis_index("rows") + jnp.sum(a), axis_name="rows")(x))
