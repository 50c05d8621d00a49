#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Trains the network of this example in JAX and lowers it to StableHLO.

    python train.py            # needs: pip install jax numpy scikit-learn

writes images.npy and labels.npy (the test part of the handwritten digits that scikit-learn ships) and digits.mlir
(the trained network, its weights as constants). All three are kept in the repository, so running the example needs
no Python at all; run this script to change the network.

The layers are custom calls. `calls` below names the kernels, which are written in C in kernels.c; `plain` says the
same in jax.numpy. Training uses `plain`, the lowered program has `calls`.
"""

import argparse
import pathlib
import types

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

HERE = pathlib.Path(__file__).resolve().parent
EPSILON = np.float32(1e-3)
HIDDEN = 48
STEPS = 600

ACTIVATIONS = {"none": lambda y: y, "relu": lambda y: jnp.maximum(y, 0), "tanh": jnp.tanh}


def plain_normalize(x, *, eps):
    """Gives each row mean 0 and variance 1."""
    centred = x - jnp.mean(x, axis=1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred * centred, axis=1, keepdims=True) + eps)


def plain_dense(x, w, b, *, activation):
    return ACTIVATIONS[activation](x @ w + b)


def called_normalize(x, *, eps):
    call = jax.ffi.ffi_call("digits_normalize", jax.ShapeDtypeStruct(x.shape, x.dtype))
    return call(x, eps=np.float32(eps))


def called_dense(x, w, b, *, activation):
    call = jax.ffi.ffi_call("digits_dense", jax.ShapeDtypeStruct((x.shape[0], w.shape[1]), x.dtype))
    return call(x, w, b, activation=activation)


plain = types.SimpleNamespace(normalize=plain_normalize, dense=plain_dense)
calls = types.SimpleNamespace(normalize=called_normalize, dense=called_dense)


def logits(layers, weights, images):
    """`images` holds brightnesses from 0 to 16, as integers."""
    (w1, b1), (w2, b2) = weights
    x = images.astype(jnp.float32).reshape(images.shape[0], -1) * (1 / 16)
    x = layers.normalize(x, eps=EPSILON)
    x = layers.dense(x, w1, b1, activation="relu")
    return layers.dense(x, w2, b2, activation="none")


def network(layers, weights):
    """The function that is lowered: images to predictions and probabilities."""

    def digits(images):
        scores = logits(layers, weights, images)
        return jnp.argmax(scores, axis=1).astype(jnp.int32), jax.nn.softmax(scores, axis=1)

    return digits


def load_digits():
    """Train images, train labels, test images, test labels. Every fifth image is for the test."""
    from sklearn.datasets import load_digits as load

    digits = load()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    test = np.arange(len(labels)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]


def shifted(images, labels):
    """The images, and each of them moved by one pixel to either side, up and down."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    moves = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    return np.concatenate([padded[:, i:i + 8, j:j + 8] for i, j in moves]), np.tile(labels, len(moves))


def train(images, labels):
    """Adam on all images at once, from a fixed seed."""
    keys = jax.random.split(jax.random.key(0), 2)
    sizes = [(64, HIDDEN), (HIDDEN, 10)]
    weights = [(jax.random.uniform(key, size, minval=-1, maxval=1) * np.sqrt(6 / sum(size)), jnp.zeros(size[1]))
               for key, size in zip(keys, sizes)]

    def loss(weights):
        guess = jax.nn.log_softmax(logits(plain, weights, images))
        decay = sum(jnp.sum(w * w) for w, _ in weights)
        return -jnp.mean(jnp.sum(guess * jax.nn.one_hot(labels, 10), axis=1)) + 1e-4 * decay

    def step(state, i):
        weights, first, second = state
        gradient = jax.grad(loss)(weights)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradient)
        rate = 0.02 * 0.5 * (1 + jnp.cos(jnp.pi * i / STEPS))

        def move(w, m, v):
            return w - rate * (m / (1 - 0.9 ** (i + 1))) / (jnp.sqrt(v / (1 - 0.99 ** (i + 1))) + 1e-8)

        return (jax.tree.map(move, weights, first, second), first, second), None

    zeros = jax.tree.map(jnp.zeros_like, weights)
    run = jax.jit(lambda state: lax.scan(step, state, jnp.arange(STEPS, dtype=jnp.float32))[0][0])
    return run((weights, zeros, zeros))


def lower(weights, images):
    """The text of the network with custom calls, for batches of the size of `images`."""
    weights = jax.tree.map(np.asarray, weights)
    text = jax.jit(network(calls, weights)).lower(images).as_text()
    return "// Written by train.py: classifies handwritten digits. The kernels are in kernels.c.\n" + text


def accuracy(predictions, labels):
    return float(np.mean(np.asarray(predictions) == labels))


def main():
    parser = argparse.ArgumentParser(description="Trains the digits network and lowers it to StableHLO.")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE, help="where the files are written")
    folder = parser.parse_args().folder
    images, labels, test_images, test_labels = load_digits()
    weights = train(*shifted(images, labels))
    for what, x, y in (("training", images, labels), ("test", test_images, test_labels)):
        predictions, _ = jax.jit(network(plain, weights))(x)
        print(f"{what:8} accuracy {accuracy(predictions, y):.2%} of {len(y)} images")
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "images.npy", test_images)
    np.save(folder / "labels.npy", test_labels)
    (folder / "digits.mlir").write_text(lower(weights, test_images))


if __name__ == "__main__":
    main()
