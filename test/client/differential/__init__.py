# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Random StableHLO programs, one operation each, run by XLA and by Tenon. See command.py."""
