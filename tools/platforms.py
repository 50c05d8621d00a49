# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Builds Tenon with other compilers, for another C library and for other processors, and runs what
runs there: one line for each, and 1 as the exit code when one fails.

  tools/platforms             all of them
  tools/platforms musl arm64  only these

What is not installed is skipped, and said; `tools/setup platforms` installs what Debian has. Built in
build/platform-NAME.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
JOBS = str(len(os.sched_getaffinity(0)))
COMPILERS = ["gcc-11", "gcc-12", "clang-14", "clang-15", "clang-16", "clang-19"]
EMULATOR = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"]
# An x86-64 with nothing beyond SSE2: other instructions are illegal there.
SSE2_EMULATOR = ["qemu-x86_64-static", "-cpu", "qemu64,-sse3,-ssse3,-sse4.1,-sse4.2,-popcnt"]

# What cannot pass on a machine that is emulated.
NOT_EMULATED = {
    "unit.device_cpu_host_memory": "limits its address space, and so the emulator's",
    "unit.call_guarded": "the emulator reports a segmentation fault with a line of its own",
    "unit.inspect_probe": "the emulator has no seccomp",
    "unit.lazy_exit": "starts itself again, which needs binfmt_misc",
    "example.axpby.program": "a shell starts it",
    "example.roll.program": "a shell starts it",
}
# Their thousands of rounds take an hour there; shorter tests cover the same code.
TOO_LONG = ["unit.array_operations_memory", "unit.lazy_large_graph", "unit.program_reference",
            "unit.program_run_random", "unit.transform_memory"]
# Tests of the command that neither compile for the host nor read .npz. The wording of the C
# library's messages is glibc's in the others.
MUSL_TESTS = ["example", "cli.attribute_limits", "cli.commands", "cli.convert", "cli.diff",
              "cli.exits", "cli.expect", "cli.guard", "cli.interrupts", "cli.op_fixtures",
              "cli.other_devices", "cli.show_json"]


# What computes, and differs by instruction set.
SSE2_TESTS = ["unit.kernel_", "unit.call_functions", "unit.program_fused_reduction", "unit.program_fusion",
              "unit.program_lanes"]


class Skipped(Exception):
    """Its text says what is missing."""


class Failed(Exception):
    """Its text is what a developer reads."""


def run(command, **environment):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, text=True,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        # Ninja lists what it built before the first failure.
        begin = max(done.stdout.find("FAILED:"), 0)
        raise Failed(f"$ {' '.join(map(str, command))}\n{done.stdout[begin:][-8000:]}")
    return done.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed (tools/setup platforms)")


def configure(name, *options, **environment):
    build = BUILD / f"platform-{name}"
    run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         "-DTENON_WARNINGS_AS_ERRORS=ON", *options], **environment)
    return build


def test(build, *options):
    out = run(["ctest", "--test-dir", build, "-j", JOBS, "--no-tests=error", "--output-on-failure",
               *options])
    return next(line for line in out.splitlines() if "tests passed" in line)


def pattern(names):
    return "^(" + "|".join(name.replace(".", "\\.") for name in names) + ")"


# -- one function for each kind; configure_* are used by tools/check too


def configure_musl():
    """musl-gcc does not look where the kernel's headers are, and libraries there need glibc."""
    need("musl-gcc")
    headers = BUILD / "kernel-headers"
    headers.mkdir(parents=True, exist_ok=True)
    multiarch = run(["gcc", "-print-multiarch"]).strip()
    for name, source in {"linux": "linux", "asm-generic": "asm-generic",
                         "asm": f"{multiarch}/asm"}.items():
        if not (headers / name).is_symlink():
            (headers / name).symlink_to(pathlib.Path("/usr/include") / source)
    return configure("musl", "-DCMAKE_C_COMPILER=musl-gcc", "-DCMAKE_CXX_COMPILER=OFF",
                     f"-DCMAKE_C_FLAGS=-isystem {headers}", "-DTENON_COMPUTE_LIBRARIES=OFF", "-DTENON_BUILD_PYTHON=OFF",
                     PKG_CONFIG_LIBDIR="/nonexistent")


