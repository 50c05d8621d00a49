# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Networks and their gradients: dense, convolutional, attention, normalisation, pooling."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)


def dense(seed, *widths, scale=0.3):
    return [(numbers(seed + i, m, n, scale=scale), numbers(seed + 50 + i, n, scale=0.1))
            for i, (m, n) in enumerate(zip(widths, widths[1:]))]


def forward(layers, x, activation):
    for w, b in layers[:-1]:
        x = activation(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


ACTIVATIONS = [jax.nn.relu, jax.nn.gelu, lambda x: jax.nn.gelu(x, approximate=False), jax.nn.silu, jax.nn.elu,
               jax.nn.selu, jax.nn.celu, jax.nn.softplus, jax.nn.sigmoid, jax.nn.log_sigmoid,
               jax.nn.hard_tanh, jax.nn.hard_sigmoid, jax.nn.hard_swish, jax.nn.relu6, jax.nn.leaky_relu, jax.nn.mish,
               jax.nn.squareplus, jax.nn.soft_sign, jnp.tanh, jax.nn.glu, jax.nn.standardize, jax.nn.sparse_plus,
               jax.nn.sparse_sigmoid, jax.nn.identity]


@register(numbers(1, 6, 16, scale=2.0), sample=True)
def activations(x):
    return tuple(f(x) for f in ACTIVATIONS)


# The tail of XLA's own gradient of erf is 240 units off.
@register(numbers(1, 6, 16, scale=2.0), ulps=400)
def activations_gradient(x):
    return tuple(jax.grad(lambda y, f=f: jnp.sum(f(y) * jnp.arange(f(y).shape[-1])))(x) for f in ACTIVATIONS)


@register(dense(2, 20, 64, 64, 10), numbers(3, 32, 20), integers(4, 32, low=0, high=9), sample=True)
def mlp_with_gradient(layers, x, labels):
    def loss(layers):
        scores = jax.nn.log_softmax(forward(layers, x, jax.nn.gelu))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return jax.value_and_grad(loss)(layers)


@register(dense(5, 8, 32, 1), numbers(6, 16, 8))
def mlp_hessian_products(layers, x):
    def loss(layers):
        return jnp.mean(forward(layers, x, jnp.tanh) ** 2)

    gradient, product = jax.jvp(jax.grad(loss), (layers,), (layers,))
    return gradient, product


CONVOLUTION = {"conv1": numbers(10, 3, 3, 3, 8, scale=0.2), "conv2": numbers(11, 3, 3, 8, 16, scale=0.1),
               "dense": numbers(12, 16 * 4 * 4, 10, scale=0.1)}


def convolve(x, kernel, stride=1, padding="SAME", **options):
    return lax.conv_general_dilated(x, kernel, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    **options)


def convolutional(weights, images):
    x = jax.nn.relu(convolve(images, weights["conv1"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(convolve(x, weights["conv2"]))
    x = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    return x.reshape(x.shape[0], -1) @ weights["dense"]


@register(CONVOLUTION, numbers(13, 4, 16, 16, 3), sample=True)
def convolutional_network(weights, images):
    return convolutional(weights, images)


@register(CONVOLUTION, numbers(13, 4, 16, 16, 3), integers(14, 4, low=0, high=9), sample=True)
def convolutional_network_gradient(weights, images, labels):
    def loss(weights, images):
        scores = jax.nn.log_softmax(convolutional(weights, images))
        return -jnp.mean(jnp.sum(scores * jax.nn.one_hot(labels, 10), axis=-1))

    return jax.value_and_grad(loss, argnums=(0, 1))(weights, images)


@register(numbers(15, 2, 9, 10, 6), numbers(16, 3, 3, 6, 4), numbers(17, 3, 3, 1, 12), numbers(18, 3, 3, 3, 8))
def convolutions(x, kernel, depthwise, grouped):
    return (
    convolve(
        x, kernel, 2), convolve(
            x, kernel, padding="VALID", rhs_dilation=(
                2, 2)), convolve(
                    x, kernel, padding=(
                        (2, 1), (0, 3))), convolve(
                            x, kernel, padding=(
                                (1, 1), (2, 0)), lhs_dilation=(
                                    2, 3)), convolve(
                                        x, depthwise, feature_group_count=6), convolve(
                                            x, grouped, 2, feature_group_count=2), lax.conv_transpose(
                                                x, kernel, (2, 2), "SAME"), lax.conv_general_dilated_patches(
                                                    x, (3, 3), (1, 1), "SAME", dimension_numbers=(
                                                        "NHWC", "HWIO", "NHWC")))


@register(numbers(15, 2, 9, 10, 6), numbers(16, 3, 3, 6, 4),
          numbers(17, 3, 3, 1, 12), numbers(18, 3, 3, 3, 8), ulps=200)
def convolutions_gradient(x, kernel, depthwise, grouped):
    def total(*arguments):
        x, kernel, depthwise, grouped = arguments
        return sum(jnp.sum(jnp.sin(y)) for y in (
            convolve(x, kernel, 2), convolve(x, kernel, padding="VALID", rhs_dilation=(2, 2)),
            convolve(x, depthwise, feature_group_count=6), convolve(x, grouped, 2, feature_group_count=2),
            lax.conv_transpose(x, kernel, (2, 2), "SAME")))

    return jax.grad(total, argnums=(0, 1, 2, 3))(x, kernel, depthwise, grouped)


@register(numbers(19, 2, 5, 12), numbers(20, 4, 5, 3), numbers(21, 2, 3, 6, 7, 8), numbers(22, 2, 3, 3, 2, 3))
def convolutions_of_other_ranks(line, line_kernel, volume, volume_kernel):
    return (lax.conv(line, line_kernel, (2,), "SAME"), lax.conv(volume, volume_kernel, (1, 2, 1), "VALID"),
            jax.vmap(lambda k: lax.conv(line, k, (1,), "SAME"))(jnp.stack([line_kernel, -line_kernel])),
            jax.vmap(lambda x, k: lax.conv(x[None], k, (1,), "VALID"))(line, jnp.stack([line_kernel, -line_kernel])))


@register(numbers(23, 2, 9, 9, 3, dtype=ml_dtypes.bfloat16), numbers(24, 3, 3, 3, 4, dtype=ml_dtypes.bfloat16),
          numbers(25, 2, 9, 9, 3, dtype=np.float16), numbers(26, 3, 3, 3, 4, dtype=np.float16), ulps=4)
def convolutions_of_halves(x, kernel, y, other):
    return convolve(x, kernel), convolve(y, other), convolve(x, kernel, preferred_element_type=jnp.float32)


@register(integers(27, 2, 7, 7, 3, dtype=np.int8), integers(28, 3, 3, 3, 4, dtype=np.int8))
def convolutions_of_integers(x, kernel):
    return convolve(
    x, kernel, preferred_element_type=jnp.int32), convolve(
        x.astype(
            jnp.int32), kernel.astype(
                jnp.int32))


@register(numbers(29, 2, 8, 9, 3), sample=True)
def pooling(x):
    window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
    return (lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "SAME"),
            lax.reduce_window(x, jnp.inf, lax.min, window, strides, "VALID"),
            lax.reduce_window(x, 0.0, lax.add, window, strides, "SAME"),
            lax.reduce_window(x, 1.0, lax.mul, window, strides, "VALID"),
            lax.reduce_window(x, 0.0, lax.add, window, (1, 1, 1, 1), "SAME", window_dilation=(1, 2, 1, 1)),
            lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "SAME", base_dilation=(1, 2, 2, 1)))


@register(numbers(29, 2, 8, 9, 3), sample=True)
def pooling_gradient(x):
    def total(x):
        window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
        return (jnp.sum(jnp.sin(lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "SAME")))
                + jnp.sum(jnp.cos(lax.reduce_window(x, 0.0, lax.add, window, strides, "VALID")))
                + jnp.sum(lax.reduce_window(x, jnp.inf, lax.min, window, strides, "VALID") ** 2))

    return jax.grad(total)(x)


@register(numbers(30, 8, 5, 5, 6), numbers(31, 6), numbers(32, 6))
def batch_normalisation_with_gradient(x, scale, bias):
    def normalise(x, scale, bias):
        mean, variance = jnp.mean(x, axis=(0, 1, 2)), jnp.var(x, axis=(0, 1, 2))
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias, mean, variance

    def loss(*arguments):
        return jnp.sum(jnp.sin(normalise(*arguments)[0]))

    return normalise(x, scale, bias), jax.grad(loss, argnums=(0, 1, 2))(x, scale, bias)


def attend(q, k, v, mask=None):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


HEADS = tuple(numbers(33 + i, 2, 12, 4, 16) for i in range(3))


@register(*HEADS, sample=True)
def attention_with_gradient(q, k, v):
    mask = jnp.tril(jnp.ones((12, 12), bool))

    def loss(q, k, v):
        return jnp.sum(attend(q, k, v, mask) ** 2)

    return jax.value_and_grad(loss, argnums=(0, 1, 2))(q, k, v)


@register(*HEADS)
def attention_of_jax(q, k, v):
    return (jax.nn.dot_product_attention(q, k, v, is_causal=True),
            jax.nn.dot_product_attention(q, k[:, :, :2], v[:, :, :2]),
            jax.nn.dot_product_attention(q, k, v, local_window_size=3),
            jax.nn.dot_product_attention(q, k, v, key_value_seq_lengths=jnp.array([5, 12])))


@register(*(h.astype(ml_dtypes.bfloat16) for h in HEADS), ulps=8)
def attention_of_bfloat16(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


@register(numbers(40, 40, 24), integers(41, 3, 7, low=0, high=39))
def embedding_gradient(table, tokens):
    return jax.grad(lambda t: jnp.sum(jnp.sin(t[tokens]) * jnp.arange(24)))(table)


@register(numbers(42, 10, 8), numbers(43, 10, 8), integers(44, 10, low=0, high=7))
def losses(scores, other, labels):
    wanted = jax.nn.one_hot(labels, 8)
    return (-jnp.sum(wanted * jax.nn.log_softmax(scores)), jnp.mean(jnp.abs(scores - other)),
            jnp.mean(jnp.where(jnp.abs(scores - other) < 1, 0.5 * (scores - other) ** 2,
            jnp.abs(scores - other) - 0.5)),
            jnp.sum(jax.nn.softmax(scores) * (jax.nn.log_softmax(scores) - jax.nn.log_softmax(other)), axis=-1),
            jnp.mean(jnp.maximum(0, 1 - scores * jnp.sign(other))), jax.nn.logsumexp(scores, axis=1, b=jnp.abs(other)),
            jnp.sum(scores * other, axis=1) / (jnp.linalg.norm(scores, axis=1) * jnp.linalg.norm(other, axis=1)))


@register(np.uint32(3), numbers(45, 6, 20), sample=True)
def dropout(seed, x):
    keep = jax.random.bernoulli(jax.random.key(seed), 0.8, x.shape)
    return jnp.where(keep, x / 0.8, 0), jax.grad(lambda y: jnp.sum(jnp.where(keep, y * y, 0)))(x)


def residual_block(x, weights):
    (q, k, v, o), (up, down), (scale, bias) = weights
    y = jax.nn.standardize(x, axis=-1) * scale + bias
    heads = [(y @ w).reshape(*x.shape[:2], 4, -1) for w in (q, k, v)]
    x = x + attend(*heads, jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))).reshape(x.shape) @ o
    return x + jax.nn.gelu(jax.nn.standardize(x, axis=-1) @ up) @ down


