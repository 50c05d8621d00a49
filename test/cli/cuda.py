# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""CUDA without a GPU: the driver of test/simulated_cuda."""

import os
import pathlib

FOLDER = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "simulated_cuda"
EXISTS = FOLDER.exists()  # not without a C++ compiler
REASON = "there is no C++ compiler, which the simulated driver of CUDA needs"


def environment(**more):
    return {**os.environ, "LD_LIBRARY_PATH": str(FOLDER), "XDG_CACHE_HOME": str(FOLDER / "cache"), **more}
