# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The rows of ledger.py in NumPy, MLX and PyTorch, as far as these have the operations."""

import importlib
import importlib.util

import jax
import numpy as np


class Peer:
    """A library of arrays: how arrays come to it and back, and how to wait for a result. This one is NumPy."""

    title, package = "NumPy", "numpy"

    def __init__(self):
        self.module = importlib.import_module(self.package)

    def array(self, x):
        return x

    def wait(self, result):
        pass

    def numpy(self, x):
        return np.asarray(x)


class Mlx(Peer):
    title, package = "MLX", "mlx.core"

    def array(self, x):
        if x.dtype.name == "bfloat16":
            return self.module.array(x.astype(np.float32)).astype(self.module.bfloat16)
        return self.module.array(x)

    def wait(self, result):
        self.module.eval(result)

    def numpy(self, x):
        return np.asarray(x.astype(self.module.float32) if x.dtype == self.module.bfloat16 else x)


class Torch(Peer):
    title, package = "PyTorch", "torch"

    def array(self, x):
        if x.dtype.name == "bfloat16":
            return self.module.tensor(x.astype(np.float32)).bfloat16()
        return self.module.tensor(x)

    def numpy(self, x):
        return (x.float() if x.dtype == self.module.bfloat16 else x).numpy()


NUMPY, MLX, TORCH = PEERS = Peer, Mlx, Torch


def installed():
    """Those of the three that are there."""
    return [peer() for peer in PEERS if importlib.util.find_spec(peer.package.partition(".")[0])]


def every(function):
    """One text for all three; a function of the module and of arrays, as in all of ROWS."""
    return dict.fromkeys(PEERS, function)


def softmax(np, x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(np, x, scale, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-5)) * scale + bias


def group_norm(xp, x):
    groups = x.reshape(4, 8, -1)
    centred = groups - groups.mean(2, keepdims=True)
    return (centred / xp.sqrt((centred**2).mean(2, keepdims=True) + 1e-5)).reshape(x.shape)


def mlx_gelu(mx, x, name="gelu"):
    return getattr(importlib.import_module("mlx.nn"), name)(x)


def mlx_gelu_tanh(mx, x):
    return mlx_gelu(mx, x, "gelu_approx")


def torch_gelu_tanh(torch, x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def mlx_mlp(mx, x, *weights):
    for w in weights:
        x = mlx_gelu_tanh(mx, x @ w)
    return x


def torch_mlp(torch, x, *weights):
    for w in weights:
        x = torch_gelu_tanh(torch, x @ w)
    return x


def torch_mlp_gradient(torch, x, *weights):
    weights = [w.detach().requires_grad_() for w in weights]
    return torch.autograd.grad(torch_mlp(torch, x, *weights).sum(), weights)


def numpy_scatter_add(np, x, i, u):
    x = x.copy()
    np.add.at(x, i, u)
    return x


SOFTMAX = {NUMPY: softmax, MLX: lambda mx, x: mx.softmax(x, -1), TORCH: lambda torch, x: torch.softmax(x, -1)}
LAYER_NORM = {
    NUMPY: layer_norm,
    MLX: lambda mx, x, scale, bias: mx.fast.layer_norm(x, scale, bias, 1e-5),
    TORCH: lambda torch, x, scale, bias: torch.nn.functional.layer_norm(x, scale.shape, scale, bias, 1e-5),
}
ATTENTION = {
    NUMPY: lambda np, q, k, v: softmax(np, q @ k.swapaxes(2, 3) * np.float32(0.125)) @ v,
    MLX: lambda mx, q, k, v: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125),
    TORCH: lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v),
}
PRODUCT = every(lambda xp, x, y: x @ y)
TRANSPOSED = every(lambda xp, h, e: h @ e.T)
CUMSUM = every(lambda xp, x: xp.cumsum(x, axis=1))
GATHER = every(lambda xp, x, i: x[i])
SCATTER_ADD = {
    NUMPY: numpy_scatter_add,
    MLX: lambda mx, x, i, u: x.at[i].add(u),
    TORCH: lambda torch, x, i, u: x.index_add(0, i, u),
}


def sort(axis):
    return {
        NUMPY: lambda np, x: np.sort(x, axis=axis),
        MLX: lambda mx, x: mx.sort(x, axis=axis),
        TORCH: lambda torch, x: torch.sort(x, axis).values,
    }


def transpose(*axes):
    return {
        NUMPY: lambda np, x: np.ascontiguousarray(x.transpose(axes)),
        MLX: lambda mx, x: mx.contiguous(x.transpose(axes)),
        TORCH: lambda torch, x: x.permute(axes).contiguous(),
    }


