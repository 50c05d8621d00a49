# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Transformers of text and speech: BERT (Devlin 2018), GPT-2 (Radford 2019), T5 (Raffel 2019), Whisper (Radford 2022)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from models import Weights, model
from models.layers import (attend, attention, attention_weights, causal_bias, dense, layer_norm, split_heads,
                           transformer_mlp)


def block_weights(weights, width):
    return {"norm1": weights.norm(width), "attention": attention_weights(weights, width), "norm2": weights.norm(width),
            "up": weights.dense(width, 4 * width), "down": weights.dense(4 * width, width)}


# --- BERT


@model("BERT-small, 128 tokens")
def bert():
    weights, width = Weights(), 512
    values = {
        "words": weights.normal(30522, width, scale=0.02), "places": weights.normal(512, width, scale=0.02),
        "kinds": weights.normal(2, width, scale=0.02), "norm": weights.norm(width),
        "blocks": [block_weights(weights, width) for _ in range(4)], "pool": weights.dense(width, width)}

    def network(values, tokens, kinds, mask):
        x = values["words"][tokens] + values["places"][:tokens.shape[1]] + values["kinds"][kinds]
        x = layer_norm(x, values["norm"], 1e-12)
        bias = (1.0 - mask[:, None, None].astype(np.float32)) * -1e9
        for block in values["blocks"]:
            x = layer_norm(x + attention(x, block["attention"], 8, bias), block["norm1"], 1e-12)
            x = layer_norm(x + transformer_mlp(x, block, approximate=False), block["norm2"], 1e-12)
        return x, jnp.tanh(dense(x[:, 0], values["pool"]))

    tokens = weights.integers(30522, 1, 128)
    return network, [values, tokens, (np.arange(128) > 60).astype(np.int32)[None], np.int32(np.arange(128) < 120)[None]]


# --- GPT-2

GPT_WIDTH, GPT_HEADS, GPT_LAYERS, GPT_LENGTH = 768, 12, 6, 1024


def gpt_weights(weights):
    return {"words": weights.normal(50257, GPT_WIDTH, scale=0.02),
            "places": weights.normal(GPT_LENGTH, GPT_WIDTH, scale=0.02),
            "blocks": [block_weights(weights, GPT_WIDTH) for _ in range(GPT_LAYERS)], "norm": weights.norm(GPT_WIDTH)}


@model("GPT-2 of 6 layers, 64 tokens read")
def gpt_prefill():
    """The scores of the next word, and the keys and values of all words."""
    weights = Weights()

    def network(values, tokens):
        x, cache = values["words"][tokens] + values["places"][:tokens.shape[1]], []
        bias = causal_bias(tokens.shape[1])
        for block in values["blocks"]:
            y = layer_norm(x, block["norm1"])
            q, k, v = (split_heads(dense(y, block["attention"][name]), GPT_HEADS) for name in "qkv")
            x = x + dense(attend(q, k, v, bias), block["attention"]["out"])
            x = x + transformer_mlp(layer_norm(x, block["norm2"]), block, approximate=True)
            cache.append((k, v))
        return layer_norm(x[:, -1], values["norm"]) @ values["words"].T, cache

    return network, [gpt_weights(weights), weights.integers(50257, 1, 64)]


@model("GPT-2 of 6 layers, a token with a cache of 256")
def gpt_decode():
    weights = Weights()

    def network(values, caches, token, place):
        length = caches[0][0].shape[1]
        x = (values["words"][token] + values["places"][place])[:, None]
        bias, new = jnp.where(jnp.arange(length) <= place, 0.0, -1e9), []
        for block, (keys, memory) in zip(values["blocks"], caches):
            y = layer_norm(x, block["norm1"])
            q, k, v = (split_heads(dense(y, block["attention"][name]), GPT_HEADS) for name in "qkv")
            keys = lax.dynamic_update_slice(keys, k, (0, place, 0, 0))
            memory = lax.dynamic_update_slice(memory, v, (0, place, 0, 0))
            x = x + dense(attend(q, keys, memory, bias), block["attention"]["out"])
            x = x + transformer_mlp(layer_norm(x, block["norm2"]), block, approximate=True)
            new.append((keys, memory))
        return layer_norm(x[:, 0], values["norm"]) @ values["words"].T, new

    caches = [tuple(weights.normal(1, 256, GPT_HEADS, 64) for _ in range(2)) for _ in range(GPT_LAYERS)]
    return network, [gpt_weights(weights), caches, weights.integers(50257, 1), np.int32(100)]


# --- T5

T5_WIDTH, T5_HEADS, T5_STEPS = 512, 8, 12


def rms_norm(x, scale):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def buckets(queries, keys, both_ways):
    """Relative places in 32 groups: single ones near by, logarithmic ones up to 128."""
    distance = keys[None, :] - queries[:, None]
    count, first = (16, jnp.where(distance > 0, 16, 0)) if both_ways else (32, 0)
    distance = jnp.abs(distance) if both_ways else -jnp.minimum(distance, 0)
    exact = count // 2
    far = exact + (jnp.log(jnp.maximum(distance, 1) / exact) / np.log(128 / exact) * (count - exact)).astype(np.int32)
    return first + jnp.where(distance < exact, distance, jnp.minimum(far, count - 1))


def relative_bias(table, queries, keys, both_ways):
    return table[buckets(queries, keys, both_ways)].transpose(2, 0, 1)


def t5_attention(weights):
    return {name: weights.matrix(T5_WIDTH, T5_WIDTH, gain=0.2 if name == "q" else 1) for name in ("q", "k", "v", "out")}


