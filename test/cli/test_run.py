# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon run: inputs in, outputs out."""

import json
import os
import resource
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from command import ADD, BUILD, COMMAND, ROOT, compile_library, tenon


def identity(folder, dtype, shape=(3,)):
    kind = "x".join([*map(str, shape), dtype])
    path = folder / f"identity_{kind.replace('<', '_').replace('>', '_')}.mlir"
    path.write_text(f"func.func @main(%x: tensor<{kind}>) -> tensor<{kind}> {{ return %x : tensor<{kind}> }}")
    return path


def run_one(folder, dtype, spec, shape=(3,)):
    return tenon("run", identity(folder, dtype, shape), "--input", spec)[0].rstrip("\n")


def test_literals_are_added(folder):
    assert tenon("run", folder / "add.mlir", "--input", "3xf32=1,2,3", "--input=3xf32=0.5")[0] == "[1.5 2.5 3.5]\n"
    assert tenon("run", folder / "add.mlir", "-i", "3xfloat32= 1 , 2 ,3", "-iones")[0] == "[2. 3. 4.]\n"


@pytest.mark.parametrize("dtype, spec, shown", [
    ("i1", "3xi1=true,false,1", "[ True False  True]"),
    ("i1", "3xbool=False", "[False False False]"),
    ("i8", "3xi8=-128,127,0x10", "[-128  127   16]"),
    ("ui8", "3xuint8=255", "[255 255 255]"),
    ("i64", "3xi64=-9223372036854775808,9223372036854775807,0", "[-9223372036854775808  9223372036854775807                    0]"),
    ("ui64", "3xui64=18446744073709551615", "[18446744073709551615 18446744073709551615 18446744073709551615]"),
    ("f16", "3xf16=nan,inf,-inf", "[ nan  inf -inf]"),
    ("f64", "3xf64=1e-300,0x1p4,-0", "[ 1.0e-300  1.6e+001 -0.0e+000]"),
    ("bf16", "3xbfloat16=1.5,3.14159,-0.0", "[1.5 3.14062 -0]"),
    ("f8E4M3FN", "3xfloat8_e4m3fn=448,0.1,nan", "[448 0.101562 nan]"),
    ("i4", "3xi4=-8,7,0", "[-8 7 0]"),
    ("complex<f32>", "3xcomplex64=1+2j,(3,-4),2.5", "[1. +2.j 3. -4.j 2.5+0.j]"),
    ("complex<f64>", "3xcomplex<f64>=1e3-2j, 5j,inf", "[1000.-2.j    0.+5.j   inf+0.j]"),
])
def test_literals_of_every_kind(folder, dtype, spec, shown):
    assert run_one(folder, dtype, spec) == shown


def test_scalars_and_empty_arrays(folder):
    assert run_one(folder, "f32", "f32=1.5", ()) == "1.5"
    assert run_one(folder, "f32", "2x0xf32=", (2, 0)) == "[]"


@pytest.mark.parametrize("spec, shown", [("zeros", "[0 0 0]"), ("ones", "[1 1 1]"), ("iota", "[0 1 2]")])
def test_fills(folder, spec, shown):
    assert run_one(folder, "i32", spec) == shown


@pytest.mark.parametrize("dtype, numpy_dtype", [
    ("f64", "f8"), ("f32", "f4"), ("f16", "f2"), ("bf16", ml_dtypes.bfloat16), ("f8E4M3FN", ml_dtypes.float8_e4m3fn)])