ROWS = {
    "a x + b y, 4096x4096 f32": every(lambda xp, x, y: 2 * x + 3 * y),
    "exp of 4096x4096 f32": every(lambda xp, x: xp.exp(x)),
    "gelu (tanh) of 4096x4096 f32": {MLX: mlx_gelu_tanh, TORCH: torch_gelu_tanh},
    "gelu (erf) of 4096x4096 f32": {MLX: mlx_gelu, TORCH: lambda torch, x: torch.nn.functional.gelu(x)},
    "softmax of rows, 4096x4096 f32": SOFTMAX,
    "layer norm of rows, 4096x4096 f32": LAYER_NORM,
    "RMS norm of rows, 4096x4096 f32": {
        NUMPY: lambda np, x: x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-5)),
        MLX: lambda mx, x: mx.fast.rms_norm(x, None, 1e-5),
        TORCH: lambda torch, x: torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5),
    },
    "group norm of 4x64x32x32 f32": {
        NUMPY: group_norm,
        MLX: group_norm,
        TORCH: lambda torch, x: torch.nn.functional.group_norm(x, 8),
    },
    "cumsum rows of 4096x4096 f32": CUMSUM,
    "exp of 1,000,000 f32": every(lambda xp, x: xp.exp(x)),
    "tanh of 1,000,000 f32": every(lambda xp, x: xp.tanh(x)),
    "logistic of 1,000,000 f32": {
        NUMPY: lambda np, x: 1 / (1 + np.exp(-x)),
        MLX: lambda mx, x: mx.sigmoid(x),
        TORCH: lambda torch, x: torch.sigmoid(x),
    },
    "log1p of 1,000,000 f32": every(lambda xp, x: xp.log1p(xp.abs(x))),
    "sin of 1,000,000 f32": every(lambda xp, x: xp.sin(x)),
    "erf of 1,000,000 f32": {MLX: lambda mx, x: mx.erf(x), TORCH: lambda torch, x: torch.erf(x)},
    "power of 1,000,000 f32": {
        NUMPY: lambda np, x, y: np.power(np.abs(x), y),
        MLX: lambda mx, x, y: mx.power(mx.abs(x), y),
        TORCH: lambda torch, x, y: torch.pow(torch.abs(x), y),
    },
    "outer product of 1,024 and 1,024 f32": every(lambda xp, x, y: xp.outer(x, y)),
    "200,000x10 f32 times a vector": PRODUCT,
    "200,000x10 f32 times 10x3": PRODUCT,
    "100,000 times 3x3 f32 by a vector": every(lambda xp, a, b: xp.einsum("bij,bj->bi", a, b)),
    "100,000 times 3x3 by 3x3 f32": PRODUCT,
    "one row of 768 by 50,257x768, transposed": TRANSPOSED,
    "8 rows of 768 by 50,257x768, transposed": TRANSPOSED,
    "one row of 768 by 50,257x768, transposed, bf16": {MLX: TRANSPOSED[MLX], TORCH: TRANSPOSED[TORCH]},
    "8 rows of 768 by 50,257x768, transposed, bf16": {MLX: TRANSPOSED[MLX], TORCH: TRANSPOSED[TORCH]},
    "dot 1024x1024x1024 bf16": {MLX: PRODUCT[MLX], TORCH: PRODUCT[TORCH]},
    "attention 2x8x512x64 f32": ATTENTION,
    "attention 2x8x512x64 bf16": {MLX: ATTENTION[MLX], TORCH: ATTENTION[TORCH]},
    "MLP of 4 layers of 1,024, 256 rows f32": {MLX: mlx_mlp, TORCH: torch_mlp},
    "gradient of that MLP": {
        MLX: lambda mx, *a: mx.grad(lambda *a: mlx_mlp(mx, *a).sum(), argnums=(1, 2, 3, 4))(*a),
        TORCH: torch_mlp_gradient,
    },
    "convolution 3x3 of 8x64x56x56 f32": {TORCH: lambda torch, x, w: torch.nn.functional.conv2d(x, w, padding=1)},
    "max pool 3x3/2 of 8x64x112x112 f32": {
        TORCH: lambda torch, x: torch.nn.functional.max_pool2d(x, 3, 2, ceil_mode=True),
    },
    "take_along_axis of 3200x2x81 f32": {
        NUMPY: lambda np, x, i: np.take_along_axis(x, i, axis=2),
        MLX: lambda mx, x, i: mx.take_along_axis(x, i, axis=2),
        TORCH: lambda torch, x, i: torch.take_along_dim(x, i.long(), 2),
    },
    "scatter-add 100,000 rows of 32 into 1,000": SCATTER_ADD,
    "rfft2 of 64 images of 256x256 f32": every(lambda xp, x: xp.fft.rfft2(x)),
    "sort 2^20 f32": sort(0),
    "sort 2^20 f64": sort(0),
    "sort rows of 1024x1024 f32": sort(1),
    "sort columns of 1024x1024 f32": sort(0),
    "transpose 4096x4096 f32": transpose(1, 0),
    "transpose 64x512x512 f32, last two": transpose(0, 2, 1),
    "transpose 8x512x16x64 f32, middle two": transpose(0, 2, 1, 3),
    "sum rows of 4096x4096 f32": every(lambda xp, x: x.sum(1)),
    "sum columns of 4096x4096 f32": every(lambda xp, x: x.sum(0)),
    "sum all of 4096x4096 f32": every(lambda xp, x: x.sum()),
    "max rows of 4096x4096 f32": {
        NUMPY: lambda np, x: x.max(1), MLX: lambda mx, x: x.max(1), TORCH: lambda torch, x: x.amax(1),
    },
    "argmax rows of 4096x4096 f32": every(lambda xp, x: x.argmax(1)),
    "sum of squares, 4096x1024 f32": every(lambda xp, x: (x * x).sum()),
    "sums of squares of columns, 4096x1024 f32": every(lambda xp, x: (x * x).sum(0)),
    "mean squared error, 4096x1024 f32": every(lambda xp, x, y: ((x - y) ** 2).mean()),
    "softmax of rows, 4096x1024 f32": SOFTMAX,
    "logsumexp of rows, 4096x1024 f32": {
        NUMPY: lambda np, x: np.logaddexp.reduce(x, axis=-1),
        MLX: lambda mx, x: mx.logsumexp(x, -1),
        TORCH: lambda torch, x: torch.logsumexp(x, -1),
    },
    "layer norm of rows, 4096x1024 f32": LAYER_NORM,
    "gather 65,536 rows of 128 f32": GATHER,
    "gather 2^20 numbers": GATHER,
    "scatter-add 2^20 numbers into 2^16": SCATTER_ADD,
    "scatter-add 65,536 rows of 128 into 4,096": SCATTER_ADD,
    "scatter-add 2^20 numbers into 1024x1024, by row and column": {
        NUMPY: lambda np, x, i, j, u: numpy_scatter_add(np, x, (i, j), u),
        MLX: lambda mx, x, i, j, u: x.at[i, j].add(u),
        TORCH: lambda torch, x, i, j, u: x.index_put((i, j), u, accumulate=True),
    },
    "histogram of 2^20 f32, 64 bins": {
        NUMPY: lambda np, x: np.histogram(x, 64, (-3, 3))[0],
        TORCH: lambda torch, x: torch.histc(x, 64, -3, 3),
    },
    "cumsum rows of 2048x2048 f32": CUMSUM,
    "convolution 3x3 of 8x56x56x64": {MLX: lambda mx, x, w: mx.conv2d(x, w.transpose(3, 0, 1, 2), padding=1)},
    "4096x4096 f32 times a vector": PRODUCT,
    "attention's products, 4x128x8x64 f32": every(lambda xp, q, k: xp.einsum("bqhd,bkhd->bhqk", q, k)),
    "fft of 1,024 lines of 1,024 c64": every(lambda xp, x: xp.fft.fft(x)),
    "dot 1024x1024x1024 f32": PRODUCT,
}


def prepare(peer, name, arguments, expected):
    """A call that does a row's work in a peer, once it gave what is expected; None where a peer does not have it."""
    function = ROWS.get(name, {}).get(type(peer))
    if not function:
        return None
    arrays = [peer.array(x) for x in arguments]

    def call():
        result = function(peer.module, *arrays)
        peer.wait(result)
        return result

    # Wide: a sum of four million squares in f32, one after the other, is off by 0.4 %.
    for x, wanted in zip(jax.tree.leaves(call()), expected, strict=True):
        wanted = np.asarray(wanted, np.complex128 if wanted.dtype.kind == "c" else np.float64)
        tolerance = 2e-2 * max(1, abs(wanted).max())
        np.testing.assert_allclose(peer.numpy(x), wanted, rtol=0, atol=tolerance, err_msg=f"{name}, {peer.title}")
    return call
