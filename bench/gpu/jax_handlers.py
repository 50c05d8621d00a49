# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Handlers for CUDA under JAX on the GPU: what nvcc, NVRTC and cuBLAS make of the examples, beside NumPy.

    build/venv/bin/python bench/gpu/jax_handlers.py      after `make bench`; JAX needs its plugin for CUDA
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build/release"))
if not (BUILD / "python/tenon").exists():
    sys.exit(f"there is no {BUILD}/python/tenon: make bench")
sys.path.insert(0, str(BUILD / "python"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import tenon.jax  # noqa: E402


def operations(example, kind):
    """The example's operations, with its handlers for CUDA; None where those were not built."""
    folder = BUILD / "examples" / example
    if not (folder / f"lib{example}_{kind}.so").exists():
        return None
    tenon.jax.register(folder / f"lib{example}_{kind}.so")
    return tenon.jax.register(folder / f"lib{example}.so")


def check_broadcast_add(ops, random):
    b, c = random.normal(size=128).astype(np.float32), random.normal(size=4096).astype(np.float32)
    # JAX's own kernels before and after it, on the same stream.
    found = jax.jit(lambda b, c: -ops.broadcast_add(b + 1, 2 * c))(b, c)
    np.testing.assert_array_equal(found, -(np.tile(b + np.float32(1), 32) + 2 * c))


def check_product(_, random):  # the definition does not tell the shape
    x, w = random.normal(size=(300, 200)).astype(np.float32), random.normal(size=(200, 100)).astype(np.float32)
    product = jax.ffi.ffi_call("product", jax.ShapeDtypeStruct((300, 100), np.float32))
    found = jax.jit(lambda x, w: jnp.abs(product(x + x, w)))(x, w)
    np.testing.assert_allclose(found, np.abs((2 * x.astype(np.float64)) @ w), rtol=1e-3, atol=1e-3)


def main():
    try:
        print(jax.devices("gpu"))
    except RuntimeError as error:
        print(f"JAX has no GPU here: {error}")
        return 0
    kind = "cuda" if (BUILD / "examples/broadcast_add/libbroadcast_add_cuda.so").exists() else "nvrtc"
    for example, kind, check in [("broadcast_add", kind, check_broadcast_add), ("product", "cublas", check_product)]:
        ops = operations(example, kind)
        if ops:
            check(ops, np.random.default_rng(1))
        print(f"{example} ({kind}): {'as NumPy' if ops else 'not built'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
