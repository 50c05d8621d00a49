"""Programs that never end are ended, by a time limit or by Ctrl-C."""

import json
import os
import signal
import subprocess
import time

import pytest
from command import COMMAND, tenon

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
    output, _ = tenon("test", several, "--timeout", "0.1", "--json", code=1)
    told = json.loads(output)
    assert told["ok"] == 1 and told["failed"] == 1 and "time limit" in told["modules"][0]["message"]


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "1s", "nan", "inf", "1e-12", ""])
def test_a_time_limit_that_is_none_is_a_mistake(endless, seconds):
    _, errors = tenon("run", endless, f"--timeout={seconds}", code=2)
    assert f"--timeout {seconds}: expected a number of seconds above 0" in errors


def interrupt(*arguments, times=1):
    started = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    for _ in range(times):
        os.kill(started.pid, signal.SIGINT)
    output, errors = started.communicate(timeout=20)
    return started.returncode, output, errors


@pytest.mark.parametrize("command", ["run", "bench"])
def test_ctrl_c_ends_a_run_with_an_error(endless, command):
    code, output, errors = interrupt(command, endless)
    assert code == 130 and output == "" and "error: the run was cancelled" in errors


def test_ctrl_c_ends_a_test_with_its_summary(endless, tmp_path):
    several = tmp_path / "several.mlir"
    several.write_text(ENDLESS + "// -----\n" + QUICK)
    code, output, _ = interrupt("test", several, "--json")
    assert code == 130
    told = json.loads(output)
    assert told["ok"] == 0 and told["failed"] == 1 and "cancelled" in told["modules"][0]["message"]
