# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""z = alpha * x + beta * y, an operation of its own."""

from tenon.ops import load_package

load_package(__name__)
