# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""jaxlib's own parser accepts what Tenon prints, and sees the same module in it, or XLA computes the same from it."""

import pytest

from programs import PROGRAMS
from support import ROOT, assert_same, parse, tenon, xla_run

FORMS = sorted((ROOT / "fuzz" / "corpus" / "reader").glob("*.mlir"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_printed_program_parses_and_means_the_same(program, tmp_path):
    text = program.lower().as_text()
    file = tmp_path / "program.mlir"
    file.write_text(text)
    printed = parse(tenon("show", file, "--stage", "ir"))
    if str(printed) == str(parse(text)):
        return
    # What Tenon writes in other operations (chlo.square is a product) must compute the same.
    results = xla_run(printed, program.inputs(), program.x64)
    wanted = program.expected()
    assert len(results) == len(wanted)
    for i, leaf in enumerate(wanted):
        # Both sides are XLA: what differs is only what it fuses.
        assert_same(results[i], leaf, program.slack, f"result {i}")


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_every_form_is_the_same_module_to_jaxlib(file):
    text = file.read_text()
    if file.stem in ("syntax", "numbers"):
        pytest.skip("holds what jaxlib keeps in another form, or refuses")
    assert str(parse(tenon("show", file, "--stage", "ir"))) == str(parse(text))


def test_parser_refuses_what_is_wrong():
    """The parser is a judge: it does not take everything."""
    with pytest.raises(Exception, match="expects different type"):
        parse("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
              "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<2xf32>\n}")
