// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/strided.h"

#include "base/integer.h"
#include "kernel/common/merge.h"
#include "kernel/common/prefetch.h"
#include "kernel/common/streaming.h"
#include "kernel/common/transpose_block.h"

enum {
  UNIT_BYTES = 64 << 10,          // about the least that one thread should be sent for
  SHORT_RUN_BYTES = 1024,         // shorter runs are repeated from a block of several
  REPEAT_BLOCK_BYTES = 4 << 10,   // which has about this size
  TRANSPOSE_UNIT_ROWS = 4 << 10,  // streamed in one go
  TRANSPOSE_LEAST = 8,            // fewer elements of the source in a row: STEP is as good
};

// --- preparing

static bool is_element_size(int64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

// Takes the last loop that is left, or one that goes round once.
static tn_strided_loop_t pop_loop(tn_strided_loop_t* loops, size_t* count) {
  if (*count == 0) return (tn_strided_loop_t){1, 0, 0};
  return loops[--*count];
}

static void choose_form(tn_strided_loop_t* loops, size_t* loop_count, tn_strided_copy_t* copy) {
  const int64_t size = (int64_t)copy->element_size;
  if (*loop_count == 0) {
    copy->form = TN_STRIDED_RUN;
    copy->column = (tn_strided_loop_t){1, size, size};
    copy->row = pop_loop(loops, loop_count);
    return;
  }
  copy->column = pop_loop(loops, loop_count);
  copy->form = TN_STRIDED_STEP;
  if (copy->column.target_stride == size) {
    if (copy->column.source_stride == size) {
      copy->form = TN_STRIDED_RUN;
      const int64_t run = copy->column.count * size;
      const tn_strided_loop_t* outer = *loop_count ? &loops[*loop_count - 1] : NULL;
      if (outer && outer->source_stride == 0 && outer->target_stride == run &&
          run <= SHORT_RUN_BYTES) {
        copy->form = TN_STRIDED_REPEAT;
        copy->run_byte_size = (size_t)run;
        copy->column = pop_loop(loops, loop_count);
      }
    } else if (copy->column.source_stride == 0) {
      copy->form = TN_STRIDED_FILL;
    } else {
      for (size_t i = *loop_count; i-- > 0;) {
        if (loops[i].source_stride != size || loops[i].count < TRANSPOSE_LEAST) continue;
        copy->form = TN_STRIDED_TRANSPOSE;
        copy->row = loops[i];
        memmove(&loops[i], &loops[i + 1], (*loop_count - i - 1) * sizeof *loops);
        --*loop_count;
        return;
      }
    }
  }
  copy->row = pop_loop(loops, loop_count);
}

static void cut_work(tn_strided_copy_t* copy) {
  const int64_t step = (int64_t)copy->run_byte_size;
  if (copy->form == TN_STRIDED_TRANSPOSE) {
    copy->columns_per_unit = (int64_t)(TN_TRANSPOSE_LINE_BYTES / copy->element_size);
    copy->rows_per_unit = TRANSPOSE_UNIT_ROWS;
  } else {
    copy->columns_per_unit = UNIT_BYTES / step > 1 ? UNIT_BYTES / step : 1;
    if (copy->columns_per_unit > copy->column.count) copy->columns_per_unit = copy->column.count;
    copy->rows_per_unit = 1;
  }
  copy->row_units = tn__ceil_divide(copy->row.count, copy->rows_per_unit);
  copy->column_units = tn__ceil_divide(copy->column.count, copy->columns_per_unit);
  const int64_t units = copy->outer_count * copy->row_units * copy->column_units;
  const int64_t unit_bytes = copy->target_byte_size / units;
  copy->grain = unit_bytes >= UNIT_BYTES ? 1 : UNIT_BYTES / (unit_bytes ? unit_bytes : 1);
}

tn_status_t tn__strided_copy_prepare(tn_arena_t* arena, size_t element_size, size_t rank,
                                     const int64_t* dims, const int64_t* target_strides,
                                     const int64_t* source_strides, tn_strided_copy_t* out_copy) {
  *out_copy = (tn_strided_copy_t){.form = TN_STRIDED_NOTHING};
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) return TN_OK;
  }
  tn_strided_loop_t loops[TN_STRIDED_MAX_RANK];
  for (size_t i = 0; i < rank; ++i) {
    loops[i] = (tn_strided_loop_t){dims[i], target_strides[i], source_strides[i]};
  }
  size_t count = TN_MERGE_LOOPS(rank, loops, 2);
  tn_strided_copy_t copy = {.element_size = element_size};
  int64_t byte_size = (int64_t)element_size;
  for (size_t i = 0; i < count; ++i) byte_size *= loops[i].count;
  copy.target_byte_size = byte_size;
  if (count) {
    // A short contiguous run is an element itself: a transpose of pairs moves twice as wide.
    const tn_strided_loop_t* last = &loops[count - 1];
    const int64_t size = (int64_t)element_size;
    if (last->target_stride == size && last->source_stride == size &&
        is_element_size(last->count * size)) {
      copy.element_size = (size_t)(last->count * size);
      --count;
    }
  }
  copy.run_byte_size = copy.element_size;
  choose_form(loops, &count, &copy);
  copy.outer_count = 1;
  for (size_t i = 0; i < count; ++i) copy.outer_count *= loops[i].count;
  cut_work(&copy);
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, count, loops, &copy.loops));
  copy.loop_count = count;
  *out_copy = copy;
  return TN_OK;
}

