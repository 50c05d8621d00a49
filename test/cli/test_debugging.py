# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""docs/debugging.md: the sessions with gdb and with sanitizers, typed as they are shown."""

import os
import re
import shutil
import subprocess

import pytest
from command import COMMAND, ROOT

TEXT = (ROOT / "docs/debugging.md").read_text()
ADDRESS = re.compile(r"0x[0-9a-f]+")


def session(heading):
    """The lines of the one block below a heading."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    block, = re.findall(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return block.replace("<tenon>", str(ROOT)).splitlines()


@pytest.fixture
def kernel(tmp_path):
    for name in ("differences.c", "fault.mlir"):
        shutil.copy(ROOT / "examples/debugging" / name, tmp_path)
    return tmp_path


def shell(folder, script):
    environment = {**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600).stdout


@pytest.mark.skipif(not shutil.which("gdb"), reason="no gdb")
def test_gdb_shows_what_the_page_shows(kernel):
    lines = session("gdb")
    commands = [line.removeprefix("(gdb) ") for line in lines if line.startswith("(gdb) ")]
    compile, debug = (line.removeprefix("$ ") for line in lines if line.startswith("$ "))
    batch = "gdb -nx -batch " + " ".join(f"-ex '{command}'" for command in ["set debuginfod enabled off", *commands])
    output = ADDRESS.sub("0x", shell(kernel, f"{compile} && {debug.replace('gdb', batch, 1)}"))
    if "ptrace" in output:
        pytest.skip("the system forbids debugging")
    shown = [line for line in lines if not line.startswith(("$ ", "(gdb) "))]
    assert len(shown) == 5
    found = output
    for line in shown:  # in this order; the debugger numbers what it prints
        line = ADDRESS.sub("0x", line).removesuffix("...").partition(" = ")[2 if line.startswith("$") else 0]
        assert line in found, f"{line}: not in {output}"
        found = found.partition(line)[2]


def test_sanitizers_show_the_place_of_the_access(kernel):
    output = shell(kernel, "\n".join(line.removeprefix("$ ") for line in session("Sanitizers")))
    if "cannot be preloaded" in output:
        pytest.skip("no sanitizers")
    assert "AddressSanitizer" in output and re.search(r"in differences_body .*differences\.c:13", output)
