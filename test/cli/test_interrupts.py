# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Programs that never end are ended, by a time limit or by Ctrl-C."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from command import COMMAND, compile_library, tenon

ENDLESS = """func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%i = %0) : tensor<i32>
  cond {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %go = stablehlo.compare NE, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %1 : tensor<i32>
}
"""
# The same, after a call that says that it has begun.
BEGUN = ENDLESS.replace("  %0 = stablehlo.constant dense<0> : tensor<i32>\n",
                        "  %0 = stablehlo.custom_call @begin() {api_version = 1 : i32, has_side_effect = true}"
                        " : () -> tensor<i32>\n")
# Kernels that say that they have begun; one does not end.
KERNEL = """
#include <unistd.h>
void begin(void* out, const void** in);
void spin(void* out, const void** in);
void begin(void* out, const void** in) {
  (void)in;
  *(int*)out = 0;
  if (write(2, "begun", 5) != 5) return;
}
void spin(void* out, const void** in) {
  (void)out; (void)in;
  if (write(1, "begun", 5) != 5) return;
  for (;;) pause();
}
"""
SPIN = """func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @spin() {api_version = 1 : i32, has_side_effect = true} : () -> tensor<i32>
  return %0 : tensor<i32>
}
"""
QUICK = "func.func @main() {\n  return\n}\n"


@pytest.fixture
def endless(tmp_path):
    path = tmp_path / "endless.mlir"
    path.write_text(ENDLESS)
    return path


@pytest.mark.parametrize("command", ["run", "bench"])
def test_a_time_limit_ends_a_program(endless, command):
    output, errors = tenon(command, endless, "--timeout", "0.1", code=1)
    assert output == "" and "error: the run was not over within its time limit of 0.100 s" in errors
    assert "endless.mlir:" in errors


def test_a_time_limit_is_for_each_module_of_a_test(endless, tmp_path):
    several = tmp_path / "several.mlir"
    several.write_text(ENDLESS + "// -----\n" + QUICK)
    output, _ = tenon("test", several, "--timeout", "2", "--json", code=1)
    told = json.loads(output)
    assert told["ok"] == 1 and told["failed"] == 1 and "time limit" in told["modules"][0]["message"]


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "1s", "nan", "inf", "1e-12", ""])
def test_a_time_limit_that_is_none_is_a_mistake(endless, seconds):
    _, errors = tenon("run", endless, f"--timeout={seconds}", code=2)
    assert f"--timeout {seconds}: expected a number of seconds above 0" in errors


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernels.c").write_text(KERNEL)
    compile_library(folder / "kernels.c", folder / "libkernels.so")
    return folder / "libkernels.so"


def read_begun(stream):
    """Until the kernel has said so."""
    text = b""
    while not text.endswith(b"begun"):
        piece = os.read(stream.fileno(), 4096)
        assert piece, text
        text += piece


def interrupt(kernels, *arguments):
    started = subprocess.Popen([COMMAND, *arguments, "--load", f"{kernels}:begin=begin#1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    read_begun(started.stderr)
    os.kill(started.pid, signal.SIGINT)
    output, errors = started.communicate(timeout=600)
    return started.returncode, output.decode(), errors.decode()


@pytest.mark.parametrize("command", ["run", "bench"])
def test_ctrl_c_ends_a_run_with_an_error(kernels, tmp_path, command):
    (tmp_path / "begun.mlir").write_text(BEGUN)
    code, output, errors = interrupt(kernels, command, tmp_path / "begun.mlir")
    assert code == 130 and output == "" and "error: the run was cancelled" in errors


def test_ctrl_c_ends_a_test_with_its_summary(kernels, tmp_path):
    several = tmp_path / "several.mlir"
    several.write_text(BEGUN + "// -----\n" + QUICK)
    code, output, _ = interrupt(kernels, "test", several, "--json")
    assert code == 130
    told = json.loads(output)
    assert told["ok"] == 0 and told["failed"] == 1 and "cancelled" in told["modules"][0]["message"]


@pytest.mark.parametrize("command", ["run", "test", "bench"])
def test_the_second_ctrl_c_ends_the_process_inside_a_kernel(kernels, tmp_path, command):
    (tmp_path / "spin.mlir").write_text(SPIN)
    load = f"{kernels}:spin=spin#1"
    words = [COMMAND, command, tmp_path / "spin.mlir", "--load", load]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        read_begun(started.stdout)
        started.send_signal(signal.SIGINT)
        # The first one is seen when the default action is back.
        status = pathlib.Path(f"/proc/{started.pid}/status")
        while int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) & 1 << (signal.SIGINT - 1):
            time.sleep(0.01)
        assert started.poll() is None
        started.send_signal(signal.SIGINT)
        assert started.wait(timeout=600) == -signal.SIGINT
