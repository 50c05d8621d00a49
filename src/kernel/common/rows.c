// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/rows.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/common/strided.h"
#include "kernel/common/transpose_block.h"

enum {
  LINE = TN_TRANSPOSE_LINE_BYTES,
  ROW_LENGTH = 8192,            // elements at a time when nothing is packed
  PACKED_LENGTH = 1024,         // when something is: all arrays fit the first-level cache
  TRANSPOSED_COLUMNS = 1024,    // when an array is transposed: few long rows for the others,
  TRANSPOSED_BYTES = 4 * LINE,  // and what is read at a time of each of its lines
  PACKED_AT_ONCE = 128,         // elements between two rounds of asking for what comes next
  ROW_START_LINES = 4,          // what the processor does not see coming when a row begins
  UNIT_GRAIN = 32768,           // elements worth a thread's while
};

// --- preparing

static int64_t at_least_one(int64_t count) {
  return count > 0 ? count : 1;
}

static bool is_transposed_path(const tn_row_path_t* path) {
  return path->is_packed && llabs(path->row_stride) < llabs(path->column_stride);
}

// Makes rows of the dimension along which an array that is to be packed has its neighbours.
static void choose_rows(size_t rank, int64_t* dims, size_t array_count, tn_row_path_t* paths) {
  for (size_t k = 0; k < array_count; ++k) {
    const int64_t size = (int64_t)paths[k].element_size;
    size_t d = 0;
    if (paths[k].strides[rank - 1] == size) continue;
    while (d + 1 < rank && paths[k].strides[d] != size) ++d;
    if (d + 1 == rank) continue;
    for (; d + 2 < rank; ++d) {
      const int64_t dim = dims[d];
      dims[d] = dims[d + 1];
      dims[d + 1] = dim;
      for (size_t other = 0; other < array_count; ++other) {
        int64_t* strides = paths[other].strides;
        const int64_t stride = strides[d];
        strides[d] = strides[d + 1];
        strides[d + 1] = stride;
      }
    }
    return;
  }
}

// How much is done at a time: a row, or as many as make up for short ones.
static void set_units(tn_rows_t* rows, bool packs, size_t largest_size) {
  int64_t length = packs ? PACKED_LENGTH : ROW_LENGTH;
  int64_t columns = length;
  if (rows->is_transposed) {
    columns = TRANSPOSED_COLUMNS;
    length = columns * (TRANSPOSED_BYTES / (int64_t)largest_size);
  }
  if (columns > rows->column_count) columns = rows->column_count;
  rows->columns_per_unit = columns;
  rows->rows_per_unit = at_least_one(length / columns);
  if (rows->rows_per_unit > rows->row_count) rows->rows_per_unit = rows->row_count;
  rows->row_units = (rows->row_count - 1) / rows->rows_per_unit + 1;
  rows->column_units = (rows->column_count - 1) / columns + 1;
  rows->unit_count = rows->row_units * rows->column_units;
  for (size_t l = 0; l < rows->loop_count; ++l) rows->unit_count *= rows->loop_counts[l];
  rows->grain = at_least_one(UNIT_GRAIN / (rows->rows_per_unit * columns));
}

