"""jaxlib's own parser accepts what Tenon prints, and XLA computes the same from it."""

import pytest

from programs import PROGRAMS
from support import assert_same, parse, tenon, xla_run


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_printed_program_parses_and_means_the_same(program, tmp_path):
    file = tmp_path / "program.mlir"
    file.write_text(program.lower().as_text())
    printed = tenon("show", file, "--at", "ir")
    results = xla_run(parse(printed), program.inputs(), program.x64)
    wanted = program.expected()
    assert len(results) == len(wanted)
    for i, leaf in enumerate(wanted):
        # Both sides are XLA: what differs is only what it fuses.
        assert_same(results[i], leaf, program.slack, f"result {i}")


def test_parser_refuses_what_is_wrong():
    """The parser is a judge: it does not take everything."""
    with pytest.raises(Exception, match="add"):
        parse("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
              "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<2xf32>\n}")
