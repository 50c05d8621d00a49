# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Every check besides the tests; one line for each, and 1 as the exit code when one fails.

  tools/check            all of them
  tools/check lint tsan  only these
  tools/check --short    without clang-tidy's analyzer, most of lint's time, and without the warnings
                         of builds that have them as errors (TENON_WARNINGS_AS_ERRORS=ON)

A file that passed is not looked at again until what it includes, its flags or the check change; the
memory of that is build/check.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import platforms

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "check"
JOBS = len(os.sched_getaffinity(0))
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

SHORT_LEAVES_OUT = {"warnings-clang", "warnings-gcc"}

checks = {}
is_short = False


def check(function):
    checks[function.__name__.replace("_", "-")] = function
    return function


class Failed(Exception):
    """Its text is what a developer reads."""


def run(command, **options):
    """Runs to the end; the combined output, and Failed with it on an error."""
    done = subprocess.run([str(part) for part in command], cwd=options.pop("cwd", ROOT), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise Failed(f"$ {shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def tracked(*patterns):
    """Files that git tracks or would add, and that still exist."""
    out = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns])
    return [path for path in sorted(set(out.splitlines())) if (ROOT / path).is_file()]


def each(function, items):
    """Calls the function for every item, in parallel; Failed with all that failed."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for future in [pool.submit(function, item) for item in items]:
            try:
                future.result()
            except Failed as failure:
                failures.append(str(failure))
    if failures:
        raise Failed("\n".join(failures))


# -- compile databases


def database(compiler, *options):
    """The compile commands of all our C files as this compiler is to see them."""
    build = ROOT / "build" / f"check-{compiler}"
    run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}",
         "-DCMAKE_C_COMPILER_LAUNCHER=", "-DCMAKE_BUILD_TYPE=Release", *options])
    run(["cmake", "--build", build, "--target", "generated_sources"])
    return json.loads((build / "compile_commands.json").read_text()), build


def clang_database():
    return database("clang", "-DTENON_BUILD_FUZZERS=ON")


def once(name, entry, command, preprocess, salt=""):
    """Runs the command for one entry of a database, unless it passed on the same text before."""
    text = subprocess.run(preprocess, cwd=entry["directory"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    # The build folder's name may be in the text; the checkout's does not matter.
    key = hashlib.sha256(text + shlex.join(map(str, command)).encode() + salt.encode()).hexdigest()
    stamp = CACHE / name / key
    if stamp.exists():
        return
    run(command, cwd=entry["directory"])
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()


def arguments(entry):
    """The entry's command without its output and -c."""
    parts = shlex.split(entry["command"])
    keep, skip = [], False
    for part in parts:
        if skip or part == "-c":
            skip = False
        elif part == "-o":
            skip = True
        else:
            keep.append(part)
    return keep


def compile_each(name, entries, *extra):
    def one(entry):
        command = arguments(entry)
        once(name, entry, [*command, *extra], [*command, "-E"])

    each(one, entries)


# -- the checks, cheap ones first


@check
def format():
    """clang-format 14 leaves every C file as it is."""
    program = "clang-format"
    version = run([program, "--version"]).split("version ")[1].split(".")[0]
    if version != "14":
        raise Failed(f"clang-format 14 is wanted (the layout differs between versions); this is {version}")
    try:
        run([program, "--dry-run", "-Werror", "--ferror-limit=0", *tracked("*.c", "*.h")])
    except Failed as failure:
        wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", str(failure), re.MULTILINE)))
        if not wrong:
            raise
        raise Failed(f"wants another layout: {program} -i {shlex.join(wrong)}") from None


@check
def layers():
    """Includes point only to earlier components."""
    run(["tools/check-layers"])


@check
def text():
    """Sizes of files, leftovers, links between documents."""
    run(["tools/check-text"])


@check
def headers():
    """Each public header compiles alone, as C11 and as C++17."""
    def one(job):
        compiler, standard, source = job
        run([compiler, f"-std={standard}", *STRICT, "-fsyntax-only", "-Iinclude", source])

    directory = CACHE / "headers"
    directory.mkdir(parents=True, exist_ok=True)
    jobs = []
    for path in tracked("include/*.h"):
        header = path.removeprefix("include/")
        for suffix, standard, compilers in (("c", "c11", ("gcc", "clang")),
                                            ("cc", "c++17", ("g++", "clang++"))):
            source = directory / f"{header.replace('/', '_')}.{suffix}"
            source.write_text(f"#include <{header}>\nextern int a_unit_is_not_empty;\n")
            jobs += [(compiler, standard, source) for compiler in compilers]
    each(one, jobs)


