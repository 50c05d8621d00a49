# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the documents show is true: C stands in files that are built, commands exist, and consoles show what is printed."""

import importlib.metadata
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["TENON_BUILD_DIR"])
COMMAND = pathlib.Path(os.environ["TENON_CLI"])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns], cwd=ROOT,
                         check=True, capture_output=True, text=True).stdout
    return [ROOT / line for line in out.splitlines() if (ROOT / line).is_file()]


DOCUMENTS = tracked("*.md")
# Built by the tests, all of them.
SOURCES = [path.read_text() for path in tracked("examples/*.c", "examples/*.cl", "test/consumer/*.c", "test/kernel_files/*.c")]
# Built by the tests against XLA's headers.
FOREIGN = [path.read_text() for path in tracked("test/client/*.cc")]
# Run by the tests.
SCRIPTS = [path.read_text() for path in tracked("examples/*.mlir", "examples/*.py", "test/client/*.py")]
BUILDS = [path.read_text() for path in tracked("examples/*CMakeLists.txt", "test/*CMakeLists.txt", "*.cmake")]
MAKE_TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def blocks(*languages):
    found = []
    for path in DOCUMENTS:
        for number, (language, text) in enumerate(FENCE.findall(path.read_text()), 1):
            if language in languages:
                found.append(pytest.param(text, id=f"{path.relative_to(ROOT)}:{number}"))
    return found


def stands_in(text, files):
    indented = [textwrap.indent(textwrap.dedent(text), " " * width) for width in (0, 2, 4)]
    return any(form in content for form in indented for content in files)


@pytest.mark.parametrize("text", blocks("c"))
def test_c_stands_in_a_file_that_is_built(text):
    assert stands_in(text, SOURCES), text


@pytest.mark.parametrize("text", blocks("cmake"))
def test_cmake_stands_in_files_that_are_built(text):
    for line in text.splitlines():
        pattern = re.escape(line).replace("app", r"\w+")  # any target
        assert any(re.search(pattern, content) for content in BUILDS), line


@pytest.mark.parametrize("text", blocks("cpp"))
def test_cpp_stands_in_a_file_that_is_built(text):
    assert stands_in(text, FOREIGN), text


@pytest.mark.parametrize("text", blocks("mlir", "python"))
def test_programs_stand_in_files_that_are_run(text):
    assert stands_in(text, SCRIPTS), text


LINK = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")