def test_random_floats_are_uniform_from_0_to_1(folder, dtype, numpy_dtype):
    out = folder / "random.npy"
    program = identity(folder, dtype, (10000,))
    tenon("run", program, "-i", "random:3", "-o", out)
    first = np.load(out).view(numpy_dtype).astype(np.float64)
    assert first.min() >= 0 and first.max() < 1
    step = {"f8E4M3FN": 1 / 16, "bf16": 1 / 256}.get(dtype, 0)
    assert abs(first.mean() + step / 2 - 0.5) < 0.02
    assert abs(first.std() - 12**-0.5) < 0.02
    tenon("run", program, "-i", "random:3", "-o", out)
    np.testing.assert_array_equal(np.load(out).view(numpy_dtype).astype(np.float64), first)
    tenon("run", program, "-i", "random:4", "-o", out)
    assert (np.load(out).view(numpy_dtype).astype(np.float64) != first).mean() > 0.5


def test_random_numbers_are_the_same_everywhere(folder):
    assert run_one(folder, "f32", "random") == "[0.2817613 0.6524485 0.7012121]"
    assert run_one(folder, "i32", "random:1", (8,)) == "[86 36 94  4 77 21 77 62]"


def test_random_integers_and_booleans_are_sensible(folder):
    for dtype, most in [("i32", 99), ("ui8", 99), ("i4", 7), ("ui4", 15), ("i1", 1)]:
        out = folder / "random.npy"
        tenon("run", identity(folder, dtype, (4000,)), "-i", "random", "-o", out)
        values = np.load(out).astype(int)
        assert values.min() == 0 and values.max() == most


def test_arguments_get_different_random_numbers(folder):
    text = ADD.replace("stablehlo.add", "stablehlo.subtract")
    assert "[0. 0. 0.]" not in tenon("run", "-", "-i", "random", "-i", "random", stdin=text)[0]


@pytest.mark.parametrize("name", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                                  "float32", "float64", "complex64", "complex128", "bfloat16", "float8_e5m2", "float8_e4m3fn",
                                  "int4", "uint4"])
def test_npy_files_go_in_and_out(folder, name):
    spelling = {"bool": "i1", "complex64": "complex<f32>", "complex128": "complex<f64>", "float8_e5m2": "f8E5M2",
                "float8_e4m3fn": "f8E4M3FN", "bfloat16": "bf16"}.get(name) or name.replace("uint", "ui").replace(
                    "int", "i").replace("float", "f")
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    array = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype) if name == "bool" else (np.arange(6).reshape(2, 3) - 2 * (
        "u" not in name and "8" not in name)).astype(dtype)
    np.save(folder / "in.npy", array)
    program = identity(folder, spelling, (2, 3))
    tenon("run", program, "-i", folder / "in.npy", "-o", folder / "out.npy")
    read = np.load(folder / "out.npy")
    if read.dtype.kind == "V":
        read = read.view(dtype)
    np.testing.assert_array_equal(read.astype(np.complex128), array.astype(np.complex128))
    assert tenon("run", program, "-i", folder / "in.npy")[0] == f"{array}\n"


def test_npy_files_of_any_order_are_read(folder):
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for name, variant in {"c": array, "fortran": np.asfortranarray(array), "big": array.astype(">f4"),
                          "both": np.asfortranarray(array.astype(">f4"))}.items():
        np.save(folder / f"{name}.npy", variant)
        assert run_one(folder, "f32", folder / f"{name}.npy", (2, 3, 4)) == str(array)


def test_npz_archives_are_read(folder):
    np.savez_compressed(folder / "packed.npz", **{"x": np.array([1, 2, 3], np.float32), "a/b": np.ones(3, np.float32)})
    output, errors = tenon("run", folder / "add.mlir", "-i", f"{folder}/data.npz:x", "-i", f"{folder}/packed.npz:a/b")
    assert output == "[2. 3. 4.]\n" and errors == ""


def test_several_results_say_which_they_are(folder):
    output, _ = tenon("run", folder / "model.mlir", "-i", "zeros")
    assert output.startswith("output 0: tensor<4x4xf32>\n[[0. 0. 0. 0.]\n")
    assert "output 1: tensor<4x8xf32>\n[[0. " in output
    output, _ = tenon("run", folder / "model.mlir", "-i", "zeros", "-o", folder / "first.npy")
    assert output.startswith("output 1")
    assert np.load(folder / "first.npy").shape == (4, 4)