@check
def reference():
    """The API reference has no broken references, and every function has a comment."""
    return optional("doxygen", "tools/reference")


@check
def site():
    """The documents as a site: links, console, tables and pictures, in a headless browser."""
    if not (ROOT / "build" / "site-venv").is_dir():
        return "skipped: `tools/setup site browser` installs MkDocs and Chromium"
    return last_line(run(["tools/site", "--check"]), "^skipped") or None


def optional(program, tool):
    if not shutil.which(program):
        return f"skipped: {program} is not installed"
    run([tool])
    return None


@check
def warnings_clang():
    """No warning from clang."""
    entries, _ = clang_database()
    compile_each("clang", entries, "-Werror", "-fsyntax-only")


@check
def warnings_gcc():
    """No warning from gcc, those that need the optimiser included."""
    entries, _ = database("gcc")
    compile_each("gcc", entries, "-Werror", "-c", "-o", "/dev/null")


@check
def other_platforms():
    """The library and the command compile for musl and for 64-bit ARM."""
    skipped = []
    for name, configure in (("musl", platforms.configure_musl), ("arm64", platforms.configure_arm64)):
        try:
            build = configure()
        except platforms.Skipped as reason:
            skipped.append(f"{name} skipped: {reason}")
            continue
        entries = json.loads((build / "compile_commands.json").read_text())
        parts = (str(ROOT / "src"), str(ROOT / "cli"))
        product = [entry for entry in entries if entry["file"].startswith(parts)
                   and not re.search(r"/testing_|_(test|bench|fuzz)\.c$", entry["file"])]
        compile_each(name, product, "-Werror", "-fsyntax-only")
    return "; ".join(skipped) or None


@check
def lint():
    """clang-tidy, with the checks of .clang-tidy; --short: without its analyzer."""
    entries, build = clang_database()
    salt = (ROOT / ".clang-tidy").read_text()
    options = ["--checks=-clang-analyzer-*"] if is_short else []

    def one(entry):
        command = ["clang-tidy", "--quiet", *options, "-p", build, entry["file"]]
        # -C keeps comments, since NOLINT is one.
        try:
            once("lint", entry, command, [*arguments(entry), "-E", "-C"], salt)
        except Failed as failure:
            raise Failed(without_notes(str(failure))) from None

    each(one, entries)


def without_notes(output):
    """The analyzer's long stories are left out; running the printed command shows them."""
    keep, in_note = [], False
    for line in output.splitlines():
        if re.match(r"\S+:\d+:\d+: (\w+):", line):
            in_note = ": note: " in line
        if not in_note and not re.match(r"\d+ warnings? generated", line):
            keep.append(line)
    return "\n".join(keep)


@check
def tsan():
    """The concurrent tests under ThreadSanitizer."""
    run(["cmake", "--preset", "tsan"])
    run(["cmake", "--build", "--preset", "tsan"])
    return last_line(run(["ctest", "--preset", "tsan", "--no-tests=error", f"-j{JOBS}"]), r"tests passed")


@check
def symbols():
    """Objects refer only to those of earlier components, and keep no variables that are not listed."""
    run(["cmake", "--preset", "tsan"])
    run(["cmake", "--build", "--preset", "tsan"])
    run(["tools/check-layers", ROOT / "build" / "tsan"])


def last_line(output, pattern):
    return next((line for line in reversed(output.splitlines()) if re.search(pattern, line)), "")


def main(names):
    global is_short
    is_short = "--short" in names
    names = [name for name in names if name != "--short"]
    if is_short and not names:
        names = [name for name in checks if name not in SHORT_LEAVES_OUT]
    unknown = [name for name in names if name not in checks]
    if unknown:
        print(f"tools/check: no check named {unknown[0]}; there are {', '.join(checks)}, "
              "and --short",
              file=sys.stderr)
        return 2
    failed, begin = [], time.monotonic()
    for name in names or checks:
        started = time.monotonic()
        try:
            remark, word = checks[name](), "ok"
        except Failed as failure:
            failed.append(name)
            remark, word = None, "FAILED"
            print(str(failure).rstrip(), flush=True)
        seconds = time.monotonic() - started
        purpose = remark or checks[name].__doc__
        print(f"{word:6}  {name:15} {seconds:6.1f} s  {purpose}", flush=True)
    total = time.monotonic() - begin
    if failed:
        print(f"tools/check: {len(failed)} of {len(names or checks)} checks failed in {total:.0f} s: "
              f"{', '.join(failed)}")
        return 1
    print(f"tools/check: all {len(names or checks)} checks passed in {total:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
