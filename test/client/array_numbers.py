# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of random numbers, Fourier transforms and linear algebra."""

import math

import mlx.core as mx
import numpy as np

from array_cases import FLOATS, NUMBERS, generator, mlx_dtype, to_mlx, to_numpy


# --- random numbers

def draw_key(cases):
    return cases.numbers.integers(0, 2**32, 2).astype(np.uint32)


@generator("random_key", "random_split", "random_bits", "random_default", "random_permutation", "random_permute")
def random_bits(cases, name):
    key, shape = draw_key(cases), cases.shape(0, 3)
    if name == "random_key":
        seed = cases.random.randrange(2**60)
        cases.add(name, [], [seed], wanted=lambda: mx.random.key(seed))
    elif name == "random_split":
        count = cases.random.randint(1, 5)
        cases.add(name, [key], [count], wanted=lambda key: mx.random.split(key, count))
    elif name == "random_default":
        seed = cases.random.randrange(2**60)

        def wanted():  # what is below 2^32 in float32 would lose bits: an argsort of bits keeps none
            state = mx.random.key(seed)
            state, _ = mx.random.split(state)
            _, key = mx.random.split(state)
            return bits(np.array(key), (2, 3), 4)
        cases.add(name, [], [seed, [2, 3]], wanted=wanted)
    elif name == "random_bits":
        width = cases.random.choice([1, 2, 4])
        cases.add(name, [key], [list(shape), width], wanted=bits(key, shape, width))
    elif name == "random_permutation":
        count = cases.random.randint(0, 20)
        if count:
            cases.add(name, [key], [count], wanted=lambda key: mx.random.permutation(count, key=key))
    else:
        x = cases.draw(cases.dtype(), lowest=1, empty=False)
        axis = cases.axis(x.ndim)
        cases.add(name, [x, key], [axis], wanted=lambda x, key: mx.random.permutation(x, axis, key))


