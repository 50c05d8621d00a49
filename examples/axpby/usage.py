# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The operation from Python: python usage.py, after pip install ."""

import tenon.core as tn
from axpby import axpby

a = tn.ones((3, 4))
b = tn.ones((3, 4))
c = axpby(a, b, 4.0, 2.0, stream=tn.cpu)

print(f"c shape: {list(c.shape)}")
print(f"c dtype: {c.dtype.name}")
print(f"c is correct: {tn.all(c == 6.0).item()}")
