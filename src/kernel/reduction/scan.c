#include "kernel/reduction/scan.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
enum { LINES = 8, GRAIN = 32 << 10, BLOCK = 64, ELEMENT_LIMIT = 16 };

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

typedef void (*lines_fn)(const void* source, const void* init, void* target, int64_t line_count,
                         int64_t length, int64_t step);

static lines_fn find_lines(const char* op, tn_dtype_t dtype) {
  static const struct {
    const char* op;
    tn_dtype_t dtype;
    lines_fn lines;
  } rows[] = {
      {"add", TN_DTYPE_F32, add_f32_lines},
      {"multiply", TN_DTYPE_F32, multiply_f32_lines},
      {"maximum", TN_DTYPE_F32, maximum_f32_lines},
      {"minimum", TN_DTYPE_F32, minimum_f32_lines},
      {"add", TN_DTYPE_F64, add_f64_lines},
      {"multiply", TN_DTYPE_F64, multiply_f64_lines},
      {"maximum", TN_DTYPE_F64, maximum_f64_lines},
      {"minimum", TN_DTYPE_F64, minimum_f64_lines},
      {"add", TN_DTYPE_S32, add_i32_lines},
      {"add", TN_DTYPE_U32, add_i32_lines},
      {"multiply", TN_DTYPE_S32, multiply_i32_lines},
      {"multiply", TN_DTYPE_U32, multiply_i32_lines},
      {"maximum", TN_DTYPE_S32, maximum_s32_lines},
      {"minimum", TN_DTYPE_S32, minimum_s32_lines},
      {"add", TN_DTYPE_S64, add_i64_lines},
      {"add", TN_DTYPE_U64, add_i64_lines},
      {"multiply", TN_DTYPE_S64, multiply_i64_lines},
      {"multiply", TN_DTYPE_U64, multiply_i64_lines},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype == dtype && strcmp(rows[i].op, op) == 0) return rows[i].lines;
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

static tn_status_t scan_range(int64_t begin, int64_t end, void* user) {
  const scan_run_t* run = user;
  const tn_scan_t* scan = run->scan;
  if (scan->lines) {
    const size_t offset = (size_t)(begin * scan->length) * scan->element_size;
    scan->lines(run->source + offset, run->init, run->target + offset, end - begin, scan->length,
                scan->reversed ? -1 : 1);
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
  // Whole bundles of lines.
  const int64_t grain = line < GRAIN ? GRAIN / line : 1;
  return tn__pool_parallel_for(pool, scan->outer, tn__ceil_divide(grain, LINES) * LINES, scan_range,
                               &run);
}
