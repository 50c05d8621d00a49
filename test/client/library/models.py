# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Whole models, trained for a step or run from end to end."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from library.networks import attend, convolve
from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
WIDTH, WORDS, LENGTH = 32, 50, 16


def language_model_weights(layers):
    return {
        "words": numbers(1, WORDS, WIDTH, scale=0.3), "places": numbers(2, LENGTH, WIDTH, scale=0.1),
        "blocks": [{"qkv": numbers(10 * i + 3, WIDTH, 3 * WIDTH, scale=0.15),
                    "out": numbers(10 * i + 4, WIDTH, WIDTH, scale=0.15),
                    "up": numbers(10 * i + 5, WIDTH, 4 * WIDTH, scale=0.15),
                    "down": numbers(10 * i + 6, 4 * WIDTH, WIDTH, scale=0.1),
                    "norms": np.ones((2, WIDTH), np.float32)} for i in range(layers)],
    }


def rms_norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def language_model(weights, tokens):
    x = weights["words"][tokens] + weights["places"][:tokens.shape[1]]
    mask = jnp.tril(jnp.ones((tokens.shape[1],) * 2, bool))
    for block in weights["blocks"]:
        qkv = rms_norm(x, block["norms"][0]) @ block["qkv"]
        heads = (part.reshape(*part.shape[:2], 4, -1) for part in jnp.split(qkv, 3, axis=-1))
        x = x + attend(*heads, mask).reshape(x.shape) @ block["out"]
        x = x + jax.nn.gelu(rms_norm(x, block["norms"][1]) @ block["up"]) @ block["down"]
    return rms_norm(x, 1.0) @ weights["words"].T


WEIGHTS = language_model_weights(4)
ZEROS = jax.tree.map(np.zeros_like, WEIGHTS)


@register(WEIGHTS, ZEROS, ZEROS, np.int32(3), integers(7, 3, LENGTH, low=0, high=WORDS - 1), donate=(0, 1, 2), ulps=64)
def language_model_training_step(weights, mean, square, count, tokens):
    """Cross-entropy of the next word, gradients cut to a norm, AdamW."""
    def loss(weights):
        scores = jax.nn.log_softmax(language_model(weights, tokens[:, :-1]))
        return -jnp.mean(jnp.take_along_axis(scores, tokens[:, 1:, None], axis=-1))

    value, gradient = jax.value_and_grad(loss)(weights)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, 1 / norm), gradient)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, gradient)
    rate = 1e-3 * jnp.sqrt(1 - 0.99 ** (count + 1.0)) / (1 - 0.9 ** (count + 1.0))
    weights = jax.tree.map(lambda w, m, s: w - rate * (m / (jnp.sqrt(s) + 1e-4) + 0.01 * w), weights, mean, square)
    return weights, mean, square, value


# XLA keeps more digits between the operations that it fuses.
@register(WEIGHTS, integers(8, 2, LENGTH, low=0, high=WORDS - 1), ulps=8, scale="largest")
def language_model_in_bfloat16(weights, tokens):
    return language_model(jax.tree.map(lambda w: w.astype(jnp.bfloat16), weights), tokens)


def residual_weights():
    return {"stem": numbers(20, 3, 3, 3, 8, scale=0.2),
            "stages": [[(numbers(30 + 10 * i + j, 3, 3, into if j == 0 else out, out, scale=0.1),
                         numbers(34 + 10 * i + j, 3, 3, out, out, scale=0.1)) for j in range(2)]
                       for i, (into, out) in enumerate([(8, 8), (8, 16)])],
            "shortcut": numbers(50, 1, 1, 8, 16, scale=0.3), "dense": numbers(51, 16, 10, scale=0.3)}


def normalise(x):
    return (x - jnp.mean(x, (0, 1, 2))) * lax.rsqrt(jnp.var(x, (0, 1, 2)) + 1e-5)


def residual_network(weights, images):
    x = jax.nn.relu(normalise(convolve(images, weights["stem"])))
    for i, stage in enumerate(weights["stages"]):
        for j, (first, second) in enumerate(stage):
            stride = 2 if i and not j else 1
            y = jax.nn.relu(normalise(convolve(x, first, stride)))
            y = normalise(convolve(y, second))
            x = jax.nn.relu((convolve(x, weights["shortcut"], 2) if stride == 2 else x) + y)
    return jnp.mean(x, (1, 2)) @ weights["dense"]


@register(residual_weights(), numbers(52, 4, 12, 12, 3), integers(53, 4, low=0, high=9), ulps=64)
def residual_network_gradient(weights, images, labels):
    def loss(weights):
        scores = jax.nn.log_softmax(residual_network(weights, images))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return jax.value_and_grad(loss)(weights)


@register([numbers(60 + i, 3, 3, into, out, scale=0.15)
           for i, (into, out) in enumerate([(1, 8), (8, 16), (16, 16), (32, 8), (16, 1)])], numbers(70, 2, 16, 16, 1))
def encoder_decoder(kernels, image):
    """Down by strides, up by resizing, with connections across."""
    a = jax.nn.silu(convolve(image, kernels[0]))
    b = jax.nn.silu(convolve(a, kernels[1], 2))
    c = jax.nn.silu(convolve(b, kernels[2], 2))
    up = jax.image.resize(c, (2, 8, 8, 16), "bilinear")
    d = jax.nn.silu(convolve(jnp.concatenate([up, b], -1), kernels[3]))
    up = jax.image.resize(d, (2, 16, 16, 8), "nearest")
    return convolve(jnp.concatenate([up, a], -1), kernels[4])


@register(np.uint32(5), [numbers(80, 6, 24), numbers(81, 12, 4)], [numbers(82, 2, 24), numbers(83, 12, 6)],
          numbers(84, 10, 6))
def variational_autoencoder_step(seed, encoder, decoder, x):
    def loss(weights):
        encoder, decoder = weights
        hidden = jnp.tanh(x @ encoder[0])[:, :12] @ encoder[1]
        mean, log_variance = jnp.split(hidden, 2, axis=-1)
        drawn = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(jax.random.key(seed), mean.shape)
        again = jnp.tanh(drawn @ decoder[0])[:, :12] @ decoder[1]
        divergence = -0.5 * jnp.sum(1 + log_variance - mean ** 2 - jnp.exp(log_variance))
        return jnp.sum((again - x) ** 2) + divergence

    value, gradient = jax.value_and_grad(loss)((encoder, decoder))
    return value / 1e3, jax.tree.map(lambda g: g / 1e3, gradient)
