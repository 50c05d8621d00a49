# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Inputs by the names that a file gives them, sizes of dynamic inputs, and checks that load a library."""

import json
import os
import stat

import numpy as np
import pytest
from command import tenon, write_safetensors

PROGRAM = """func.func @main(%w: tensor<2x2xf32> loc("params['l']['w']"), %b: tensor<2xf32> loc("params['l']['b']"), %x: tensor<2xf32> loc("x"))
    -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %b : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
W, B = np.array([[1, 2], [3, 4]], np.float32), np.array([10, 20], np.float32)


def save_npz(path, arrays):
    np.savez(path, **arrays)


@pytest.fixture(params=[("w.npz", save_npz), ("w.safetensors", write_safetensors)], ids=["npz", "safetensors"])
def weights(request, tmp_path):
    (tmp_path / "linear.mlir").write_text(PROGRAM)
    name, save = request.param
    save(tmp_path / name, {"params.l.b": B, "params.l.w": W, "other": np.zeros(7, np.float32)})
    return tmp_path / "linear.mlir", tmp_path / name, save


@pytest.mark.parametrize("options", [["-i", "FILE", "-i", "x=2xf32=1"], ["-i", "x=2xf32=1", "-i", "FILE"], ["-i", "FILE", "-i", "2xf32=1"],
                                     ["-i", "ones", "-i", "FILE"], ["-i", "FILE", "-i", "ones", "-i", "params.l.b=2xf32=10,20"]])
def test_a_file_gives_every_input_whose_name_it_has(weights, options):
    program, file, _ = weights
    assert tenon("run", program, *[file if option == "FILE" else option for option in options])[0] == "[14. 26.]\n"


def test_names_may_be_spelt_as_jax_does(weights):
    program, file, save = weights
    save(file, {"params['l']['w']": W, "params['l']['b']": B})
    assert tenon("run", program, "-i", file, "-i", "ones")[0] == "[14. 26.]\n"


def test_what_is_named_comes_before_the_file(weights):
    program, file, _ = weights
    assert tenon("run", program, "-i", file, "-i", "params.l.b=zeros", "-i", "ones")[0] == "[4. 6.]\n"


def test_two_files_may_have_parts_of_the_inputs(weights):
    program, file, save = weights
    other = file.with_name("other" + file.suffix)
    save(file, {"params.l.w": W})
    save(other, {"params.l.b": B, "x": np.ones(2, np.float32)})
    assert tenon("run", program, "-i", file, "-i", other)[0] == "[14. 26.]\n"


def test_files_of_the_wrong_arrays_say_so(weights):
    program, file, save = weights
    assert "input 2 (%x) of type tensor<2xf32> has no --input" in tenon("run", program, "-i", file, code=2)[1]
    assert "the program takes 3 inputs; found 4" in tenon("run", program, "-i", file, "-i", "ones", "-i", "ones", code=2)[1]
    save(file, {"a": W})
    assert "no array has the name of an input; the program has params.l.w..., and the file has a" in tenon("run", program, "-i", file, code=1)[1]
    save(file, {"params.l.w": B})
    error = json.loads(tenon("run", program, "-j", "-i", file, code=1)[1])["error"]
    assert error["file"] == str(file)
    assert "input 0 (params.l.w): " in error["message"] and "the array is tensor<2xf32>; expected tensor<2x2xf32>" in error["message"]


def test_errors_of_files_name_them_in_json(folder):
    for spec, file in [("nowhere.npy", "nowhere.npy"), ("nowhere.npz:x", "nowhere.npz"), ("nowhere.safetensors", "nowhere.safetensors")]:
        assert json.loads(tenon("run", folder / "add.mlir", "-j", "-i", spec, "-i", "ones", code=1)[1])["error"]["file"] == file
    assert json.loads(tenon("check", "-j", "nowhere.mlir", code=1)[1])["error"]["file"] == "nowhere.mlir"


def test_a_literal_may_have_a_fill_in_place_of_elements(folder):
    assert tenon("run", folder / "rows.mlir", "-i", "1x8xf32=iota")[0] == "[[ 0.  2.  4.  6.  8. 10. 12. 14.]]\n"
    one, two = (tenon("run", folder / "rows.mlir", "-i", f"2x8xf32=random:{seed}")[0] for seed in (1, 2))
    assert one != two
    assert "--input 2x8xf32 has no elements; did you mean '2x8xf32=random'?" in tenon("run", folder / "rows.mlir", "-i", "2x8xf32", code=2)[1]
    assert "it is tensor<2x7xf32>; expected tensor<?x8xf32>" in tenon("run", folder / "rows.mlir", "-i", "2x7xf32=ones", code=2)[1]


def test_sizes_are_given_to_bench_and_show(folder):
    found = json.loads(tenon("bench", folder / "rows.mlir", "-j", "-n", "1", "-i", "64x8xf32")[0])
    assert found["runs"] == 1
    plan = tenon("show", folder / "rows.mlir", "--stage", "plan", "-i", "64x8xf32")[0]
    assert "tensor<64x8xf32>" in plan and "?" not in plan
    assert "tensor<?x8xf32>" in tenon("show", folder / "rows.mlir")[0]
    assert "tensor<3x8xf32>" in tenon("show", folder / "rows.mlir", "--stage", "pass", "-i", "3x8xf32")[0]
    assert "'random' cannot choose its size" in tenon("bench", folder / "rows.mlir", code=1)[1]
    assert "'zeros' cannot choose its size" in tenon("show", folder / "rows.mlir", "--stage", "plan", "-i", "zeros", code=1)[1]


def test_check_compares_calls_with_loaded_signatures(folder, tmp_path):
    library = folder / "librms_norm.so"
    tenon("check", folder / "norm.mlir", "--load", library)
    text = (folder / "norm.mlir").read_text()
    (tmp_path / "wrong.mlir").write_text(text.replace("eps =", "epz ="))
    (tmp_path / "unknown.mlir").write_text(text.replace("@rms_norm", "@rms_nrom"))
    tenon("check", tmp_path / "wrong.mlir")
    error = tenon("check", tmp_path / "wrong.mlir", tmp_path / "unknown.mlir", "--load", library, code=1)[1]
    assert 'attribute "epz"' in error and "rms_nrom" in error


def test_an_argument_that_is_an_input_is_recognised(folder):
    assert "unexpected argument 'x.npy'; did you mean --input x.npy?" in tenon("run", folder / "add.mlir", "x.npy", code=2)[1]


def test_what_fails_leaves_the_file_that_was_there(folder, tmp_path):
    path = tmp_path / "out.mlirbc"
    tenon("convert", folder / "add.mlir", path)
    before, listed = path.read_bytes(), os.listdir(tmp_path)
    tenon("convert", folder / "add.mlir", path, "--target-version", "9.9.9", code=1)
    assert path.read_bytes() == before and os.listdir(tmp_path) == listed
    path.chmod(0o640)
    tenon("convert", folder / "model.mlir", path)
    assert path.read_bytes() != before and stat.S_IMODE(path.stat().st_mode) == 0o640 and os.listdir(tmp_path) == listed
    for name in ("trace.json", "y.npz", "y.npy", "y.safetensors"):
        (tmp_path / name).write_text("old")
    tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", "-T", "0.000000001", "-c", tmp_path / "trace.json",
          "-o", f"{tmp_path}/y.npz:y", code=1)
    assert (tmp_path / "y.npz").read_text() == "old"
    tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", "-c", tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


NAMES = ["\x1b[31mred", "a\u202eb", "x\x7f", "\u2066y"]


@pytest.mark.parametrize("name", NAMES)
def test_names_do_nothing_to_a_terminal(tmp_path, name):
    escaped = "".join(chr(byte) if byte < 128 and chr(byte).isalnum() else f"\\{byte:02X}" for byte in name.encode())
    (tmp_path / "call.mlir").write_text(f"""func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.custom_call @"{escaped}"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}
