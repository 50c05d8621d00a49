# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The generators, by operation."""

from differential.case import Case

GENERATORS = {}  # operation: (dtypes, function of a case)


def generator(operation, dtypes):
    def add(function):
        GENERATORS[operation] = (list(dtypes), function)
        return function

    return add


def make(operation, dtype, seed):
    case = Case(operation, dtype, seed)
    GENERATORS[operation][1](case)
    return case
