# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Networks on images: residual (He 2015), mobile (Sandler 2018), vision transformer (Dosovitskiy 2020), U-Net (Ho 2020)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from models import Weights, model
from models.layers import attention, attention_weights, dense, layer_norm, transformer_mlp

NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")  # as Flax and PyTorch have them


def convolve(x, kernel, stride=1, layout=NHWC, groups=1):
    half = kernel.shape[layout[1].index("H")] // 2
    return lax.conv_general_dilated(x, kernel, (stride, stride), [(half, half)] * 2, dimension_numbers=layout,
                                    feature_group_count=groups)


def over_channels(v, layout):
    return v.reshape([-1 if name == "C" else 1 for name in layout[0]])


def normalise(x, mean, variance, norm, layout):
    scale = lax.rsqrt(variance + 1e-5) * norm["scale"]
    return (x - over_channels(mean, layout)) * over_channels(scale, layout) + over_channels(norm["bias"], layout)


def convolution(weights, size, into, out, groups=1):
    return {"kernel": weights.matrix(size, size, into // groups, out, gain=2), "norm": weights.norm(out)}


def statistics(weights, layers):
    """What training has seen of each layer: means and variances."""
    return [(weights.normal(n, scale=0.1), 1 + 0.1 * weights.random.random(n, np.float32))
            for n in (layer["norm"]["scale"].shape[0] for layer in layers)]


# --- ResNet-18


def resnet_weights(weights, classes):
    layers, into = [convolution(weights, 7, 3, 64)], 64
    for out in (64, 128, 256, 512):
        for block in range(2):
            layers += [convolution(weights, 3, into, out), convolution(weights, 3, out, out)]
            if into != out:
                layers.append(convolution(weights, 1, into, out))
            into = out
    return {"layers": layers, "classes": weights.dense(512, classes)}


def resnet(weights, seen, images, layout, is_training=False):
    """The scores, and the means and variances of every layer."""
    layers, batches = iter(zip(weights["layers"], seen)), []
    others = tuple(i for i, name in enumerate(layout[0]) if name != "C")

    def layer(x, stride=1):
        values, (mean, variance) = next(layers)
        x = convolve(x, values["kernel"], stride, layout)
        if is_training:
            mean, variance = x.mean(others), x.var(others)
            batches.append((mean, variance))
        return normalise(x, mean, variance, values["norm"], layout)

    x = jax.nn.relu(layer(images, 2))
    window = [1 if name in "NC" else 3 for name in layout[0]]
    strides = [1 if name in "NC" else 2 for name in layout[0]]
    x = lax.reduce_window(x, -jnp.inf, lax.max, window, strides, [(n // 2, n // 2) for n in window])
    for stage in range(4):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = layer(jax.nn.relu(layer(x, stride)))
            x = jax.nn.relu(y + (layer(x, 2) if stride == 2 else x))
    return dense(x.mean([layout[0].index(name) for name in "HW"]), weights["classes"]), batches


@model("ResNet-18, an image of 224")
def resnet_inference():
    weights = Weights()
    network = resnet_weights(weights, 1000)
    seen = statistics(weights, network["layers"])
    for layer in network["layers"]:
        layer["kernel"] = np.ascontiguousarray(layer["kernel"].transpose(3, 2, 0, 1))
    return lambda *a: resnet(*a, NCHW)[0], [network, seen, weights.normal(1, 3, 224, 224)]


# A rectifier or a window's largest element that is decided by the last bit changes whole gradients: XLA's own are 5e-3 off here.
@model("ResNet-18, a training step on 8 images of 64", tolerance=2e-2)
def resnet_training():
    weights = Weights()
    network = resnet_weights(weights, 200)

    def step(network, momentum, seen, images, labels):
        def loss(network):
            scores, batches = resnet(network, seen, images, NHWC, is_training=True)
            return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], axis=1).mean(), batches

        (value, batches), gradient = jax.value_and_grad(loss, has_aux=True)(network)
        momentum = jax.tree.map(lambda m, g, w: 0.9 * m + g + 1e-4 * w, momentum, gradient, network)
        network = jax.tree.map(lambda w, m: w - 0.1 * m, network, momentum)
        return network, momentum, jax.tree.map(lambda s, b: 0.9 * s + 0.1 * b, seen, batches), value

    return step, [network, jax.tree.map(np.zeros_like, network), statistics(weights, network["layers"]),
                  weights.normal(8, 64, 64, 3), weights.integers(200, 8)]


# --- MobileNetV2

# Expansion, channels, blocks, stride.
MOBILE = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


@model("MobileNetV2, an image of 224")
def mobile():
    weights = Weights()
    layers, plan, into = [convolution(weights, 3, 3, 32)], [], 32
    for expansion, out, count, stride in MOBILE:
        for block in range(count):
            wide = into * expansion
            layers += [convolution(weights, 1, into, wide)] * (expansion > 1)
            layers += [convolution(weights, 3, wide, wide, groups=wide), convolution(weights, 1, wide, out)]
            plan.append((expansion > 1, 1 if block else stride, into == out and (block > 0 or stride == 1)))
            into = out
    layers.append(convolution(weights, 1, into, 1280))

    def network(layers, seen, classes, x):
        rest = iter(zip(layers, seen))

        def layer(x, stride=1, groups=1):
            values, (mean, variance) = next(rest)
            return normalise(convolve(x, values["kernel"], stride, groups=groups), mean, variance, values["norm"], NHWC)

        x = jax.nn.relu6(layer(x, 2))
        for expands, stride, adds in plan:
            y = jax.nn.relu6(layer(x)) if expands else x
            y = layer(jax.nn.relu6(layer(y, stride, groups=y.shape[-1])))
            x = x + y if adds else y
        return dense(jax.nn.relu6(layer(x)).mean((1, 2)), classes)

    return network, [layers, statistics(weights, layers), weights.dense(1280, 1000), weights.normal(1, 224, 224, 3)]


# --- ViT-tiny


@model("ViT-tiny, an image of 224")
def vision_transformer():
    weights, width = Weights(), 192
    values = {
        "patches": weights.dense(16 * 16 * 3, width), "class": weights.normal(1, 1, width, scale=0.02),
        "places": weights.normal(1, 197, width, scale=0.02), "norm": weights.norm(width),
        "head": weights.dense(width, 1000),
        "blocks": [{"norm1": weights.norm(width), "attention": attention_weights(weights, width),
                    "norm2": weights.norm(width), "up": weights.dense(width, 4 * width),
                    "down": weights.dense(4 * width, width)} for _ in range(12)]}

    def network(values, images):
        kernel = values["patches"]["w"].reshape(16, 16, 3, width)
        x = lax.conv_general_dilated(images, kernel, (16, 16), "VALID", dimension_numbers=NHWC) + values["patches"]["b"]
        x = x.reshape(len(x), -1, width)
        x = jnp.concatenate([jnp.broadcast_to(values["class"], (len(x), 1, width)), x], axis=1) + values["places"]
        for block in values["blocks"]:
            x = x + attention(layer_norm(x, block["norm1"]), block["attention"], heads=3)
            x = x + transformer_mlp(layer_norm(x, block["norm2"]), block, approximate=False)
        return dense(layer_norm(x[:, 0], values["norm"]), values["head"])

    return network, [values, weights.normal(1, 224, 224, 3)]


# --- U-Net of a diffusion model


def group_norm(x, norm, groups=32):
    parts = x.reshape(*x.shape[:-1], groups, -1)
    mean, variance = parts.mean((1, 2, 4), keepdims=True), parts.var((1, 2, 4), keepdims=True)
    return ((parts - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape) * norm["scale"] + norm["bias"]


def residual_weights(weights, into, out):
    return {"norm1": weights.norm(into), "conv1": weights.matrix(3, 3, into, out), "time": weights.dense(256, out),
            "norm2": weights.norm(out), "conv2": weights.matrix(3, 3, out, out),
            "shortcut": weights.matrix(1, 1, into, out)}


def residual(x, time, values):
    y = convolve(jax.nn.silu(group_norm(x, values["norm1"])), values["conv1"])
    y = y + dense(jax.nn.silu(time), values["time"])[:, None, None]
    y = convolve(jax.nn.silu(group_norm(y, values["norm2"])), values["conv2"])
    return y + (x if x.shape == y.shape else convolve(x, values["shortcut"]))


def spatial_attention(x, values):
    flat = group_norm(x, values["norm"]).reshape(len(x), -1, x.shape[-1])
    return x + attention(flat, values["attention"], heads=4).reshape(x.shape)


@model("U-Net of a diffusion model, an image of 32")
def unet():
    weights, widths = Weights(), (64, 128, 128)
    down = [(64, 64), (64, 128), (128, 128)]
    up = [(256, 128), (256, 128), (192, 64)]
    attend = {"norm": weights.norm(128), "attention": attention_weights(weights, 128)}
    values = {
        "time": [weights.dense(64, 256), weights.dense(256, 256)], "first": weights.matrix(3, 3, 3, 64),
        "down": [residual_weights(weights, *pair) for pair in down], "attend": [attend] * 3,
        "strided": [weights.matrix(3, 3, n, n) for n in widths[:2]], "middle": residual_weights(weights, 128, 128),
        "up": [residual_weights(weights, *pair) for pair in up],
        "resized": [weights.matrix(3, 3, n, n) for n in (128, 128)],
        "norm": weights.norm(64), "last": weights.matrix(3, 3, 64, 3)}

    def network(values, x, step):
        angles = step[:, None] * jnp.exp(-np.log(10000) / 32 * jnp.arange(32))
        time = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=-1)
        time = dense(jax.nn.silu(dense(time, values["time"][0])), values["time"][1])
        x = convolve(x, values["first"])
        across = []
        for level in range(3):
            x = residual(x, time, values["down"][level])
            if level == 1:
                x = spatial_attention(x, values["attend"][0])
            across.append(x)
            if level < 2:
                x = convolve(x, values["strided"][level], 2)
        x = spatial_attention(residual(x, time, values["middle"]), values["attend"][1])
        for level in range(3):
            x = residual(jnp.concatenate([x, across.pop()], axis=-1), time, values["up"][level])
            if level == 1:
                x = spatial_attention(x, values["attend"][2])
            if level < 2:
                size = 2 * x.shape[1]
                x = convolve(jax.image.resize(x, (len(x), size, size, x.shape[-1]), "nearest"), values["resized"][level])
        return convolve(jax.nn.silu(group_norm(x, values["norm"])), values["last"])

    return network, [values, weights.normal(1, 32, 32, 3), np.array([500], np.float32)]
