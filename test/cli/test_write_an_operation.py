# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""docs/write-an-operation.md, followed word by word."""

import re

import pytest
from guide import Guide, install, is_example

GUIDE = Guide("write-an-operation.md")


def test_following_it_gives_what_it_shows(tmp_path):
    assert GUIDE.only("", "make") == "make install PREFIX=$HOME/tenon\n"
    install(tmp_path)
    folder = tmp_path / "swish"
    folder.mkdir()
    settings = GUIDE.only("sh")
    assert settings.endswith("\nmkdir -p ~/swish && cd ~/swish\n")
    assert GUIDE.follow(tmp_path, settings, folder) > 5


@pytest.mark.parametrize("name", GUIDE.files())
def test_its_files_are_those_of_the_example(name):
    assert is_example(GUIDE.files()[name], f"swish/{name}")


def test_it_can_be_read_while_tenon_is_built():
    """Four minutes at 150 words a minute; six are left for the machine."""
    prose = re.sub(r"^```.*?^```$", "", GUIDE.text, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 4 * 150
