// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products in blocks whose operands are packed into panels.
#include "kernel/contraction/gemm_blocked.h"

#include <string.h>

#include "base/integer.h"

enum {
  ALIGNMENT = 64,
  // Rows and columns that are packed at a time: a few MiB of panels, whatever the shape.
  BLOCK_ROWS = 12 * 340,
  BLOCK_COLUMNS = 128 * 32,
  // Tiles of a piece of work, each way.
  PIECE_TILES = 4,
  PACK_GRAIN = 1 << 14,  // scalars that are packed on one thread
  // What is converted at a time: lines of a panel of the widest tile, or of several panels.
  LOAD_BYTES = TN_GEMM_DEPTH * TN_GEMM_TILE_COLUMNS * 4,
  LOAD_WIDTH = 4 * TN_GEMM_TILE_COLUMNS,
};

// What the packed loops see: a complex matrix is a real one of twice the size; several terms may
// be one scalar.
typedef struct extent {
  int64_t rows, columns, depth;
} extent_t;

static extent_t packed_extent(const tn_gemm_t* gemm) {
  const int64_t parts = gemm->is_complex ? 2 : 1;
  return (extent_t){gemm->shape.rows, gemm->shape.columns * parts,
                    tn__ceil_divide(gemm->shape.depth * parts, gemm->set->terms)};
}

// One of the operands in a block, in units of what the packed loops see.
typedef struct block_side {
  const tn_gemm_side_t* side;
  int64_t tile;  // lines of a panel
  void (*pack)(int64_t lines, int64_t depth, const void* matrix, int64_t stride,
               int64_t depth_stride, void* packed);
  const char* data;
  char* panels;
  int64_t first, count;  // lines of the block
} block_side_t;

typedef struct block_run {
  const tn_gemm_t* gemm;
  block_side_t lhs, rhs;
  char* result;
  int64_t depth_begin, depth;
} block_run_t;

static block_run_t begin_blocks(const tn_gemm_t* gemm, const char* lhs, const char* rhs,
                                char* result) {
  const tn_gemm_set_t* set = gemm->set;
  return (block_run_t){
      .gemm = gemm,
      .lhs = {&gemm->lhs, set->tile_rows, set->pack_rows, lhs, NULL, 0, 0},
      .rhs = {&gemm->rhs, set->tile_columns, set->pack_columns, rhs, NULL, 0, 0},
      .result = result,
  };
}

static int64_t panel_count(const block_side_t* side) {
  return tn__ceil_divide(side->count, side->tile);
}

// Panels that are worth a thread's while.
static int64_t pack_grain(const block_run_t* run, const block_side_t* side) {
  return PACK_GRAIN / (side->tile * run->depth) + 1;
}

// Of `lines` lines, of `depth` terms.
static size_t panels_byte_size(const tn_gemm_t* gemm, int64_t lines, int64_t tile, int64_t depth) {
  return (size_t)(tn__ceil_divide(lines, tile) * tile * depth) * gemm->scalar_size;
}

// Real and imaginary part of row r, term p are at depths 2p and 2p + 1.
static void pack_complex_rows(const block_run_t* run, int64_t first, int64_t rows, char* packed) {
  const block_side_t* lhs = &run->lhs;
  const size_t scalar = run->gemm->scalar_size;
  memset(packed, 0, (size_t)(lhs->tile * run->depth) * scalar);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t p = 0; p < run->depth; p += 2) {
      const int64_t index = (lhs->first + first + r) * lhs->side->stride +
                            (run->depth_begin + p) / 2 * lhs->side->depth_stride;
      const char* element = lhs->data + index * (int64_t)lhs->side->size;
      memcpy(packed + (size_t)(p * lhs->tile + r) * scalar, element, scalar);
      memcpy(packed + (size_t)((p + 1) * lhs->tile + r) * scalar, element + scalar, scalar);
    }
  }
}