void tn__rows_init(tn_rows_t* rows, size_t rank, int64_t* dims, size_t array_count,
                   tn_row_path_t* paths) {
  size_t largest_size = 1;
  bool packs = false;
  if (rank > 1) choose_rows(rank, dims, array_count, paths);
  *rows = (tn_rows_t){.array_count = array_count,
                      .paths = paths,
                      .loop_count = rank > 2 ? rank - 2 : 0,
                      .loop_counts = dims,
                      .row_count = rank > 1 ? dims[rank - 2] : 1,
                      .column_count = rank > 0 ? dims[rank - 1] : 1,
                      .memory_byte_size = array_count * 3 * sizeof(void*)};
  for (tn_row_path_t* path = paths; path < paths + array_count; ++path) {
    path->column_stride = rank > 0 ? path->strides[rank - 1] : (int64_t)path->element_size;
    path->row_stride = rank > 1 ? path->strides[rank - 2] : 0;
    path->is_packed = path->column_stride != (int64_t)path->element_size;
    packs |= path->is_packed;
    rows->is_transposed |= is_transposed_path(path) && path->row_stride;
    if (path->element_size > largest_size) largest_size = path->element_size;
  }
  set_units(rows, packs, largest_size);
  rows->is_joined = rows->column_units == 1;
  for (tn_row_path_t* path = paths; path < paths + array_count; ++path) {
    const int64_t row_length = rows->columns_per_unit * (int64_t)path->element_size;
    path->block_stride = path->is_packed ? row_length : path->row_stride;
    // A line more, so that what is written down a column falls into different sets of the cache.
    if (is_transposed_path(path) && row_length >= 4 * LINE) path->block_stride += LINE;
    rows->is_joined &= path->block_stride == row_length;
    if (path->is_packed) {
      rows->memory_byte_size += (size_t)(rows->rows_per_unit * path->block_stride) + LINE;
    }
  }
}

// --- packing

// Asks for the lines that hold the bytes [start, start + length), ahead of their use.
static inline void prefetch(const char* start, int64_t length) {
  const char* end = start + length;
  for (start -= (uintptr_t)start % LINE; start < end; start += LINE) {
    __builtin_prefetch(start, 0, 2);
  }
}

// Rows of the block from elements that are neighbours down the columns, a few columns at a time;
// the next few are under way meanwhile.
static void pack_transposed(char* block, const char* source, const tn_row_path_t* path,
                            int64_t rows, int64_t columns) {
  const int64_t size = (int64_t)path->element_size, strip = LINE / size;
  for (int64_t column = 0; column < columns; column += strip) {
    const int64_t count = columns - column < strip ? columns - column : strip;
    for (int64_t i = column + strip; i < column + 2 * strip && i < columns; ++i) {
      prefetch(source + i * path->column_stride, rows * size);
    }
    tn__transpose_strip(path->element_size, false, block + column * size, path->block_stride,
                        source + column * path->column_stride, path->column_stride, rows, count);
  }
}

