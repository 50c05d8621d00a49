"""docs/jax-model.md, followed word by word from an empty folder, against an installed Tenon."""

import pytest
from guide import Guide, install, is_example

GUIDE = Guide("jax-model.md")


def test_following_it_gives_what_it_shows(tmp_path):
    install(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    assert GUIDE.follow(tmp_path, Guide("write-an-operation.md").only("sh"), folder) > 8


@pytest.mark.parametrize("name", GUIDE.files())
def test_its_files_are_those_of_the_example(name):
    assert is_example(GUIDE.files()[name], f"jax_model/{name}")
