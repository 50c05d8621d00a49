// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reduction/scan.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "kernel/common/streaming.h"
#include "kernel/common/transpose_block.h"

enum {
  GRAIN = 32 << 10,
  BLOCK = 64,
  ELEMENT_LIMIT = 16,
  STRIP = TN_TRANSPOSE_LINE_BYTES,
  STRIP_LENGTH = 64,
};

// A line is scanned one element after the other. Several of them are turned, so that they lie side
// by side in a strip, and scanned together: the same operations in the same order.
struct tn_scan_lines {
  void (*line)(const void* source, const void* init, void* target, int64_t length, int64_t step);
  void (*begin)(const void* init, void* sums);  // of a strip
  void (*strip)(void* strip, void* sums, int64_t length, int64_t step);
};

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
// NaN passes; of two zeros the positive one is larger.
#define LARGER_FLOAT(a, b) ((a) > (b) || isnan(a) || ((a) == (b) && !signbit(a)) ? (a) : (b))
#define SMALLER_FLOAT(a, b) ((a) < (b) || isnan(a) || ((a) == (b) && signbit(a)) ? (a) : (b))

#define VALUE float
#define SUM double
#define SCAN(name) add_f32_##name
#define OP PLUS
#include "kernel/reduction/scan.inc"
#undef SUM
#define SUM float
#define SCAN(name) multiply_f32_##name
#define OP TIMES
#include "kernel/reduction/scan.inc"
#define SCAN(name) maximum_f32_##name
#define OP LARGER_FLOAT
#include "kernel/reduction/scan.inc"
#define SCAN(name) minimum_f32_##name
#define OP SMALLER_FLOAT
#include "kernel/reduction/scan.inc"
#undef SUM
#undef VALUE

#define VALUE double
#define SUM double
#define SCAN(name) add_f64_##name
#define OP PLUS
#include "kernel/reduction/scan.inc"
#define SCAN(name) multiply_f64_##name
#define OP TIMES
#include "kernel/reduction/scan.inc"
#define SCAN(name) maximum_f64_##name
#define OP LARGER_FLOAT
#include "kernel/reduction/scan.inc"
#define SCAN(name) minimum_f64_##name
#define OP SMALLER_FLOAT
#include "kernel/reduction/scan.inc"
#undef SUM
#undef VALUE

// Sums and products wrap alike for both signs.
#define VALUE uint32_t
#define SUM uint32_t
#define SCAN(name) add_i32_##name
#define OP PLUS
#include "kernel/reduction/scan.inc"
#define SCAN(name) multiply_i32_##name
#define OP TIMES
#include "kernel/reduction/scan.inc"
#undef SUM
#undef VALUE

#define VALUE int32_t
#define SUM int32_t
#define SCAN(name) maximum_s32_##name
#define OP LARGER
#include "kernel/reduction/scan.inc"
#define SCAN(name) minimum_s32_##name
#define OP SMALLER
#include "kernel/reduction/scan.inc"
#undef SUM
#undef VALUE

#define VALUE uint64_t
#define SUM uint64_t
#define SCAN(name) add_i64_##name
#define OP PLUS
#include "kernel/reduction/scan.inc"
#define SCAN(name) multiply_i64_##name
#define OP TIMES
#include "kernel/reduction/scan.inc"
#undef SUM
#undef VALUE

static const tn_scan_lines_t* find_lines(const char* op, tn_dtype_t dtype) {
#define LINES(name) \
  { name##_line, name##_begin, name##_strip }
  static const struct {
    const char* op;
    tn_dtype_t dtype;
    tn_scan_lines_t lines;
  } rows[] = {
      {"add", TN_DTYPE_F32, LINES(add_f32)},
      {"multiply", TN_DTYPE_F32, LINES(multiply_f32)},
      {"maximum", TN_DTYPE_F32, LINES(maximum_f32)},
      {"minimum", TN_DTYPE_F32, LINES(minimum_f32)},
      {"add", TN_DTYPE_F64, LINES(add_f64)},
      {"multiply", TN_DTYPE_F64, LINES(multiply_f64)},
      {"maximum", TN_DTYPE_F64, LINES(maximum_f64)},
      {"minimum", TN_DTYPE_F64, LINES(minimum_f64)},
      {"add", TN_DTYPE_S32, LINES(add_i32)},
      {"add", TN_DTYPE_U32, LINES(add_i32)},
      {"multiply", TN_DTYPE_S32, LINES(multiply_i32)},
      {"multiply", TN_DTYPE_U32, LINES(multiply_i32)},
      {"maximum", TN_DTYPE_S32, LINES(maximum_s32)},
      {"minimum", TN_DTYPE_S32, LINES(minimum_s32)},
      {"add", TN_DTYPE_S64, LINES(add_i64)},
      {"add", TN_DTYPE_U64, LINES(add_i64)},
      {"multiply", TN_DTYPE_S64, LINES(multiply_i64)},
      {"multiply", TN_DTYPE_U64, LINES(multiply_i64)},
  };
#undef LINES
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype == dtype && strcmp(rows[i].op, op) == 0) return &rows[i].lines;
  }
  return NULL;
}

