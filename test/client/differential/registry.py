# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""All generators."""

from differential import elementwise, folding, indexing, linear, movement  # noqa: F401
from differential.generators import GENERATORS, make

__all__ = ["GENERATORS", "make"]
