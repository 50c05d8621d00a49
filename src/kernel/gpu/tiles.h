// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What kernels have in common that compute tiles of a product of matrices: a group of items
// computes TILE times TILE elements of the result, each item BLOCK times BLOCK of them, from strips
// of both sides that the group brings to its memory, STRIP elements deep.
#ifndef TENON_KERNEL_GPU_TILES_H_
#define TENON_KERNEL_GPU_TILES_H_

#include "kernel/gpu/source.h"

enum {
  TN_GPU_TILE = 64,
  TN_GPU_STRIP = 16,
  TN_GPU_BLOCK = 4,
  TN_GPU_TILE_SIDE = TN_GPU_TILE / TN_GPU_BLOCK,
  TN_GPU_TILE_PITCH = TN_GPU_TILE + 1,  // from one element of the depth to the next
};

// Whether a product of this size is worth tiles.
static inline bool tn__gpu_is_worth_tiles(int64_t rows, int64_t columns, int64_t depth) {
  return rows >= TN_GPU_TILE / 2 && columns >= TN_GPU_TILE / 2 && depth >= TN_GPU_STRIP;
}

// How many groups there are, as items.
int64_t tn__gpu_tile_items(int64_t batch, int64_t rows, int64_t columns);

// tiled_dot.c. Writes a and b (the strips), lane, row and column (of the item's first element in
// the tile), batch, a_first and b_first (where the tile begins) and sums, which are zeros.
void tn__gpu_add_tile(tn_gpu_source_t* source, int64_t rows, int64_t columns);
// Adds the products of the strips to the sums.
void tn__gpu_add_tile_products(tn_gpu_source_t* source, bool is_real);

#endif  // TENON_KERNEL_GPU_TILES_H_
