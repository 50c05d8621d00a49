# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Programs that JAX lowers to StableHLO: what a user of JAX would bring to Tenon.

Each program is a function with its inputs. `python programs.py --dump FOLDER [--locations]` writes the texts,
`python programs.py --census` counts the operations that they use.

These are the small ones, whose text every reader and printer is tried with; `library` has programs by theme.
"""

import argparse
import collections
import contextlib
import dataclasses
import pathlib
import re
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    function: Callable
    arguments: Sequence[Any]
    x64: bool = False
    donate: Sequence[int] = ()
    # Multiplies the tolerance of the result's dtype: for long sums and for functions with steep slopes.
    slack: float = 1.0
    # How far results may lie apart, in units of the last place of an element (`each`), of an element or one (`ones`:
    # what is left of a difference of ones is no better), or of the largest element, where each is a sum of others.
    ulps: float = 32
    scale: str = "ones"
    sample: bool = False
    # A library that Tenon must use to run it (`tenon version`).
    needs: str = ""

    def lower(self):
        # Unused arguments stay, so that the text's parameters are the arguments.
        jitted = jax.jit(self.function, keep_unused=True, donate_argnums=tuple(self.donate))
        with self.mode():
            return jitted.lower(*self.arguments)

    def mode(self):
        return jax.enable_x64(True) if self.x64 else contextlib.nullcontext()

    def inputs(self):
        """The leaves of the arguments, in the order of the text's parameters."""
        return [np.asarray(leaf) for leaf in jax.tree.leaves(list(self.arguments))]

    def expected(self):
        """What JAX computes: the leaves of the result."""
        with self.mode():
            # Donated inputs are spent by a call, therefore fresh copies.
            copies = jax.tree.map(jnp.array, list(self.arguments))
            # The optimiser of loops changes how long LLVM takes, not what comes out.
            compiled = self.lower().compile({"xla_backend_optimization_level": 0})
            return [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*copies))]


def registrar(programs):
    """A decorator that puts functions with their arguments into a list."""

    def program(*arguments, name=None, **options):
        def register(function):
            programs.append(Program(name or function.__name__, function, arguments, **options))
            return function

        return register

    return program


PROGRAMS: list[Program] = []
program = registrar(PROGRAMS)


def numbers(seed, *shape, dtype=np.float32, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def integers(seed, *shape, low=-100, high=100, dtype=np.int32):
    # `high` counts itself in, so that the whole range of a dtype can be named.
    return np.random.default_rng(seed).integers(low, high, shape, dtype=dtype, endpoint=True)


# ---- networks ------------------------------------------------------------------------------------

MLP_WEIGHTS = [(numbers(i, m, n, scale=0.3), numbers(10 + i, n, scale=0.1))
               for i, (m, n) in enumerate([(16, 32), (32, 32), (32, 10)])]
MLP_BATCH = numbers(20, 8, 16)
MLP_LABELS = integers(21, 8, low=0, high=9)


@program(MLP_WEIGHTS, MLP_BATCH)
def mlp(weights, x):
    for w, b in weights[:-1]:
        x = jax.nn.gelu(x @ w + b, approximate=True)
    w, b = weights[-1]
    return x @ w + b


def cross_entropy(weights, x, labels):
    log_probability = jax.nn.log_softmax(mlp(weights, x))
    return -jnp.mean(jnp.sum(log_probability * jax.nn.one_hot(labels, 10), axis=-1))


@program(MLP_WEIGHTS, MLP_BATCH, MLP_LABELS)
def mlp_gradient(weights, x, labels):
    return jax.value_and_grad(cross_entropy)(weights, x, labels)


@program(MLP_WEIGHTS, MLP_BATCH, MLP_LABELS, donate=(0,))
def mlp_training_step(weights, x, labels):
    loss, gradient = jax.value_and_grad(cross_entropy)(weights, x, labels)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradient), loss


@program(MLP_WEIGHTS, MLP_BATCH, MLP_LABELS)
def mlp_gradient_rematerialised(weights, x, labels):
    """jax.checkpoint leaves optimisation barriers in the text."""
    return jax.grad(jax.checkpoint(cross_entropy))(weights, x, labels)