def test_tuples_count_as_their_leaves(folder):
    text = """func.func @main(%t: tuple<tensor<2xi32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>, tuple<tensor<2xi32>>> {
      %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi32>, tuple<tensor<i32>>>) -> tensor<2xi32>
      %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
      %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<i32>>) -> tensor<i32>
      %3 = stablehlo.tuple %0 : tuple<tensor<2xi32>>
      %4 = stablehlo.tuple %2, %3 : tuple<tensor<i32>, tuple<tensor<2xi32>>>
      return %4 : tuple<tensor<i32>, tuple<tensor<2xi32>>>
    }"""
    output, _ = tenon("run", "-", "-i", "2xi32=1,2", "-i", "i32=7", stdin=text)
    assert output == "output 0: tensor<i32>\n7\noutput 1: tensor<2xi32>\n[1 2]\n"


def test_tokens_take_no_input_and_print_nothing(folder):
    text = """func.func @main(%t: !stablehlo.token, %x: tensor<f32>) -> (!stablehlo.token, tensor<f32>) {
      return %t, %x : !stablehlo.token, tensor<f32>
    }"""
    assert tenon("run", "-", "-i", "f32=2", stdin=text)[0] == "output 0: !stablehlo.token\noutput 1: tensor<f32>\n2.0\n"


def test_a_function_is_chosen(folder):
    text = """func.func @one() -> tensor<i32> { %0 = stablehlo.constant dense<1> : tensor<i32>  return %0 : tensor<i32> }
              func.func @two() -> tensor<i32> { %0 = stablehlo.constant dense<2> : tensor<i32>  return %0 : tensor<i32> }"""
    assert tenon("run", "-", "-f", "two", stdin=text)[0] == "2\n"
    assert tenon("run", "-", "--function=one", stdin=text)[0] == "1\n"
    assert "three" in tenon("run", "-", "-f", "three", stdin=text, code=1)[1]


def test_json_has_results_and_times(folder):
    read = json.loads(tenon("run", folder / "add.mlir", "-i", "3xf32=1,nan,-inf", "-i", "ones", "--json")[0])
    assert read["outputs"] == [{"type": "tensor<3xf32>", "dtype": "float32", "shape": [3], "data": [2.0, "nan", "-inf"]}]
    assert read["read_ms"] > 0 and read["compile_ms"] > 0 and read["run_ms"] >= 0 and read["plan_bytes"] == 0
    read = json.loads(tenon("run", folder / "model.mlir", "-i", "ones", "-o", folder / 'a "b".npy', "--json")[0])
    assert read["outputs"][0]["file"] == str(folder / 'a "b".npy') and len(read["outputs"][1]["data"]) == 4
    assert read["plan_bytes"] >= read["plan_lower_bound_bytes"] > 0


def test_time_is_told_on_the_standard_error(folder):
    output, errors = tenon("run", folder / "model.mlir", "-i", "ones", "-o", folder / "1.npy", "-o", folder / "2.npy", "--time")
    assert output == ""
    assert [line.split()[0] for line in errors.splitlines()] == ["read", "compile", "run", "plan"]
    assert "peak" in errors and "lower bound" in errors


def test_custom_calls_come_from_libraries(folder):
    output, _ = tenon("run", folder / "norm.mlir", "--load", folder / "librms_norm.so", "-i", "2x4xf32=3")
    assert output == "[[0.9999994 0.9999994 0.9999994 0.9999994]\n [0.9999994 0.9999994 0.9999994 0.9999994]]\n"
    output, _ = tenon("run", folder / "old.mlir", "--load", f"{folder}/libold.so:scale=scale_kernel#1", "-i", "iota")
    assert output == "[0. 2. 4.]\n"


