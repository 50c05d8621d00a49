// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of large matrices, by tiles.
#include "base/integer.h"
#include "base/type.h"
#include "kernel/gpu/dot.h"
#include "kernel/gpu/tiles.h"

enum {
  TILE = TN_GPU_TILE,
  DEPTH = TN_GPU_STRIP,
  BLOCK = TN_GPU_BLOCK,
  SIDE = TN_GPU_TILE_SIDE,
  PITCH = TN_GPU_TILE_PITCH,
};

bool tn__gpu_dot_has_tiles(const tn_gpu_dot_t* dot) {
  const tn_gpu_axes_t axes = tn__gpu_dot_axes(dot, 0, 1);
  if (tn_dtype_kind(dot->use->result_types[0]->dtype) == TN_KIND_COMPLEX) return false;
  return tn__gpu_is_worth_tiles(axes.free[0].size, axes.free[1].size, axes.depth.size);
}

// Defines name(i): where element i of the axis is in a side, from the first one.
static void add_place(tn_gpu_source_t* source, const char* name, const tn_gpu_axis_t* axis,
                      size_t side) {
  tn_gpu_text_t* functions = &source->functions;
  int64_t inner = 1;
  tn__gpu_add(functions, "#define %s(i) (0", name);
  for (size_t d = axis->count; d-- > 0;) {
    const size_t stride = tn__gpu_add_number(source, axis->strides[side][d]);
    tn__gpu_add(functions, " + (i)");
    if (inner > 1) tn__gpu_add(functions, " / n(%zu)", tn__gpu_add_number(source, inner));
    if (d) tn__gpu_add(functions, " %% n(%zu)", tn__gpu_add_number(source, axis->dims[d]));
    tn__gpu_add(functions, " * n(%zu)", stride);
    inner *= axis->dims[d];
  }
  tn__gpu_add(functions, ")\n");
}

// Brings a strip of a side to the group's memory, zeros where it ends. Lanes that are neighbours
// read elements that are.
static void add_strip(tn_gpu_source_t* source, const tn_gpu_axes_t* axes, size_t side,
                      const tn_gpu_dtype_t* dtype, size_t free_size, size_t depth_size) {
  const tn_gpu_axis_t *depth = &axes->depth, *free = &axes->free[side];
  const bool goes_deep = depth->count && depth->strides[side][depth->count - 1] == 1 &&
                         !(free->count && free->strides[side][free->count - 1] == 1);
  const char name = side ? 'b' : 'a';
  tn__gpu_add(&source->body, "    for (long e = lane; e < %d; e += %d) {\n", TILE * DEPTH,
              SIDE * SIDE);
  if (goes_deep) {
    tn__gpu_add(&source->body, "      const long p = e / %d, k = e %% %d;\n", DEPTH, DEPTH);
  } else {
    tn__gpu_add(&source->body, "      const long p = e %% %d, k = e / %d;\n", TILE, TILE);
  }
  tn__gpu_add(&source->body,
              "      const long f = %c_first + p, d = depth + k;\n"
              "      T x = 0;\n"
              "      if (f < n(%zu) && d < n(%zu)) {\n"
              "        x = (T)LOAD%s(x%zu, %c_base + %c_FREE(f) + %c_DEPTH(d));\n"
              "      }\n"
              "      %c[k * %d + p] = x;\n    }\n",
              name, free_size, depth_size, dtype->suffix, side, name, side ? 'B' : 'A',
              side ? 'B' : 'A', name, PITCH);
}

int64_t tn__gpu_tile_items(int64_t batch, int64_t rows, int64_t columns) {
  return batch * tn__ceil_divide(rows, TILE) * tn__ceil_divide(columns, TILE) * SIDE * SIDE;
}

void tn__gpu_add_tile(tn_gpu_source_t* source, int64_t rows, int64_t columns) {
  const size_t row_tiles = tn__gpu_add_number(source, tn__ceil_divide(rows, TILE));
  const size_t column_tiles = tn__gpu_add_number(source, tn__ceil_divide(columns, TILE));
  tn__gpu_add(&source->body,
              "  TN_SHARED T a[%d];\n  TN_SHARED T b[%d];\n"
              "  const long lane = tn_lane(0), row = lane / %d, column = lane %% %d;\n"
              "  const long group = tn_group(0), batch = group / n(%zu) / n(%zu);\n"
              "  const long a_first = group / n(%zu) %% n(%zu) * %d;\n"
              "  const long b_first = group %% n(%zu) * %d;\n"
              "  T sums[%d][%d];\n"
              "  for (int r = 0; r < %d; ++r) {\n"
              "    for (int c = 0; c < %d; ++c) sums[r][c] = 0;\n  }\n",
              DEPTH * PITCH, DEPTH * PITCH, SIDE, SIDE, column_tiles, row_tiles, column_tiles,
              row_tiles, TILE, column_tiles, TILE, BLOCK, BLOCK, BLOCK, BLOCK);
}

