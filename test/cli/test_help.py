# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Help, man page and completions: one table, and examples that run."""

import os
import re
import shutil
import subprocess

import pytest
from command import COMMAND, tenon

COMMANDS = ["run", "check", "convert", "test", "bench", "diff", "show", "ops", "inspect", "devices", "version"]


def options_of(command):
    return re.findall(r"^  -(\w), --(\w+)", tenon(command, "--help")[0], re.MULTILINE)


def examples_of(command):
    text = tenon(*([command] if command else []), "--help")[0]
    return [line.strip() for line in text.split("\nExamples\n")[1].splitlines()]


def all_examples():
    return [example for command in [None, *COMMANDS] for example in examples_of(command)]


def test_help_is_the_same_however_it_is_requested():
    for command in COMMANDS:
        assert tenon(command, "--help") == tenon("help", command) == tenon(command, "-h") == tenon("--help", command)
    assert tenon("--help") == tenon("help") == tenon("-h")
    assert tenon(code=2) == ("", tenon("--help")[0])


def test_help_names_what_else_there_is():
    whole = tenon("--help")[0]
    assert all(word in whole for word in ["tenon help", "--man", "--completions", "--version"])


def test_help_names_every_command_and_fits_a_terminal():
    whole = tenon("--help")[0]
    for command in COMMANDS:
        assert re.search(rf"^  {command}\b", whole, re.MULTILINE)
        assert len(examples_of(command)) >= 1
    for text in [whole, *(tenon(command, "--help")[0] for command in COMMANDS)]:
        for line in text.splitlines():
            assert len(line) <= 80 or " " not in line.strip(), line


def test_help_of_version_is_this():
    assert tenon("version", "--help")[0] == """tenon version: print the version

Usage: tenon version [OPTION]...

Prints the version of the command and of the library.

Options
  -j, --json              write JSON, errors included
  -h, --help              show this help

Examples
  tenon version
"""


@pytest.mark.parametrize("example", all_examples())
def test_examples_run(folder, example, tmp_path):
    if not shutil.which("dot"):  # Graphviz is not needed to see that its input is written
        (tmp_path / "dot").write_text("#!/bin/sh\ncat\n")
        (tmp_path / "dot").chmod(0o755)
    path = f"{COMMAND.parent}:{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", example], cwd=folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stdout + done.stderr


def test_man_page_names_everything_and_is_clean_roff():
    page = tenon("--man")[0]
    for command in COMMANDS:
        assert f".SS tenon {command}" in page
        for _, option in options_of(command):
            assert f"\\-\\-{option}" in page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
        assert done.stderr == "" and "--input" in done.stdout


def test_completions_name_everything():
    for shell in ["bash", "zsh", "fish"]:
        text = tenon("--completions", shell)[0]
        for command in COMMANDS:
            assert command in text
            for _, option in options_of(command):
                assert option in text
        if shutil.which(shell):
            subprocess.run([shell, "-n", "/dev/stdin"], input=text, text=True, check=True)
    assert "not one of bash, zsh, fish" in tenon("--completions", "csh", code=2)[1]
    tenon("--completions", code=2)


def complete(*words):
    script = f"""{tenon("--completions", "bash")[0]}
COMP_WORDS=({" ".join(words)} '')
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_tenon
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes(folder):
    assert set(COMMANDS) <= set(complete("tenon"))
    assert complete("tenon", "show", "x.mlir", "--stage") == ["ir", "pass", "plan", "program"]
    assert complete("tenon", "run", "-d") == ["cpu", "reference"]


def test_nothing_is_coloured_in_a_pipe_and_no_color_is_honoured(folder):
    assert "\033" not in tenon("--help")[0] + tenon("run", "nowhere.mlir", code=1)[1]
    script = f"{COMMAND} run nowhere.mlir; {COMMAND} --help"
    if not shutil.which("script"):
        pytest.skip("no script(1) to make a terminal")
    for variable, has_colour in [("", True), ("1", False)]:
        done = subprocess.run(["script", "-qec", script, "/dev/null"], capture_output=True, text=True,
                              env={**os.environ, "NO_COLOR": variable, "TERM": "xterm"})
        assert ("\033[1;31m" in done.stdout) == has_colour
        assert ("\033" in done.stdout) == has_colour