BLOCK = (tuple(numbers(50 + i, 32, 32, scale=0.15) for i in range(4)),
         (numbers(54, 32, 64, scale=0.15), numbers(55, 64, 32, scale=0.15)), (numbers(56, 32), numbers(57, 32)))


@register(numbers(58, 2, 10, 32), BLOCK)
def transformer_block_gradient(x, weights):
    return jax.grad(lambda *a: jnp.mean(residual_block(*a) ** 2), argnums=(0, 1))(x, weights)


@register(numbers(58, 2, 10, 32), jax.tree.map(lambda w: np.stack([w, 0.5 * w, -w]), BLOCK))
def transformer_of_scanned_layers(x, layers):
    """One block in a scan over stacked weights, kept small by rematerialisation."""
    def loss(layers):
        step = jax.checkpoint(lambda x, weights: (residual_block(x, weights), None))
        return jnp.mean(lax.scan(step, x, layers)[0] ** 2)

    return jax.value_and_grad(loss)(layers)


@register(numbers(60, 6, 16), numbers(61, 4, 16, 8), numbers(62, 16, 4))
def mixture_of_experts(x, experts, router):
    """Each row goes to its two best experts."""
    weight, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    return jnp.einsum("nk,nko->no", weight, jnp.einsum("nd,nkdo->nko", x, experts[chosen]))


@register(numbers(63, 24, 8), numbers(64, 3, 8, 5), np.array([10, 0, 14], np.int32))
def ragged_products(x, experts, sizes):
    return lax.ragged_dot(x, experts, sizes)
