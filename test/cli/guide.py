# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A guide of the documents, followed word by word: files are written, commands typed, and consoles show what is printed."""

import os
import pathlib
import re
import subprocess
import sys

from command import BUILD, ROOT

BLOCK = re.compile(r"(.*?)^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"[Ww]rite `([\w.]+)`")


class Guide:
    def __init__(self, name):
        self.text = (ROOT / "docs" / name).read_text()
        # What is said before a block, its language, and what is in it.
        self.blocks = BLOCK.findall(self.text)

    def files(self):
        return {name: text for said, _, text in self.blocks for name in WRITTEN.findall(said)}

    def only(self, language, begin=""):
        """The one block of a language that begins so."""
        text, = (text for _, of, text in self.blocks if of == language and text.startswith(begin))
        return text

    def follow(self, home, settings, folder):
        """What is typed in `folder` prints what is shown, after the shell's settings. How many commands that were."""
        environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1",
                       "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
        followed = 0
        for said, language, text in self.blocks:
            for name in WRITTEN.findall(said):
                (folder / name).write_text(text)
            if language != "console":
                continue
            for command, _, wanted in (part.partition("\n") for part in text.removeprefix("$ ").split("\n$ ")):
                printed = subprocess.run(["bash", "-c", f"{settings}\ncd {folder}\n{command}"], cwd=ROOT, env=environment,
                                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
                assert printed.rstrip() == wanted.rstrip(), f"$ {command}"
                followed += 1
        return followed


def install(home):
    """What `make install PREFIX=$HOME/tenon` does."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", home / "tenon"], check=True, capture_output=True)


def is_example(text, example):
    """Whether the file is that of an example, but for the licence and the comment at its beginning."""
    content = (ROOT / "examples" / example).read_text()
    if not example.endswith(".mlir"):
        content = content.partition("\n\n")[2]
    return text in (content, re.sub(r"\A(//.*\n)+", "", content))