def cmocka_for_arm64():
    """Debian's package for that processor, unpacked in the build folder; None if there is none."""
    folder = BUILD / "arm64-root"
    library = folder / "usr/lib/aarch64-linux-gnu/libcmocka.so"
    if library.exists() or not shutil.which("apt-get"):
        return folder if library.exists() else None
    state = folder / "apt"
    for name in ["lists/partial", "cache/archives/partial"]:
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    apt = ["apt-get", "-q", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures::=arm64",
           "-o", f"Dir::State={state}", "-o", f"Dir::State::status={state}/status",
           "-o", f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User="]
    try:
        run([*apt, "update"])
        run(["sh", "-ec", 'cd "$0"; "$@"', folder, *apt, "download", "libcmocka0:arm64",
             "libcmocka-dev:arm64"])
        for package in folder.glob("*.deb"):
            run(["dpkg", "-x", package, folder])
    except Failed as failure:
        print(str(failure), file=sys.stderr)
    return folder if library.exists() else None


def configure_arm64():
    need("aarch64-linux-gnu-gcc")
    folder = cmocka_for_arm64()
    found = [] if not folder else [
        f"-DCMAKE_LIBRARY_PATH={folder}/usr/lib/aarch64-linux-gnu",
        f"-DCMAKE_INCLUDE_PATH={folder}/usr/include"]
    return configure("arm64", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
                     "-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc",
                     f"-DCMAKE_CXX_COMPILER={shutil.which('aarch64-linux-gnu-g++') or 'OFF'}",
                     "-DTENON_COMPUTE_LIBRARIES=OFF",
                     f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(EMULATOR)}", *found,
                     PKG_CONFIG_LIBDIR="/nonexistent")


def compiler(name):
    need(name)
    build = configure(name, f"-DCMAKE_C_COMPILER={name}")
    run(["cmake", "--build", build, "--target", "product", "examples/all"])
    return test(build, "-L", "^example$")


def musl():
    build = configure_musl()
    run(["cmake", "--build", build, "--target", "product", "examples/all"])
    return test(build, "-R", pattern(MUSL_TESTS))


def arm64():
    need(EMULATOR[0])
    build = configure_arm64()
    run(["cmake", "--build", build, "--target", "src/all", "cli/all", "examples/all"])
    return test(build, "-L", "^(unit|example)$", "-E", pattern([*NOT_EMULATED, *TOO_LONG]))


def sse2():
    need(SSE2_EMULATOR[0])
    if platform.machine() != "x86_64":
        raise Skipped("its compiler is that of an x86-64")
    build = configure("sse2", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=x86_64",
                      "-DTENON_COMPUTE_LIBRARIES=OFF", "-DTENON_BUILD_PYTHON=OFF",
                      f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(SSE2_EMULATOR)}")
    chosen = ["-L", "^unit$", "-R", pattern(SSE2_TESTS)]
    listed = run(["ctest", "--test-dir", build, "-N", *chosen])
    programs = [f"{name}_test" for name in re.findall(r"unit\.(\w+)", listed)]
    run(["cmake", "--build", build, "--target", *programs])
    return test(build, *chosen)


PLATFORMS = {**{name: (lambda name=name: compiler(name)) for name in COMPILERS},
             "musl": musl, "arm64": arm64, "sse2": sse2}


def main(names):
    unknown = [name for name in names if name not in PLATFORMS]
    if unknown:
        print(f"tools/platforms: no platform named {unknown[0]}; there are {', '.join(PLATFORMS)}",
              file=sys.stderr)
        return 2
    failed = 0
    for name in names or PLATFORMS:
        started = time.monotonic()
        if sys.stdout.isatty():
            print(f"building and testing {name} ...", end="\r", flush=True)
        try:
            word, remark = "ok", PLATFORMS[name]()
        except Skipped as skipped:
            word, remark = "skipped", str(skipped)
        except Failed as failure:
            word, remark = "FAILED", str(failure)
            failed += 1
        clear = "\33[K" if sys.stdout.isatty() else ""
        print(f"{clear}{word:8} {name:9} {time.monotonic() - started:6.1f} s  {remark}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
