# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""`test` and `bench` say on a terminal how far they have come, and nowhere else."""

import concurrent.futures
import contextlib
import os
import pty
import subprocess
import time

import pytest
from command import COMMAND, tenon

ADD = """func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
"""
# Slow enough for two seconds of it to be few lines.
LOOP = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<300000> : tensor<i32>
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
EVERY_STEP = {"TENON_PROGRESS_AFTER": "0"}
NEVER = {"TENON_PROGRESS_AFTER": "1e9"}  # nothing takes that long


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.mlir"
    path.write_text("// -----\n".join([ADD] * 3))
    return path


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one.mlir"
    path.write_text(ADD)
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


def test_test_counts_on_a_terminal(three):
    output, shown = on_a_terminal(["test", three], **EVERY_STEP)
    assert "3 ok" in output
    lines = lines_of(shown)
    assert [line.split(", ", 2)[0] for line in lines] == ["0 ok", "1 ok", "2 ok"]
    assert all("file 1 of 1" in line and len(line) < 80 for line in lines)


def test_bench_counts_on_a_terminal(one):
    output, shown = on_a_terminal(["bench", "--runs", 4, one], **EVERY_STEP)
    assert output.startswith("median")
    lines = lines_of(shown)
    assert lines[:3] == [f"warming up: run {run} of 3" for run in (1, 2, 3)]
    assert [line.split(",")[0] for line in lines[3:]] == [f"run {run} of 4" for run in (1, 2, 3, 4)]


def test_bench_without_a_count_of_runs_says_how_much_time_is_left(tmp_path):
    path = tmp_path / "loop.mlir"
    path.write_text(LOOP)
    lines = lines_of(on_a_terminal(["bench", path], **EVERY_STEP)[1])
    assert len(lines) >= 3 + 5 and "runs" in lines[-1] and "of 2 s" in lines[-1]


def test_a_step_that_takes_long_is_followed_by_a_line(one, three, tmp_path):
    """The command waits for the second file, a pipe, until the default delay is certainly over."""
    pipe = tmp_path / "pipe.mlir"
    os.mkfifo(pipe)

    def write():
        with pipe.open("w") as file:  # opens when the command has: the first file is done
            time.sleep(0.31)
            file.write(ADD)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = pool.submit(write)
        output, shown = on_a_terminal(["test", one, pipe])
        done.result()
    assert "2 ok" in output
    assert lines_of(shown)[-1].startswith("1 ok, 0 failed; now file 2 of 2, ")


def test_what_is_soon_over_says_nothing(three):
    assert on_a_terminal(["test", three], **NEVER)[1] == ""


def test_nothing_is_said_elsewhere(three):
    assert tenon("test", three, **EVERY_STEP)[1] == ""
    assert on_a_terminal(["test", three], TERM="dumb", **EVERY_STEP)[1] == ""


@pytest.mark.parametrize("wrong", ["soon", "-1", "nan", "1s"])
def test_a_delay_that_is_no_number_of_seconds_is_told(three, wrong):
    shown = on_a_terminal(["test", three], TENON_PROGRESS_AFTER=wrong)[1]
    assert f"expected a number of seconds that is not negative; found '{wrong}'" in shown
