# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The other subcommands: test, bench, show, ops, devices, version."""

import json
import re
import xml.etree.ElementTree

import pytest
from command import CHECKS, tenon

FAILING = CHECKS.replace("dense<[2, 4]>", "dense<[2, 5]>")
NO_KERNEL = """func.func @main() {
  %0 = stablehlo.after_all : !stablehlo.token
  %1, %2 = "stablehlo.infeed"(%0) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  check.expect_eq %1, %1 : tensor<2xi32>
  return
}
"""

# --- test


def test_modules_that_hold_are_ok(folder):
    output, errors = tenon("test", folder / "kernels.mlir", folder / "test" / "op" / "add.mlir")
    assert re.sub(r" +\d+\.\d ms", "", output) == (f"ok          {folder}/kernels.mlir:1\nok          {folder}/kernels.mlir:8\n"
                                                  f"ok          {folder}/test/op/add.mlir:1\n3 ok, 0 failed, 0 unsupported\n")
    assert errors == ""


def test_a_failed_check_fails_and_says_where(folder):
    path = folder / "failing.mlir"
    path.write_text(CHECKS + "// -----\n\n" + FAILING + "  // -----\n" + CHECKS)
    output, errors = tenon("test", path, code=1)
    assert f"FAILED      {path}:9" in output and "2 ok, 1 failed" in output
    assert f"{path}:12:" in errors and "4" in errors and "5" in errors and "expect_eq" in errors


def test_errors_in_later_modules_have_their_own_lines(folder):
    path = folder / "later.mlir"
    path.write_text(CHECKS + "// -----\n" + CHECKS.replace("stablehlo.add", "stablehlo.ad"))
    errors = tenon("test", path, code=1)[1]
    assert f"{path}:10:" in errors and "did you mean" in errors and "\n  " in errors


def test_separators_stand_anywhere_in_a_line(folder):
    text = CHECKS.replace("\n", " ") + "  // -----\n" + CHECKS + "// -----// \n// only a comment\n// -----"
    assert "2 ok, 0 failed" in tenon("test", "-", stdin=text)[0]


def test_what_is_not_supported_does_not_fail(folder):
    output, errors = tenon("test", "-", stdin=NO_KERNEL + "// -----\n" + CHECKS)
    assert "1 ok, 0 failed, 1 unsupported" in output and "unsupported <stdin>" not in output
    assert "unsupported <stdin>:1" in errors and "infeed" in errors


def test_empty_modules_are_ok_and_missing_files_are_not(folder):
    assert "1 ok" in tenon("test", "-", stdin="module {}\n")[0]
    output, errors = tenon("test", folder / "nowhere.mlir", folder / "kernels.mlir", code=1)
    assert "2 ok" in output and "nowhere.mlir: No such file" in errors


def test_expected_errors_are_checked(folder):
    wrong = CHECKS.replace("stablehlo.add", "stablehlo.ad")
    assert "1 ok" in tenon("test", "-", stdin="// error: did you mean\n" + wrong)[0]
    assert "the error 'cabbage' was expected" in tenon("test", "-", stdin="// error: cabbage\n" + wrong, code=1)[1]
    assert "found none" in tenon("test", "-", stdin="// error: cabbage\n" + CHECKS, code=1)[1]


def test_functions_with_arguments_are_no_tests(folder):
    (folder / "one.mlir").write_text("func.func @main(%x: tensor<f32>) { return }")
    assert "takes 1 input; a test takes none" in tenon("test", folder / "one.mlir", code=1)[1]
    assert "takes 2 inputs; a test takes none" in tenon("test", folder / "add.mlir", code=1)[1]


def test_json_lists_modules(folder):
    read = json.loads(tenon("test", "-", "--json", stdin=FAILING + "// -----\n" + CHECKS + "// -----\n" + NO_KERNEL, code=1)[0])
    assert [module["result"] for module in read["modules"]] == ["failed", "ok", "unsupported"]
    assert [module["line"] for module in read["modules"]] == [1, 8, 15]
    assert "expect_eq" in read["modules"][0]["message"]
    assert (read["ok"], read["failed"], read["unsupported"]) == (1, 1, 1)


# --- bench


