# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""XLA's FFI headers as older releases of jaxlib have them, downloaded once into build/jaxlib-headers."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

from support import ROOT

KEPT = ROOT / "build" / "jaxlib-headers"
PYTHONS = ["3.11", "3.12", "3.13"]  # any wheel will do: the headers are the same in all of a release


def fetch(release):
    """The include folder of a release. A wheel is 80 to 110 MB; its headers, which are all that is kept, 0.2 MB."""
    kept = KEPT / release
    if not kept.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        print(f"downloading jaxlib {release} for its headers into {kept}")
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            download(release, folder)
            [wheel] = pathlib.Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.startswith("jaxlib/include/xla/ffi/")]
                archive.extractall(pathlib.Path(folder), names)
            (pathlib.Path(folder) / "jaxlib" / "include").rename(kept)  # whole or not at all
    return kept


def download(release, folder):
    outputs = []
    for python in PYTHONS:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps",
             "--only-binary=:all:", "--python-version", python, "-d", folder, f"jaxlib=={release}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            return
        outputs.append(done.stdout)
    raise RuntimeError(f"jaxlib {release} cannot be downloaded for its headers:\n" + "".join(outputs))
