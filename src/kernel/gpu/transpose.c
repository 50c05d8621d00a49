// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copies of transposed arrays: a group reads a tile along the dimension in which elements are
// neighbours in the operand, and writes it along the result's last one.
#include "base/integer.h"
#include "base/type.h"
#include "kernel/gpu/reads.h"

enum { TILE = 32, FEWEST = 16, ROWS = TN_GPU_GROUP_SIZE / TILE };

// The dimension in which neighbours in the operand are; the rank: there is none.
static size_t near_dimension(const tn_gpu_reads_t* reads) {
  for (size_t d = 0; d < reads->rank; ++d) {
    if (reads->items[0].strides[d] == 1) return d;
  }
  return reads->rank;
}

bool tn__gpu_is_transposed(const tn_gpu_reads_t* reads) {
  const size_t near = near_dimension(reads);
  return reads->count == 1 && reads->items[0].is_strided && near + 1 < reads->rank &&
         reads->dims[near] >= FEWEST && reads->dims[reads->rank - 1] >= FEWEST;
}

tn_status_t tn__gpu_transpose_prepare(tn_kernel_site_t* site, const tn_gpu_reads_t* reads) {
  const tn_gpu_read_t* read = &reads->items[0];
  const size_t near = near_dimension(reads), last = reads->rank - 1;
  const char* bits = tn__gpu_bits_of(site->use->result_types[0]);
  int64_t to[TN_GPU_MOST_DIMS] = {0}, stride = 1, others = 1;
  tn_gpu_source_t source;
  tn_gpu_text_t* body = &source.body;
  for (size_t d = reads->rank; d-- > 0; stride *= reads->dims[d]) {
    to[d] = stride;
    if (d != near && d != last) others *= reads->dims[d];
  }
  const int64_t near_tiles = tn__ceil_divide(reads->dims[near], TILE);
  const int64_t last_tiles = tn__ceil_divide(reads->dims[last], TILE);
  tn__gpu_begin(&source, site->arena, others * near_tiles * last_tiles * TN_GPU_GROUP_SIZE);
  source.is_grouped = true;
  tn__gpu_add_address(&source, 0, read->byte_offset, bits);
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, bits);
  const size_t n_near = tn__gpu_add_number(&source, near_tiles);
  const size_t n_last = tn__gpu_add_number(&source, last_tiles);
  tn__gpu_add(body,
              "  TN_SHARED %s tile[%d];\n"
              "  const long lane = tn_lane(0), x = lane %% %d, y = lane / %d;\n"
              "  const long near = tn_group(0) %% n(%zu) * %d;\n"
              "  const long last = tn_group(0) / n(%zu) %% n(%zu) * %d;\n"
              "  long rest = tn_group(0) / n(%zu) / n(%zu), from = 0, to = 0;\n",
              bits, TILE * (TILE + 1), TILE, TILE, n_near, TILE, n_near, n_last, TILE, n_near,
              n_last);
  for (size_t d = reads->rank; d-- > 0;) {
    if (d == near || d == last) continue;
    const size_t dim = tn__gpu_add_number(&source, reads->dims[d]);
    const size_t in = tn__gpu_add_number(&source, read->strides[d]);
    const size_t out = tn__gpu_add_number(&source, to[d]);
    tn__gpu_add(body,
                "  from += rest %% n(%zu) * n(%zu);\n  to += rest %% n(%zu) * n(%zu);\n"
                "  rest /= n(%zu);\n",
                dim, in, dim, out, dim);
  }
  const size_t near_dim = tn__gpu_add_number(&source, reads->dims[near]);
  const size_t last_dim = tn__gpu_add_number(&source, reads->dims[last]);
  const size_t in = tn__gpu_add_number(&source, read->strides[last]);
  const size_t out = tn__gpu_add_number(&source, to[near]);
  tn__gpu_add(body,
              "  for (int k = 0; k < %d; k += %d) {\n    const long r = k + y;\n"
              "    if (near + x < n(%zu) && last + r < n(%zu)) {\n"
              "      tile[r * %d + x] = x0[from + near + x + (last + r) * n(%zu)];\n"
              "    }\n  }\n"
              "  tn_barrier();\n"
              "  for (int k = 0; k < %d; k += %d) {\n    const long r = k + y;\n"
              "    if (near + r < n(%zu) && last + x < n(%zu)) {\n"
              "      y0[to + (near + r) * n(%zu) + last + x] = tile[x * %d + r];\n"
              "    }\n  }\n",
              TILE, ROWS, near_dim, last_dim, TILE + 1, in, TILE, ROWS, near_dim, last_dim, out,
              TILE + 1);
  return tn__gpu_finish_one(site, &source);
}