def normalise(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + 1e-5) * scale + bias


NORM_ARGUMENTS = (numbers(30, 4, 6, 24), numbers(31, 24), numbers(32, 24))


@program(*NORM_ARGUMENTS)
def layer_norm(x, scale, bias):
    return normalise(x, scale, bias)


@program(*NORM_ARGUMENTS, slack=4)
def layer_norm_gradient(x, scale, bias):
    return jax.grad(lambda *a: jnp.sum(jnp.sin(normalise(*a))), argnums=(0, 1, 2))(x, scale, bias)


def attend(x, query, key, value, out, heads=4):
    batch, length, width = x.shape
    q, k, v = (jnp.einsum("blw,whd->bhld", x, m.reshape(width, heads, -1)) for m in (query, key, value))
    scores = jnp.einsum("bhld,bhmd->bhlm", q, k) / (width / heads) ** 0.5
    causal = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), axis=-1)
    return jnp.einsum("bhlm,bhmd->blhd", weights, v).reshape(batch, length, width) @ out


ATTENTION_ARGUMENTS = (numbers(40, 2, 9, 32),) + tuple(numbers(41 + i, 32, 32, scale=0.2) for i in range(4))


@program(*ATTENTION_ARGUMENTS, slack=2)
def attention(x, query, key, value, out):
    return attend(x, query, key, value, out)


@program(*ATTENTION_ARGUMENTS, slack=8)
def attention_gradient(x, query, key, value, out):
    return jax.grad(lambda *a: jnp.sum(attend(*a) ** 2), argnums=(0, 1, 2, 3, 4))(x, query, key, value, out)


# XLA keeps more than bfloat16 between the operations that it fuses; Tenon rounds where the program says so. The
# results are float32, hence the slack: it is bfloat16's precision.
@program(*(a.astype(ml_dtypes.bfloat16) for a in ATTENTION_ARGUMENTS), slack=400)
def attention_bf16(x, query, key, value, out):
    return attend(x, query, key, value, out)


@program(*NORM_ARGUMENTS, *(numbers(45 + i, 24, 24, scale=0.2) for i in range(4)), numbers(50, 24, 48, scale=0.2),
         numbers(51, 48, 24, scale=0.2), slack=4)
def transformer_block(x, scale, bias, query, key, value, out, up, down):
    x = x + attend(normalise(x, scale, bias), query, key, value, out)
    return x + jax.nn.silu(normalise(x, scale, bias) @ up) @ down


@program(numbers(55, 2, 5, 5, 3), numbers(56, 3, 3, 3, 4))
def convolution_by_patches(images, kernel):
    """A 3x3 convolution as shifted slices and one product."""
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    patches = jnp.stack([padded[:, i:i + 5, j:j + 5] for i in range(3) for j in range(3)], axis=3)
    return jax.nn.relu(jnp.einsum("nhwpc,pco->nhwo", patches, kernel.reshape(9, 3, 4)))


# ---- loops ---------------------------------------------------------------------------------------

CELL_ARGUMENTS = (numbers(60, 12, 3, 8), numbers(61, 3, 16), numbers(62, 8, 16, scale=0.4),
                  numbers(63, 16, 16, scale=0.2))


def recur(xs, state, into, across):
    def step(h, x):
        h = jnp.tanh(x @ into + h @ across)
        return h, jnp.sum(h, axis=-1)

    return lax.scan(step, state, xs)


@program(*CELL_ARGUMENTS)
def scan(xs, state, into, across):
    return recur(xs, state, into, across)


@program(*CELL_ARGUMENTS, slack=4)
def scan_gradient(xs, state, into, across):
    return jax.grad(lambda *a: jnp.sum(recur(*a)[1] ** 2), argnums=(0, 1, 2, 3))(xs, state, into, across)


@program(numbers(64, 10, 4))
def scan_reversed(xs):
    return lax.scan(lambda c, x: (0.5 * c + x, c), jnp.zeros(4), xs, reverse=True)


@program(numbers(65, 3, 16), numbers(66, 20))
def cumulative(x, y):
    return lax.associative_scan(jnp.add, x, axis=1), lax.associative_scan(jnp.maximum, y, reverse=True)


