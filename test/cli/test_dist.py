# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What tools/dist makes of the sources in seconds: archives, Debian's source package, SPDX, checksums, and how wheels are written."""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a release is made from a git checkout")
MODULE = importlib.util.spec_from_loader("dist", importlib.machinery.SourceFileLoader("dist", str(ROOT / "tools/dist")))
dist = importlib.util.module_from_spec(MODULE)
MODULE.loader.exec_module(dist)
VERSION = dist.version()


def make(folder, *artifacts, umask=0o022, **environment):
    done = subprocess.run([sys.executable, ROOT / "tools/dist", "--to", folder, *artifacts], cwd=ROOT, text=True, umask=umask,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("release") / "dist", "source", "spdx", "sums")


def contents(path):
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2]: archive.extractfile(member).read() for member in archive if member.isfile()}


def test_source_archive_has_what_the_commit_has(made):
    names = subprocess.run(["git", "ls-tree", "-r", "--name-only", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(made[f"tenon-{VERSION}.tar.gz"]) as archive:
        members = archive.getmembers()
    assert [it.name for it in members] == sorted(f"tenon-{VERSION}/{name}" for name in names.splitlines())
    assert {(it.uid, it.gid, it.uname, it.gname) for it in members} == {(0, 0, "", "")}
    assert len({it.mtime for it in members}) == 1
    assert {it.mode for it in members if it.isfile()} == {0o644, 0o755}


def test_archives_are_the_same_whoever_makes_them_and_when(made, tmp_path):
    again = make(tmp_path / "other" / "dist", "source", "spdx", "sums", umask=0o077, TZ="Asia/Tokyo", LANG="C")
    assert {name: path.read_bytes() for name, path in again.items()} == {name: path.read_bytes() for name, path in made.items()}


def test_checksums_are_those_of_the_files(made):
    folder = made["SHA256SUMS"].parent
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True)
    assert len(made["SHA256SUMS"].read_text().splitlines()) == len(made) - 1


def test_spdx_describes_every_file_of_the_source_archive(made):
    document = json.loads(made[f"tenon-{VERSION}.spdx.json"].read_text())
    files = contents(made[f"tenon-{VERSION}.tar.gz"])
    described = {it["fileName"].removeprefix("./"): {sum["algorithm"]: sum["checksumValue"] for sum in it["checksums"]}
                 for it in document["files"]}
    assert described == {name: {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
                         for name, data in files.items()}
    package = document["packages"][0]
    code = hashlib.sha1("".join(sorted(it["SHA1"] for it in described.values())).encode()).hexdigest()
    assert package["packageVerificationCode"]["packageVerificationCodeValue"] == code
    assert package["versionInfo"] == VERSION and package["licenseDeclared"] == "Apache-2.0"
    ids = {it["SPDXID"] for it in [document, *document["packages"], *document["files"]]}
    assert all({it["spdxElementId"], it["relatedSpdxElement"]} <= ids for it in document["relationships"])
    assert {it["fileName"] for it in document["files"] if it["licenseInfoInFiles"] == ["Apache-2.0"]} >= {"./src/base/arena.c", "./tools/dist"}


def test_optional_libraries_are_in_the_notice():
    notice = (ROOT / "NOTICE").read_text()
    rows = dict(re.findall(r"^  (\S+)(?:'s \S+ \S+)?  +(\S+) ", notice, re.MULTILINE))
    assert {licence for licence in dist.OPTIONAL.values()} <= set(rows.values())
    loaded = re.findall(r"^TN_KERNEL_LIBRARY_ROW\(\w+, \"(\w+)\"", (ROOT / "src/kernel/lib/libraries.def").read_text(), re.MULTILINE)
    assert loaded and all(name in notice.lower() for name in loaded)


def test_wheels_are_written_with_a_true_record_and_the_same_bytes(tmp_path, monkeypatch):
    stage, metadata = tmp_path / "stage", tmp_path / "metadata"
    (stage / "tenon/bin").mkdir(parents=True)
    (stage / "tenon/bin/tenon").write_text("#!/bin/sh\n")
    (stage / "tenon/bin/tenon").chmod(0o755)
    (stage / "tenon/__init__.py").write_text("value = 1\n")
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tenon-runtime\nVersion: {VERSION}\n")
    written = []
    for name in ("one", "two"):
        monkeypatch.setattr(dist, "DIST", tmp_path / name)
        written += dist.write_wheel(stage, metadata, "py3-none-any", 1_800_000_000)
        os.utime(stage / "tenon/__init__.py", (1, 1))
    assert written[0].name == f"tenon_runtime-{VERSION}-py3-none-any.whl"
    assert written[0].read_bytes() == written[1].read_bytes()
    modes = {it.filename: it.external_attr >> 16 & 0o777 for it in zipfile.ZipFile(written[0]).infolist()}
    assert modes["tenon/bin/tenon"] == 0o755 and modes["tenon/__init__.py"] == 0o644
    # pip compares the record with the files.
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", tmp_path / "site", written[0]],
                   check=True)
    assert (tmp_path / "site/tenon/__init__.py").read_text() == "value = 1\n"


@pytest.mark.skipif(not shutil.which("dpkg-source"), reason="dpkg-source is not installed (Debian: dpkg-dev)")
def test_debian_source_package_has_the_archive_and_names_of_this_version(made, tmp_path):
    paths = make(tmp_path / "dist", "debian")
    if os.environ.get("TENON_LONG_TESTS"):
        again = make(tmp_path / "again" / "dist", "debian", TZ="Asia/Tokyo")
        assert {name: path.read_bytes() for name, path in again.items()} == {name: path.read_bytes() for name, path in paths.items()}
    original = paths[f"tenon_{VERSION}.orig.tar.gz"]
    assert original.read_bytes() == made[f"tenon-{VERSION}.tar.gz"].read_bytes()
    described = paths[f"tenon_{VERSION}-1.dsc"].read_text()
    major, minor, _ = VERSION.split(".")
    packages = re.search(r"^Binary: (.*)$", described, re.MULTILINE)[1].split(", ")
    assert packages == [f"libtenon{major}.{minor}" if major == "0" else f"libtenon{major}", "libtenon-dev", "tenon", "python3-tenon"]
    assert re.search(rf"^Version: {VERSION}-1$", described, re.MULTILINE)


def test_workflow_names_what_there_is():
    """Platforms, scripts and targets of make that continuous integration calls."""
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    platforms = re.search(r"name: \[(.*)\]", text)[1].split(", ")
    said = subprocess.run([ROOT / "tools/platforms", "none"], capture_output=True, text=True).stderr
    assert set(platforms) <= set(re.findall(r"[\w-]+", said.partition("there are")[2]))
    for path in re.findall(r"(?<![\w/.-])((?:tools|test|examples|\.ci)/[\w./-]+)", text):
        assert (ROOT / path).exists(), path
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+)", re.sub(r"#.*|install .*", "", text))) <= targets
