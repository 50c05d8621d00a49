# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""python -m tenon: the command, and where a build finds the package.

  python -m tenon ARGUMENT...    the command `tenon`
  python -m tenon --cmake-dir    the folder of the CMake package, for -DTenon_DIR=
  python -m tenon --cflags       options for the compiler
  python -m tenon --libs         options for the linker of a program that embeds Tenon; libraries of operations need none

None of these loads the library.
"""

import os
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent


def cmake_dir():
    return (PACKAGE / "lib" / "cmake" / "Tenon").resolve()  # a distribution has a link there


def cflags():
    return f"-I{PACKAGE / 'include'}"


def libs():
    folder = PACKAGE / "lib"
    library = next(folder.glob("libtenon.so.*"), None)
    name = f"-l:{library.name}" if library else "-ltenon"
    return f"-L{folder} -Wl,-rpath,{folder} {name}"


def main():
    places = {"--cmake-dir": cmake_dir, "--cflags": cflags, "--libs": libs}
    asked = sys.argv[1:]
    if asked and all(argument in places for argument in asked):
        print(*(places[argument]() for argument in asked))
        return 0
    command = PACKAGE / "bin" / "tenon"
    if not command.exists():
        print(f"tenon: {command} is not there: this package was built without the command", file=sys.stderr)
        return 1
    os.execv(command, ["tenon", *asked])


if __name__ == "__main__":
    sys.exit(main())