def anchors(path):
    """Those that a code host gives headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_headings_lead_to_one(path):
    for target, anchor in LINK.findall(path.read_text()):
        if "://" not in target:
            assert anchor in anchors((path.parent / target).resolve() if target else path), f"{target}#{anchor}"


NAME = re.compile(r"\b(?:tn_|TN_)\w+")
NAMES = {name for path in tracked("include/*", "cli/*", "src/*.c", "src/*.h", "src/*.def", "examples/*.c", "test/*.c")
         for name in NAME.findall(path.read_text())}


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.name != "measurements.md"],
                         ids=lambda path: str(path.relative_to(ROOT)))
def test_names_of_the_interface_exist(path):
    """`tn_array_linalg_...` stands for all names that begin so."""
    for name in NAME.findall(path.read_text()):
        assert name in NAMES or (name.endswith("_") and any(other.startswith(name) for other in NAMES)), name


# Guides are followed from their beginning (guide.py).
GUIDES = ("docs/write-an-operation.md", "docs/jax-model.md")
CONSOLES = [block for block in blocks("console") if not block.id.startswith(GUIDES)]


@pytest.mark.parametrize("text", CONSOLES)
def test_console_shows_what_is_printed(text, tmp_path):
    """Lines after a `$ command` are its output, errors included."""
    for name in ("examples", "include"):
        (tmp_path / name).symlink_to(ROOT / name)
    environment = {**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "NO_COLOR": "1",
                   "LIBRARIES": str(BUILD / "examples")}
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0] and len(parts) > 1, "a console begins with a command"
    for part in parts[1:]:
        command, _, wanted = re.fullmatch(r"((?:.*\\\n)*.*)(\n)(.*)", part, re.DOTALL).groups() \
            if "\\\n" in part else part.partition("\n")
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.stdout.rstrip() == wanted.rstrip(), f"$ {command}"


def commands():
    """Lines of blocks without a language that begin with something that the project has."""
    found = []
    for path in DOCUMENTS:
        for language, text in FENCE.findall(path.read_text()):
            if language in ("", "sh"):
                joined = text.replace("\\\n", " ")
                found += [(path, line.split("#")[0].strip()) for line in joined.splitlines()
                          if re.match(r"(make|tenon|tools/\S+|bench/\S+|examples/\S+\.sh)\b", line)]
    return [pytest.param(line, id=f"{path.relative_to(ROOT)}: {line}") for path, line in found]


@pytest.mark.parametrize("line", commands())
def test_command_exists(line):
    words = line.split()
    if words[0] == "make":
        assert all(word in MAKE_TARGETS for word in words[1:] if "=" not in word)
    elif words[0] == "tenon":
        help_text = subprocess.run([COMMAND, *words[1:2], "--help"], capture_output=True, text=True, check=True).stdout
        for word in words[2:]:
            if re.match(r"--?[a-z]", word):
                assert re.search(rf"(?<![\w-]){re.escape(word)}\b", help_text), f"{word}: not in {help_text}"
    else:
        assert (ROOT / words[0]).is_file()


def test_libraries_of_kernels_are_compiled_so_that_loops_become_vector_code():
    """gcc 12 makes vector code of every loop that it can from -O3 on."""
    documents = [*DOCUMENTS, *tracked("examples/*.c", "cli/new.c")]
    commands = [line for path in documents for line in path.read_text().splitlines()
                if re.search(r"\bcc .*-shared", line) and "-O" in line]
    assert len(commands) > 10
    assert [line for line in commands if "-O3" not in line] == []


def test_measurements_are_those_of_the_record():
    """README, docs/performance.md with its picture, and bench/results.md say what bench/figures.json says."""
    subprocess.run([sys.executable, ROOT / "bench/documents.py", "--check"], check=True)


RECORD = json.loads((ROOT / "bench/figures.json").read_text())


def test_record_is_written_as_scripts_write_it(tmp_path):
    """One row a line, three digits; rows of other scripts stay, and so do those of another size."""
    shutil.copy(ROOT / "bench/report.py", tmp_path)
    shutil.copy(ROOT / "bench/figures.json", tmp_path)
    script = ("import report; assert report.written(__import__('json').loads(report.RECORD.read_text())) == report.RECORD.read_text();"
              "report.record('gpu', 'x', {'add, 1 x 1': {'ms': 0.123456, 'gb_s': None}}, 'a machine', keep=True)")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    now = json.loads((tmp_path / "figures.json").read_text())
    assert now["gpu"]["rows"] == {**RECORD["gpu"]["rows"], "add, 1 x 1": {"ms": 0.123}}
    assert {name: rows for name, rows in now.items() if name != "gpu"} == {name: rows for name, rows in RECORD.items() if name != "gpu"}


@pytest.mark.parametrize(("name", "said", "instead"), [("README.md", "1.6 ms", "1.5 ms"), ("docs/performance.md", "| 419 |", "| 420 |"),
                                                       ("docs/performance.svg", ">419<", ">420<"), ("bench/results.md", "| 670 |", "| 671 |")])
def test_a_figure_that_the_record_does_not_have_is_found(tmp_path, name, said, instead):
    for path in tracked("README.md", "docs/performance.*", "bench/*.py", "bench/*.json", "bench/results.md"):
        (tmp_path / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    text = (tmp_path / name).read_text()
    assert said in text
    (tmp_path / name).write_text(text.replace(said, instead))
    done = subprocess.run([sys.executable, tmp_path / "bench/documents.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"{name} says something else than bench/figures.json")


SVG = "{http://www.w3.org/2000/svg}"
# In em: wider than the letters of DejaVu Sans are in the mean, which is the widest font that pages fall back to.
LETTER, BOLD_LETTER = 0.56, 0.66


def sizes_of_classes(picture):
    """The font sizes that the style of a picture gives to its classes."""
    style = "".join(element.text or "" for element in picture.iter(f"{SVG}style"))
    return {name: float(size) for name, size in re.findall(r"\.(\w+) \{[^}]*font-size: ([\d.]+)px", style)}


def texts(picture):
    """Each text that is not turned, with where it begins, where it ends, and its line."""
    sizes = sizes_of_classes(picture)

    def visit(element, inherited):
        now = {**inherited, **element.attrib, "class": f'{inherited.get("class", "")} {element.get("class", "")}'}
        if element.tag == f"{SVG}text" and "transform" not in element.attrib:
            classes = now["class"].split()
            size = next((sizes[name] for name in classes if name in sizes), float(now.get("font-size", 16)))
            is_bold = "bold" in classes or now.get("font-weight") == "bold"
            anchor = "middle" if "middle" in classes else now.get("text-anchor", "start")
            width = size * (BOLD_LETTER if is_bold else LETTER) * len(element.text or "")
            left = float(element.get("x")) - {"start": 0, "middle": width / 2, "end": width}[anchor]
            yield element.text, left, left + width, float(element.get("x")), float(element.get("y"))
        for child in element:
            yield from visit(child, now)

    return list(visit(picture, {}))


def boxes(picture):
    return [[float(box.get(key, 0)) for key in ("x", "y", "width", "height")] for box in picture.iter(f"{SVG}rect")
            if "%" not in box.get("width")]


def misplaced(picture):
    """Texts that leave the picture, or the smallest box in which they are anchored."""
    width = float(picture.get("viewBox").split()[2])
    for text, left, right, x, y in texts(picture):
        around = [(w * h, bx, bx + w) for bx, by, w, h in boxes(picture) if bx < x < bx + w and by < y < by + h]
        low, high = min(around)[1:] if around else (0, width)
        if left < max(0, low) or right > min(width, high):
            yield text


@pytest.mark.parametrize("name", [str(path.relative_to(ROOT)) for path in tracked("*.svg")])
def test_texts_of_pictures_are_inside_their_frames(name):
    assert list(misplaced(xml.etree.ElementTree.parse(ROOT / name).getroot())) == []


@pytest.mark.parametrize("name", [str(path.relative_to(ROOT)) for path in tracked("*.svg")])
def test_pictures_are_readable_on_dark_pages(name):
    """They have a background of their own, and one for dark pages."""
    text = (ROOT / name).read_text()
    assert "prefers-color-scheme: dark" in text and re.search(r'<rect width="\d+" height="\d+" rx="\d+" class="page"/>', text)
    assert text.count(".page {") == 2


def test_a_text_that_leaves_its_frame_is_found():
    picture = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50"><rect x="10" y="5" width="60" height="30"/>
      <text x="12" y="20" font-size="10">longer than its box</text> <text x="90" y="20" font-size="10">fits</text></svg>"""
    assert list(misplaced(xml.etree.ElementTree.fromstring(picture))) == ["longer than its box"]


