# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import jax
import numpy as np
from jax import export

x = np.array([[5.1, 3.5, 1.4, 0.2]], np.float32)
exported = export.export(jax.jit(jax.nn.softmax))(x)
with open("model.mlirbc", "wb") as file:
    file.write(exported.mlir_module_serialized)
np.save("x.npy", x)
