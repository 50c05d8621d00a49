# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Runs the programs of `library` in Tenon, as text and as artifact, and compares them with JAX.

  build/venv/bin/python test/client/compare.py [NAME]... [--theme THEME] [--sample] [--keep FOLDER] [--command TENON]

A table says of each program how far the results lie apart, in units of the last place,
and what is allowed. What is kept
in FOLDER/NAME (program.mlir, program.mlirbc, the inputs and JAX's results) is all that a bug report needs.
"""

import argparse
import dataclasses
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

import jax
import ml_dtypes
import numpy as np
from jax import export

import library
from support import COMMAND, load_npy

# What .npy files hold of elements that NumPy does not know.
BYTES = {"int4": np.int8, "int2": np.int8, "uint4": np.uint8, "uint2": np.uint8}
FORMS = {"text": "program.mlir", "artifact": "program.mlirbc"}


@dataclasses.dataclass
class Outcome:
    theme: str
    name: str
    result: str = "ok"  # or failed, waits
    apart: dict = dataclasses.field(default_factory=dict)  # by form, in units of the last place
    allowed: float = 0
    message: str = ""
    seconds: float = 0


def units_apart(got, wanted, scale):
    """The largest difference in units of the last place; of which element's, says the scale."""
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    epsilon = float(ml_dtypes.finfo(wanted.real.dtype).eps)
    got, wanted = got.astype(wide), wanted.astype(wide)
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    if same.all():
        return 0.0
    if not np.isfinite(got[~same]).all() or not np.isfinite(wanted[~same]).all():
        return np.inf
    size = np.abs(wanted)
    largest = size[np.isfinite(size)].max(initial=0)
    # Below the smallest normal number units are all of one size.
    floor = {"each": 0, "ones": min(1.0, largest), "largest": largest}[scale]
    size = np.maximum(size, max(floor, float(ml_dtypes.finfo(wanted.real.dtype).tiny)))[~same]
    return float((np.abs(got[~same] - wanted[~same]) / (epsilon * size)).max())


def difference(got, wanted, program):
    """(units of the last place, what is wrong beyond them)."""
    if wanted.dtype.name in BYTES and got.dtype == BYTES[wanted.dtype.name] and (got.astype(wanted.dtype) == got).all():
        got = got.astype(wanted.dtype)
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return np.inf, f"it is {got.dtype}{list(got.shape)}; wanted {wanted.dtype}{list(wanted.shape)}"
    if not wanted.size:
        return 0.0, ""
    if "float" in wanted.dtype.name or wanted.dtype.kind == "c":
        apart = units_apart(got, wanted, program.scale)
        return apart, "" if apart <= program.ulps else f"it lies {apart:.4g} units apart; {program.ulps:g} are allowed"
    if np.array_equal(got, wanted):
        return 0.0, ""
    return np.inf, f"{np.count_nonzero(got != wanted)} of {wanted.size} elements differ"


@functools.cache
def libraries():
    """Those that this build of Tenon uses."""
    done = subprocess.run([COMMAND, "version", "--json"], capture_output=True, check=True)
    return {library["name"] for library in json.loads(done.stdout)["libraries"] if library["is_used"]}


def targets_of(text):
    return sorted(set(re.findall(r'custom_call @"?([\w.]+)', text)))


def exported_program(program):
    """What jax.export makes of the program."""
    jitted = jax.jit(program.function, keep_unused=True, donate_argnums=tuple(program.donate))
    with program.mode():
        targets = targets_of(jitted.lower(*program.arguments).as_text())
        allowed = [export.DisabledSafetyCheck.custom_call(name) for name in targets]
        return export.export(jitted, platforms=["cpu"], disabled_checks=allowed)(*program.arguments)


def write(program, folder):
    """The program in both forms, its inputs and JAX's results; returns (results, which inputs each form has)."""
    exported = exported_program(program)
    with program.mode():
        lowered = program.lower()
        text = lowered.as_text()
        copies = jax.tree.map(jax.numpy.array, list(program.arguments))
        compiled = lowered.compile({"xla_backend_optimization_level": 0})
        wanted = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*copies))]
    (folder / FORMS["text"]).write_text(text)
    (folder / FORMS["artifact"]).write_bytes(exported.mlir_module_serialized)
    kept = {"text": range(len(program.inputs())), "artifact": exported.module_kept_var_idx}
    for i, leaf in enumerate(program.inputs()):
        np.save(folder / f"input{i}.npy", leaf)
    for i, leaf in enumerate(wanted):
        np.save(folder / f"wanted{i}.npy", leaf)
    return wanted, kept


