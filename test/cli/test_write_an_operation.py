"""docs/write-an-operation.md, followed word by word: files are written, commands typed, and consoles show what is printed."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from command import BUILD, ROOT

GUIDE = (ROOT / "docs/write-an-operation.md").read_text()
# What is said before a block, its language, and what is in it.
BLOCKS = re.findall(r"(.*?)^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
FILES = {name: text for said, _, text in BLOCKS for name in re.findall(r"[Ww]rite `([\w.]+)`", said)}


@pytest.fixture
def home(tmp_path):
    """Where `make install PREFIX=$HOME/tenon` has been."""
    install, = (text for _, language, text in BLOCKS if language == "" and text.startswith("make"))
    assert install == "make install PREFIX=$HOME/tenon\n"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "tenon"], check=True, capture_output=True)
    return tmp_path


def test_following_it_gives_what_it_shows(home):
    environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1",
                   "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    settings, = (text for _, language, text in BLOCKS if language == "sh")

    def typed(command):
        return subprocess.run(["bash", "-c", settings + command], cwd=ROOT, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    assert typed("pwd") == f"{home}/swish\n"
    followed = 0
    for said, language, text in BLOCKS:
        for name in re.findall(r"[Ww]rite `([\w.]+)`", said):
            (home / "swish" / name).write_text(text)
        if language == "console":
            for command, _, wanted in (part.partition("\n") for part in text.removeprefix("$ ").split("\n$ ")):
                assert typed(command).rstrip() == wanted.rstrip(), f"$ {command}"
                followed += 1
    assert followed > 5


@pytest.mark.parametrize("name", FILES)
def test_its_files_are_those_of_the_example(name):
    example = (ROOT / "examples/swish" / name).read_text()
    assert FILES[name] in (example, re.sub(r"\A(//.*\n)+", "", example))


def test_it_can_be_read_while_tenon_is_built():
    """Four minutes at 150 words a minute; six are left for the machine."""
    prose = re.sub(r"^```.*?^```$", "", GUIDE, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 4 * 150