def t5_block(weights, has_memory):
    names = ["own", "cross"] if has_memory else ["own"]
    return {"norms": 1 + weights.normal(3, T5_WIDTH, scale=0.1), **{name: t5_attention(weights) for name in names},
            "up": weights.matrix(T5_WIDTH, 2048), "down": weights.matrix(2048, T5_WIDTH)}


def t5_heads(x, values, names):
    return [split_heads(x @ values[name], T5_HEADS) for name in names]


def t5_mlp(x, block):
    return jax.nn.relu(rms_norm(x, block["norms"][2]) @ block["up"]) @ block["down"]


@model("T5-small, 64 tokens to 12, greedily")
def t5():
    weights = Weights()
    values = {"words": weights.normal(32128, T5_WIDTH, scale=0.05), "near": weights.normal(2, 32, T5_HEADS, scale=0.5),
              "norms": 1 + weights.normal(2, T5_WIDTH, scale=0.1),
              "encoder": [t5_block(weights, False) for _ in range(6)],
              "decoder": [t5_block(weights, True) for _ in range(6)]}

    def encode(values, tokens):
        x, places = values["words"][tokens], jnp.arange(tokens.shape[1])
        bias = relative_bias(values["near"][0], places, places, both_ways=True)
        for block in values["encoder"]:
            q, k, v = t5_heads(rms_norm(x, block["norms"][0]), block["own"], "qkv")
            x = x + attend(q, k, v, bias, 1.0) @ block["own"]["out"]
            x = x + t5_mlp(x, block)
        return rms_norm(x, values["norms"][0])

    def network(values, tokens):
        memory = encode(values, tokens)
        crossed = [t5_heads(memory, block["cross"], "kv") for block in values["decoder"]]
        places = jnp.arange(T5_STEPS)
        empty = jnp.zeros((1, T5_STEPS, T5_HEADS, T5_WIDTH // T5_HEADS))

        def step(place, state):
            words, caches, scores = state
            x, new = values["words"][words[:, place]][:, None], []
            bias = relative_bias(values["near"][1], place[None], places, both_ways=False)
            bias = jnp.where(places <= place, bias, -1e9)
            for block, cross, (keys, seen) in zip(values["decoder"], crossed, caches):
                q, k, v = t5_heads(rms_norm(x, block["norms"][0]), block["own"], "qkv")
                keys = lax.dynamic_update_slice(keys, k, (0, place, 0, 0))
                seen = lax.dynamic_update_slice(seen, v, (0, place, 0, 0))
                x = x + attend(q, keys, seen, bias, 1.0) @ block["own"]["out"]
                q, = t5_heads(rms_norm(x, block["norms"][1]), block["cross"], "q")
                x = x + attend(q, *cross, 0.0, 1.0) @ block["cross"]["out"]
                x = x + t5_mlp(x, block)
                new.append((keys, seen))
            scores = (rms_norm(x, values["norms"][1])[:, 0] * T5_WIDTH ** -0.5) @ values["words"].T
            return words.at[:, place + 1].set(scores.argmax(-1).astype(np.int32)), new, scores

        state = (jnp.zeros((1, T5_STEPS + 1), np.int32), [(empty, empty)] * 6, jnp.zeros((1, 32128)))
        words, _, scores = lax.fori_loop(0, T5_STEPS, step, state)
        return words, scores

    return network, [values, weights.integers(32128, 1, 64)]


# --- Whisper


@model("Whisper-tiny, 10 s of speech and 16 tokens")
def whisper():
    weights, width, heads = Weights(), 384, 6
    cross = {"norm3": weights.norm(width), "cross": attention_weights(weights, width)}
    values = {
        "first": weights.matrix(3, 80, width), "second": weights.matrix(3, width, width),
        "encoder": [block_weights(weights, width) for _ in range(4)], "norms": [weights.norm(width) for _ in range(2)],
        "words": weights.normal(51865, width, scale=0.02), "places": weights.normal(448, width, scale=0.02),
        "decoder": [{**block_weights(weights, width), **cross} for _ in range(4)]}

    def convolve(x, kernel, stride):
        return lax.conv_general_dilated(x, kernel, (stride,), [(1, 1)], dimension_numbers=("NWC", "WIO", "NWC"))

    def network(values, sound, tokens):
        x = jax.nn.gelu(convolve(sound, values["first"], 1), approximate=False)
        x = jax.nn.gelu(convolve(x, values["second"], 2), approximate=False)
        angles = jnp.arange(x.shape[1])[:, None] * jnp.exp(-np.log(10000) / (width // 2 - 1) * jnp.arange(width // 2))
        x = x + jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=1)
        for block in values["encoder"]:
            x = x + attention(layer_norm(x, block["norm1"]), block["attention"], heads)
            x = x + transformer_mlp(layer_norm(x, block["norm2"]), block, approximate=False)
        memory = layer_norm(x, values["norms"][0])
        x = values["words"][tokens] + values["places"][:tokens.shape[1]]
        bias = causal_bias(tokens.shape[1])
        for block in values["decoder"]:
            x = x + attention(layer_norm(x, block["norm1"]), block["attention"], heads, bias)
            x = x + attention(layer_norm(x, block["norm3"]), block["cross"], heads, memory=memory)
            x = x + transformer_mlp(layer_norm(x, block["norm2"]), block, approximate=False)
        return layer_norm(x, values["norms"][1]) @ values["words"].T

    return network, [values, weights.normal(1, 1000, 80), weights.integers(51865, 1, 16)]