@program(numbers(67, 7, 5), numbers(68, 5, 5))
def mapped(rows, matrix):
    return lax.map(lambda row: matrix @ row / jnp.sqrt(1 + row @ row), rows)


@program(np.int32(48), np.int32(36))
def greatest_common_divisor(a, b):
    return lax.while_loop(lambda p: p[1] != 0, lambda p: (p[1], p[0] % p[1]), (a, b))[0]


@program(numbers(69, 8, 8, scale=0.1), numbers(70, 8))
def conjugate_gradient(factor, right):
    """Ends when the residual is small: the number of turns depends on the data."""
    matrix = factor @ factor.T + jnp.eye(8)

    def turn(state):
        i, x, r, p, rr = state
        mp = matrix @ p
        alpha = rr / (p @ mp)
        x, r = x + alpha * p, r - alpha * mp
        new = r @ r
        return i + 1, x, r, r + (new / rr) * p, new

    start = (0, jnp.zeros(8), right, right, right @ right)
    return lax.while_loop(lambda s: (s[4] > 1e-6) & (s[0] < 20), turn, start)[1]


@program(numbers(71, 6, 6))
def nested_loops(x):
    def outer(i, a):
        return a + lax.fori_loop(0, i + 1, lambda j, b: b * 0.5 + a[j], a[i])

    return lax.fori_loop(0, 5, outer, x)