static void negate(const tn_gemm_t* gemm, char* scalar) {
  if (gemm->scalar_size == sizeof(float)) {
    float value;
    memcpy(&value, scalar, sizeof value);
    value = -value;
    memcpy(scalar, &value, sizeof value);
  } else {
    double value;
    memcpy(&value, scalar, sizeof value);
    value = -value;
    memcpy(scalar, &value, sizeof value);
  }
}

// a + bi gives the terms (a, b) for a real left factor and (-b, a) for an imaginary one.
static void pack_complex_columns(const block_run_t* run, int64_t first, int64_t columns,
                                 char* packed) {
  const block_side_t* rhs = &run->rhs;
  const size_t scalar = run->gemm->scalar_size;
  memset(packed, 0, (size_t)(rhs->tile * run->depth) * scalar);
  for (int64_t p = 0; p < run->depth; p += 2) {
    for (int64_t c = 0; c < columns; c += 2) {
      const int64_t index = (run->depth_begin + p) / 2 * rhs->side->depth_stride +
                            (rhs->first + first + c) / 2 * rhs->side->stride;
      const char* element = rhs->data + index * (int64_t)rhs->side->size;
      char* real = packed + (size_t)(p * rhs->tile + c) * scalar;
      char* imaginary = packed + (size_t)((p + 1) * rhs->tile + c) * scalar;
      memcpy(real, element, 2 * scalar);
      memcpy(imaginary, element + scalar, scalar);
      negate(run->gemm, imaginary);
      memcpy(imaginary + scalar, element, scalar);
    }
  }
}

// --- packing

// `lines` lines whose terms are neighbours: each is converted, then all are packed. `terms` of each
// make `run->depth` scalars; what is missing is zero.
static void load_lines(const block_run_t* run, const block_side_t* side, const char* data,
                       int64_t lines, int64_t terms, char* packed) {
  _Alignas(ALIGNMENT) char loaded[LOAD_BYTES];
  const size_t line = (size_t)run->depth * run->gemm->scalar_size;
  const size_t length = (size_t)terms * tn_dtype_byte_size(side->side->load.to);
  for (int64_t i = 0; i < lines; ++i) {
    char* target = loaded + (size_t)i * line;
    side->side->load.run(&side->side->load,
                         data + i * side->side->stride * (int64_t)side->side->size, target,
                         (size_t)terms);
    memset(target + length, 0, line - length);
  }
  side->pack(lines, run->depth, loaded, run->depth, 1, packed);
}

// pairs[i] = first[i], then second[i].
static void join_pairs(const uint16_t* restrict first, const uint16_t* restrict second,
                       int64_t count, uint32_t* restrict pairs) {
  for (int64_t i = 0; i < count; ++i) pairs[i] = first[i] | (uint32_t)second[i] << 16;
}

// `lines` neighbouring elements of each of the terms that scalar `depth` is made of.
static void load_across(const block_run_t* run, const block_side_t* side, const char* data,
                        int64_t lines, int64_t depth, int64_t terms, char* loaded) {
  const tn_conversion_t* load = &side->side->load;
  const int64_t step = side->side->depth_stride * (int64_t)side->side->size;
  if (run->gemm->set->terms == 1) {
    load->run(load, data + depth * step, loaded, (size_t)lines);
    return;
  }
  uint16_t halves[2][LOAD_WIDTH] = {{0}};
  for (int64_t t = 0; t < 2 && 2 * depth + t < terms; ++t) {
    load->run(load, data + (2 * depth + t) * step, halves[t], (size_t)lines);
  }
  join_pairs(halves[0], halves[1], lines, (uint32_t*)(void*)loaded);
}

