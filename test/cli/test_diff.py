# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon diff: the first value that differs between two devices, and how far."""

import json

import pytest
from command import COMMAND, tenon

EXACT = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %double = stablehlo.add %x, %x : tensor<8xf32>
  %flipped = stablehlo.negate %double : tensor<8xf32>
  return %flipped : tensor<8xf32>
}
"""
# The CPU sums in blocks of its own order, the reference in double.
SUMS = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %same = stablehlo.negate %x : tensor<64x64xf32>
  %product = stablehlo.dot_general %same, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %root = stablehlo.negate %product : tensor<64x64xf32>
  return %root : tensor<64x64xf32>
}
"""


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "program.mlir"
        path.write_text(text)
        return str(path)
    return write


def test_says_when_nothing_differs(file):
    assert tenon("diff", file(EXACT)) == ("no difference in 2 values\n", "")


def test_names_the_first_value_that_differs(file):
    path = file(SUMS)
    out, _ = tenon("diff", path, code=1)
    lines = out.splitlines()
    assert lines[0] == "the first value that differs is %product = dot_general"
    assert lines[1] == f"  line 3 of {path}"
    assert "cpu has" in lines[2] and "reference has" in lines[2]
    assert lines[-1] == "2 of 3 values differ"


def test_json_says_the_same(file):
    found = json.loads(tenon("diff", file(SUMS), "--json", code=1)[0])
    assert found["devices"] == ["cpu", "reference"] and found["values"] == 3
    assert [value["value"] for value in found["different"]] == ["%product", "%root"]
    first = found["different"][0]
    assert first["operation"] == "dot_general" and first["line"] == 3 and first["elements"] == 4096
    assert 0 < first["largest_ulps"] < 1000 and first["different"] > 0


def test_tolerance_is_in_units_of_the_last_place(file):
    path = file(SUMS)
    largest = max(value["largest_ulps"] for value in json.loads(tenon("diff", path, "--json", code=1)[0])["different"])
    assert tenon("diff", path, "--ulps", str(largest))[0] == "no difference in 3 values\n"
    assert tenon("diff", path, "--ulps", str(largest - 1), code=1)


def test_a_device_does_not_differ_from_itself(file):
    path = file(SUMS)
    for device in ["cpu", "reference"]:
        assert tenon("diff", path, "-d", device, "-d", device)[0] == "no difference in 3 values\n"


def test_wrong_use_is_refused(file):
    path = file(EXACT)
    assert "expected two" in tenon("diff", path, "-d", "cpu", "-d", "cpu", "-d", "cpu", code=2)[1]
    assert "--ulps -1 is not a number" in tenon("diff", path, "--ulps", "-1", code=2)[1]
    assert "there is no device" in tenon("diff", path, "-d", "cpu", "-d", "gpu", code=1)[1]
    assert "is given twice" in tenon("run", path, "-d", "cpu", "-d", "cpu", "-i", "ones", code=2)[1]


def test_values_of_unknown_size_are_compared_once_the_inputs_have_sizes(file):
    path = file("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.sine %x : tensor<?xf32>
  %z = stablehlo.add %y, %x : tensor<?xf32>
  return %z : tensor<?xf32>
}
""")
    for given in ("5xf32=1", "1xf32=2"):
        assert tenon("diff", path, "-i", given, "--ulps", "4")[0] == "no difference in 2 values\n"


LARGE = """func.func @main(%x: tensor<i8>) -> tensor<i8> {
  %c = stablehlo.constant dense<1> : tensor<400000000xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  USE
  return %x : tensor<i8>
}
"""


def test_a_large_splat_is_one_element_until_it_is_used(file):
    unused = file(LARGE.replace("USE", ""))
    assert tenon("diff", unused, "-m", "1M")[0] == "no difference in 0 values\n"
    used = file(LARGE.replace("USE", "%0 = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0] : "
                              "(tensor<400000000xi8>, tensor<i8>) -> tensor<i8>"))
    assert "the limit is 104857600" in tenon("diff", used, "-m", "100M", code=1)[1]