bool tn__scan_plan(const char* op, tn_dtype_t dtype, int64_t outer, int64_t length, int64_t inner,
                   bool reversed, tn_scan_t* out_scan) {
  static const char* const names[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  bool is_associative = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(op, names[i]) == 0) is_associative = true;
  }
  tn_scan_t scan = {
      .element_size = tn_dtype_byte_size(dtype),
      .outer = outer,
      .length = length,
      .inner = inner,
      .reversed = reversed,
  };
  if (!is_associative || !tn__binary_find(op, dtype, &scan.binary)) return false;
  if (inner == 1) scan.lines = find_lines(op, dtype);
  *out_scan = scan;
  return true;
}

typedef struct scan_run {
  const tn_scan_t* scan;
  const char* source;
  const char* init;
  char* target;
} scan_run_t;

// target[j] = init op source[j]; they may be the same.
static void begin_row(const scan_run_t* run, const char* source, char* target) {
  const tn_scan_t* scan = run->scan;
  char init[BLOCK * ELEMENT_LIMIT];
  for (size_t i = 0; i < BLOCK; ++i) {
    memcpy(init + i * scan->element_size, run->init, scan->element_size);
  }
  for (int64_t first = 0; first < scan->inner; first += BLOCK) {
    const size_t count = (size_t)(scan->inner - first < BLOCK ? scan->inner - first : BLOCK);
    const size_t offset = (size_t)first * scan->element_size;
    tn__binary_map(&scan->binary, init, source + offset, target + offset, count);
  }
}

// One line after another; `inner` of them side by side.
static void scan_rows(const scan_run_t* run, int64_t outer) {
  const tn_scan_t* scan = run->scan;
  const size_t row = (size_t)scan->inner * scan->element_size;
  const int64_t step = scan->reversed ? -1 : 1;
  const size_t base = (size_t)(outer * scan->length) * row;
  int64_t at = scan->reversed ? scan->length - 1 : 0;
  for (int64_t i = 0; i < scan->length; ++i, at += step) {
    char* target = run->target + base + (size_t)at * row;
    const char* source = run->source + base + (size_t)at * row;
    if (i == 0) {
      begin_row(run, source, target);
    } else {
      const char* before = run->target + base + (size_t)(at - step) * row;
      tn__binary_map(&scan->binary, before, source, target, (size_t)scan->inner);
    }
  }
}

// As many lines as a strip is wide.
static void scan_strip(const tn_scan_t* scan, const char* source, const void* init, char* target,
                       bool streaming) {
  _Alignas(STRIP) char strip[STRIP_LENGTH * STRIP];
  double sums[STRIP / sizeof(float)];
  const int64_t size = (int64_t)scan->element_size, width = STRIP / size;
  const int64_t line = scan->length * size, step = scan->reversed ? -1 : 1;
  int64_t length = 0;
  scan->lines->begin(init, sums);
  for (int64_t done = 0; done < scan->length; done += length) {
    length = scan->length - done < STRIP_LENGTH ? scan->length - done : STRIP_LENGTH;
    const int64_t first = size * (scan->reversed ? scan->length - done - length : done);
    tn__transpose_strip(scan->element_size, false, strip, STRIP, source + first, line, length,
                        width);
    scan->lines->strip(strip, sums, length, step);
    for (int64_t at = 0; at < length; at += width) {
      const int64_t columns = length - at < width ? length - at : width;
      tn__transpose_strip(scan->element_size, streaming, target + first + at * size, line,
                          strip + at * STRIP, STRIP, width, columns);
    }
  }
}

static void scan_lines(const scan_run_t* run, int64_t begin, int64_t end) {
  const tn_scan_t* scan = run->scan;
  const int64_t size = (int64_t)scan->element_size, width = STRIP / size;
  const bool streaming = scan->outer * scan->length * size >= TN_STREAMED_BYTES;
  int64_t count = 0;
  for (int64_t i = begin; i < end; i += count) {
    const int64_t offset = i * scan->length * size;
    count = end - i < width ? 1 : width;  // to turn a part of a strip takes longer than it saves
    if (count == 1) {
      scan->lines->line(run->source + offset, run->init, run->target + offset, scan->length,
                        scan->reversed ? -1 : 1);
    } else {
      scan_strip(scan, run->source + offset, run->init, run->target + offset, streaming);
    }
  }
  if (streaming) tn__stream_end();
}

static tn_status_t scan_range(int64_t begin, int64_t end, void* user) {
  const scan_run_t* run = user;
  const tn_scan_t* scan = run->scan;
  if (scan->lines) {
    scan_lines(run, begin, end);
    return TN_OK;
  }
  for (int64_t i = begin; i < end; ++i) scan_rows(run, i);
  return TN_OK;
}

tn_status_t tn__scan_run(const tn_scan_t* scan, tn_pool_t* pool, const void* source,
                         const void* init, void* target) {
  scan_run_t run = {scan, source, init, target};
  const int64_t line = scan->length * scan->inner;
  if (scan->outer == 0 || line == 0) return TN_OK;
  // Whole strips of lines.
  const int64_t grain = line < GRAIN ? GRAIN / line : 1;
  const int64_t width = scan->lines ? STRIP / (int64_t)scan->element_size : 1;
  return tn__pool_parallel_for(pool, scan->outer, tn__ceil_divide(grain, width) * width, scan_range,
                               &run);
}