@program((np.linspace(-2, 0.5, 24)[None, :] + 1j * np.linspace(-1.2, 1.2, 16)[:, None]).astype(np.complex64))
def mandelbrot(c):
    def turn(_, state):
        z, count = state
        inside = jnp.real(z) ** 2 + jnp.imag(z) ** 2 <= 4
        return jnp.where(inside, z * z + c, z), count + inside

    return lax.fori_loop(0, 20, turn, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


@program(integers(72, 16, 16, low=0, high=1, dtype=np.uint8))
def game_of_life(cells):
    def turn(_, c):
        around = sum(jnp.roll(c, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        return ((around == 3) | ((around == 2) & (c == 1))).astype(jnp.uint8)

    return lax.fori_loop(0, 8, turn, cells)


@program(numbers(73, 40, 2), numbers(74, 3, 2))
def k_means(points, centres):
    def turn(_, c):
        nearest = jnp.argmin(jnp.sum((points[:, None] - c) ** 2, axis=-1), axis=-1)
        member = jax.nn.one_hot(nearest, 3)
        return member.T @ points / jnp.maximum(jnp.sum(member, axis=0), 1)[:, None]

    return lax.fori_loop(0, 5, turn, centres)


# ---- sampling ------------------------------------------------------------------------------------

VOCABULARY = 29
TABLE = numbers(80, VOCABULARY, VOCABULARY, scale=2.0)


@program(np.uint32(7), TABLE, np.float32(0.8))
def sampling_loop(seed, table, temperature):
    """Draws tokens until token 0 comes or the line is full."""

    def going(state):
        _, _, token, count = state
        return (token != 0) & (count < 24)

    def draw(state):
        key, tokens, token, count = state
        key, now = jax.random.split(key)
        token = jax.random.categorical(now, table[token] / temperature).astype(jnp.int32)
        return key, lax.dynamic_update_index_in_dim(tokens, token, count, 0), token, count + 1

    start = (jax.random.key(seed), jnp.full(24, -1, jnp.int32), jnp.int32(1), jnp.int32(0))
    _, tokens, _, count = lax.while_loop(going, draw, start)
    return tokens, count


@program(np.array([3, 11], np.uint32), TABLE)
def sampling_batched(key_data, table):
    def draw(i, state):
        key, tokens = state
        key, now = jax.random.split(key)
        last = lax.dynamic_index_in_dim(tokens, i, axis=1, keepdims=False)
        token = jax.random.categorical(now, table[last], axis=-1).astype(jnp.int32)
        return key, lax.dynamic_update_index_in_dim(tokens, token, i + 1, axis=1)

    start = (jax.random.wrap_key_data(key_data), jnp.arange(4 * 13, dtype=jnp.int32).reshape(4, 13) % VOCABULARY)
    return lax.fori_loop(0, 12, draw, start)[1]


@program(np.uint32(42), slack=4)
def random_numbers(seed):
    keys = jax.random.split(jax.random.key(seed), 8)
    return (jax.random.bits(keys[0], (3, 5)), jax.random.uniform(keys[1], (7,), minval=-2, maxval=3),
            jax.random.randint(keys[2], (11,), -5, 100), jax.random.bernoulli(keys[3], 0.3, (13,)),
            jax.random.gumbel(keys[4], (5,)), jax.random.exponential(keys[5], (5,)),
            jax.random.laplace(keys[6], (4,)), jax.random.bits(keys[7], (6,), jnp.uint8))


@program(np.uint32(5))
def monte_carlo(seed):
    def turn(i, hits):
        xy = jax.random.uniform(jax.random.fold_in(jax.random.key(seed), i), (64, 2))
        return hits + jnp.sum(jnp.sum(xy * xy, axis=-1) < 1, dtype=jnp.int32)

    return lax.fori_loop(0, 10, turn, jnp.int32(0))


# ---- reductions ----------------------------------------------------------------------------------

@program(numbers(90, 4, 7, 5))
def reductions(x):
    return (jax.nn.softmax(x), jax.nn.log_softmax(x, axis=1), jax.nn.logsumexp(x, axis=(0, 2)), jnp.mean(x, axis=0),
            jnp.max(x, axis=1), jnp.min(x, axis=-1), jnp.argmax(x, axis=1),
            jnp.argmin(x, axis=-1), jnp.argmax(x), jnp.prod(x, axis=2), jnp.any(x > 2, axis=0), jnp.all(x > -2),
            jnp.linalg.norm(x, axis=-1), jnp.count_nonzero(x > 0, axis=1))


@program(numbers(89, 4, 7, 5))
def variances(x):
    """jnp.var and similar functions leave `chlo.square` in the text."""
    return jnp.var(x, axis=(1, 2)), jnp.std(x), jnp.linalg.norm(x, axis=-1), jnp.square(x)


@program(np.array([[1, np.nan, 3], [-0.0, 0.0, -np.inf], [np.inf, np.nan, -np.nan]], np.float32))
def reductions_of_nan(x):
    return (jnp.max(x, axis=1), jnp.min(x, axis=1), jnp.sum(x, axis=0), jnp.argmax(x, axis=1), jnp.argmin(x, axis=0),
            jnp.nanmax(x, axis=1), jnp.nansum(x), jnp.isnan(x), jnp.nan_to_num(x))


@program(integers(91, 6, 9, low=-2**31, high=2**31 - 1), integers(92, 6, 9, low=0, high=2**8 - 1, dtype=np.uint8),
         integers(93, 6, 9, low=0, high=1, dtype=np.bool_))
def reductions_of_integers(x, y, z):
    return (jnp.sum(x, axis=0), jnp.max(x, axis=1), jnp.min(x), jnp.prod(y, axis=1), jnp.sum(y), jnp.max(y, axis=0),
            jnp.argmin(y, axis=1), jnp.any(z, axis=0), jnp.all(z, axis=1), jnp.sum(z, axis=1),
            lax.reduce(x, jnp.int32(-1), lax.bitwise_and, (1,)), lax.reduce(x, jnp.int32(0), lax.bitwise_xor, (0,)),
            lax.reduce(y, jnp.uint8(0), lax.bitwise_or, (0, 1)))


@program(numbers(94, 5, 8), integers(95, 5, 8))
def reduce_with_own_body(x, tags):
    """Several operands at once, and a body that is neither sum nor maximum."""

    def heavier(a, b):
        (x0, t0), (x1, t1) = a, b
        first = jnp.abs(x0) >= jnp.abs(x1)
        return jnp.where(first, x0, x1), jnp.where(first, t0, t1)

    pair = lax.reduce((x, tags), (np.float32(0), np.int32(-1)), heavier, (1,))
    return pair, lax.reduce(x, np.float32(0), lambda a, b: jnp.sqrt(a * a + b * b), (0,))


# ---- elementwise ---------------------------------------------------------------------------------

def elementwise_float(x, y):
    positive = jnp.abs(x) + 0.25
    small = jnp.clip(x, -0.9, 0.9)
    return (x + y, x - y, x * y, x / y, jnp.maximum(x, y), jnp.minimum(x, y), lax.rem(x, y), jnp.mod(x, y),
            lax.pow(positive, y), lax.integer_pow(x, 3), lax.atan2(x, y), jnp.abs(x), -x, jnp.sign(x), jnp.floor(x),
            jnp.ceil(x),
            jnp.round(x), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.exp(x), jnp.expm1(x),
            jnp.log(positive),
            jnp.log1p(positive), jnp.sqrt(positive), lax.rsqrt(positive), jnp.cbrt(x), jnp.sin(x), jnp.cos(x),
            jnp.tan(small), jnp.tanh(x), lax.logistic(x), jnp.isfinite(x), x < y, x <= y, x > y, x >= y, x == y,
            x != y, jnp.where(x > y, x, y), lax.clamp(jnp.asarray(-1, x.dtype), x, jnp.asarray(1, x.dtype)),
            jax.nn.relu(x), jax.nn.softplus(x), jnp.logaddexp(x, y), jnp.reciprocal(y),
            jnp.signbit(x), jnp.copysign(x, y))


for dtype, options in ((np.float16, {"slack": 2}), (ml_dtypes.bfloat16, {"slack": 2}), (np.float32, {"slack": 2}),
                       (np.float64, {"x64": True, "slack": 2})):
    program(numbers(100, 5, 7, dtype=dtype, scale=2), numbers(101, 5, 7, dtype=dtype, scale=2),
            name=f"elementwise_{np.dtype(dtype).name}", **options)(elementwise_float)

CORNERS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.4e38, -3.4e38, 1e-30],
                   np.float32)


@program(np.repeat(CORNERS, CORNERS.size), np.tile(CORNERS, CORNERS.size))
def elementwise_corners(x, y):
    return (x + y, x - y, x * y, x / y, jnp.maximum(x, y), jnp.minimum(x, y), x < y, x <= y, x == y, x != y,
            lax.rem(x, y),
            lax.pow(x, y), lax.atan2(x, y), jnp.sign(x), jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.sqrt(x),
            jnp.log(x),
            jnp.exp(x), jnp.tanh(x), lax.logistic(x), jnp.isfinite(x), lax.clamp(np.float32(-1), x, np.float32(1)),
            lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.log1p(x), jnp.expm1(x), jnp.cbrt(x), -x, jnp.abs(x))


def elementwise_integer(x, y):
    amount = y & jnp.asarray(7, y.dtype)
    nonzero = y | jnp.asarray(1, y.dtype)
    every = (x + y, x - y, x * y, lax.div(x, nonzero), lax.rem(x, nonzero), x // nonzero, x % nonzero,
             jnp.maximum(x, y),
             jnp.minimum(x, y), x & y, x | y, x ^ y, ~x, lax.shift_left(x, amount),
             lax.shift_right_logical(x, amount),
             lax.shift_right_arithmetic(x, amount), lax.shift_left(x, y), lax.population_count(x), lax.clz(x),
             jnp.sign(x),
             x < y, x <= y, x > y, x >= y, x == y, x != y, jnp.where(x > y, x, y), lax.integer_pow(x, 3),
             jnp.clip(x, jnp.asarray(3, x.dtype), jnp.asarray(90, x.dtype)), -x)
    return every + ((jnp.abs(x),) if jnp.issubdtype(x.dtype, jnp.signedinteger) else ())


for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
    limits = np.iinfo(dtype)
    edge = np.array([limits.min, limits.max, 0, 1, limits.max - 1], dtype)
    program(np.concatenate([edge, integers(110, 30, low=limits.min, high=limits.max, dtype=dtype)]),
            np.concatenate([edge[::-1], integers(111, 30, low=limits.min, high=limits.max, dtype=dtype)]),
            name=f"elementwise_{np.dtype(dtype).name}", x64=np.dtype(dtype).itemsize == 8)(elementwise_integer)


@program(np.array([True, True, False, False]), np.array([True, False, True, False]))
def elementwise_bool(x, y):
    return (x & y, x | y, x ^ y, ~x, x == y, x != y, x < y, jnp.where(x, y, ~y),
            lax.population_count(x.astype(jnp.uint8)))


def elementwise_complex(x, y):
    return (x + y, x - y, x * y, x / y, -x, jnp.conj(x), jnp.real(x), jnp.imag(x), jnp.abs(x), jnp.exp(x), jnp.log(x),
            jnp.sqrt(x), lax.rsqrt(x), jnp.sin(x), jnp.cos(x), jnp.tanh(x), x == y, x != y,
            lax.complex(jnp.real(x), jnp.imag(y)),
            jnp.where(jnp.real(x) > 0, x, y), jnp.angle(x), lax.expm1(x), lax.log1p(x), lax.pow(x, y), jnp.sign(x))


for dtype, options in ((np.complex64, {"slack": 8}), (np.complex128, {"x64": True, "slack": 8})):
    program((numbers(120, 6, 4) + 1j * numbers(121, 6, 4)).astype(dtype),
            (numbers(122, 6, 4) + 1j * numbers(123, 6, 4)).astype(dtype),
            name=f"elementwise_{np.dtype(dtype).name}", **options)(elementwise_complex)

NUMERIC = (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
           ml_dtypes.bfloat16, np.float32, np.float64)


@program(np.array([0, 1, 2, 3, 100, 127], np.int8), x64=True)
def converts_between_all(x):
    """Every pair of dtypes, by values that each of them holds."""
    return tuple(x.astype(source).astype(target) for source in NUMERIC for target in NUMERIC if source != target)


@program(np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, 300.7, -300.7, 0.9, -0.9, 2147483648.0], np.float32))
def converts_with_saturation(x):
    return tuple(x.astype(t) for t in (jnp.int8, jnp.int16, jnp.int32, jnp.uint8, jnp.uint16, jnp.uint32,
                                       jnp.float16, jnp.bfloat16))


