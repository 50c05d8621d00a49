# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

state: list[array]

def seed(seed: int) -> None: ...
