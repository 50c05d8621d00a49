# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon run --expect: results compared with what they must be; tenon check: modules that are only verified."""

import json

import numpy as np
import pytest
from command import ADD, tenon


def run(folder, *arguments, code=0, a="3xf32=1,2,3"):
    return tenon("run", folder / "add.mlir", "-i", a, "-i", "zeros", *arguments, code=code)


def test_a_result_that_is_as_expected_passes(folder):
    assert run(folder, "--expect", "3xf32=1,2,3")[0] == "[1. 2. 3.]\n"
    np.save(folder / "y.npy", np.array([1, 2, 3], np.float32))
    run(folder, "-e", folder / "y.npy")
    run(folder, "--expect", "3xf32=nan,-0,inf", a="3xf32=nan,0,inf")


def test_the_first_element_that_differs_is_named(folder):
    _, error = run(folder, "--expect", "3xf32=1,2.5,4", code=1)
    assert error == "error: output 0: element [1] is 2; expected 2.5\nnote: 2 of 3 elements differ, by at most 1\n"
    _, error = run(folder, "--expect", "3xf32=1,nan,inf", code=1)
    assert "element [1] is 2; expected nan" in error and "2 of 3" in error


def test_elements_may_be_within_a_tolerance(folder):
    run(folder, "--expect", "3xf32=1.001,2.002,3.003", "--tolerance", "1e-3")
    assert "element [0]" in run(folder, "--expect", "3xf32=1.01,2,3", "--tolerance", "1e-3", code=1)[1]
    assert "element [2]" in run(folder, "--expect", "3xf32=1,2,inf", "--tolerance", "1e9", code=1)[1]


def test_numbers_that_no_double_holds_are_compared_and_printed(folder):
    path = folder / "large.mlir"
    path.write_text("func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> { return %x : tensor<2xi64> }")
    _, error = tenon("run", path, "-i", "2xi64=9007199254740993,0", "-e", "2xi64=9007199254740992,0", code=1)
    assert "element [0] is 9007199254740993; expected 9007199254740992" in error


def test_parts_of_complex_numbers_are_compared(folder):
    path = folder / "complex.mlir"
    path.write_text("func.func @main(%x: tensor<complex<f32>>) -> tensor<complex<f32>> "
                    "{ return %x : tensor<complex<f32>> }")
    tenon("run", path, "-i", "complex<f32>=1+2j", "-e", "complex<f32>=1+2j")
    _, error = tenon("run", path, "-i", "complex<f32>=1+2j", "-e", "complex<f32>=1+3j", code=1)
    assert "element [] is 1+2j; expected 1+3j" in error


def test_sizes_that_are_known_when_it_runs_are_compared(folder):
    path = folder / "dynamic.mlir"
    path.write_text("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }")
    np.save(folder / "x.npy", np.ones(2, np.float32))
    np.save(folder / "y.npy", np.ones(3, np.float32))
    tenon("run", path, "-i", folder / "x.npy", "-e", folder / "x.npy")
    _, error = tenon("run", path, "-i", folder / "x.npy", "-e", folder / "y.npy", code=1)
    assert "output 0 has type tensor<2xf32>; expected tensor<3xf32>" in error


@pytest.mark.parametrize("arguments, code, text", [
    (["--expect", "2xf32=1"], 2, "--expect of output 0: it is tensor<2xf32>; expected tensor<3xf32>"),
    (["--expect", "wibble"], 2, "--expect wibble is not one of x.npy"),
    (["--expect", "nowhere.npy"], 1, "--expect of output 0: nowhere.npy"),
    (["--expect", "ones", "--expect", "ones"], 2, "the program has 1 output; found 2 expected ones"),
    (["--tolerance", "1"], 2, "--tolerance is given without --expect"),
    (["--expect", "ones", "--tolerance", "-1"], 2, "--tolerance -1 is not a number such as 1e-5"),
])
def test_mistakes_are_found_before_the_program_runs(folder, arguments, code, text):
    printed, error = run(folder, *arguments, code=code)
    assert printed == "" and text in error


def test_a_difference_is_an_error_in_json(folder):
    error = json.loads(run(folder, "--expect", "zeros", "--json", code=1)[1])["error"]
    assert error["code"] == "FAILED_PRECONDITION"
    assert error["message"] == "output 0: element [0] is 1; expected 0"


def test_check_reports_every_module_that_is_not_valid(folder):
    assert tenon("check", folder / "add.mlir", folder / "model.mlir") == ("", "")
    assert tenon("check", "-", stdin=ADD) == ("", "")
    (folder / "wrong.mlir").write_text(ADD.replace("stablehlo.add %a, %b", "stablehlo.add %a"))
    printed, error = tenon("check", folder / "wrong.mlir", folder / "add.mlir", "nowhere.mlir", code=1)
    assert printed == "" and "wrong.mlir:2:" in error and "nowhere.mlir: No such file" in error
    lines = tenon("check", folder / "wrong.mlir", "nowhere.mlir", "--json", code=1)[1].splitlines()
    assert [json.loads(line)["error"]["code"] for line in lines] == ["INVALID_ARGUMENT", "NOT_FOUND"]


def test_check_compiles_and_runs_nothing(folder):
    """Where nothing is registered, a program is valid all the same."""
    assert tenon("check", folder / "norm.mlir") == ("", "")