@program(numbers(124, 4, 6))
def bitcasts(x):
    as_bytes = lax.bitcast_convert_type(x, jnp.uint8)
    halves = lax.bitcast_convert_type(x, jnp.bfloat16)
    return (lax.bitcast_convert_type(x, jnp.int32), as_bytes, lax.bitcast_convert_type(as_bytes, jnp.float32),
            lax.bitcast_convert_type(halves, jnp.uint16), lax.bitcast_convert_type(as_bytes[..., ::-1], jnp.uint32))


@program(numbers(125, 30, scale=100))
def reduced_precision(x):
    return lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 4, 3)


# ---- products ------------------------------------------------------------------------------------

@program(numbers(130, 3, 4, 5), numbers(131, 3, 5, 6), numbers(132, 5), numbers(133, 4, 5, 3))
def products(a, b, v, c):
    return (a @ b, a @ v, v @ v, jnp.outer(v, v), jnp.tensordot(a, c, axes=((0, 1, 2), (2, 0, 1))),
            jnp.einsum("nij,ijn->ni", a, c), jnp.einsum("nij,nkj->ikn", a, a), jnp.einsum("ijk->kji", a),
            jnp.vdot(a, a))


@program(integers(134, 4, 6, dtype=np.int8), integers(135, 6, 5, dtype=np.int8), integers(136, 3, 6),
         integers(137, 6, 2))
