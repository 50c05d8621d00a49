// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#ifndef TENON_TEST_GROWTH_SHAPES_H_
#define TENON_TEST_GROWTH_SHAPES_H_

#include <stdio.h>

enum { WORK_COMPILE = 1, WORK_WRITE = 2, WORK_ALL = 3, WORK_PARTS = 4 };

// A kind of program whose text grows in proportion to `n`.
typedef struct shape {
  const char* name;
  void (*write)(FILE* file, int n);
  int n;
  unsigned
      work;  // WORK_*, beside reading and verifying; PARTS: what lies between separators, by itself
  size_t leaves;  // in tuples, for each of n
} shape_t;

// Between the modules of one file.
#define SEPARATOR "// -----\n"

extern const shape_t shapes[];  // ends with a NULL name

#endif  // TENON_TEST_GROWTH_SHAPES_H_