def test_bench_has_its_figures(folder):
    read = json.loads(tenon("bench", folder / "model.mlir", "--runs", "7", "--json")[0])
    assert list(read) == ["median_ms", "min_ms", "runs", "compile_ms", "plan_bytes", "plan_lower_bound_bytes", "peak_bytes"]
    assert read["runs"] == 7 and 0 < read["min_ms"] <= read["median_ms"] < 1000
    assert read["peak_bytes"] >= read["plan_bytes"] >= read["plan_lower_bound_bytes"] > 0
    output = tenon("bench", folder / "model.mlir", "--runs", "2", "-i", "zeros")[0]
    assert [line.split()[0] for line in output.splitlines()] == ["median", "fastest", "compile", "plan", "peak"]


@pytest.mark.parametrize("runs", ["0", "-1", "x", "5x", "", "99999999999999999999"])
def test_bench_wants_a_number_of_runs(folder, runs):
    assert "--runs" in tenon("bench", folder / "model.mlir", f"--runs={runs}", code=2)[1]


LOOP = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<10> : tensor<i32>
  %k = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<4xf32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1> }
    do { %j = stablehlo.add %i, %k : tensor<i32>
      %b = stablehlo.cosine %a : tensor<4xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32> }
  return %r#1 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_profile_has_a_row_for_each_instruction(folder, device):
    path = folder / "loop.mlir"
    path.write_text(LOOP)
    output = tenon("bench", path, "--runs", "4", "--profile", "--device", device)[0]
    assert "of limit" in output and re.search(r"% +10 +320 bytes .* cosine  line 9  \(.*cosine\)", output)
    result = json.loads(tenon("bench", path, "--runs", "4", "--profile", "--json", "--device", device)[0])
    profile = result["profile"]
    assert all(row["of_limit"] == pytest.approx(row["gb_per_s"] / result["limit_gb_per_s"], rel=1e-4) for row in profile)
    rows = {row["operation"]: row for row in profile}
    assert result["limit_gflop_per_s"] == 0 and all(row["gflop_per_s"] == 0 for row in profile)
    assert rows["cosine"]["calls"] == 10 and rows["cosine"]["bytes"] == 320 and rows["while"]["calls"] == 1
    assert [row["ms"] for row in profile] == sorted((row["ms"] for row in profile), reverse=True)
    assert sum(row["share"] for row in profile) == pytest.approx(1, abs=1e-4)


def test_a_profile_compares_products_with_the_fastest(folder):
    path = folder / "product.mlir"
    path.write_text("""func.func @main(%x: tensor<64x96xf32>, %y: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  return %z : tensor<64x32xf32>
}
""")
    assert "or products of f32: " in tenon("bench", path, "--runs", "4", "--profile")[0]
    result = json.loads(tenon("bench", path, "--runs", "4", "--profile", "--json")[0])
    (row,) = result["profile"]
    assert row["gflop_per_s"] == pytest.approx(2 * 64 * 96 * 32 / row["ms"] / 1e6, rel=1e-4)
    reached = row["gflop_per_s"] / result["limit_gflop_per_s"], row["gb_per_s"] / result["limit_gb_per_s"]
    assert row["of_limit"] == pytest.approx(max(reached), rel=1e-4)


def test_a_trace_holds_the_run_and_its_instructions(folder):
    path = folder / "loop.mlir"
    path.write_text(LOOP)
    tenon("run", path, "-i", "ones", "--trace", folder / "trace.json", "-o", folder / "y.npy")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    run, = [event for event in slices if event["name"] == "run"]
    cosines = [event for event in slices if event["name"] == "cosine"]
    assert len(cosines) == 10 and cosines[0]["args"]["line"] == 9 and cosines[0]["args"]["file"] == str(path)
    for event in slices:
        assert run["ts"] <= event["ts"] and event["ts"] + event["dur"] <= run["ts"] + run["dur"]


def test_a_trace_names_the_targets_of_custom_calls(folder):
    tenon("run", folder / "old.mlir", "--load", f"{folder}/libold.so:scale=scale_kernel#1", "-i", "ones", "--trace",
          folder / "trace.json")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in events if event.get("cat") == "custom call"] == ["custom_call @scale"]


def test_a_trace_that_cannot_be_written_is_an_error(folder):
    assert "nowhere/t.json: cannot be written: No such file" in tenon("run", folder / "add.mlir", "-i", "ones", "-i", "ones", "--trace",
                                                    folder / "nowhere" / "t.json", code=1)[1]