def products_of_integers(a, b, c, d):
    return lax.dot(a, b, preferred_element_type=jnp.int32), a @ b, c @ d, (a > 0) @ (b > 0)


@program(numbers(138, 4, 16, dtype=np.float16), numbers(139, 16, 5, dtype=np.float16),
         numbers(140, 4, 16, dtype=ml_dtypes.bfloat16), numbers(141, 16, 5, dtype=ml_dtypes.bfloat16), slack=4)
def products_of_halves(a, b, c, d):
    return (a @ b, c @ d, lax.dot(a, b, preferred_element_type=jnp.float32),
            lax.dot(c, d, preferred_element_type=jnp.float32),
            lax.dot(a, b, precision=lax.Precision.HIGHEST))


@program(numbers(142, 4, 6, dtype=np.float64), (numbers(143, 6, 3) + 1j * numbers(144, 6, 3)).astype(np.complex128),
         x64=True)
def products_of_doubles(a, b):
    return a @ a.T, a @ b, jnp.conj(b.T) @ b


# ---- shapes and indices --------------------------------------------------------------------------

@program(numbers(150, 4, 6, 3), integers(151, 4, 6))
def shape_moves(x, y):
    return (x.T, jnp.transpose(x, (1, 0, 2)), x.reshape(6, 12), x[::-1], jnp.flip(x, (0, 2)), x[1:3, ::2, -1],
            y[:, 1:6:3],
            jnp.concatenate([x, x * 2, x[:, :0]], axis=1), jnp.stack([y, y + 1], axis=-1),
            jnp.broadcast_to(y[:, None], (4, 2, 6)),
            jnp.tile(y, (2, 1)), jnp.roll(y, 2, axis=1), jnp.pad(y, ((1, 2), (0, 3)), constant_values=9),
            lax.pad(y, np.int32(7), ((-1, 2, 1), (2, -1, 0))), jnp.pad(x, 1, mode="edge"), jnp.pad(y, 2, mode="wrap"),
            jnp.tril(y), jnp.triu(y, 1), jnp.repeat(y, 3, axis=0), jnp.eye(4, 6, k=1), jnp.arange(5),
            jnp.linspace(0, 1, 7),
            lax.broadcasted_iota(jnp.uint8, (3, 4), 1), jnp.meshgrid(x[:, 0, 0], x[0, :, 0]), jnp.rot90(y),
            jnp.diag(y[:, :4]))