def test_an_operation_may_have_the_name_of_a_function_of_c(tmp_path):
    (tmp_path / "poll.c").write_text("""#include <tenon/custom.h>
#define POLL(ARG, ATTR, RET) ARG(x, f32, rank(0)) RET(y, f32, rank(0))
TN_OP(poll, POLL, "y = x + 1") {
  *call->y.data = *call->x.data + 1;
  return TN_OK;
}
TN_LIBRARY(poll)
""")
    compile_library(tmp_path / "poll.c", tmp_path / "libpoll.so")
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n" \
        "  %y = stablehlo.custom_call @poll(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>\n" \
        "  return %y : tensor<f32>\n}\n"
    assert tenon("run", "-", "-l", tmp_path / "libpoll.so", "-i", "f32=1", stdin=text)[0] == "2.0\n"


def test_a_result_that_a_file_cannot_take_fails(folder):
    errors = tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", "-o", "/nowhere/x.npy", code=1)[1]
    assert errors == "error: /nowhere/x.npy: cannot be written: No such file or directory\n"
    output, again = tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", "-o", "/nowhere/x.npy", "--json", code=1)
    assert output == "" and json.loads(again)["error"]["report"] == errors


def seconds_of_processor(*words):
    """The least of sixty times: other processes only ever add to it."""
    times = []
    with open(os.devnull, "w") as null:
        for _ in range(60):
            process = os.posix_spawn(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null.fileno(), 1)])
            _, status, usage = os.wait4(process, 0)
            assert status == 0
            times.append(usage.ru_utime + usage.ru_stime)
    return min(times)


def test_a_small_program_is_read_compiled_run_and_printed_before_python_has_begun(folder):
    python = seconds_of_processor(sys.executable, "-I", "-S", "-c", "pass")
    small = seconds_of_processor(COMMAND, "run", folder / "add.mlir", "-i", "ones", "-i", "ones")
    assert small < python