// The same of lines that are neighbours, in several panels.
static void load_columns(const block_run_t* run, const block_side_t* side, const char* data,
                         int64_t lines, int64_t terms, char* packed) {
  _Alignas(ALIGNMENT) char loaded[LOAD_BYTES];
  const size_t scalar = run->gemm->scalar_size;
  const int64_t most = LOAD_BYTES / (LOAD_WIDTH * (int64_t)scalar);
  for (int64_t begin = 0; begin < run->depth; begin += most) {
    const int64_t depth = tn__least(most, run->depth - begin);
    for (int64_t p = 0; p < depth; ++p) {
      load_across(run, side, data, lines, begin + p, terms,
                  loaded + (size_t)(p * LOAD_WIDTH) * scalar);
    }
    for (int64_t i = 0; i < lines; i += side->tile) {
      side->pack(tn__least(side->tile, lines - i), depth, loaded + (size_t)i * scalar, 1,
                 LOAD_WIDTH, packed + (size_t)(i * run->depth + begin * side->tile) * scalar);
    }
  }
}

// Panels [begin, end) of the block.
static void pack_panels(const block_run_t* run, const block_side_t* side, int64_t begin,
                        int64_t end) {
  const tn_gemm_side_t* operand = side->side;
  const int64_t size = (int64_t)operand->size, line_bytes = operand->stride * size;
  const size_t panel = (size_t)(side->tile * run->depth) * run->gemm->scalar_size;
  const int64_t term = run->depth_begin * run->gemm->set->terms;
  const char* block = side->data + side->first * line_bytes + term * operand->depth_stride * size;
  const int64_t stop = tn__least(end * side->tile, side->count);
  if (!operand->load.run) {
    const int64_t line = begin * side->tile;
    side->pack(stop - line, run->depth, block + line * line_bytes, operand->stride,
               operand->depth_stride, side->panels + (size_t)begin * panel);
    return;
  }
  const int64_t terms =
      tn__least(run->depth * run->gemm->set->terms, run->gemm->shape.depth - term);
  const bool is_across = operand->depth_stride != 1;
  const int64_t step = is_across ? LOAD_WIDTH / side->tile : 1;
  for (int64_t i = begin; i < end; i += step) {
    const int64_t line = i * side->tile;
    const int64_t lines = tn__least(step * side->tile, stop - line);
    (is_across ? load_columns : load_lines)(run, side, block + line * line_bytes, lines, terms,
                                            side->panels + (size_t)i * panel);
  }
}

typedef void pack_complex_fn(const block_run_t* run, int64_t first, int64_t lines, char* packed);

static void pack_side(const block_run_t* run, const block_side_t* side,
                      pack_complex_fn* pack_complex, int64_t begin, int64_t end) {
  const size_t panel = (size_t)(side->tile * run->depth) * run->gemm->scalar_size;
  if (!run->gemm->is_complex) {
    pack_panels(run, side, begin, end);
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i * side->tile;
    pack_complex(run, first, tn__least(side->tile, side->count - first),
                 side->panels + (size_t)i * panel);
  }
}

static tn_status_t pack_lhs(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  pack_side(run, &run->lhs, pack_complex_rows, begin, end);
  return TN_OK;
}

static tn_status_t pack_rhs(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  pack_side(run, &run->rhs, pack_complex_columns, begin, end);
  return TN_OK;
}

// --- computing

// One tile; at the edges of the result by way of a whole one.
static void compute_tile(const block_run_t* run, int64_t row, int64_t column, int64_t rows,
                         int64_t columns, const char* lhs, const char* rhs) {
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_set_t* set = gemm->set;
  const size_t scalar = gemm->scalar_size;
  const int64_t stride = packed_extent(gemm).columns;
  const bool add = run->depth_begin > 0;
  char* place =
      run->result + (size_t)((run->lhs.first + row) * stride + run->rhs.first + column) * scalar;
  if (rows == set->tile_rows && columns == set->tile_columns) {
    set->tile(run->depth, lhs, rhs, place, stride, add);
    return;
  }
  double whole[TN_GEMM_TILE_LIMIT];
  char* tile = (char*)whole;
  const size_t tile_row = (size_t)set->tile_columns * scalar;
  for (int64_t r = 0; add && r < rows; ++r) {
    memcpy(tile + (size_t)r * tile_row, place + (size_t)(r * stride) * scalar,
           (size_t)columns * scalar);
  }
  // Only what was copied in is copied out; the rest may be anything.
  set->tile(run->depth, lhs, rhs, tile, set->tile_columns, add);
  for (int64_t r = 0; r < rows; ++r) {
    memcpy(place + (size_t)(r * stride) * scalar, tile + (size_t)r * tile_row,
           (size_t)columns * scalar);
  }
}

