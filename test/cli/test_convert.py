# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon convert: text to portable artifacts and back, whatever the operation; files, pipes, versions and errors."""

import json
import pathlib
import re
import subprocess

import pytest
from command import ADD, COMMAND, tenon

FILES = sorted((pathlib.Path(__file__).parents[1] / "op").glob("*.mlir"))
# Dialects that no artifact holds.
OTHERS = ("chlo.", "tenon.")
# Of programs that are tests; artifacts hold operations of StableHLO alone.
CHECK = re.compile(r' *"?check\.')
# What fixtures spell out although its absence says the same.
SPELT_OUT = re.compile(r'(?:(?:in|out)feed_config = ""|is_host_transfer = false|dimension = -1 : i64)(?:, )?')
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|%[\w$.-]+(?:#\d+|:\d+)?')
DEFINITION = re.compile(r"^ *(%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)*) = |(%[\w$.-]+): |(%[\w$.-]+) = (?=%)")


def convert(data, form, *options):
    """The module in the other form, bytes to bytes."""
    done = subprocess.run([COMMAND, "convert", "-", "-", "--to", form, *options], input=data, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def plain(text):
    """Text without names of values, which artifacts do not keep, and without what says nothing."""
    numbers, count, lines = {}, 0, []

    def number(match):
        token = match[0]
        if token[0] == '"':
            return token
        name, _, offset = token.partition("#")
        name, _, size = name.partition(":")
        return ", ".join(f"%{numbers[name] + int(offset or 0) + i}" for i in range(int(size or 1)))

    for line in text.splitlines():
        for definition in DEFINITION.finditer(line):
            for name, size in re.findall(r"(%[\w$.-]+)(?::(\d+))?", definition[0]):
                numbers[name] = count
                count += int(size or 1)
        lines.append(re.sub(r", (?=[>}])| <{}>", "", SPELT_OUT.sub("", TOKEN.sub(number, line))))
    return lines


def programs(path):
    for part in path.read_text().split("// -----"):
        if "// error:" in part:
            continue
        text = convert(part.encode(), "mlir").decode()
        yield "\n".join(line for line in text.splitlines() if not CHECK.match(line)) + "\n"


@pytest.mark.parametrize("path", [p for p in FILES if not p.stem.startswith(OTHERS)], ids=lambda p: p.stem)
def test_what_an_artifact_says_is_what_the_text_says(path):
    for text in programs(path):
        artifact = convert(text.encode(), "mlirbc")
        again = convert(artifact, "mlir")
        assert plain(again.decode()) == plain(text)
        assert convert(again, "mlirbc") == artifact == convert(artifact, "mlirbc")


@pytest.mark.parametrize("path", [p for p in FILES if p.stem.startswith(OTHERS)], ids=lambda p: p.stem)
def test_operations_of_other_dialects_are_refused_with_their_name_and_place(path, tmp_path):
    for text in programs(path):
        (tmp_path / "in.mlir").write_text(text)
        error = tenon("convert", tmp_path / "in.mlir", tmp_path / "out.mlirbc", code=1)[1]
        name = re.search(r"(?:chlo|tenon)\.\w+", text)[0]
        assert re.search(rf"in\.mlir:\d+:\d+: error: {name}: not an operation of StableHLO itself", error)
        assert not (tmp_path / "out.mlirbc").exists()


def test_suffixes_say_the_form_and_an_option_says_it_better(tmp_path):
    text, artifact, odd = tmp_path / "add.mlir", tmp_path / "add.mlirbc", tmp_path / "add.bin"
    text.write_text(ADD)
    tenon("convert", text, artifact)
    assert artifact.read_bytes().startswith(b"ML\xefR\x0dStableHLO_v1.10.0\0")
    tenon("convert", artifact, text)
    assert text.read_text().startswith("module {")
    tenon("convert", text, odd, "--to", "mlirbc")
    assert odd.read_bytes() == artifact.read_bytes()
    tenon("convert", odd, odd, "--to=mlir")
    assert odd.read_text() == text.read_text()
    assert "ends in neither .mlir nor .mlirbc" in tenon("convert", text, odd.with_suffix(""), code=2)[1]
    assert "ends in neither" in tenon("convert", text, "-", code=2)[1]
    assert "binary" in tenon("convert", text, artifact, "--to", "binary", code=2)[1]


def test_versions_are_those_asked_for(tmp_path):
    for version in ["1.0.0", "1.15.0", "1.15.3", "1.20.0"]:
        artifact = convert(ADD.encode(), "mlirbc", "--target-version", version)
        assert artifact[5:].startswith(f"StableHLO_v{version}\0".encode())
        assert convert(artifact, "mlirbc") == convert(ADD.encode(), "mlirbc")
    (tmp_path / "add.mlir").write_text(ADD)
    errors = {"0.9.0": "cannot write StableHLO 0.9.0; expected 1.0.0 to 1.20.0", "2.0.0": "expected 1.0.0 to 1.20.0",
              "new": '"new" is not a version of StableHLO'}
    for version, message in errors.items():
        assert message in tenon("convert", tmp_path / "add.mlir", tmp_path / "out.mlirbc", "-V", version, code=1)[1]
    assert "text has no version" in tenon("convert", tmp_path / "add.mlir", "-", "--to", "mlir", "-V", "1.0.0", code=2)[1]


def test_errors_are_json_where_asked(tmp_path):
    program = tmp_path / "tan.mlir"
    program.write_text(ADD.replace("stablehlo.add %a, %b", "stablehlo.tan %a"))
    error = json.loads(tenon("convert", program, tmp_path / "out.mlirbc", "-V", "1.0.0", "--json", code=1)[1])["error"]
    assert error["code"] == "INVALID_ARGUMENT" and error["line"] == 2
    assert "stablehlo.tan: the operation is in StableHLO from version 1.4.0 on" in error["message"]
    error = json.loads(tenon("convert", program, tmp_path / "no" / "out.mlirbc", "--json", code=1)[1])["error"]
    assert "out.mlirbc" in error["message"]
    error = json.loads(tenon("convert", tmp_path / "none.mlir", tmp_path / "out.mlirbc", "--json", code=1)[1])["error"]
    assert "none.mlir" in error["message"]