# --- show


def test_show_prints_every_stage(folder):
    assert "stablehlo.dot_general" in tenon("show", folder / "model.mlir")[0]
    assert "stablehlo.dot_general" in tenon("show", folder / "model.mlir", "--stage", "pass")[0]
    plan = tenon("show", folder / "model.mlir", "--stage", "plan")[0]
    assert "peak" in plan and "lower bound" in plan and "temporary" in plan
    assert "cpu." in tenon("show", folder / "model.mlir", "--stage", "program")[0]


def test_show_says_by_which_strides_operands_are_read():
    text = """func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.slice %0 [2:4, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.slice %y [1:3, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %3 = "tenon.fusion"(%1, %2) ({
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
    %4 = stablehlo.add %a, %b : tensor<2x3xf32>
    stablehlo.return %4 : tensor<2x3xf32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}"""
    plan = tenon("show", "-", "--stage", "plan", stdin=text)[0]
    program = tenon("show", "-", "--stage", "program", stdin=text)[0]
    assert "b1[offset 8, strides 4 16] b2[offset 12]" in plan
    assert re.search(r"cpu\.tenon\.fusion .*  operand 0\[offset 8, strides 4 16\]  operand 1\[offset 12\]", program)


def test_what_show_prints_is_read_again(folder):
    text = tenon("show", folder / "model.mlir")[0]
    assert tenon("show", "-", stdin=text)[0] == text
    text = tenon("show", folder / "model.mlir", "--stage=pass")[0]
    assert tenon("run", "-", "-i", "iota", stdin=text) == tenon("run", folder / "model.mlir", "-i", "iota")


@pytest.mark.parametrize("stage", ["ir", "pass", "plan", "program"])
def test_show_writes_json(folder, stage):
    assert json.loads(tenon("show", folder / "model.mlir", "--stage", stage, "--json")[0])
    assert json.loads(tenon("show", folder / "model.mlir", "--stage", stage, "--format", "json")[0])


def test_show_draws(folder):
    drawing = xml.etree.ElementTree.fromstring(tenon("show", folder / "model.mlir", "--stage", "plan", "--format", "svg")[0])
    assert drawing.tag.endswith("svg") and any(child.tag.endswith("rect") for child in drawing.iter())
    graph = tenon("show", folder / "model.mlir", "--format", "dot")[0]
    assert graph.startswith("digraph") and graph.count("{") == graph.count("}")


def test_drawn_graphs_have_constants_types_and_positions():
    graph = tenon("show", "-", "--format", "dot", stdin="""func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.subtract %c, %x : tensor<2xf32>
  %i = stablehlo.iota dim = 0 : tensor<2xi32>
  %s:2 = "stablehlo.sort"(%y, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %s#1 : tensor<2xi32>
}""")[0]
    [constant] = re.findall(r'(n\d+) \[label="constant\\ndense<\[1.*, 2.*\]> : tensor<2xf32>"', graph)
    [subtract] = re.findall(r'(n\d+) \[label="subtract', graph)
    [sort] = re.findall(r'(n\d+) \[label="sort\\ntensor<2xf32>\\ntensor<2xi32>"\]', graph)
    assert f'{constant} -> {subtract} [headlabel="0"];' in graph and f'{sort} -> n' in graph
    assert '[taillabel="1"];' in graph and '[taillabel="0"];' not in graph


DRAWN = """func.func private @double(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  %large = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %splat = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.multiply %large, %splat : tensor<2x3xf32>
  %1 = func.call @double(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = stablehlo.while(%i = %one, %v = %1) : tensor<i32>, tensor<2x3xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.divide %v, %splat : tensor<2x3xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<2x3xf32>
  }
  %3 = stablehlo.reduce(%2#1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %2#1, %3 : tensor<2x3xf32>, tensor<2xf32>
}"""


