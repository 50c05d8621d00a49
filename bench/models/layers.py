# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Layers that several models have."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def dense(x, values):
    return x @ values["w"] + values["b"]


def layer_norm(x, norm, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon) * norm["scale"] + norm["bias"]


def split_heads(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1)


def attend(q, k, v, bias=0.0, scale=None):
    """Of [batch, tokens, heads, width]."""
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * np.float32(scale) + bias
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return mixed.reshape(*mixed.shape[:2], -1)


def attention_weights(weights, width):
    return {"q": weights.dense(width, width), "k": weights.dense(width, width), "v": weights.dense(width, width),
            "out": weights.dense(width, width)}


def attention(x, values, heads, bias=0.0, memory=None):
    """To itself, or to a memory."""
    memory = x if memory is None else memory
    q = split_heads(dense(x, values["q"]), heads)
    k, v = (split_heads(dense(memory, values[name]), heads) for name in "kv")
    return dense(attend(q, k, v, bias), values["out"])


def transformer_mlp(x, values, approximate):
    return dense(jax.nn.gelu(dense(x, values["up"]), approximate=approximate), values["down"])


def causal_bias(tokens):
    return jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), 0.0, -1e9)
