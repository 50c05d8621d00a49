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
    _, error = tenon("show", "--at", "plan", "-", stdin=program(8, 100), code=1)
    assert ("func: with argument 16, a tuple of 65536 arrays, the tuples of the program have 1114112 arrays; "
            "expected at most 1048576") in error


def test_tuples_of_as_many_arrays_as_are_allowed_compile():
    out, _ = tenon("show", "--at", "plan", "-", stdin=program(8, 16))
    assert "parameter" in out
