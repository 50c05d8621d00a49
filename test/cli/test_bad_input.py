# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What is wrong is named: the exit code, the place, what was wanted and found. Nothing crashes."""

import random
import struct
import subprocess

import numpy as np
import pytest
from command import ADD, COMMAND, tenon


def refused(*arguments, code=1, stdin=None):
    output, errors = tenon(*arguments, code=code, stdin=stdin)
    assert output == "" and errors.strip()
    return errors


# --- usage: exit code 2


@pytest.mark.parametrize("arguments, message", [
    (["rnu"], "unknown command 'rnu'; did you mean 'run'?"),
    (["xyzzy"], "unknown command 'xyzzy'\n"),
    (["--jason"], "'--jason' is not a command; options follow the command"),
    (["run", "a.mlir", "--ipnut", "x"], "did you mean '--input'?"),
    (["new", "My-Op"], '"My-Op" is not a name of an operation'),
    (["new", "tanh"], 'C has a function "tanh"'),
    (["new", "test"], 'CMake has a target "test", and the operation becomes one of its name: expected another, such as test_op'),
    (["new", "int32_t"], 'C has types with names like "int32_t"'),
    (["new", "tn_add"], """Tenon's header has names like "tn_add", and the operation becomes one of its name: expected another, such as add_op"""),
    (["new", "lambda"], "and not a keyword of C or Python"),
    (["new", "tenon"], "and not a keyword of C or Python"),
    (["new", "null"], '"null" is not a name of an operation'),
    (["help", "rum"], "did you mean 'run'?"),
    (["run"], "missing argument FILE"),
    (["run", "a.mlir", "b.mlir"], "unexpected argument 'b.mlir'"),
    (["run", "a.mlir", "--inptu", "ones"], "unknown option '--inptu'; did you mean '--input'?"),
    (["run", "a.mlir", "--inptu=ones"], "unknown option '--inptu'; did you mean '--input'?"),
    (["run", "a.mlir", "--runs", "3"], "unknown option '--runs'"),
    (["run", "a.mlir", "-z"], "unknown option '-z'"),
    (["run", "a.mlir", "--input"], "option '--input' needs a value: SPEC"),
    (["run", "a.mlir", "--time=3"], "option '--time' takes no value"),
    (["run", "a.mlir", "-f", "x", "-f", "y"], "option '--function' is given twice"),
    (["version", "now"], "unexpected argument 'now'"),
    (["test"], "missing argument FILE..."),
])
def test_wrong_use_is_explained(arguments, message):
    errors = refused(*arguments, code=2)
    assert message in errors and "--help'." in errors


@pytest.mark.parametrize("arguments, message", [
    (["-i", "ones"], "input 1 (%b) of type tensor<3xf32> has no --input, such as random or 3xf32=1"),
    (["-i", "1,2,3", "-i", "ones"], "--input 1,2,3 has no type; did you mean '3xf32=1,2,3'?"),
    (["-i", "[1,2,3]", "-i", "ones"], "or a literal such as 3xf32=1"),
    (["-i", "ones", "-i", "ones", "-i", "ones"], "the program takes 2 inputs; found 3"),
    (["-i", "one", "-i", "ones"], "did you mean 'ones'?"),
    (["-i", "file.txt", "-i", "ones"], "not one of x.npy, x.npz:KEY"),
    (["-i", "a=data.npz", "-i", "ones"], "Write data.npz:KEY"),
    (["-i", "random:x", "-i", "ones"], "the seed is not an integer"),
    (["-i", "random:", "-i", "ones"], "the seed is not an integer"),
    (["-i", "ones", "-i", "ones", "-o", "a.npy", "-o", "b.npy"], "the program has 1 output; found 2"),
    (["-i", "ones", "-i", "ones", "-o", "a.txt"], "--output a.txt is not one of x.npy, x.npz:KEY, x.safetensors:NAME and -"),
])
def test_wrong_inputs_and_outputs_are_wrong_use(folder, arguments, message):
    assert message in refused("run", folder / "add.mlir", *arguments, code=2)


# --- literals