""")
    (tmp_path / "attribute.mlir").write_text(f"""func.func @main(%x: tensor<f32> {{"{escaped}" = 1 : i32}}) -> tensor<f32> {{
  %0 = stablehlo.add %x, %x {{"{escaped}" = "{escaped}"}} : tensor<f32>
  return %0 : tensor<f32>
}}
""")
    for code, *command in [(1, "run", "call.mlir", "-i", "ones"), (1, "run", "call.mlir", "-j", "-i", "ones"), (0, "show", "call.mlir"),
                           (0, "show", "attribute.mlir"), (0, "show", "-F", "json", "attribute.mlir"), (0, "run", "attribute.mlir", "-i", "ones")]:
        command = [tmp_path / word if word.endswith(".mlir") else word for word in command]
        output, errors = tenon(*command, code=code)
        for character in "\x1b\u202e\u2066\x7f":
            assert character not in output + errors, (command, output, errors)
        if "json" in command:
            json.loads(output)
        if "-j" in command:
            json.loads(errors)


def test_bytes_that_are_not_text_are_escaped(tmp_path):
    (tmp_path / "a.mlir").write_bytes(b"func.func @main() {\n  \xff\x1b[31m\n}\n")
    errors = tenon("check", tmp_path / "a.mlir", code=1)[1]
    assert "\x1b" not in errors and "\\FF\\1B[31m" in errors
