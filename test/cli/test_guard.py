# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon run --guard, tenon test --guard: kernels that access memory outside of their operands and results."""

import signal

from command import BUILD, ROOT, tenon

DEBUGGING = ROOT / "examples/debugging"
WRONG = ("--load", BUILD / "examples/debugging/libdebugging.so", "--guard")


def test_a_write_past_the_end_of_a_result_fails_the_run():
    _, error = tenon("run", DEBUGGING / "differences.mlir", *WRONG, code=1)
    assert "differences.mlir:4:8: error: custom call @differences: write past the end of result 0 (y)" in error


def test_an_access_to_a_guard_page_is_reported_before_the_process_dies():
    out, error = tenon("run", DEBUGGING / "fault.mlir", *WRONG, code=-signal.SIGSEGV)
    assert error == (f"{DEBUGGING}/fault.mlir:3:8: error: custom call @differences: access past the end of operand 0 (x): "
                     "byte offset 64 of 64 bytes\n")
    assert not out


def test_a_guarded_test_fails_where_the_kernel_is_wrong():
    out, _ = tenon("test", DEBUGGING / "differences.mlir", *WRONG)
    assert "1 ok, 0 failed" in out
    out, error = tenon("test", "-", *WRONG, code=1,
                       stdin=(DEBUGGING / "differences.mlir").read_text().partition("\n")[2])
    assert "0 ok, 1 failed" in out and "write past the end" in error


def test_kernels_that_are_right_compute_the_same(folder):
    library = ("--load", BUILD / "examples/rms_norm/librms_norm.so")
    path = folder / "norm.mlir"
    path.write_text("""func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = stablehlo.custom_call @rms_norm(%x) {api_version = 4 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
""")
    run = ("run", path, "-i", "random", *library)
    assert tenon(*run, "--guard") == tenon(*run)


def test_devices_that_are_not_the_host_are_refused():
    _, error = tenon("run", DEBUGGING / "fault.mlir", *WRONG, "--device", "reference", code=1)
    assert "guarded calls: device reference" in error
