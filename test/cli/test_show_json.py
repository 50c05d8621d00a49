# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The JSON of `tenon show` has the whole graph, at every stage."""

import json
import re

import pytest
from command import compile_library, tenon

LOOP = """module @m attributes {a.b = 1 : i32} {
  func.func private @f(%x: tensor<3xf32> {jax.sharding = "x"}) -> tensor<3xf32> attributes {a.c} {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %y = stablehlo.add %x, %c {a.d = {e = [1, 2.5 : f32, "\\0A\\22"]}} : tensor<3xf32>
    return %y : tensor<3xf32>
  }
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "r"}, tensor<3xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %t = call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %w:2 = stablehlo.while(%i = %t, %j = %x) : tensor<3xf32>, tensor<3xf32>
    cond {
      %m = stablehlo.reduce(%i init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %go = stablehlo.compare LT, %m, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %n = func.call @f(%i) : (tensor<3xf32>) -> tensor<3xf32>
      stablehlo.return %n, %i : tensor<3xf32>, tensor<3xf32>
    }
    return %w#0, %w#1 : tensor<3xf32>, tensor<3xf32>
  }
}
"""
CALL = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = stablehlo.exponential %x : tensor<8xf32>
  %b = stablehlo.custom_call @"a target"(%a) {api_version = 1 : i32, backend_config = "c"} : (tensor<8xf32>) -> tensor<8xf32>
  %t = stablehlo.tuple %a, %b : tuple<tensor<8xf32>, tensor<8xf32>>
  %o = stablehlo.optimization_barrier %t : tuple<tensor<8xf32>, tensor<8xf32>>
  %c = stablehlo.get_tuple_element %o[1] : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
