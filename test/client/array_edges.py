# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Operands where derivatives have a choice, or fall into a trap: equal elements, zeros, infinities."""

import numpy as np

INF, NAN = np.inf, np.nan


def line(*numbers):
    return np.array(numbers, np.float64)


# (name, operands, lists, numbers)
EDGES = [
    *[(name, [line(0, -0.0, 1, -1)], [], []) for name in (
        "sign", "sqrt", "rsqrt", "reciprocal", "log", "log1p", "log2", "log10", "square", "arccos", "arcsin", "arctanh",
        "erfinv", "cosh", "arcsinh", "floor", "ceil", "trunc")],
    *[(name, [line(800, -800, 30, -30, INF, -INF, NAN)], [], []) for name in (
        "tanh", "sigmoid", "exp", "expm1", "erf", "arctan", "arcsinh", "sinh", "cosh", "log1p", "square")],
    *[(name, [line(1, 3, 3, 2, NAN, INF), line(2, 3, 3, 2, 1, INF)], [], []) for name in (
        "maximum", "minimum", "add", "multiply", "divide")],
    ("logaddexp", [line(1, 3, -INF, 0, 900), line(2, 3, 0, -INF, -900)], [], []),
    ("arccosh", [line(1, 2)], [], []),
    ("arctan2", [line(0, 0, 1, -1, 0), line(0, 1, 0, 0, -1)], [], []),
    ("divide", [line(0, 1, 0), line(0, 0, 2)], [], []),
    ("power", [line(0, 0, 2, 1, 4, 0), line(2, 1, 0, 5, 0.5, 0.5)], [], []),
    ("power", [line(-2, -2, -1), line(2, 3, 0)], [], []),
    ("remainder", [line(4, 5, -4, -5), line(2, 2, 2, -2)], [], []),
    ("clip", [line(-1, 0, 0.5, 1, 2), line(0), line(1)], [], []),
    ("where", [np.array([True, False]), line(NAN, 1), line(1, NAN)], [], []),
    ("nan_to_num", [line(NAN, INF, -INF, 1)], [], [0, 3, -3]),
    *[(name, [line(2, 1, 2, 1, 2)], [None, [0]], []) for name in ("max", "min", "median", "prod")],
    ("median", [line(2, 1, 2, 3)], [None, [0]], []),
    ("prod", [line(2, 0, 3)], [None, [0]], []),
    ("prod", [line(2, 0, 3, 0)], [None, [0]], []),
    *[(name, [line(2, 1, 2, 3, 3, 0)], [[0], [0], [1]], []) for name in ("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")],
    ("cumprod", [line(2, 0, 3, 0, 1)], [[0], [0], [1]], []),
    ("logcumsumexp", [line(1, 900, -900)], [[0], [0], [1]], []),
    ("logsumexp", [line(-INF, 1, 2)], [None, [0]], []),
    ("logsumexp", [line(-INF, -INF)], [None, [0]], []),
    ("logsumexp", [line(900, 900, -900)], [None, [0]], []),
    ("logsumexp", [line(INF, 1)], [None, [0]], []),
    ("softmax", [line(-INF, 1, 2)], [[0], [1]], []),
    ("softmax", [line(900, -900, 900)], [[0], [1]], []),
    ("std", [line(2, 2, 2)], [None, [0], [0]], []),
    ("var", [line(2, 2, 2)], [None, [0], [0]], []),
    ("linalg_norm", [line(0, 0)], [[0], None, [0]], [0]),
    ("linalg_norm", [line(3, 3, -3)], [[1], None, [0]], [INF]),
    ("sort", [line(2, 1, 2, 1, -INF, INF)], [[0]], []),
    ("topk_sorted", [line(2, 1, 2, 1)], [[2], [0]], []),
    ("partition_place", [line(2, 1, 2, 1)], [[1], [0]], []),
    ("take", [line(5, 6, 7), np.array([1, 1, -1])], [[0]], []),
    ("index_update", [line(2, 3, 1), line(3, 3, 3), np.array([0, 0, 1])], [[4, 0, 0, 0], [5]], []),
    ("index_update", [line(2, 3, 1), line(1, 1, 2), np.array([0, 2, 2])], [[4, 0, 0, 0], [6]], []),
    ("index_update", [line(2, 3, 1), line(0, 5, 0), np.array([0, 0, 1])], [[4, 0, 0, 0], [3]], []),
    ("index_update", [line(2, 3, 1), line(0, 5, 0), np.array([0, 0, 0])], [[4, 0, 0, 0], [3]], []),
    ("linalg_det", [np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]])[[0, 1, 0]]], [], []),
    ("linalg_det", [np.array([[[0.0]], [[2.0]]])], [], []),
    ("linalg_det", [np.eye(3)], [], []),
    ("linalg_det", [np.diag(line(1, 2, 0, 0))], [], []),
    ("linalg_det", [np.diag(line(0, 1, 2, 3, 0))], [], []),
    ("linalg_det", [np.ones((4, 4))], [], []),
    ("linalg_det", [np.zeros((3, 4, 4))], [], []),
    ("linalg_det", [np.arange(16.0).reshape(4, 4)[[3, 0, 2, 0]] % 5], [], []),
    ("linalg_pinv", [np.eye(3)], [], []),
    ("linalg_pinv", [np.eye(4)[:, :2] * 2], [], []),
    ("linalg_qr", [np.eye(3)], [], []),
    ("linalg_norm", [np.eye(3)], [[3], None, [0]], [0]),
    ("abs", [np.array([0, 3 + 4j, -1])], [], []),
    ("sqrt", [np.array([-1, 1j])], [], []),
    ("multiply", [np.array([1 + 2j, 3j]), np.array([2 - 1j, 1])], [], []),
    ("power", [np.array([1 + 2j, 2j]), np.array([2 - 1j, 1])], [], []),
    ("reciprocal", [np.array([0, 1 + 1j])], [], []),
]