void tn__gpu_add_tile_products(tn_gpu_source_t* source, bool is_real) {
  tn__gpu_add(
      &source->body,
      "    for (int k = 0; k < %d; ++k) {\n"
      "      T u[%d], v[%d];\n"
      "      for (int r = 0; r < %d; ++r) {\n"
      "        u[r] = a[k * %d + row + r * %d];\n"
      "        v[r] = b[k * %d + column + r * %d];\n"
      "      }\n"
      "      for (int r = 0; r < %d; ++r) {\n"
      "        for (int c = 0; c < %d; ++c) {\n"
      "          sums[r][c] = %s;\n"
      "        }\n      }\n    }\n",
      DEPTH, BLOCK, BLOCK, BLOCK, PITCH, SIDE, PITCH, SIDE, BLOCK, BLOCK,
      is_real ? "fma(u[r], v[c], sums[r][c])" : "(T)(WIDE(sums[r][c]) + WIDE(u[r]) * WIDE(v[c]))");
}

tn_status_t tn__gpu_tiled_dot_prepare(tn_kernel_site_t* site, const tn_gpu_dot_t* dot) {
  const tn_op_use_t* use = dot->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  const tn_gpu_axes_t axes = tn__gpu_dot_axes(dot, 0, 1);
  tn_gpu_source_t source;
  tn_gpu_text_t* body = &source.body;
  tn__gpu_begin(&source, site->arena,
                tn__gpu_tile_items(axes.batch.size, axes.free[0].size, axes.free[1].size));
  source.is_grouped = true;
  tn__gpu_add_words(&source, result->dtype);
  add_place(&source, "A_FREE", &axes.free[0], 0);
  add_place(&source, "B_FREE", &axes.free[1], 1);
  add_place(&source, "A_DEPTH", &axes.depth, 0);
  add_place(&source, "B_DEPTH", &axes.depth, 1);
  add_place(&source, "A_BATCH", &axes.batch, 0);
  add_place(&source, "B_BATCH", &axes.batch, 1);
  for (size_t side = 0; side < 2; ++side) {
    tn__gpu_add_address(&source, (int32_t)side, 0,
                        tn__gpu_dtype(use->operand_types[side]->dtype)->memory);
  }
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  const size_t rows = tn__gpu_add_number(&source, axes.free[0].size);
  const size_t columns = tn__gpu_add_number(&source, axes.free[1].size);
  const size_t depth = tn__gpu_add_number(&source, axes.depth.size);
  tn__gpu_add_tile(&source, axes.free[0].size, axes.free[1].size);
  tn__gpu_add(body,
              "  const long a_base = A_BATCH(batch), b_base = B_BATCH(batch);\n"
              "  for (long depth = 0; depth < n(%zu); depth += %d) {\n",
              depth, DEPTH);
  for (size_t side = 0; side < 2; ++side) {
    add_strip(&source, &axes, side, tn__gpu_dtype(use->operand_types[side]->dtype),
              side ? columns : rows, depth);
  }
  tn__gpu_add(body, "    tn_barrier();\n");
  tn__gpu_add_tile_products(&source, tn_dtype_kind(result->dtype) == TN_KIND_FLOAT);
  tn__gpu_add(body,
              "    tn_barrier();\n  }\n"
              "  for (int r = 0; r < %d; ++r) {\n"
              "    for (int c = 0; c < %d; ++c) {\n"
              "      const long p = a_first + row + r * %d, q = b_first + column + c * %d;\n"
              "      if (p < n(%zu) && q < n(%zu)) {\n"
              "        STORE%s(y0, (batch * n(%zu) + p) * n(%zu) + q, sums[r][c]);\n"
              "      }\n    }\n  }\n",
              BLOCK, BLOCK, SIDE, SIDE, rows, columns, dtype->suffix, rows, columns);
  return tn__gpu_finish_one(site, &source);
}
