# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Types are shared, so a short program can have tuples of very many arrays; their number is limited."""

from command import tenon


def program(levels, count):
    """`count` arguments, each a tuple of 4 tuples of 4 and so on, of 4 ** levels arrays."""
    types = ["!t0 = tensor<f32>"]
    types += [f"!t{i + 1} = tuple<{', '.join([f'!t{i}'] * 4)}>" for i in range(levels)]
    arguments = ", ".join(f"%x{i}: !t{levels}" for i in range(count))
    return "\n".join([*types, f"func.func @main({arguments}) -> tensor<f32> {{",
                      "  %0 = stablehlo.constant dense<1.0> : tensor<f32>",
                      "  return %0 : tensor<f32>", "}", ""])


def test_tuples_of_too_many_arrays_are_an_error():
    _, error = tenon("show", "--stage", "plan", "-", stdin=program(8, 100), code=1)
    assert ("func: with argument 16, a tuple of 65536 arrays, the tuples of the program have 1114112 arrays; "
            "expected at most 1048576") in error


def test_tuples_of_as_many_arrays_as_are_allowed_compile():
    out, _ = tenon("show", "--stage", "plan", "-", stdin=program(8, 16))
    assert " input " in out


def loop(levels):
    """A loop that carries a tuple of 2 ** levels arrays and exchanges its halves."""
    types = ["!t0 = tensor<f32>"] + [f"!t{i + 1} = tuple<!t{i}, !t{i}>" for i in range(levels)]
    whole, half = f"!t{levels}", f"!t{levels - 1}"
    return "\n".join([*types, f"""func.func @main(%p: tensor<i1>, %t: {whole}) -> tensor<i1> {{
  %0:2 = "stablehlo.while"(%p, %t) ({{
  ^bb0(%a: tensor<i1>, %b: {whole}):
    stablehlo.return %a : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<i1>, %b: {whole}):
    %x = stablehlo.get_tuple_element %b[0] : ({whole}) -> {half}
    %y = stablehlo.get_tuple_element %b[1] : ({whole}) -> {half}
    %z = stablehlo.tuple %y, %x : {whole}
    %f = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %f, %z : tensor<i1>, {whole}
  }}) : (tensor<i1>, {whole}) -> (tensor<i1>, {whole})
  return %0#0 : tensor<i1>
}}"""])


def test_loops_over_tuples_of_too_many_arrays_are_an_error():
    _, error = tenon("show", "--stage", "plan", "-", stdin=loop(18), code=1)
    assert "expected at most 1048576" in error


def test_loops_over_large_tuples_compile():
    out, _ = tenon("show", "--stage", "program", "-", stdin=loop(14))
    assert "while" in out
