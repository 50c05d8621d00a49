# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The operations of a library as JAX functions."""

import sys

import jax
import jax.numpy as jnp
import tenon.jax

ops = tenon.jax.register(sys.argv[1])
x = jnp.array([1.0, 2.0, 3.0])


@jax.jit
def loss(x):
    return ops.swish(x, beta=2.0).sum()


print(loss(x))
print(jax.grad(loss)(x))
print(jax.vmap(ops.swish)(x))