// Pieces of PIECE_TILES x PIECE_TILES tiles, down the columns of pieces.
static tn_status_t compute_pieces(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  const tn_gemm_set_t* set = run->gemm->set;
  const int64_t piece_rows = set->tile_rows * PIECE_TILES;
  const int64_t piece_columns = set->tile_columns * PIECE_TILES;
  const int64_t down = tn__ceil_divide(run->lhs.count, piece_rows);
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t row = piece % down * piece_rows, column = piece / down * piece_columns;
    const int64_t row_end = tn__least(row + piece_rows, run->lhs.count);
    const int64_t column_end = tn__least(column + piece_columns, run->rhs.count);
    for (int64_t j = column; j < column_end; j += set->tile_columns) {
      const char* rhs = run->rhs.panels + (size_t)(j * run->depth) * run->gemm->scalar_size;
      for (int64_t i = row; i < row_end; i += set->tile_rows) {
        const char* lhs = run->lhs.panels + (size_t)(i * run->depth) * run->gemm->scalar_size;
        compute_tile(run, i, j, tn__least(set->tile_rows, row_end - i),
                     tn__least(set->tile_columns, column_end - j), lhs, rhs);
      }
    }
  }
  return TN_OK;
}

static int64_t piece_count(const block_run_t* run) {
  return tn__ceil_divide(run->lhs.count, run->lhs.tile * PIECE_TILES) *
         tn__ceil_divide(run->rhs.count, run->rhs.tile * PIECE_TILES);
}

static size_t lhs_scratch(const tn_gemm_t* gemm) {
  return tn__align_up(tn__gemm_rows_scratch(gemm, tn__least(packed_extent(gemm).rows, BLOCK_ROWS)),
                      ALIGNMENT);
}

size_t tn__gemm_blocked_scratch(const tn_gemm_t* gemm) {
  const extent_t extent = packed_extent(gemm);
  return lhs_scratch(gemm) +
         tn__align_up(
             panels_byte_size(gemm, tn__least(extent.columns, BLOCK_COLUMNS),
                              gemm->set->tile_columns, tn__least(extent.depth, TN_GEMM_DEPTH)),
             ALIGNMENT);
}

tn_status_t tn__gemm_blocked_run(const tn_gemm_t* gemm, tn_pool_t* pool, const char* lhs,
                                 const char* rhs, char* result, char* scratch) {
  const extent_t extent = packed_extent(gemm);
  block_run_t run = begin_blocks(gemm, lhs, rhs, result);
  run.lhs.panels = scratch;
  run.rhs.panels = scratch + lhs_scratch(gemm);
  for (run.rhs.first = 0; run.rhs.first < extent.columns; run.rhs.first += BLOCK_COLUMNS) {
    run.rhs.count = tn__least(BLOCK_COLUMNS, extent.columns - run.rhs.first);
    for (run.depth_begin = 0; run.depth_begin < extent.depth; run.depth_begin += TN_GEMM_DEPTH) {
      run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
      TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, panel_count(&run.rhs),
                                               pack_grain(&run, &run.rhs), pack_rhs, &run));
      for (run.lhs.first = 0; run.lhs.first < extent.rows; run.lhs.first += BLOCK_ROWS) {
        run.lhs.count = tn__least(BLOCK_ROWS, extent.rows - run.lhs.first);
        TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, panel_count(&run.lhs),
                                                 pack_grain(&run, &run.lhs), pack_lhs, &run));
        TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, piece_count(&run), 1, compute_pieces, &run));
      }
    }
  }
  return TN_OK;
}

