// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

/* Reads the arrays that NumPy's save() writes: integers and floats, as double. */
#ifndef DIGITS_NPY_H
#define DIGITS_NPY_H

#include <stddef.h>

#define NPY_MAX_RANK 8

typedef struct npy_array_t {
  size_t rank;
  size_t dims[NPY_MAX_RANK];
  size_t count;   /* the product of the dims */
  double* values; /* row by row; npy_free() releases them */
} npy_array_t;

/* Returns 1 and fills *out_array; or returns 0 and writes into `message` (of `message_size` bytes)
 * what is wrong with the file. */
int npy_load(const char* path, npy_array_t* out_array, char* message, size_t message_size);
void npy_free(npy_array_t* array);

#endif
