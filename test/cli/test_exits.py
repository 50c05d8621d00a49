# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A library that calls exit() does not pass for a command that succeeded."""

import json

import pytest
from command import compile_library, tenon

LIBRARY = """
#include <stdlib.h>
#include <unistd.h>
void leave(void* out, const void** in);
void leave(void* out, const void** in) { (void)out; (void)in; exit(0); }
void leave_quickly(void* out, const void** in);
void leave_quickly(void* out, const void** in) { (void)out; (void)in; quick_exit(0); }
void leave_at_once(void* out, const void** in);
void leave_at_once(void* out, const void** in) { (void)out; (void)in; _exit(0); }
void leave_by_c(void* out, const void** in);
void leave_by_c(void* out, const void** in) { (void)out; (void)in; _Exit(0); }
"""
FUNCTIONS = ["leave", "leave_quickly", "leave_at_once", "leave_by_c"]
WRONG = """func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}
// -----
func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @leave() {api_version = 1 : i32, has_side_effect = true} : () -> tensor<i32>
  return %0 : tensor<i32>
}
// -----
func.func @main() {
  return
}
"""
MESSAGE = "a library or kernel called exit(); the command did not finish its work"


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exits")
    (folder / "leave.c").write_text(LIBRARY)
    compile_library(folder / "leave.c", folder / "libleave.so")
    (folder / "wrong.mlir").write_text(WRONG)
    (folder / "leave.mlir").write_text(WRONG.split("// -----")[1])
    return folder


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_test_that_a_kernel_ends_fails(wrong, function):
    load = f"{wrong}/libleave.so:leave={function}#1"
    output, errors = tenon("test", wrong / "wrong.mlir", "--load", load, code=1)
    assert "FAILED" in output and MESSAGE in errors


def test_the_error_is_json_where_errors_are(wrong):
    load = f"{wrong}/libleave.so:leave=leave#1"
    _, errors = tenon("test", "--json", wrong / "wrong.mlir", "--load", load, code=1)
    assert json.loads(errors)["error"] == {"code": "ABORTED", "message": MESSAGE}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_run_that_a_kernel_ends_fails(wrong, function):
    _, errors = tenon("run", wrong / "leave.mlir", "--load", f"{wrong}/libleave.so:leave={function}#1", code=1)
    assert errors == f"error: {MESSAGE}\n"