// --- running

static inline __attribute__((always_inline)) void step_of(size_t size, char* restrict target,
                                                          int64_t target_stride,
                                                          const char* restrict source,
                                                          int64_t source_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    memcpy(target + i * target_stride, source + i * source_stride, size);
  }
}

static inline __attribute__((always_inline)) void step_row_of(size_t size, char* restrict target,
                                                              int64_t target_stride,
                                                              const char* restrict source,
                                                              int64_t source_stride,
                                                              int64_t count) {
  // Strides that the compiler knows can be vectorised.
  const int64_t width = (int64_t)size;
  if (target_stride == width && source_stride == 0) {
    step_of(size, target, width, source, 0, count);
  } else if (target_stride == width && source_stride == -width) {
    step_of(size, target, width, source, -width, count);
  } else if (target_stride == width && source_stride == 2 * width) {
    step_of(size, target, width, source, 2 * width, count);
  } else {
    step_of(size, target, target_stride, source, source_stride, count);
  }
}

void tn__step_row(size_t size, char* restrict target, int64_t target_stride,
                  const char* restrict source, int64_t source_stride, int64_t count) {
  switch (size) {
    case 1: step_row_of(1, target, target_stride, source, source_stride, count); break;
    case 2: step_row_of(2, target, target_stride, source, source_stride, count); break;
    case 4: step_row_of(4, target, target_stride, source, source_stride, count); break;
    case 8: step_row_of(8, target, target_stride, source, source_stride, count); break;
    default: step_row_of(16, target, target_stride, source, source_stride, count); break;
  }
}

static inline __attribute__((always_inline)) void fill_of(size_t size, char* restrict target,
                                                          const char* restrict element,
                                                          int64_t count) {
  char value[16];
  memcpy(value, element, size);
  for (int64_t i = 0; i < count; ++i) memcpy(target + (size_t)i * size, value, size);
}

static bool all_bytes_equal(const char* element, size_t size) {
  for (size_t i = 1; i < size; ++i) {
    if (element[i] != element[0]) return false;
  }
  return true;
}

static void fill_row(size_t size, char* target, const char* element, int64_t count) {
  if (all_bytes_equal(element, size)) {
    memset(target, element[0], (size_t)count * size);
    return;
  }
  switch (size) {
    case 2: fill_of(2, target, element, count); break;
    case 4: fill_of(4, target, element, count); break;
    case 8: fill_of(8, target, element, count); break;
    default: fill_of(16, target, element, count); break;
  }
}

static void repeat_row(size_t run, char* restrict target, const char* restrict source,
                       int64_t count) {
  const size_t total = run * (size_t)count;
  size_t block = run;
  memcpy(target, source, run);
  while (block < REPEAT_BLOCK_BYTES && block * 2 <= total) {
    memcpy(target + block, target, block);
    block *= 2;
  }
  size_t done = block;
  for (; done + block <= total; done += block) memcpy(target + done, target, block);
  memcpy(target + done, target, total - done);
}

static void copy_runs(const tn_strided_copy_t* copy, char* target, const char* source, int64_t rows,
                      int64_t byte_size) {
  enum { AHEAD = 8 };
  for (int64_t i = 0; i < rows; ++i) {
    if (i + AHEAD < rows) tn__prefetch_start(source + AHEAD * copy->row.source_stride, byte_size);
    memcpy(target, source, (size_t)byte_size);
    target += copy->row.target_stride;
    source += copy->row.source_stride;
  }
}