def test_commands_of_the_record_exist():
    for section in RECORD.values():
        script = re.search(r"bench/\S+\.py", section["command"])[0]
        assert "--record" in (ROOT / script).read_text(), script


FIGURE = re.compile(r"(?<![\w.,^-])(\d[\d,]*(?:\.\d+)?) ?(ns|us|ms|s|seconds?|minutes?|KB|KiB|MB|MiB|GB|GiB)(?![\w/])")
# What the source fixes.
FIXED = {
    ("docs/debugging.md", "64 KiB"): ("src/call/guarded.c", "GUARD_BYTES = 64 << 10,"),
    ("docs/devices.md", "256 MiB"): ("src/device/disk_cache.h", "TN_DISK_CACHE_LIMIT (UINT64_C(256) << 20)"),
    ("docs/from-mlx.md", "64 KB"): ("src/lazy/graph.c", "FEWEST_BYTES = 1 << 16"),
    ("docs/lazy-arrays.md", "64 KB"): ("src/lazy/graph.c", "FEWEST_BYTES = 1 << 16"),
}
SIZES = {"README.md": "5 MB", "docs/embedding.md": "5 MB", "docs/performance.md": "5 MB"}  # of the library
JAXLIB = "357 MB"


def figures(name):
    """Times and sizes in the text and the tables of a document, without code."""
    return [match[0] for match in FIGURE.finditer(FENCE.sub("", (ROOT / name).read_text()))]