@pytest.mark.parametrize("spec, message", [
    ("3xf32=1,2", "it lists 2 values; expected 3, or one for all"),
    ("3xf32=1,2,3,4", "it lists 4 values"),
    ("3xf32=", "it lists 0 values"),
    ("3xf32=1,x,3", "'x' is not a value of f32"),
    ("3xf32=1 2 3", "is not a value of f32"),
    ("3xf64=1", "it is tensor<3xf64>; expected tensor<3xf32>"),
    ("4xf32=1", "it is tensor<4xf32>; expected tensor<3xf32>"),
    ("f32=1", "it is tensor<f32>; expected tensor<3xf32>"),
    ("3x3xf32=1", "it is tensor<3x3xf32>; expected tensor<3xf32>"),
    ("3xf33=1", "'f33' is not an element type; expected f32"),
    ("99999999999x99999999999xf32=1", "it is tensor<99999999999x99999999999xf32>; expected"),
    ("x".join(["1"] * 65) + "xf32=1", "more than 64 dimensions"),
    ("1000000000000xf32=1", "it is tensor<1000000000000xf32>"),
    ("99999999999999999999xf32=1", "the dimension 99999999999999999999 is too large"),
])
def test_wrong_literals_are_explained(folder, spec, message):
    errors = refused("run", folder / "add.mlir", "-i", spec, "-i", "ones", code=2)
    assert message in errors and "input 0 (%a)" in errors


@pytest.mark.parametrize("dtype, value", [
    ("i8", "128"), ("i8", "-129"), ("ui8", "256"), ("ui8", "-1"), ("i4", "8"), ("i32", "2147483648"),
    ("i64", "9223372036854775808"), ("ui64", "18446744073709551616"), ("f32", "1e99999"), ("f64", "-1e999"),
    ("complex<f32>", "1e99j"), ("complex<f32>", "1+1e99999j")])
def test_numbers_out_of_the_range_of_a_dtype_are_refused(dtype, value):
    text = f"func.func @main(%x: tensor<{dtype}>) -> tensor<{dtype}> {{ return %x : tensor<{dtype}> }}"
    assert f"'{value}' is out of the range of {dtype}" in refused("run", "-", "-i", f"{dtype}={value}", stdin=text, code=2)


@pytest.mark.parametrize("dtype, value", [
    ("i32", "1.5"), ("i32", "-"), ("i1", "2"), ("i1", "yes"), ("f32", "1e99999x"), ("complex<f32>", "1+2"),
    ("complex<f32>", "(1,2"), ("complex<f32>", "j")])
def test_texts_that_are_no_numbers_are_refused(dtype, value):
    text = f"func.func @main(%x: tensor<{dtype}>) -> tensor<{dtype}> {{ return %x : tensor<{dtype}> }}"
    assert f"is not a value of {dtype}" in refused("run", "-", "-i", f"{dtype}={value}", stdin=text, code=2)


# --- .npy and .npz files


def npy(folder, name, header, data=b"", magic=b"\x93NUMPY", version=1):
    path = folder / f"{name}.npy"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    path.write_bytes(magic + bytes([version, 0]) + length + header.encode("latin1") + data)
    return path


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n"


@pytest.mark.parametrize("name, header, data, options, message", [
    ("magic", GOOD, b"\0" * 12, {"magic": b"\x93NUMPX"}, "does not begin with \\x93NUMPY"),
    ("version", GOOD, b"\0" * 12, {"version": 9}, "not 1, 2 or 3"),
    ("short", GOOD, b"\0" * 11, {}, "11 bytes of elements; the shape needs 12"),
    ("shape", GOOD.replace("(3,)", "(4,)"), b"\0" * 16, {}, "the array is tensor<4xf32>; expected tensor<3xf32>"),
    ("double", GOOD.replace("f4", "f8"), b"\0" * 24, {}, "the array is tensor<3xf64>; expected tensor<3xf32>"),
    ("overflow", GOOD.replace("(3,)", "(4611686018427387904, 4)"), b"", {}, "expected tensor<3xf32>"),
    ("words", GOOD.replace("'<f4'", "'<U3'"), b"\0" * 36, {}, "the array has the dtype '<U3', which Tenon does not have"),
    ("records", GOOD.replace("'<f4'", "[('a', '<f4')]"), b"\0" * 12, {}, "records"),
    ("garbage", "hello\n", b"\0" * 12, {}, "expected `{`"),
    ("unended", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,", b"\0" * 12, {}, "the .npy header ends; expected a size"),
])
def test_wrong_npy_files_are_refused(folder, name, header, data, options, message):
    path = npy(folder, name, header, data, **options)
    errors = refused("run", folder / "add.mlir", "-i", path, "-i", "ones")
    assert message in errors and str(path) in errors and "input 0 (%a)" in errors


def test_objects_are_refused_and_never_unpickled(folder):
    np.save(folder / "objects.npy", np.array([1, "a", None], dtype=object))
    assert "dtype '|O'" in refused("run", folder / "add.mlir", "-i", folder / "objects.npy", "-i", "ones")


def test_truncated_and_flipped_npy_files_never_crash(folder):
    np.save(folder / "whole.npy", np.arange(3, dtype=np.float32))
    whole = (folder / "whole.npy").read_bytes()
    rng = random.Random(1)
    for cut in range(0, len(whole), 5):
        (folder / "cut.npy").write_bytes(whole[:cut])
        refused("run", folder / "add.mlir", "-i", folder / "cut.npy", "-i", "ones")
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole) - 12)] = rng.randrange(256)
        (folder / "cut.npy").write_bytes(damaged)
        try:
            tenon("run", folder / "add.mlir", "-i", folder / "cut.npy", "-i", "ones")
        except AssertionError:
            refused("run", folder / "add.mlir", "-i", folder / "cut.npy", "-i", "ones")


