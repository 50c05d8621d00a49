# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""`test` and `bench` say on a terminal how far they have come, and nowhere else."""

import contextlib
import os
import pty
import subprocess

import pytest
from command import COMMAND, tenon

# About a second of work on any machine: a loop of additions.
LOOP = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<COUNT> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    path = tmp_path_factory.mktemp("slow") / "slow.mlir"
    path.write_text("// -----\n".join([LOOP.replace("COUNT", "3000000")] * 20))
    return path


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "one.mlir"
    path.write_text(LOOP.replace("COUNT", "100000"))
    return path


def on_a_terminal(arguments, **environment):
    """(stdout, what the terminal got as the standard error)."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, text=True,
                          env={**os.environ, "TERM": "xterm", **environment}) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux says EIO at the end
            while piece := os.read(ours, 65536):
                shown += piece
        os.close(ours)
        output = process.stdout.read()
    assert process.returncode == 0
    return output, shown.decode()


def lines_of(shown):
    """The lines that stood there one after the other; the last must be gone."""
    assert shown.endswith("\r\033[K")
    return [line for line in shown.split("\r\033[K") if line]


def test_test_counts_on_a_terminal(slow):
    output, shown = on_a_terminal(["test", slow])
    assert "20 ok" in output
    lines = lines_of(shown)
    assert len(lines) >= 2 and all("file 1 of 1" in line and len(line) < 80 for line in lines)
    counts = [int(line.split()[0]) for line in lines]
    assert counts == sorted(counts) and counts[-1] > counts[0]


def test_bench_counts_on_a_terminal(one):
    output, shown = on_a_terminal(["bench", one])
    assert output.startswith("median")
    lines = lines_of(shown)
    assert len(lines) >= 2 and "runs" in lines[-1] and "of 2 s" in lines[-1]


def test_what_is_soon_over_says_nothing(folder):
    assert on_a_terminal(["test", folder / "kernels.mlir"])[1] == ""


def test_nothing_is_said_elsewhere(slow):
    assert tenon("test", slow)[1] == ""
    assert on_a_terminal(["test", slow], TERM="dumb")[1] == ""
