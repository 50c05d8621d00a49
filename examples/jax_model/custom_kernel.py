# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import jax
import numpy as np
from jax import export


def model(x):
    swish = jax.ffi.ffi_call("swish", jax.ShapeDtypeStruct(x.shape, x.dtype))
    return swish(x + 1, beta=np.float32(2)).sum()


allowed = [export.DisabledSafetyCheck.custom_call("swish")]
x = jax.ShapeDtypeStruct((3,), np.float32)
with open("swish_model.mlirbc", "wb") as file:
    file.write(export.export(jax.jit(model), disabled_checks=allowed)(x).mlir_module_serialized)