def command_line(command, folder, form, kept, count):
    words = [command, "run", folder / FORMS[form]]
    words += itertools.chain.from_iterable(("--input", folder / f"input{i}.npy") for i in kept)
    words += itertools.chain.from_iterable(("--output", folder / f"{form}{i}.npy") for i in range(count))
    return list(map(str, words))


def run(program, theme, folder, command=COMMAND):
    """Runs both forms; nothing is raised."""
    folder.mkdir(parents=True, exist_ok=True)
    outcome, start = Outcome(theme, program.name, allowed=program.ulps), time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # donated buffers that are not usable
        try:
            wanted, kept = write(program, folder)
        except Exception as error:  # of any type: the other programs of a table run nevertheless
            outcome.result, outcome.message = "failed", f"JAX: {type(error).__name__}: {error}"
            return outcome
    if program.needs and program.needs not in libraries():
        outcome.result, outcome.message = "waits", f"this build of Tenon does not use {program.needs}"
        return outcome
    complaints = []
    for form in FORMS:
        words = command_line(command, folder, form, kept[form], len(wanted))
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=600)
            error = done.stderr.strip() or f"exit code {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            error = "it does not end within 120 s"
        if error:
            complaints.append(f"{form}: {error}\n{' '.join(words)}")
            continue
        outcome.apart[form] = 0.0
        for i, leaf in enumerate(wanted):
            apart, complaint = difference(load_npy(folder / f"{form}{i}.npy", leaf.dtype), leaf, program)
            outcome.apart[form] = max(outcome.apart[form], apart)
            if complaint:
                complaints.append(f"{form}, result {i}: {complaint}")
    outcome.seconds = time.monotonic() - start
    if complaints:
        outcome.result = "failed"
        outcome.message = "\n".join(complaints + [
            f"To reproduce: build/venv/bin/python test/client/compare.py {program.name} --keep build/programs"])
    return outcome


def table(outcomes):
    """The lines of a summary."""
    yield f"{'theme':<13}{'program':<46}{'text':>10}{'artifact':>10}{'allowed':>10}  result"
    for o in outcomes:
        apart = "".join(f"{o.apart[form]:>10.4g}" if form in o.apart else f"{'-':>10}" for form in FORMS)
        yield f"{o.theme:<13}{o.name:<46}{apart}{o.allowed:>10g}  {o.result}"
    for result in ("ok", "failed", "waits"):
        yield f"{sum(o.result == result for o in outcomes)} {result}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--theme", choices=library.THEMES)
    parser.add_argument("--command", type=pathlib.Path, default=COMMAND, help="the one to run; default: %(default)s")
    parser.add_argument("--sample", action="store_true", help="those that `make test` runs")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    if not options.command.exists():
        sys.exit(f"{options.command}: missing; cmake --preset release && cmake --build --preset release")
    outcomes = []
    with tempfile.TemporaryDirectory() as temporary:
        base = options.keep or pathlib.Path(temporary)
        for theme, program in library.programs():
            if (options.names and program.name not in options.names) or (options.theme or theme) != theme or (
                    options.sample and not program.sample):
                continue
            outcome = run(program, theme, base / program.name, options.command)
            outcomes.append(outcome)
            if outcome.message:
                print(f"{outcome.name}: {outcome.message}\n", file=sys.stderr)
    print("\n".join(table(outcomes)))
    return any(o.result == "failed" for o in outcomes)


if __name__ == "__main__":
    sys.exit(main())