// --- some rows, with the right operand packed before

// Blocks of terms, one behind the other, each with all columns.
static size_t packed_matrix_byte_size(const tn_gemm_t* gemm, int64_t depth) {
  return tn__align_up(
      panels_byte_size(gemm, packed_extent(gemm).columns, gemm->set->tile_columns, depth),
      ALIGNMENT);
}

static char* panels_of(const tn_gemm_t* gemm, const void* packed, int64_t matrix, int64_t depth) {
  return (char*)(uintptr_t)packed +
         (size_t)matrix * packed_matrix_byte_size(gemm, packed_extent(gemm).depth) +
         packed_matrix_byte_size(gemm, depth);
}

size_t tn__gemm_packed_byte_size(const tn_gemm_t* gemm) {
  return (size_t)gemm->batch * packed_matrix_byte_size(gemm, packed_extent(gemm).depth);
}

typedef struct pack_run {
  const tn_gemm_t* gemm;
  const char* rhs;
  char* packed;
} pack_run_t;

static tn_status_t pack_blocks(int64_t begin, int64_t end, void* user) {
  const pack_run_t* pack = user;
  const tn_gemm_t* gemm = pack->gemm;
  const extent_t extent = packed_extent(gemm);
  const int64_t blocks = tn__ceil_divide(extent.depth, TN_GEMM_DEPTH);
  for (int64_t i = begin; i < end; ++i) {
    int64_t lhs, rhs;
    tn__gemm_batch_offsets(&gemm->shape, i / blocks, &lhs, &rhs);
    block_run_t run = begin_blocks(gemm, NULL, pack->rhs + rhs * (int64_t)gemm->rhs.size, NULL);
    run.depth_begin = i % blocks * TN_GEMM_DEPTH;
    run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
    run.rhs.panels = panels_of(gemm, pack->packed, i / blocks, run.depth_begin);
    run.rhs.count = extent.columns;
    TN_RETURN_IF_ERROR(pack_rhs(0, panel_count(&run.rhs), &run));
  }
  return TN_OK;
}

tn_status_t tn__gemm_pack(const tn_gemm_t* gemm, tn_pool_t* pool, const void* rhs, void* packed) {
  pack_run_t pack = {gemm, rhs, packed};
  const int64_t blocks = tn__ceil_divide(packed_extent(gemm).depth, TN_GEMM_DEPTH);
  return tn__pool_parallel_for(pool, gemm->batch * blocks, 1, pack_blocks, &pack);
}

size_t tn__gemm_rows_scratch(const tn_gemm_t* gemm, int64_t rows) {
  const int64_t depth = tn__least(packed_extent(gemm).depth, TN_GEMM_DEPTH);
  return panels_byte_size(gemm, rows, gemm->set->tile_rows, depth);
}

void tn__gemm_rows(const tn_gemm_t* gemm, const void* packed, int64_t matrix, const void* lhs,
                   int64_t rows, void* result, void* scratch) {
  const extent_t extent = packed_extent(gemm);
  block_run_t run = begin_blocks(gemm, lhs, NULL, result);
  run.lhs.panels = scratch;
  run.lhs.count = rows;
  run.rhs.count = extent.columns;
  for (; run.depth_begin < extent.depth; run.depth_begin += TN_GEMM_DEPTH) {
    run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
    run.rhs.panels = panels_of(gemm, packed, matrix, run.depth_begin);
    (void)pack_lhs(0, panel_count(&run.lhs), &run);  // neither fails
    (void)compute_pieces(0, piece_count(&run), &run);
  }
}