// `rows` times `columns` steps of the two inner loops.
static void copy_rows(const tn_strided_copy_t* copy, bool streaming, char* target,
                      const char* source, int64_t rows, int64_t columns) {
  const tn_strided_loop_t row = copy->row, column = copy->column;
  if (copy->form == TN_STRIDED_TRANSPOSE) {
    tn__transpose_strip(copy->element_size, streaming, target, row.target_stride, source,
                        column.source_stride, rows, columns);
    return;
  }
  if (copy->form == TN_STRIDED_RUN) {
    copy_runs(copy, target, source, rows, columns * (int64_t)copy->element_size);
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    switch (copy->form) {
      case TN_STRIDED_FILL: fill_row(copy->element_size, target, source, columns); break;
      case TN_STRIDED_REPEAT: repeat_row(copy->run_byte_size, target, source, columns); break;
      default:
        tn__step_row(copy->element_size, target, column.target_stride, source, column.source_stride,
                     columns);
        break;
    }
    target += row.target_stride;
    source += row.source_stride;
  }
}

typedef struct strided_run {
  const tn_strided_copy_t* copy;
  bool streaming;
  char* target;
  const char* source;
} strided_run_t;

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  const strided_run_t* run = user;
  const tn_strided_copy_t* copy = run->copy;
  const int64_t inner_units = copy->row_units * copy->column_units;
  while (begin < end) {
    int64_t outer = begin / inner_units;
    const int64_t inner = begin - outer * inner_units;
    int64_t target_offset = 0, source_offset = 0;
    for (size_t i = copy->loop_count; i-- > 0;) {
      const tn_strided_loop_t* loop = &copy->loops[i];
      const int64_t index = outer % loop->count;
      outer /= loop->count;
      target_offset += index * loop->target_stride;
      source_offset += index * loop->source_stride;
    }
    const int64_t row_unit = inner / copy->column_units;
    const int64_t row = row_unit * copy->rows_per_unit;
    const int64_t column = (inner - row_unit * copy->column_units) * copy->columns_per_unit;
    target_offset += row * copy->row.target_stride + column * copy->column.target_stride;
    source_offset += row * copy->row.source_stride + column * copy->column.source_stride;
    int64_t rows = copy->row.count - row, columns = copy->column.count - column;
    int64_t units = 1;
    if (copy->column_units == 1 && copy->rows_per_unit == 1) {
      if (rows > end - begin) rows = end - begin;
      units = rows;
    } else {
      if (rows > copy->rows_per_unit) rows = copy->rows_per_unit;
      if (columns > copy->columns_per_unit) columns = copy->columns_per_unit;
    }
    copy_rows(copy, run->streaming, run->target + target_offset, run->source + source_offset, rows,
              columns);
    begin += units;
  }
  if (run->streaming) tn__stream_end();
  return TN_OK;
}

tn_status_t tn__strided_copy_run(const tn_strided_copy_t* copy, tn_pool_t* pool, void* target,
                                 const void* source) {
  if (copy->form == TN_STRIDED_NOTHING) return TN_OK;
  const int64_t units = copy->outer_count * copy->row_units * copy->column_units;
  if (units == 1 && copy->form == TN_STRIDED_RUN) {
    memcpy(target, source, (size_t)copy->target_byte_size);
    return TN_OK;
  }
  strided_run_t run = {
      .copy = copy,
      .streaming =
          copy->form == TN_STRIDED_TRANSPOSE && copy->target_byte_size >= TN_STREAMED_BYTES,
      .target = target,
      .source = source,
  };
  return tn__pool_parallel_for(pool, units, copy->grain, run_units, &run);
}

// --- plain copies and fills

typedef struct flat_run {
  char* target;
  const char* source;
  size_t element_size;
} flat_run_t;

static tn_status_t copy_range(int64_t begin, int64_t end, void* user) {
  const flat_run_t* run = user;
  memcpy(run->target + begin, run->source + begin, (size_t)(end - begin));
  return TN_OK;
}

tn_status_t tn__copy_bytes(tn_pool_t* pool, void* target, const void* source, size_t byte_size) {
  if (target == source || byte_size == 0) return TN_OK;
  flat_run_t run = {.target = target, .source = source};
  return tn__pool_parallel_for(pool, (int64_t)byte_size, UNIT_BYTES * 4, copy_range, &run);
}

static tn_status_t fill_range(int64_t begin, int64_t end, void* user) {
  const flat_run_t* run = user;
  fill_row(run->element_size, run->target + (size_t)begin * run->element_size, run->source,
           end - begin);
  return TN_OK;
}

tn_status_t tn__fill(tn_pool_t* pool, void* target, const void* element, size_t element_size,
                     int64_t count) {
  if (count == 0) return TN_OK;
  flat_run_t run = {.target = target, .source = element, .element_size = element_size};
  return tn__pool_parallel_for(pool, count, UNIT_BYTES * 4 / (int64_t)element_size, fill_range,
                               &run);
}