def bits(key, shape, width):
    """What mlx.core.random draws from: split gives its words of 32 bits as they are."""
    count = math.prod(shape)
    words = -(-count * width // 4)
    if not words:
        return np.zeros(shape, f"uint{8 * width}")
    half, odd = divmod(words, 2)
    first = np.arange(half + odd, dtype=np.uint64)
    second = (first + half + odd) % 2**32
    if odd:
        second[-1] = 0
    keys = [int(key[0]), int(key[1]), int(key[0]) ^ int(key[1]) ^ 0x1BD11BDA]
    mask = np.uint64(2**32 - 1)
    a, b = (first + np.uint64(keys[0])) & mask, (second + np.uint64(keys[1])) & mask
    for group in range(5):
        for distance in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            a = (a + b) & mask
            b = (((b << np.uint64(distance)) | (b >> np.uint64(32 - distance))) & mask) ^ a
        a = (a + np.uint64(keys[(group + 1) % 3])) & mask
        b = (b + np.uint64(keys[(group + 2) % 3] + group + 1)) & mask
    line = np.concatenate([a, b[:half]]).astype(np.uint32)
    return line.view(f"uint{8 * width}")[:count].reshape(shape)


@generator("random_uniform", "random_normal", "random_truncated_normal", "random_laplace", "random_gumbel")
def random_floats(cases, name):
    key, shape, dtype = draw_key(cases), cases.shape(0, 3, empty=False), cases.dtype(FLOATS)
    low, high = cases.array((), dtype, -2, -1), cases.array(shape[-1:], dtype, 1, 2)
    drawn, kind, slack = getattr(mx.random, name[7:]), mlx_dtype(dtype), 200
    if name in ("random_normal", "random_uniform") and cases.random.random() < 0.4:
        low = high = None
    if name == "random_uniform":
        bounds = lambda low, high: (0, 1) if low is None else (low, high)
        cases.add(name, [low, high, key], [list(shape), NUMBERS[dtype]],
                  wanted=lambda low, high, key: drawn(*bounds(low, high), shape, kind, key))
    elif name == "random_normal":
        cases.add(name, [low, high, key], [list(shape), NUMBERS[dtype]], slack=slack, atol=3e-5 if dtype == "float32" else None,
                  wanted=lambda low, high, key: drawn(shape, kind, low, high, key))
    elif name == "random_truncated_normal":
        dtype, kind = "float32", mx.float32
        low, high = low.astype(dtype), high.astype(dtype)
        cases.add(name, [low, high, key], [list(shape), NUMBERS[dtype]], slack=slack, atol=3e-5,
                  wanted=lambda low, high, key: drawn(low, high, shape, kind, key))
    elif name == "random_laplace":
        cases.add(name, [key], [list(shape), NUMBERS[dtype]], [0.5, 2.0], slack=slack,
                  wanted=lambda key: drawn(shape, kind, 0.5, 2.0, key))
    elif dtype == "float32":
        cases.add(name, [key], [list(shape), NUMBERS[dtype]], slack=slack, atol=1e-5, wanted=lambda key: drawn(shape, kind, key))


@generator("random_multivariate_normal")
def random_vectors(cases, name):
    key, shape, n = draw_key(cases), cases.shape(0, 2, empty=False), cases.random.randint(1, 4)
    root = cases.array((n, n), "float32")
    mean, covariance = cases.array((n,), "float32"), (root @ root.T + np.eye(n)).astype(np.float32)
    cases.add(name, [mean, covariance, key], [list(shape)], slack=400, atol=2e-4, wanted=lambda mean, covariance, key:
              mx.random.multivariate_normal(mean, covariance, shape, key=key, stream=mx.cpu))


@generator("random_randint", "random_bernoulli", "random_categorical", "random_categorical_samples")
def random_choices(cases, name):
    key, shape = draw_key(cases), cases.shape(0, 3, empty=False)
    if name == "random_randint":
        dtype = cases.dtype(["int32", "uint8", "int64"])
        low, high = cases.array((), "int32", 0, 3), cases.array(shape[-1:], "int32", 5, 90)
        cases.add(name, [low, high, key], [list(shape), NUMBERS[dtype]],
                  wanted=lambda low, high, key: mx.random.randint(low, high, shape, mlx_dtype(dtype), key))
    elif name == "random_bernoulli":
        p = cases.array(shape[-1:], "float32", 0, 1)
        cases.add(name, [p, key], [list(shape)], wanted=lambda p, key: mx.random.bernoulli(p, shape, key))
    else:
        logits = cases.draw("float32", lowest=1, highest=3, empty=False)
        axis, count = cases.axis(logits.ndim), cases.random.randint(1, 5)
        if name == "random_categorical":
            dims = cases.random.choice([None, [3, *np.delete(logits.shape, axis)]])
            if logits.size == logits.shape[axis] and dims is not None:
                return  # the installed mlx and the newest one draw these in different ways
            cases.add(name, [logits, key], [axis, dims],
                      wanted=lambda logits, key: mx.random.categorical(logits, axis, dims, key=key))
        elif logits.size != logits.shape[axis]:
            cases.add(name, [logits, key], [count, axis],
                      wanted=lambda logits, key: mx.random.categorical(logits, axis, num_samples=count, key=key))


# --- Fourier transforms

@generator("fft", "ifft", "rfft", "irfft", "fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
def fourier(cases, name):
    real = name.startswith("rfft")
    x = cases.draw("float32" if real else cases.dtype(["float32", "complex64"]), lowest=2, highest=3, empty=False)
    if name.startswith("irfft"):
        x = cases.array((3, 4, 5), "complex64")
    norm = cases.random.randrange(3)
    names = ["backward", "ortho", "forward"]
    if name in ("fft", "ifft", "rfft", "irfft"):
        size, axis = cases.random.choice([0, 2, 5, 8]), cases.axis(x.ndim)
        cases.add(name, [x], [size, axis, norm], slack=200, atol=2e-5,
                  wanted=lambda x: getattr(mx.fft, name)(x, size or None, axis, names[norm]))
        return
    axes = cases.random.sample(range(x.ndim), 2)
    sizes = cases.random.choice([None, [4, 6]])
    if sizes is None and cases.random.random() < 0.5 and name.endswith("n"):
        axes = None
    elif name.endswith("2") and cases.random.random() < 0.3:
        axes = [-2, -1]
    cases.add(name, [x], [sizes, axes, norm], slack=400, atol=1e-4,
              wanted=lambda x: getattr(mx.fft, name)(x, sizes, axes, names[norm]))


@generator("stft", "istft")
def stft(cases, name):
    size, hop = cases.random.choice([(8, 2), (8, 0), (6, 3), (4, 1)])
    x = cases.array((*cases.shape(0, 1, empty=False), 21), "float32")
    window = cases.random.choice([None, np.hanning(size + 2)[1:-1].astype(np.float32)])
    center, onesided = cases.random.random() < 0.7, cases.random.random() < 0.7
    mode = cases.random.randrange(3)
    how = {"n_fft": size, "hop_length": hop or None, "center": center, "onesided": onesided}
    draw = lambda x, window: mx.fft.stft(x, window=window, pad_mode=["constant", "edge", "reflect"][mode], **how)
    if name == "stft":
        cases.add(name, [x, window], [size, hop, 0, center, mode, 0, onesided, 0], wanted=draw, slack=100, atol=2e-5)
        return
    frames = to_numpy(draw(to_mlx(x), None if window is None else to_mlx(window)))
    length = cases.random.choice([0, 15, 40])
    cases.add(name, [frames, window], [size, hop, 0, center, 0, onesided, length, 0], slack=200, atol=5e-5,
              wanted=lambda x, window: mx.fft.istft(x, window=window, length=length or None, **how))


@generator("fftfreq", "rfftfreq")
def frequencies(cases, name):
    size = cases.random.randint(1, 9)
    cases.add(name, [], [size], [0.25], wanted=getattr(np.fft, name)(size, 0.25).astype(np.float32), slack=4)


@generator("fftshift", "ifftshift")
def fftshift(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, empty=False)
    axes = cases.axes(x.ndim)
    cases.add(name, [x], [axes], wanted=lambda x: getattr(mx.fft, name)(x, axes))


# --- linear algebra: numpy's in 64 bits

def matrices(cases, square=True, dtype="float32"):
    n, m = cases.random.randint(1, 6), cases.random.randint(1, 6)
    batch = cases.random.choice([(), (), (2,), (2, 3)])
    return cases.array((*batch, n, n if square else m), dtype)


@generator("linalg_cholesky", "linalg_cholesky_inv", "linalg_tri_inv", "linalg_solve_triangular")
def triangles(cases, name):
    upper = cases.random.random() < 0.5
    x = matrices(cases)
    n = x.shape[-1]
    wide = x.astype(np.float64) / 4 + 2 * np.eye(n)
    if name == "linalg_cholesky":
        wide = wide @ wide.swapaxes(-1, -2)
        factor = np.linalg.cholesky(wide)
        cases.add(name, [wide.astype(np.float32)], [upper], slack=200,
                  wanted=(factor.swapaxes(-1, -2) if upper else factor).astype(np.float32))
        return
    wide = np.triu(wide) if upper else np.tril(wide)
    x = wide.astype(np.float32)
    inverse = np.linalg.inv(wide)
    if name == "linalg_tri_inv":
        cases.add(name, [x], [upper], wanted=inverse.astype(np.float32), slack=400)
    elif name == "linalg_cholesky_inv":
        wanted = inverse @ inverse.swapaxes(-1, -2) if upper else inverse.swapaxes(-1, -2) @ inverse
        cases.add(name, [x], [upper], wanted=wanted.astype(np.float32), slack=400)
    else:
        b = cases.array(cases.random.choice([(n,), (n, 2)]), "float32")
        wanted = inverse @ b.astype(np.float64)
        cases.add(name, [x, b], [upper], wanted=wanted.astype(np.float32), slack=400)


@generator("linalg_inv", "linalg_solve", "linalg_det", "linalg_slogdet", "linalg_pinv", "linalg_qr", "linalg_svd_again",
           "linalg_eigh_again", "linalg_eigvalsh", "linalg_eig_again", "linalg_eigvals_sum", "linalg_lu",
           "linalg_lu_factor")
def factors(cases, name):
    square = name not in ("linalg_pinv", "linalg_qr", "linalg_svd_again", "linalg_lu", "linalg_lu_factor")
    x = matrices(cases, square)
    n = x.shape[-1]
    if square:
        x = x + 3 * np.eye(n, dtype=np.float32) * np.sign(x[..., :1, :1])
    wide, narrow = x.astype(np.float64), lambda *arrays: [np.asarray(array).astype(np.float32) for array in arrays]
    if name == "linalg_inv":
        cases.add(name, [x], wanted=narrow(np.linalg.inv(wide)), slack=2000)
    elif name == "linalg_solve":
        b = cases.array(cases.random.choice([(n,), (n, 3), (*x.shape[:-1], 2)]), "float32")
        wanted = np.linalg.inv(wide) @ b.astype(np.float64)
        cases.add(name, [x, b], wanted=narrow(wanted), slack=2000)
    elif name == "linalg_det":
        cases.add(name, [x], wanted=narrow(np.linalg.det(wide)), slack=400)
    elif name == "linalg_slogdet":
        cases.add(name, [x], wanted=narrow(*np.linalg.slogdet(wide)), slack=400)
    elif name == "linalg_pinv":
        if np.linalg.cond(wide).max() < 50:
            cases.add(name, [x], wanted=narrow(np.linalg.pinv(wide)), slack=4000)
    elif name == "linalg_svd_again":
        cases.add(name, [x], wanted=x, slack=400)
    elif name == "linalg_eig_again":
        cases.add(name, [x], wanted=np.zeros_like(x, np.complex64), atol=1e-4)
    elif name == "linalg_eigvals_sum":
        trace = np.trace(wide, axis1=-2, axis2=-1).astype(np.complex64)
        cases.add(name, [x], wanted=trace, slack=400, atol=1e-4)
    elif name in ("linalg_eigh_again", "linalg_eigvalsh"):
        x = x + x.swapaxes(-1, -2)
        upper = cases.random.random() < 0.5
        wanted = x if name == "linalg_eigh_again" else np.linalg.eigvalsh(x.astype(np.float64))
        cases.add(name, [x], [upper], wanted=narrow(wanted), slack=400, atol=1e-4)
    else:  # LAPACK's own choices are the same ones
        cases.add(name, [x], slack=400, atol=1e-4,
                  wanted=lambda x: getattr(mx.linalg, name[7:])(x, stream=mx.cpu))


@generator("linalg_cross")
def cross(cases, name):
    shape = (2, 3)
    a, b = (cases.array(cases.random.choice([shape, (3,), (2, 2), (2,)]), "float32") for _ in range(2))
    cases.add(name, [a, b], [-1], wanted=lambda a, b: mx.linalg.cross(a, b), slack=8)


@generator("linalg_norm")
def linalg_norm(cases, name):
    x = cases.draw(cases.dtype(["float32", "int32", "complex64"]), lowest=1, highest=3, empty=False)
    order = cases.random.choice([None, None, 0, 1, 2, -1, 3, math.inf, -math.inf, "fro", "nuc"])
    axes, keep = None, cases.random.random() < 0.5
    if x.ndim > 2 or cases.random.random() < 0.5:
        axes = cases.random.sample(range(x.ndim), cases.random.randint(1, min(2, x.ndim)))
    count = len(axes) if axes else x.ndim
    if order in ("fro", "nuc") and count != 2 or count == 2 and order in (0, 3) or count > 2 and order is not None:
        return
    kind = {None: 0, "fro": 2, "nuc": 3}.get(order, 1)
    if x.dtype.kind in "ic" and order in ("nuc", 2) or x.dtype.kind == "c" and kind == 1:  # MLX gives norms as complex numbers
        return
    cases.add(name, [x], [kind, axes, keep], [order if kind == 1 else 0], slack=100, wanted=lambda x:
              mx.linalg.norm(x, order, axes, keep, stream=mx.cpu))