def test_drawn_graphs_elide_long_constants_and_name_regions_and_callees():
    graph = tenon("show", "-", "--format", "dot", stdin=DRAWN)[0]
    assert '"constant\\ntensor<2x3xf32>\\n..."' in graph and "6.0" not in graph
    assert re.search(r'"constant\\ndense<5\.0+e-01> : tensor<2x3xf32>"', graph)
    assert '"call\\n@double\\ntensor<2x3xf32>"' in graph
    assert re.findall(r'subgraph \w+ \{\n  label="(.*)"', graph) == ["while: condition", "while: body", "reduce"]
    [loop] = re.findall(r'(n\d+) \[label="while', graph)
    assert len(re.findall(rf"{loop} -> \w+ \[lhead=cluster_\d+_\d, style=dashed", graph)) == 2


def test_drawn_graphs_say_splats_that_passes_have_stored():
    program = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<8xf32>
  %c = stablehlo.constant dense<0.25> : tensor<f32>
  %d = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %e = stablehlo.add %half, %d : tensor<8xf32>
  %y = stablehlo.add %x, %e : tensor<8xf32>
  return %y : tensor<8xf32>
}"""
    assert re.search(r'"constant\\ndense<5\.0+e-01> : tensor<8xf32>"', tenon("show", "-", "--format", "dot", stdin=program)[0])
    assert re.search(r'"constant\\ndense<7\.50+e-01> : tensor<8xf32>"', tenon("show", "-", "--stage", "pass", "--format", "dot", stdin=program)[0])


def test_drawn_graphs_number_operands_where_their_order_matters():
    graph = tenon("show", "-", "--format", "dot", stdin=DRAWN)[0]
    numbered = {name: bool(re.search(rf"-> {vertex} \[headlabel", graph)) for vertex, name in re.findall(r'(n\d+) \[label="(\w+)', graph)}
    assert numbered["divide"] and numbered["compare"] and numbered["while"]
    assert not numbered["multiply"] and not numbered["add"] and not numbered["call"]


def test_drawn_graphs_draw_only_what_is_inside_in_a_frame():
    """An edge inside of a frame would pull both of its ends into it."""
    graph = tenon("show", "-", "--format", "dot", stdin=DRAWN)[0]
    frames = re.findall(r"subgraph \w+ \{(.*?)\n  \}", graph, re.DOTALL)
    assert len(frames) == 3 and not any("->" in frame for frame in frames)


def test_drawn_memory_names_operations_and_values():
    program = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %product = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %sorted = "stablehlo.sort"(%product) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %again = stablehlo.dot_general %sorted, %product, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %again : tensor<64x64xf32>
}"""
    drawing = xml.etree.ElementTree.fromstring(tenon("show", "-", "--stage", "plan", "--format", "svg", stdin=program)[0])
    texts = ["".join(text.itertext()) for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "dot_general %product16.0 KiB" in texts or "dot_general %product16 KiB" in texts, texts
    assert any(text.startswith("sort %sorted") for text in texts), texts
    for bar in drawing.iter("{http://www.w3.org/2000/svg}g"):
        box, label = bar.find("{http://www.w3.org/2000/svg}rect"), bar.find("{http://www.w3.org/2000/svg}text")
        if label is not None:  # 0.6 em is wider than letters are in the mean
            assert 4 + 0.6 * 11 * len(label.text or "") <= float(box.get("width")), label.text


def test_show_ir_needs_no_custom_calls(folder):
    assert "@rms_norm" in tenon("show", folder / "norm.mlir")[0]
    errors = tenon("show", folder / "norm.mlir", "--stage", "plan", code=1)[1]
    assert "rms_norm" in errors and "norm.mlir:2:" in errors
    assert "custom_call" in tenon("show", folder / "norm.mlir", "--stage", "plan", "--load", folder / "librms_norm.so")[0]


def test_show_refuses_what_makes_no_sense(folder):
    assert "plan" in tenon("show", folder / "add.mlir", "--stage", "plna", code=2)[1]
    assert "not one of" in tenon("show", folder / "add.mlir", "--format", "png", code=2)[1]
    assert "contradict" in tenon("show", folder / "add.mlir", "--format", "svg", "--json", code=2)[1]
    assert "svg" in tenon("show", folder / "add.mlir", "--stage", "plan", "--format", "dot", code=1)[1].lower()


# --- ops, devices, version


def test_ops_lists_operations_and_custom_calls(folder):
    output = tenon("ops", "--load", folder / "librms_norm.so")[0]
    assert "  add " in output and "  dot_general " in output and "Custom calls" in output and "  rms_norm " in output
    one = tenon("ops", "compare")[0]
    assert "stablehlo.compare" in one and "one of EQ, NE, GE, GT, LE, LT" in one and "cpu.compare" in one
    assert tenon("ops", "stablehlo.compare")[0] == one
    assert "types     booleans, signed integers, unsigned integers\n" in tenon("ops", "not")[0]
    assert "[f32, f64, complex numbers]" in " ".join(output.split())
    one = tenon("ops", "--load", folder / "librms_norm.so", "rms_norm")[0]
    assert "eps" in one and "1e-5f" in one and "librms_norm.so" in one
    assert "did you mean 'stablehlo.dot_general'" in tenon("ops", "dot_genral", code=1)[1]


def test_lists_in_a_pipe_have_one_operation_a_line():
    lines = tenon("ops")[0].splitlines()
    assert len(lines) == len(json.loads(tenon("ops", "--json")[0])["operations"]) + 1
    [line] = [line for line in lines if line.startswith("  dot_general ")]
    assert line.endswith("]")


def test_ops_writes_json(folder):
    read = json.loads(tenon("ops", "--json", "--load", folder / "librms_norm.so")[0])
    operations = {row["name"]: row for row in read["operations"]}
    assert len(operations) > 100 and operations["stablehlo.add"]["supported"]
    assert operations["stablehlo.compare"]["attributes"][0]["required"]
    assert operations["stablehlo.complex"]["types"] == ["f32", "f64"] and operations["stablehlo.after_all"]["types"] is None
    assert not operations["stablehlo.uniform_quantize"]["types"] and operations["stablehlo.uniform_quantize"]["types_not_computed"]
    call = next(row for row in read["custom_calls"] if row["name"] == "rms_norm")
    assert call["platform"] == "Host" and [p["name"] for p in call["parameters"]] == ["x", "eps", "y"]
    assert json.loads(tenon("ops", "add", "--json")[0])["operations"][0]["name"] == "stablehlo.add"


def test_devices_has_the_cpu(folder):
    assert tenon("devices")[0].startswith("cpu")
    read = json.loads(tenon("devices", "--json")[0])
    assert read[0]["name"] == "cpu" and read[0]["platform"] == "Host" and read[0]["memory_bytes"] > 0
    assert tenon("run", folder / "add.mlir", "-d", "cpu:0", "-i", "ones", "-i", "ones")[0] == "[2. 2. 2.]\n"
    assert "cuda:7" in tenon("run", folder / "add.mlir", "-d", "cuda:7", code=1)[1]


def test_devices_says_what_was_looked_for(monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", "none")  # no driver for OpenCL's loader, if that is there
    missing = {line.split()[0]: line.split(None, 2)[2] for line in tenon("devices")[0].splitlines() if " unavailable: " in line}
    assert any(word in missing["opencl"] for word in ["libOpenCL.so.1", "/etc/OpenCL/vendors", "/sys"])
    assert "cuda" not in missing or "libcuda.so.1" in missing["cuda"]
    assert "opencl" not in tenon("devices", "--json")[0]


def test_version_is_a_version():
    first, *libraries = tenon("version")[0].splitlines()
    assert re.fullmatch(r"tenon \d+\.\d+\.\d+ \(library \d+\.\d+\.\d+\)", first)
    assert all(re.match(r"\w+ +(not )?used: .+", line) for line in libraries)
    assert tenon("--version") == tenon("version") == tenon("-V")
    assert set(json.loads(tenon("version", "--json")[0])) == {"command", "library", "libraries"}


def test_libraries_can_be_switched_off(folder):
    for library in json.loads(tenon("version", "--json", TENON_LIBRARIES="none")[0])["libraries"]:
        assert not library["is_used"]
        assert library["state"] in ("switched off", "not found when Tenon was configured")
    (folder / "dot.mlir").write_text("""func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}""")
    shown = tenon("show", "--stage", "program", folder / "dot.mlir", TENON_LIBRARIES="none")[0]
    assert re.search(r"cpu\.dot_general .*\((switched off|not found when Tenon was configured)\)", shown)
    assert re.search(r"\((library openblas|not found when .*)\)",
                     tenon("show", "--stage", "program", folder / "dot.mlir")[0])
    assert re.search(r"cpu\.add ", tenon("show", "--stage", "program", folder / "add.mlir")[0])
