# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import ctypes

import jax
import numpy as np

library = ctypes.CDLL("./libswish.so")
jax.ffi.register_ffi_target("swish", jax.ffi.pycapsule(library.swish), platform="cpu")

x = np.array([-1, 0, 1], np.float32)
y = jax.ffi.ffi_call("swish", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, beta=np.float32(2))
print(y)