def tables_of_the_record(name):
    """The same, in tables that documents.py has written."""
    text = (ROOT / name).read_text()
    return [match[0] for table in re.findall(r"<!-- bench/documents\.py: \w+ -->\n\n((?:\|.*\n)+)", text) for match in FIGURE.finditer(table)]


# The decisions in design.md have figures of their day, with the commands.
@pytest.mark.parametrize("name", [name for path in tracked("README.md", "docs/*.md") if (name := str(path.relative_to(ROOT))) != "docs/design.md"])
def test_figures_have_a_source(name):
    """Each figure is in a table that is written from the record, the size of a file, or fixed by a line of the source."""
    known = {SIZES.get(name), *tables_of_the_record(name)}
    for figure in figures(name):
        if (name, figure) in FIXED:
            path, line = FIXED[name, figure]
            assert line in (ROOT / path).read_text(), f"{figure}: {path} has no {line}"
        else:
            assert figure in known, f"{figure}: not from bench/figures.json; expected a table of bench/documents.py, or a row of FIXED"


def is_rounded(figure, size):
    """Whether a figure such as "5 MB" is this size in bytes, rounded."""
    digits, unit = figure.split()
    last = 10.0 ** -len(digits.partition(".")[2])
    return unit == "MB" and abs(size / 1e6 - float(digits)) <= last / 2


def has_sizes_of_documents():
    settings = (BUILD / "CMakeCache.txt").read_text()
    return platform.machine() == "x86_64" and "CMAKE_BUILD_TYPE:STRING=Release\n" in settings and "TENON_SANITIZE:STRING=\n" in settings


has_sizes = pytest.mark.skipif(not has_sizes_of_documents(), reason="sizes are those of an optimised build for x86-64")


@has_sizes
@pytest.mark.parametrize(("name", "figure"), SIZES.items())
def test_size_of_the_library_is_that_of_the_build(name, figure):
    library = pathlib.Path(os.environ["TENON_SHARED_LIBRARY"]).resolve()
    assert figure in figures(name)
    assert is_rounded(figure, library.stat().st_size), f"{library} has {library.stat().st_size:,} bytes"


@has_sizes
def test_size_of_jaxlib_is_that_of_the_installed_one():
    installed = importlib.metadata.distribution("jaxlib")
    size = sum(path.locate().stat().st_size for path in installed.files if path.suffix != ".pyc" and path.locate().exists())
    assert JAXLIB in figures("README.md")
    assert is_rounded(JAXLIB, size), f"jaxlib {installed.version} has {size:,} bytes"


def test_library_needs_only_the_c_library():
    """Its own libraries aside; libm is a part of the C library."""
    printed = subprocess.run(["readelf", "--dynamic", os.environ["TENON_SHARED_LIBRARY"]], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(\w+)", printed))
    assert {name for name in needed if not name.startswith("libtenon")} <= {"libc", "libm", "ld"}, needed
