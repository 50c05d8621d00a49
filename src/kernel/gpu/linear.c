// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Cholesky factors, a group of items for each matrix, and triangular systems, an item for each
// column. Of larger matrices than these loops are good for, the host computes them.
#include "base/type.h"
#include "kernel/gpu/source.h"

enum { LARGEST_ORDER = 1024 };

static int64_t order_of(const tn_type_t* type) {
  return type->dims[type->rank - 1];
}

bool tn__gpu_linear_supports(const tn_op_use_t* use) {
  const tn_dtype_t dtype = use->operand_types[0]->dtype;
  return tn__gpu_know_types(use) && (dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F64) &&
         order_of(use->operand_types[0]) <= LARGEST_ORDER;
}

// Columns of the lower factor one after the other, each by all items; the other triangle is zeros.
// The upper factor is the lower one, transposed. A matrix that is not positive definite gives NaN.
static const char factor[] =
    "  TN_GLOBAL T* y = y0 + tn_group(0) * order * order;\n"
    "  TN_GLOBAL const T* x = x0 + tn_group(0) * order * order;\n"
    "  const long lane = tn_lane(0), lanes = tn_group_size(0);\n"
    "  int is_definite = 1;\n"
    "  for (long e = lane; e < order * order; e += lanes) {\n"
    "    y[e] = IS_KEPT(e / order, e % order) ? x[e] : 0;\n"
    "  }\n"
    "  tn_barrier();\n"
    "  for (long j = 0; j < order; ++j) {\n"
    "    for (long i = j + lane; i < order; i += lanes) {\n"
    "      T sum = y[PLACE(i, j)];\n"
    "      for (long k = 0; k < j; ++k) sum = fma(-y[PLACE(i, k)], y[PLACE(j, k)], sum);\n"
    "      y[PLACE(i, j)] = sum;\n"
    "    }\n"
    "    tn_barrier();\n"
    "    const T pivot = y[PLACE(j, j)], root = sqrt(pivot);\n"
    "    is_definite &= pivot > 0;\n"
    "    tn_barrier();\n"
    "    for (long i = j + lane; i < order; i += lanes) {\n"
    "      y[PLACE(i, j)] = i == j ? root : y[PLACE(i, j)] / root;\n"
    "    }\n"
    "    tn_barrier();\n"
    "  }\n"
    "  for (long e = lane; e < order * order && !is_definite; e += lanes) {\n"
    "    if (IS_KEPT(e / order, e % order)) y[e] = NOT_A_NUMBER;\n"
    "  }\n";

static void begin(tn_kernel_site_t* site, int64_t item_count, tn_gpu_source_t* source) {
  const tn_type_t* type = site->use->operand_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(type->dtype);
  tn__gpu_begin(source, site->arena, item_count);
  tn__gpu_add_words(source, type->dtype);
  for (uint32_t k = 0; k < site->use->operand_count; ++k) {
    tn__gpu_add_address(source, (int32_t)k, 0, dtype->memory);
  }
  tn__gpu_add_output(source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add(&source->body, "  const long order = n(%zu);\n",
              tn__gpu_add_number(source, order_of(type)));
}

tn_status_t tn__gpu_cholesky_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = site->use->operand_types[0];
  const bool is_lower = tn__attr_get_bool(&site->use->attrs, "lower", false);
  const int64_t order = order_of(type);
  const int64_t matrices = order ? tn__type_size(type) / order / order : 0;
  tn_gpu_source_t source;
  begin(site, matrices * TN_GPU_GROUP_SIZE, &source);
  source.is_grouped = true;
  tn__gpu_add(
      &source.functions,
      "#define IS_KEPT(i, j) ((j) %s (i))\n#define PLACE(i, j) (%s)\n"
      "#define NOT_A_NUMBER %s\n",
      is_lower ? "<=" : ">=", is_lower ? "(i) * order + (j)" : "(j) * order + (i)",
      type->dtype == TN_DTYPE_F64 ? "as_double(0x7ff8000000000000UL)" : "as_float(0x7fc00000u)");
  tn__gpu_add(&source.body, "%s", factor);
  return tn__gpu_finish_one(site, &source);
}

// A system on the right is the transposed one on the left. Unknown p needs those before it, which
// are first in a lower triangle and last in an upper one.
tn_status_t tn__gpu_triangular_solve_prepare(tn_kernel_site_t* site) {
  const tn_attr_dictionary_t* attrs = &site->use->attrs;
  const tn_type_t *a = site->use->operand_types[0], *b = site->use->operand_types[1];
  const tn_attr_t* transpose = tn__attr_find(attrs, "transpose_a");
  const bool is_left = tn__attr_get_bool(attrs, "left_side", true);
  const bool is_transposed =
      (transpose && !tn__sv_is(transpose->string, "NO_TRANSPOSE")) != !is_left;
  const bool is_lower = tn__attr_get_bool(attrs, "lower", false) != is_transposed;
  const int64_t order = order_of(a);
  const int64_t columns = b->dims[b->rank - (is_left ? 1 : 2)];
  tn_gpu_source_t source;
  begin(site, order ? tn__type_size(b) / order : 0, &source);
  const size_t count = tn__gpu_add_number(&source, columns);
  tn__gpu_add(&source.functions, "#define PLACE(p, q) (%s)\n#define UNKNOWN(s) (%s)\n",
              is_transposed ? "(q) * order + (p)" : "(p) * order + (q)",
              is_lower ? "(s)" : "order - 1 - (s)");
  tn__gpu_add(&source.body,
              "  const long columns = n(%zu), matrix = i / columns, column = i %% columns;\n"
              "  const long first = matrix * order * columns + column%s, step = %s;\n"
              "  TN_GLOBAL const T* a = x0 + matrix * order * order;\n"
              "  for (long s = 0; s < order; ++s) {\n"
              "    const long p = UNKNOWN(s);\n"
              "    T sum = x1[first + p * step];\n"
              "    for (long t = 0; t < s; ++t) {\n"
              "      const long q = UNKNOWN(t);\n"
              "      sum = fma(-a[PLACE(p, q)], y0[first + q * step], sum);\n"
              "    }\n"
              "    y0[first + p * step] = sum%s;\n"
              "  }\n",
              count, is_left ? "" : " * order", is_left ? "columns" : "1",
              tn__attr_get_bool(attrs, "unit_diagonal", false) ? "" : " / a[PLACE(p, p)]");
  return tn__gpu_finish_one(site, &source);
}