def test_wrong_archives_are_refused(folder):
    assert "there is no array 'z'; there are: x, y" in refused("run", folder / "add.mlir", "-i", f"{folder}/data.npz:z", "-i", "ones")
    assert "No such file" in refused("run", folder / "add.mlir", "-i", f"{folder}/nowhere.npz:x", "-i", "ones")
    (folder / "text.npz").write_text("hello")
    assert "this is not a .npz archive" in refused("run", folder / "add.mlir", "-i", f"{folder}/text.npz:x", "-i", "ones")
    whole = (folder / "data.npz").read_bytes()
    (folder / "cut.npz").write_bytes(whole[: len(whole) // 2])
    refused("run", folder / "add.mlir", "-i", f"{folder}/cut.npz:x", "-i", "ones")


# --- program text


@pytest.mark.parametrize("text, message", [
    ("", ""),
    ("hello", "<stdin>:1:1: error:"),
    ("\0\xff\xfe", "<stdin>:1:1: error:"),
    (ADD[:60], "<stdin>:"),
    (ADD.replace("%b :", "%c :"), "<stdin>:2:26: error:"),
    (ADD.replace("stablehlo.add", "stablehlo.ad"), "did you mean"),
    (ADD.replace("3xf32", "3xfloat"), "note: did you mean f32?"),
    (ADD.replace("@main", "@f") + ADD.replace("@main", "@g"), "note: name one of @f, @g (tn_compile_options_t.function"),
    ("func.func @main() " + "(" * 100000, "<stdin>:1:"),
])
def test_garbage_is_refused_with_its_place(text, message):
    assert message in refused("run", "-", stdin=text)


@pytest.mark.parametrize("inputs, code, message", [
    ([], 2, "input 0 (%a) of type tensor<?xf32> has no --input, such as x.npy or 2xf32=1"),
    (["random", "2xf32=1"], 1, "dimension 0 is dynamic: 'random' cannot choose its size; give a .npy file or a shape such as 2x3xf32=random"),
    (["2x2xf32=1", "2xf32=1"], 2, "it is tensor<2x2xf32>; expected tensor<?xf32>"),
    (["2xf32=1", "3xf32=1"], 1, "<stdin>:2:8: error: add (C1): rhs has type tensor<3xf32>; expected tensor<2xf32>, as lhs"),
])
def test_unknown_dimensions_are_those_of_the_inputs(inputs, code, message):
    arguments = [word for text in inputs for word in ("-i", text)]
    text = ADD.replace("3xf32", "?xf32")
    assert message in refused("run", "-", *arguments, stdin=text, code=code)
    assert tenon("run", "-", "-i", "2xf32=1,2", "-i", "2xf32=3", stdin=text)[0] == "[4. 5.]\n"
    assert "unknown dimensions" in refused("show", "-", "--stage", "plan", stdin=text)


def test_places_have_a_caret():
    errors = refused("run", "-", stdin=ADD.replace("%b :", "%c :"))
    lines = errors.splitlines()
    assert lines[1].strip() == "%0 = stablehlo.add %a, %c : tensor<3xf32>"
    assert lines[2].index("^") == lines[1].index("%c")


def test_missing_files_are_named(folder):
    assert refused("run", "nowhere.mlir") == "error: nowhere.mlir: No such file or directory\n"
    assert "Is a directory" in refused("run", folder)
    assert refused("run", folder / "add.mlir", "-i", "nowhere.npy", "-i", "ones").endswith("nowhere.npy: No such file or directory\n")


def test_functions_that_are_not_there_have_a_near_name(folder):
    assert "note: did you mean @main?" in refused("run", folder / "add.mlir", "-f", "mian")
    assert "note: it has @main\n" in refused("run", folder / "add.mlir", "-f", "softmax")


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "there").mkdir()
    done = subprocess.run([COMMAND, "new", "there"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == "error: there: it is there already; nothing was written\n"


def test_variables_that_are_nearly_known_are_told():
    wanted = "warning: the environment has TENON_NUM_THREAD, which nothing reads; did you mean TENON_NUM_THREADS?\n"
    assert tenon("version", TENON_NUM_THREAD="3")[1] == wanted
    assert tenon("version", TENON_NUM_THREADS="3", TENON_LOG="1")[1] == ""
    assert tenon("version", "--json", TENON_NUM_THREAD="3")[1] == ""
    assert wanted in tenon("run", "nowhere.mlir", code=1, TENON_NUM_THREAD="3")[1]


def test_an_unknown_attribute_is_a_warning():
    text = ADD.replace("%a, %b :", '%a, %b {foo = 1 : i32, other.foo = 1 : i32, _foo, mhlo.sharding = ""} :')
    errors = tenon("run", "-", "-i", "ones", "-i", "ones", stdin=text)[1]
    assert '<stdin>:2:8: warning: add: attribute "foo" is unknown and has no effect' in errors
    assert errors.count("warning:") == 1
    many = ADD.replace("%a, %b :", "%a, %b {" + ", ".join(f"foo{i}" for i in range(40)) + "} :")
    assert tenon("run", "-", "-i", "ones", "-i", "ones", stdin=many)[1].count("warning:") == 16


@pytest.mark.parametrize("variable, value, message", [
    ("TENON_FUSION", "yes", 'TENON_FUSION is "yes"; expected a number of elements or none'),
    ("TENON_FUSION", "-1", 'TENON_FUSION is "-1"; expected a number of elements or none'),
    ("TENON_FUSION", "99999999999999999999", 'TENON_FUSION is "99999999999999999999"; expected'),
    ("TENON_LIBRARIES", "mkl", 'TENON_LIBRARIES has "mkl"; expected some of'),
    ("TENON_LIBRARIES", "openblas,mkl", 'TENON_LIBRARIES has "mkl"; expected some of'),
    ("TENON_NUM_THREADS", "abc", 'TENON_NUM_THREADS is "abc"; expected a number from 1 to 1024'),
])
def test_values_of_variables_are_checked(folder, variable, value, message):
    words = ["run", folder / "add.mlir", "-i", "ones", "-i", "ones"]
    assert message in tenon(*words, code=1, **{variable: value})[1]


@pytest.mark.parametrize("variable, value", [
    ("TENON_FUSION", "none"), ("TENON_FUSION", "0"), ("TENON_FUSION", ""), ("TENON_LIBRARIES", "none"),
    ("TENON_LIBRARIES", ""), ("TENON_LIBRARIES", "openblas, onednn")])
def test_values_of_variables_are_taken(folder, variable, value):
    tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", **{variable: value})


def test_a_program_that_cannot_fit_into_memory_is_an_error_before_it_runs(tmp_path):
    huge = "tensor<1000000x1000000xf32>"  # 4 TB
    (tmp_path / "argument.mlir").write_text(f"func.func @main(%x: {huge}) -> {huge} {{ return %x : {huge} }}")
    (tmp_path / "result.mlir").write_text(f"""func.func @main(%x: tensor<f32>) -> {huge} {{
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> {huge}
  return %0 : {huge}
}}""")
    for fill in ["zeros", "random"]:
        errors = refused("run", tmp_path / "argument.mlir", "-i", fill)
        assert "input 0 (%x): host memory: asked for 4000000000000 bytes" in errors and "the limit is" in errors
    assert "the program needs 4000000000000 bytes for results and 0 for temporaries" in refused("run", tmp_path / "result.mlir", "-i", "ones")
    add = tmp_path / "add.mlir"
    add.write_text(ADD.replace("tensor<3xf32>", "tensor<300xf32>"))
    assert "the limit is 2048" in refused("run", add, "-i", "ones", "-i", "ones", "--memory-limit", "2K")
    assert "the limit is 2048" in refused("bench", add, "--memory-limit", "2048")
    tenon("run", add, "-i", "ones", "-i", "ones", "--memory-limit", "1M")
    for limit in ["0", "-1", "4X", "4GB", "1e9", "99999999999999T", "K"]:
        assert f"--memory-limit {limit}: expected a number of bytes" in refused("run", add, f"--memory-limit={limit}", code=2)


def test_impossible_numbers_of_threads_are_refused(tmp_path):
    add = tmp_path / "add.mlir"
    add.write_text(ADD)
    tenon("run", add, "-i", "ones", "-i", "ones", "--threads", "1")
    for threads in ["0", "-1", "1025", "two", "1.5", "99999999999999999999"]:
        assert f"--threads {threads}: expected a number from 1 to 1024" in refused("run", add, f"--threads={threads}", code=2)


def test_options_without_a_value_can_be_combined(tmp_path):
    add = tmp_path / "add.mlir"
    add.write_text(ADD)
    assert tenon("run", add, "-ji", "ones", "-iones")[0].startswith('{"outputs": ')
    assert "unknown option '-Z'" in refused("run", add, "-jZ", code=2)
    assert "option '--input' needs a value" in refused("run", add, "-ji", code=2)


@pytest.mark.parametrize("literal", ["3xf32=1e99999", "3xf32=-1e99999", "3xf32=1e300", "3xf16=70000", "3xf64=1e999"])
def test_numbers_that_a_dtype_cannot_hold_are_not_infinity(tmp_path, literal):
    dtype = literal[2:5]
    (tmp_path / "p.mlir").write_text(ADD.replace("f32", dtype))
    error = refused("run", tmp_path / "p.mlir", "-i", literal, "-i", "ones", code=2)
    assert f"'{literal.split('=')[1]}' is out of the range of {dtype}" in error
    tenon("run", tmp_path / "p.mlir", "-i", f"3x{dtype}=inf,-inf,nan", "-i", "ones")


def test_programs_without_an_end_are_not_read_forever():
    assert "/dev/zero: it is not a regular file, and delivers more than 1073741824 bytes" in refused("run", "/dev/zero")


def test_fortran_order_of_npy_is_true_or_false(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3, dtype=np.float32))
    (tmp_path / "add.mlir").write_text(ADD)
    good = (tmp_path / "x.npy").read_bytes()
    tenon("run", tmp_path / "add.mlir", "-i", tmp_path / "x.npy", "-i", "ones")
    for word in [b"Maybe", b"false", b"Truee"]:
        (tmp_path / "x.npy").write_bytes(good.replace(b"False", word))
        errors = refused("run", tmp_path / "add.mlir", "-i", tmp_path / "x.npy", "-i", "ones")
        assert "the .npy header has `" in errors and "; expected " in errors


# --- libraries


def test_missing_libraries_and_symbols_are_named(folder):
    assert "note: it is neither in this folder" in refused("run", folder / "old.mlir", "-l", "nowhere.so", "-i", "ones")
    assert "LIB.so:TARGET=SYMBOL" in refused("run", folder / "old.mlir", "-l", f"{folder}/libold.so:scale", "-i", "ones")
    assert "did you mean scale_kernel?" in refused("run", folder / "old.mlir", "-l", f"{folder}/libold.so:scale=scale_kernl", "-i", "ones")
    assert "registered for platform Host: @rms_norm" in refused("run", folder / "old.mlir", "-l", folder / "librms_norm.so", "-i", "ones")
    assert "./nowhere.so" in refused("run", folder / "old.mlir", "-l", "./nowhere.so", "-i", "ones")
    assert "add.mlir" in refused("run", folder / "old.mlir", "-l", folder / "add.mlir", "-i", "ones")
    assert "no_kernel" in refused("run", folder / "old.mlir", "-l", f"{folder}/libold.so:scale=no_kernel", "-i", "ones")
    assert "libold.so" in refused("run", folder / "old.mlir", "-l", f"{folder}/libold.so", "-i", "ones")
    errors = refused("run", folder / "old.mlir", "-i", "ones")
    assert "scale" in errors and "old.mlir:2:" in errors and "^" in errors
    for version in ["#9", "#2,prepare=scale_kernel", "#"]:
        spec = f"{folder}/libold.so:scale=scale_kernel{version}"
        assert "expected 1, 2, 3 or 4, and nothing else" in refused("run", folder / "old.mlir", "-l", spec, "-i", "ones")
    assert "#9" in refused("run", folder / "old.mlir", "-l", f"{folder}/libold.so:scale=scale_kernel#9", "-i", "ones")