def test_a_full_disk_fails(folder):
    done = subprocess.run(f"{COMMAND} run add.mlir -i ones -i ones > /dev/full", shell=True, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and "could not be written" in done.stderr


def test_a_small_address_space_is_enough(folder):
    """Nothing is reserved that a limit of 4 GB refuses: custom calls, constants and both outputs included."""
    example = ROOT / "examples" / "digits"

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    done = subprocess.run([COMMAND, "run", example / "digits.mlir", "--load", BUILD / "examples/digits/libdigits.so",
                           "--input", example / "images.npy", "--output", folder / "predictions.npy",
                           "--output", folder / "probabilities.npy"], preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    predictions, labels = np.load(folder / "predictions.npy"), np.load(example / "labels.npy")
    assert np.mean(predictions == labels) >= 0.95


# --- inputs by name

NAMED = """func.func @main(%a: tensor<2xf32> loc("params['w']"), %b: tensor<2xf32> loc("x"), %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.subtract %a, %b : tensor<2xf32>
  %1 = stablehlo.divide %0, %c : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("inputs", [
    ["x=ones", "params.w=2xf32=5,9", "2xf32=2"], ["params['w']=2xf32=5,9", "ones", "c=2xf32=2"],
    ["c=@c.npy", "x=@x.npz:one", "2xf32=5,9"]])
def test_inputs_go_to_the_arguments_they_name(folder, inputs):
    np.save(folder / "c.npy", np.full(2, 2, np.float32))
    np.savez(folder / "x.npz", one=np.ones(2, np.float32))
    (folder / "named.mlir").write_text(NAMED)
    done = subprocess.run([COMMAND, "run", "named.mlir", *(word for text in inputs for word in ("-i", text))], cwd=folder,
                          capture_output=True, text=True, timeout=600)
    assert done.stdout == "[2. 4.]\n", done.stderr


@pytest.mark.parametrize("inputs, code, message", [
    (["y=ones"], 1, "--input y=ones: the program has no input 'y'; its inputs are: params.w, x, c"),
    (["params.v=ones"], 1, "did you mean params.w?"),
    (["x=ones", "x=zeros"], 2, "'x' is given twice"),
    (["x=ones", "ones", "ones", "ones"], 2, "the program takes 3 inputs; found 4"),
    (["x=ones"], 2, "input 0 (%params.w) of type tensor<2xf32> has no --input"),
    (["x=nothing", "ones", "ones"], 2, "--input nothing is not one of"),
])
def test_names_that_are_wrong_are_told(folder, inputs, code, message):
    (folder / "named.mlir").write_text(NAMED)
    assert message in tenon("run", folder / "named.mlir", *(word for text in inputs for word in ("-i", text)), code=code)[1]


# --- outputs by name

TWO_OUTPUTS = """func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token)
    -> (tensor<2xf32> {jax.result_info = "result['sum']"}, !stablehlo.token, tensor<2xf32> {jax.result_info = "result.y"}, tensor<2xf32>) {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = stablehlo.negate %a : tensor<2xf32>
  return %0, %t, %1, %a : tensor<2xf32>, !stablehlo.token, tensor<2xf32>, tensor<2xf32>
}
"""


@pytest.mark.parametrize("outputs, saved, printed", [
    (["result.y=y.npy"], {"y.npy": [-1, -2]}, ["output 0", "output 1", "output 3"]),
    (["result['sum']=./s.npy", "y.npy"], {"s.npy": [2, 4], "y.npy": [-1, -2]}, ["output 1", "output 3"]),
    (["s.npy", "y.npy", "result3=a.npy"], {"s.npy": [2, 4], "y.npy": [-1, -2], "a.npy": [1, 2]}, ["output 1"]),
    (["result.y=all.npz:y", "result3=@all.npz:a", "-"], {"all.npz": {"y": [-1, -2], "a": [1, 2]}}, ["output 0", "output 1"]),
    (["result.y=-", "./a=b.npy"], {"a=b.npy": [2, 4]}, ["output 1", "output 2", "output 3"]),
])
def test_outputs_are_saved_by_name(folder, outputs, saved, printed):
    (folder / "two.mlir").write_text(TWO_OUTPUTS)
    done = subprocess.run([COMMAND, "run", "two.mlir", "-i", "2xf32=1,2", *(word for text in outputs for word in ("-o", text))],
                          cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("output")] == printed
    for file, expected in saved.items():
        found = np.load(folder / file)
        if file.endswith(".npz"):
            assert {key: list(found[key]) for key in found} == expected
        else:
            assert list(found) == expected


@pytest.mark.parametrize("option, spec", [("-o", "{}.npy"), ("-e", "2xf32=2,4")])
@pytest.mark.parametrize("name, code, message", [
    ("result.z", 1, "the program has no output 'result.z'; its outputs are: result.sum, result1, result.y, result3\n"
                    "note: did you mean result.y?"),
    ("result1", 2, "'result1' is a token, which has no elements"),
])
def test_output_names_that_are_wrong_are_errors(folder, option, spec, name, code, message):
    (folder / "two.mlir").write_text(TWO_OUTPUTS)
    text = f"{name}={spec.format(folder / 'x')}"
    assert message in tenon("run", folder / "two.mlir", "-i", "ones", option, text, code=code)[1]


def test_an_output_that_is_named_twice_is_an_error(folder):
    (folder / "two.mlir").write_text(TWO_OUTPUTS)
    errors = tenon("run", folder / "two.mlir", "-i", "ones", "-o", "result.y=a.npy", "-o", "result['y']=b.npy", code=2)[1]
    assert "'result['y']' is given twice" in errors


def test_expected_outputs_are_named(folder):
    (folder / "two.mlir").write_text(TWO_OUTPUTS)
    expect = ["-e", "result.y=2xf32=-1,-2", "-e", "2xf32=2,4", "-e", "2xf32=1,3"]
    assert "output 3: element [1] is 2; expected 3" in tenon("run", folder / "two.mlir", "-i", "2xf32=1,2", *expect, code=1)[1]