# Operands where second derivatives do, which JAX has right.
SECOND_EDGES = [
    *[("linalg_det", [matrix], [], []) for matrix in (
        np.zeros((2, 2)), np.zeros((3, 3)), np.ones((3, 3)), np.diag(line(0, 2, 3)), np.diag(line(2, 0, 0)), np.eye(3),
        np.eye(3)[[2, 0, 1]], np.array([[0.0, 1, 2], [0, 3, 4], [0, 1, 7]]))],
    *[(name, [numbers], *lists) for numbers in (line(2, 0, 3, 4), line(2, 0, 3, 0), line(0, 0, 3, 0)) for name, *lists in (
        ("prod", [None, [0]], []), ("cumprod", [[0], [0], [1]], []), ("cumprod", [[0], [1], [0]], []))],
    ("index_update", [line(2, 3, 1), line(0, 5, 0), np.array([0, 2, 1])], [[4, 0, 0, 0], [3]], []),
]

# Where Tenon departs from JAX (docs/lazy-arrays.md), with the gradients of the sum of the result.
DEPARTURES = [
    # 0, as in MLX; 1 in JAX.
    (("abs", [line(0, -0.0, 2, -2)], [], []), [line(0, 0, 1, -1)]),
    (("linalg_norm", [line(3, 0)], [[1], None, [0]], [1]), [line(1, 0)]),
    # Numbers, as limits go; NaN in JAX.
    (("power", [line(0, 0), line(0, -1)], [], []), [line(0, -INF), line(0, 0)]),
    (("logaddexp", [line(-INF, INF, INF), line(-INF, INF, 0)], [], []), [line(0.5, 0.5, 1), line(0.5, 0.5, 0)]),
    # Three that are equal get a third each; JAX has no derivative of this one.
    (("index_update", [line(2, 3, 1), line(1, 1, 1), np.array([0, 2, 2])], [[4, 0, 0, 0], [6]], []),
     [line(0, 1, 1 / 3), line(1, 1 / 3, 1 / 3)]),
]