@program(numbers(152, 9, 5), np.int32(6), np.array([8, 0, 3, 3, -1, 20], np.int32))
def dynamic_indices(x, i, many):
    return (lax.dynamic_slice(x, (i, 1), (4, 3)), lax.dynamic_slice(x, (-3, i), (2, 2)),
            lax.dynamic_update_slice(x, jnp.full((2, 5), 7.0), (i + 5, 0)), x[i], x[:, i - 3],
            jnp.take(x, many, axis=0),
            jnp.take(x, many, axis=0, mode="clip"), jnp.take(x, many, axis=0, mode="wrap"),
            x[many[:3], many[1:4] % 5],
            jnp.take_along_axis(x, many[None, :5] % 9, axis=0), x[jnp.array([2, 0])][:, jnp.array([1, 1, 4])],
            jnp.take(x, i, mode="fill", fill_value=-1.0))


@program(numbers(153, 6, 10), np.array([0, 7, 3, 9, 2, 50], np.int32))
def dynamic_slices_batched(x, starts):
    """vmap makes gathers with batching dimensions."""
    return (jax.vmap(lambda row, s: lax.dynamic_slice(row, (s,), (4,)))(x, starts),
            jax.vmap(lambda s: lax.dynamic_slice(x, (0, s), (6, 2)))(starts),
            jax.vmap(lambda row, s: row[s])(x, starts), jnp.take_along_axis(x, starts[:, None] % 10, axis=1))


@program(np.zeros((0, 3), np.float32), np.float32(2.5))
def empty_and_scalar(empty, scalar):
    return (empty + scalar, jnp.sum(empty, axis=0), jnp.concatenate([empty, jnp.ones((2, 3))]), scalar * scalar,
            empty.T @ empty)


# ---- control -------------------------------------------------------------------------------------

@program(np.float32(0.7), numbers(160, 5))
def conditions(p, x):
    return (lax.cond(p > 0.5, lambda a: jnp.sin(a) * p, lambda a: a - x, x),
            lax.cond(p < 0.5, lambda: (x, 1), lambda: (-x, 2)),
            jax.vmap(lambda e: lax.cond(e > 0, jnp.exp, jnp.negative, e))(x))


@program(np.array([-1, 0, 1, 2, 3, 9], np.int32), numbers(161, 4))
def switches(which, x):
    branches = [lambda a: a + 1, lambda a: a * x,
                lambda a: lax.cond(a[0] > 0, jnp.sqrt, lambda b: b[::-1], jnp.abs(a)), jnp.flip]
    return tuple(lax.switch(which[i], branches, x + i) for i in range(6))


