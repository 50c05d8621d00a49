# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""docs/ops.md says what the library says."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def test_docs_have_the_table_of_operations():
    done = subprocess.run([sys.executable, ROOT / "tools" / "ops-doc", "--check", "--build", os.environ["TENON_BUILD_DIR"]],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
