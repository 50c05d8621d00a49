// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How to read a column of scalar.def: NONE, IS(expression) and what else may be there.
#ifndef TENON_OPS_SCALAR_H_
#define TENON_OPS_SCALAR_H_

#define TN_COLUMN_NONE NONE, 0
#define TN_COLUMN_IS(...) IS, (__VA_ARGS__)
#define TN_COLUMN_BITS(...) TN_BITS_FORM, (__VA_ARGS__)
#define TN_COLUMN_PERIODIC(...) TN_PERIODIC_FORM, (__VA_ARGS__)
#define TN_COLUMN_ALONE(...) ALONE, (__VA_ARGS__)
#define TN_COLUMN_APART(...) APART, (__VA_ARGS__)
#define TN_COLUMN_BY_PARTS BY_PARTS, 0
#define TN_COLUMN_FLAT FLAT, 0
#define TN_COLUMN_OWN OWN, 0
#define TN_COLUMN_ARRAY(...) ARRAY, (__VA_ARGS__)

// What BITS(expression) is read as; a file that shares the loops of both signs says so here.
#define TN_BITS_FORM IS
// And PERIODIC(expression); a file that computes large operands apart says so.
#define TN_PERIODIC_FORM IS

// Becomes PREFIX_NONE(name, detail, expression), PREFIX_IS(name, detail, expression)... `detail` is
// the caller's; the expression is in parentheses.
#define TN_COLUMN(prefix, name, detail, column) \
  TN_COLUMN_1(prefix, name, detail, TN_COLUMN_##column)
#define TN_COLUMN_1(prefix, name, detail, ...) TN_COLUMN_2(prefix, name, detail, __VA_ARGS__)
#define TN_COLUMN_2(prefix, name, detail, how, expression) prefix##_##how(name, detail, expression)

// What is before the name in tables of kernels: TN_PREFIX_##dialect #name.
#define TN_PREFIX_stablehlo ""
#define TN_PREFIX_chlo "chlo."

#endif  // TENON_OPS_SCALAR_H_