@program(numbers(162, 3, 3))
def nested_calls(x):
    @jax.jit
    def inner(a):
        return a * 2 + 1

    @jax.jit
    def outer(a, b):
        return inner(a) @ inner(b), inner(a)

    return outer(x, x.T), inner(outer(x, x)[0]), jnp.where(x > 0, inner(x), 0)


@program(numbers(163, 4, 4), numbers(164, 4, 4), donate=(0, 1))
def donated(x, y):
    return x + 1, y * x, x - y


@program(numbers(165, 12, 20))
def large_constants(x):
    """More than a hundred elements print as hexadecimal strings, a splat as one value."""
    table = jnp.asarray(numbers(166, 20, 8))
    mask = jnp.asarray(integers(167, 12, 20, low=0, high=1, dtype=np.bool_))
    order = jnp.asarray(integers(168, 12, 20, low=0, high=1000, dtype=np.int16))
    short = jnp.asarray(np.array([np.nan, np.inf, -0.0, 1e-45, 0.1], np.float32))
    return (jnp.where(mask, x, 0) @ table, order * 2, short, jnp.full((30, 40), 3.25),
            jnp.asarray(numbers(169, 50, 3, dtype=ml_dtypes.bfloat16)))


@program(numbers(170, 6), numbers(171, 6))
def derivatives(x, y):
    def f(a, b):
        return jnp.sum(jnp.sin(a) * jnp.exp(-b * b) + jnp.tanh(a * b) ** 2)

    return (jax.jvp(f, (x, y), (y, x)), jax.hessian(f)(x, y), jax.jacfwd(jnp.sin)(x),
            jax.vjp(lambda a: jnp.sqrt(1 + a * a), x)[1](y))


@program(numbers(172, 3, 4), [numbers(173, 4), {"b": numbers(174, 3), "a": integers(175, 2)}], np.bool_(True))
def nested_arguments(x, tree, flag):
    vector, rest = tree
    return {"y": x @ vector + rest["b"], "n": rest["a"] + flag, "unused": flag}


def operations(text):
    """Names of the operations in a module's text with their counts."""
    counts = collections.Counter()
    for line in text.splitlines():
        line = re.sub(r'loc\(.*', "", line.strip())
        body = re.sub(r'^%[^=]*= ', "", line).lstrip('"')
        match = re.match(r'(?:(?:stablehlo|chlo|sdy|shape|mhlo|func)\.[a-z_0-9]+|call\b|return\b)', body)
        if match:
            name = match.group(0)
            counts["func." + name if name in ("call", "return") else name] += 1
        applied = re.search(r'applies (stablehlo\.[a-z_]+)', body)
        if applied:
            counts[applied.group(1)] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description="Lowers the programs and writes or counts what comes out.")
    parser.add_argument("--dump", type=pathlib.Path, help="folder for the .mlir files")
    parser.add_argument("--locations", action="store_true", help="with source locations")
    parser.add_argument("--inputs", action="store_true", help="inputs and JAX's results beside them, as .npy files")
    parser.add_argument("--census", action="store_true", help="print the operations of each program and their union")
    options = parser.parse_args()
    union = collections.Counter()
    users = collections.defaultdict(list)
    for each in PROGRAMS:
        text = each.lower().as_text(debug_info=options.locations)
        counts = operations(text)
        union += counts
        for name in counts:
            users[name].append(each.name)
        if options.census:
            print(f"{each.name}: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")
        if options.dump:
            options.dump.mkdir(parents=True, exist_ok=True)
            suffix = ".locations.mlir" if options.locations else ".mlir"
            (options.dump / (each.name + suffix)).write_text(text)
            if options.inputs:
                for kind, leaves in (("input", each.inputs()), ("expected", each.expected())):
                    for i, leaf in enumerate(leaves):
                        np.save(options.dump / f"{each.name}.{kind}{i}.npy", leaf)
    if options.census:
        print(f"\nunion, {len(PROGRAMS)} programs:")
        for name, count in union.most_common():
            few = ", ".join(users[name][:4]) + (", ..." if len(users[name]) > 4 else "")
            print(f"  {name:38} {count:5} in {len(users[name]):3} programs ({few})")


if __name__ == "__main__":
    main()