// The loop along the shorter stride is the inner one. The processor foresees no further than the
// end of a row: so the next one, `rows_left` counting those behind the block as well, is asked for
// here.
void tn__rows_pack(char* block, const char* source, const tn_row_path_t* path, int64_t rows,
                   int64_t columns, int64_t rows_left) {
  const int64_t size = (int64_t)path->element_size, stride = path->column_stride;
  if (path->row_stride == size) {
    pack_transposed(block, source, path, rows, columns);
    return;
  }
  if (rows > 1 && is_transposed_path(path)) {
    for (int64_t c = 0; c < columns; ++c) {
      tn__step_row(path->element_size, block + c * size, path->block_stride, source + c * stride,
                   path->row_stride, rows);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const char* from = source + r * path->row_stride;
    const bool asks = stride > 0 && path->row_stride && r + 1 < rows_left;
    for (int64_t c = 0; c < columns; c += PACKED_AT_ONCE) {
      const int64_t count = columns - c < PACKED_AT_ONCE ? columns - c : PACKED_AT_ONCE;
      if (asks) prefetch(from + path->row_stride + c * stride, count * stride);
      tn__step_row(path->element_size, block + r * path->block_stride + c * size, size,
                   from + c * stride, stride, count);
    }
  }
}

static void unpack(char* target, const char* block, const tn_row_path_t* path, int64_t rows,
                   int64_t columns) {
  const int64_t size = (int64_t)path->element_size;
  if (is_transposed_path(path)) {
    for (int64_t c = 0; c < columns; ++c) {
      tn__step_row(path->element_size, target + c * path->column_stride, path->row_stride,
                   block + c * size, path->block_stride, rows);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    tn__step_row(path->element_size, target + r * path->row_stride, path->column_stride,
                 block + r * path->block_stride, size, columns);
  }
}

// --- running

// One thread's share of a run.
typedef struct row_run {
  const tn_rows_t* rows;
  char** blocks;   // of the arrays that are packed
  char** origins;  // of the arrays, at the unit's first element
  void** starts;   // of the rows
  tn_row_fn function;
  void* user;
} row_run_t;

static row_run_t lay_out(const tn_rows_t* rows, void* memory, tn_row_fn function, void* user) {
  row_run_t run = {.rows = rows, .blocks = memory, .function = function, .user = user};
  run.origins = run.blocks + rows->array_count;
  run.starts = (void**)(run.origins + rows->array_count);
  char* block = (char*)(run.starts + rows->array_count);
  for (size_t k = 0; k < rows->array_count; ++k) {
    const tn_row_path_t* path = &rows->paths[k];
    if (!path->is_packed) continue;
    block += -(uintptr_t)block % LINE;
    run.blocks[k] = block;
    block += rows->rows_per_unit * path->block_stride;
  }
  return run;
}

static tn_status_t call_function(const row_run_t* run, int64_t rows, int64_t columns) {
  const tn_rows_t* all = run->rows;
  for (int64_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < all->array_count; ++k) {
      const tn_row_path_t* path = &all->paths[k];
      char* start = (path->is_packed ? run->blocks[k] : run->origins[k]) + r * path->block_stride;
      run->starts[k] = start;
      if (all->is_transposed && !path->is_packed && r + 1 < rows) {
        prefetch(start + path->block_stride, ROW_START_LINES * LINE);
      }
    }
    if (all->is_joined) return run->function(run->user, rows * columns, run->starts);
    TN_RETURN_IF_ERROR(run->function(run->user, columns, run->starts));
  }
  return TN_OK;
}

static tn_status_t run_unit(const row_run_t* run, void* const* data, int64_t unit) {
  const tn_rows_t* all = run->rows;
  const int64_t column = unit % all->column_units * all->columns_per_unit;
  int64_t rest = unit / all->column_units;
  const int64_t row = rest % all->row_units * all->rows_per_unit;
  rest /= all->row_units;
  int64_t rows = all->row_count - row, columns = all->column_count - column;
  if (rows > all->rows_per_unit) rows = all->rows_per_unit;
  if (columns > all->columns_per_unit) columns = all->columns_per_unit;
  for (size_t k = 0; k < all->array_count; ++k) {
    const tn_row_path_t* path = &all->paths[k];
    run->origins[k] = (char*)data[k] + row * path->row_stride + column * path->column_stride;
  }
  for (size_t l = all->loop_count; l-- > 0;) {
    const int64_t index = rest % all->loop_counts[l];
    rest /= all->loop_counts[l];
    for (size_t k = 0; k < all->array_count; ++k) {
      run->origins[k] += index * all->paths[k].strides[l];
    }
  }
  for (size_t k = 0; k < all->array_count; ++k) {
    const tn_row_path_t* path = &all->paths[k];
    if (!path->is_packed || path->is_written) continue;
    tn__rows_pack(run->blocks[k], run->origins[k], path, rows, columns, all->row_count - row);
  }
  TN_RETURN_IF_ERROR(call_function(run, rows, columns));
  for (size_t k = 0; k < all->array_count; ++k) {
    const tn_row_path_t* path = &all->paths[k];
    if (!path->is_packed || !path->is_written) continue;
    unpack(run->origins[k], run->blocks[k], path, rows, columns);
  }
  return TN_OK;
}

tn_status_t tn__rows_run(const tn_rows_t* rows, void* const* data, void* memory, int64_t begin,
                         int64_t end, tn_row_fn function, void* user) {
  const row_run_t run = lay_out(rows, memory, function, user);
  for (int64_t unit = begin; unit < end; ++unit) {
    TN_RETURN_IF_ERROR(run_unit(&run, data, unit));
  }
  return TN_OK;
}
