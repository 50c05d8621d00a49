# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Runs cases in XLA and in Tenon and says what differs."""

import dataclasses

import jax
import numpy as np

import host
from differential import case as cases_module
from differential import deviations
from differential.compare import distance, norm_distance
from differential.tolerances import tolerance
from support import parse, xla_run


@dataclasses.dataclass
class Outcome:
    case: object
    refusal: str = ""  # XLA's, if it cannot run the program
    failure: str = ""
    deviations: tuple = ()
    worst: float = 0.0


def _xla(cases):
    arrays = [array for case in cases for array in case.arrays]
    found = xla_run(parse(cases_module.module(cases, for_xla=True)), arrays, x64=True)
    return _split(cases, found)


def _tenon(cases):
    arrays = [array for case in cases for array in case.arrays]
    return _split(cases, host.Program(cases_module.module(cases))(*arrays))


def _split(cases, arrays):
    arrays = iter(arrays)
    return [[next(arrays) for _ in case.results] for case in cases]


def _all_or_each(run, cases, failed):
    """The results of all cases, in one program if that is taken, else one by one."""
    try:
        return run(cases)
    except failed as error:
        if len(cases) == 1:
            return [str(error)]
        return [_all_or_each(run, [case], failed)[0] for case in cases]


def run(cases):
    """An outcome for each case."""
    if not cases:
        return []
    wanted = _all_or_each(_xla, cases, Exception)
    got = _all_or_each(_tenon, cases, host.Error)
    outcomes = []
    for case, ours, theirs in zip(cases, got, wanted):
        outcome = Outcome(case)
        outcomes.append(outcome)
        if isinstance(theirs, str):
            outcome.refusal = theirs
        if isinstance(ours, str):
            outcome.failure = f"Tenon refuses the program: {ours}"
        elif not outcome.refusal:
            _compare(outcome, ours, theirs)
        elif deviations.of(case) and case.reference:
            _compare(outcome, ours, [np.empty((0, 0)) for _ in ours])
        else:
            outcome.failure = f"XLA refuses the program: {outcome.refusal}"
    return outcomes


def _compare(outcome, ours, theirs):
    case = outcome.case
    used = set()
    reference = None
    for i, (value, a, b) in enumerate(zip(case.results, ours, theirs)):
        if a.dtype != value.dtype.numpy or a.shape != value.shape:
            outcome.failure = f"result {i} is {a.dtype}{a.shape}, not {value.type}"
            return
        allowed = tolerance(case, value.dtype)
        if case.elementwise and value.dtype.mlir == "f4E2M1FN":
            a, b = (np.where(x == 0, np.zeros((), x.dtype), x) for x in (a, b))  # a NaN becomes a zero of some sign
        if a.shape != b.shape:
            apart = np.full(a.shape, np.inf)
        elif case.by_norm and value.dtype.is_inexact:
            apart = norm_distance(a, b, value.dtype)
        else:
            apart = distance(a, b, value.dtype, allowed == 0)
        bad = apart > allowed
        if bad.any():
            for deviation in deviations.of(case):
                where = bad & deviation.where(case, value, a, b)
                if not where.any():
                    continue
                if reference is None:
                    reference = case.reference() if case.reference else [None] * len(case.results)
                if reference[i] is None:
                    continue
                within = max(allowed, deviation.ulps)
                right = distance(a, reference[i], value.dtype, within == 0) <= within
                if (where & right).any():
                    used.add(deviation.name)
                bad &= ~(where & right)
        good = apart[~bad]
        if good.size and allowed:
            outcome.worst = max(outcome.worst, float(np.where(good <= allowed, good, 0).max()))
        if bad.any():
            outcome.failure = _describe(case, i, a, b, bad, apart, allowed, reference and reference[i])
            break
    outcome.deviations = tuple(sorted(used))


def _describe(case, index, ours, theirs, bad, apart, allowed, reference):
    places = np.argwhere(bad)
    lines = [f"result {index}: {len(places)} of {bad.size} elements differ by more than {allowed:g} ulp"]
    for place in map(tuple, places[:5]):
        given = ""
        if case.elementwise:
            given = " of " + ", ".join(
                repr(array[place] if array.shape == bad.shape else array) for array in case.arrays
            )
        ideal = f", specification {reference[place]!r}" if reference is not None else ""
        other = repr(theirs[place]) if theirs.shape == ours.shape else f"of shape {theirs.shape}"
        lines.append(
            f"  [{', '.join(map(str, place))}]{given}: Tenon {ours[place]!r}, XLA {other}{ideal}"
            f" ({apart[place]:g} ulp)"
        )
    return "\n".join(lines)


def report(outcome):
    case = outcome.case
    text = f"{case}: {outcome.failure}\n{case.module()}"
    if sum(array.size for array in case.arrays) <= 64:
        text += "".join(f"{value.name} = {array.tolist()}\n" for value, array in zip(case.inputs, case.arrays))
    return text + f"again: build/venv/bin/python test/client/differential {case}\n"


jax.config.update("jax_enable_x64", True)