"""
FUSED = """func.func @main(%x: tensor<100x100xf32>) -> tensor<100xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.tanh %x : tensor<100x100xf32>
  %b = stablehlo.multiply %a, %x : tensor<100x100xf32>
  %c = stablehlo.negate %b : tensor<100x100xf32>
  %d = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
  return %d : tensor<100xf32>
}
"""
KERNEL = "void copy(float* out, const float** in); void copy(float* out, const float** in) { for (int i = 0; i < 8; ++i) out[i] = in[0][i]; }"
PROGRAMS = {"loop": LOOP, "call": CALL, "fused": FUSED}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("show_json")
    (made / "copy.c").write_text(KERNEL)
    compile_library(made / "copy.c", made / "libcopy.so")
    return made


def show(folder, text, stage):
    load = f"{folder}/libcopy.so:a target=copy#1"
    return tenon("show", "-", "--json", "--stage", stage, "--load", load, stdin=text)[0]


# --- modules, written again in the generic form


def attributes_text(attributes):
    return "{" + ", ".join(f"{json.dumps(name)} = {value}" for name, value in attributes.items()) + "}"


def region_text(region, types, label):
    types |= {argument["id"]: argument["type"] for argument in region["arguments"]}
    arguments = ", ".join(f"%{argument['id']}: {argument['type']}" for argument in region["arguments"])
    lines = [f"^bb0({arguments}):"] if label else []
    for operation in region["operations"]:
        assert all(operand in types for operand in operation["operands"])
        operands = [types[operand] for operand in operation["operands"]]
        regions = [region_text(inner, dict(types), True) for inner in operation.get("regions", [])]
        results = [result["type"] for result in operation["results"]]
        types |= {result["id"]: result["type"] for result in operation["results"]}
        names = ", ".join(f"%{result['id']}" for result in operation["results"])
        lines.append(
            (f"{names} = " if names else "") + f"\"{operation['operation']}\"(" +
            ", ".join(f"%{operand}" for operand in operation["operands"]) + ")" +
            (" (" + ", ".join("{\n" + inner + "\n}" for inner in regions) + ")" if regions else "") +
            f" {attributes_text(operation['attributes'])} : ({', '.join(operands)}) -> ({', '.join(results)})")
    return "\n".join(lines)


def function_text(function):
    arguments = zip(function["body"]["arguments"], function["arguments"], function["argument_attributes"])
    results = zip(function["results"], function["result_attributes"])
    taken = ", ".join(f"%{value['id']}: {type} {attributes_text(attributes)}" for value, type, attributes in arguments)
    given = ", ".join(f"{type} {attributes_text(attributes)}" for type, attributes in results)
    return (f"func.func {function['visibility']} @{function['name']}({taken}) -> ({given}) attributes " +
            f"{attributes_text(function['attributes'])} {{\n{region_text(function['body'], {}, False)}\n}}")


def module_text(module):
    functions = "\n".join(function_text(function) for function in module["functions"])
    return f"module @{module['module'] or 'none'} attributes {attributes_text(module['attributes'])} {{\n{functions}\n}}"


def without_places(tree):
    if isinstance(tree, list):
        return [without_places(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    kept = {key: without_places(value) for key, value in tree.items() if key not in ("line", "module")}
    if "id" in kept:
        kept.pop("name", None)
    return kept


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_module_can_be_written_again(folder, name):
    module = json.loads(show(folder, PROGRAMS[name], "ir"))
    again = json.loads(show(folder, module_text(module), "ir"))
    assert without_places(again) == without_places(module)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("stage", ["ir", "pass"])
def test_modules_have_all_operands_attributes_and_names(folder, name, stage):
    module = json.loads(show(folder, PROGRAMS[name], stage))
    module_text(module)  # finds all operands
    found = json.dumps(module)
    if stage == "pass":
        return
    text = PROGRAMS[name]
    for value in re.findall(r"%(\w+)", text):
        assert f'"name": "{value}"' in found
    for attribute in re.findall(r"([\w.]+) = ", re.sub(r"%[\w:]+ = ", "", text)):
        assert f'"{attribute}"' in found or f"{attribute} = " in found


def test_a_custom_call_has_its_target_at_every_stage(folder):
    for stage in ["ir", "pass", "plan", "program"]:
        assert '"target": "a target"' in show(folder, CALL, stage)


# --- plans and programs


def check_buffers(defined, named):
    assert all(isinstance(buffer, int) and buffer in defined for buffer in named)
    return set(named)


def written_by(block, defined):
    check_buffers(defined, block["results"])
    written = check_buffers(defined, block["arguments"])
    for step in block["steps"]:
        check_buffers(defined, step["operands"])
        written |= check_buffers(defined, step["results"] + ([step["scratch"]] if "scratch" in step else []))
        for region in step.get("regions", []):
            written |= written_by(region, defined)
    return written


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_have_the_buffers_of_all_steps(folder, name):
    plan = json.loads(show(folder, PROGRAMS[name], "plan"))
    for one in [plan, *plan["callees"]]:
        defined = {buffer["id"]: buffer for buffer in one["buffers"]}
        assert list(defined) == list(range(len(one["buffers"])))
        written = written_by(one, defined)
        assert written >= {id for id, buffer in defined.items() if buffer["kind"] != "constant"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_buffers_and_blocks_of_all_instructions(folder, name):
    program = json.loads(show(folder, PROGRAMS[name], "program"))
    defined = [buffer["id"] for function in program["functions"] for buffer in function["buffers"]]
    assert defined == list(range(len(defined)))
    blocks, instructions, functions = program["blocks"], program["instructions"], program["functions"]
    reached, run = {function["block"] for function in functions}, set()
    for block in blocks:
        check_buffers(defined, block["arguments"] + block["results"])
        first = block["first_instruction"]
        run |= set(range(first, first + block["instruction_count"]))
    for index, instruction in enumerate(instructions):
        assert instruction["id"] == index
        check_buffers(defined, instruction["operands"] + instruction["results"])
        reached |= set(instruction.get("blocks", []))
        assert instruction.get("function", 0) < len(functions)
    assert reached == {block["id"] for block in blocks} and run == set(range(len(instructions)))
