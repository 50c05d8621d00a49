# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

def is_available() -> bool: ...
