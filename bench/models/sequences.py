# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Sequences and graphs: Mamba (Gu 2023), LSTM (Hochreiter 1997), mesh graph networks (Pfaff 2020)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from models import Weights, model
from models.layers import dense, layer_norm


@model("Mamba of 4 layers, 128 tokens")
def mamba():
    weights, width, inner, states, rank = Weights(), 768, 1536, 16, 48
    layers = [{
        "norm": 1 + weights.normal(width, scale=0.1), "into": weights.matrix(width, 2 * inner),
        "kernel": weights.matrix(4, 1, inner), "bias": weights.normal(inner, scale=0.1),
        "select": weights.matrix(inner, rank + 2 * states), "rate": weights.dense(rank, inner),
        "decay": np.log(np.tile(np.arange(1, states + 1, dtype=np.float32), (inner, 1))),
        "skip": np.ones(inner, np.float32), "out": weights.matrix(inner, width)} for _ in range(4)]

    def scan(x, rate, decay, into, out):
        """h = exp(rate decay) h + rate x into, y = h out."""
        def step(h, at):
            x, rate, into, out = at
            h = jnp.exp(rate[:, None] * decay) * h + (rate * x)[:, None] * into
            return h, h @ out

        return lax.scan(step, jnp.zeros_like(decay), (x, rate, into, out))[1]

    def network(layers, x):
        for layer in layers:
            y = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * layer["norm"]
            y, gate = jnp.split(y @ layer["into"], 2, axis=-1)
            y = lax.conv_general_dilated(y[None], layer["kernel"], (1,), [(3, 0)], feature_group_count=inner,
                                         dimension_numbers=("NWC", "WIO", "NWC"))[0]
            y = jax.nn.silu(y + layer["bias"])
            rate, into, out = jnp.split(y @ layer["select"], [rank, rank + states], axis=-1)
            rate = jax.nn.softplus(dense(rate, layer["rate"]))
            y = scan(y, rate, -jnp.exp(layer["decay"]), into, out) + y * layer["skip"]
            x = x + (y * jax.nn.silu(gate)) @ layer["out"]
        return x

    return network, [layers, weights.normal(128, width)]


@model("LSTM of 2 layers, a training step on 16 texts of 64 letters")
def lstm():
    weights, width, letters = Weights(), 256, 128
    values = {"letters": weights.normal(letters, width),
              "layers": [{"x": weights.dense(width, 4 * width), "h": weights.matrix(width, 4 * width)}
                         for _ in range(2)],
              "out": weights.dense(width, letters)}

    def layer(values, x):
        def step(state, x):
            h, c = state
            i, f, g, o = jnp.split(x + h @ values["h"], 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[1], width))
        return lax.scan(step, (zeros, zeros), dense(x, values["x"]))[1]

    def training_step(values, means, squares, text):
        def loss(values):
            x = values["letters"][text[:-1]]
            for part in values["layers"]:
                x = layer(part, x)
            scores = jax.nn.log_softmax(dense(x, values["out"]))
            return -jnp.take_along_axis(scores, text[1:, :, None], axis=-1).mean()

        value, gradient = jax.value_and_grad(loss)(values)
        means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradient)
        squares = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, squares, gradient)
        values = jax.tree.map(lambda w, m, s: w - 1e-3 * m / (jnp.sqrt(s) + 1e-3), values, means, squares)
        return values, means, squares, value

    zeros = jax.tree.map(np.zeros_like, values)
    return training_step, [values, zeros, zeros, weights.integers(letters, 65, 16)]


@model("graph network, 1,000 nodes and 6,000 edges")
def graph():
    weights, width = Weights(), 128

    def mlp_weights(into, out=width):
        return {"layers": [weights.dense(into, width), weights.dense(width, width), weights.dense(width, out)],
                "norm": weights.norm(out)}

    values = {"nodes": mlp_weights(12), "edges": mlp_weights(7), "out": mlp_weights(width, 3),
              "steps": [{"edges": mlp_weights(3 * width), "nodes": mlp_weights(2 * width)} for _ in range(5)]}

    def mlp(x, values):
        for part in values["layers"][:-1]:
            x = jax.nn.relu(dense(x, part))
        return layer_norm(dense(x, values["layers"][-1]), values["norm"])

    def network(values, nodes, edges, senders, receivers):
        nodes, edges = mlp(nodes, values["nodes"]), mlp(edges, values["edges"])
        for step in values["steps"]:
            edges = edges + mlp(jnp.concatenate([edges, nodes[senders], nodes[receivers]], axis=-1), step["edges"])
            received = jax.ops.segment_sum(edges, receivers, len(nodes))
            nodes = nodes + mlp(jnp.concatenate([nodes, received], axis=-1), step["nodes"])
        return mlp(nodes, values["out"])

    return network, [values, weights.normal(1000, 12), weights.normal(6000, 7), weights.integers(1000, 6000),
                     weights.integers(1000, 6000)]
