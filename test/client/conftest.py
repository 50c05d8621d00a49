# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the programs by theme came to, as a table behind the tests and in the build folder."""

import compare
from support import BUILD

OUTCOMES = []


def pytest_terminal_summary(terminalreporter):
    if OUTCOMES:
        lines = list(compare.table(OUTCOMES))
        terminalreporter.write_line("\n".join(lines))
        (BUILD / "programs.txt").write_text("\n".join(lines) + "\n")
