// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/gemm_blocked.h"

#include <complex.h>
#include <math.h>

#include "base/testing.h"

static uint64_t seed = 7;
static uint64_t next(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

static const size_t element_sizes[] = {4, 8, 4, 8, 8, 16};

static void randomize(tn_gemm_type_t type, void* data, int64_t count) {
  const bool is_f32 = type == TN_GEMM_F32 || type == TN_GEMM_C64;
  const int64_t parts = type >= TN_GEMM_C64 ? 2 : 1;
  for (int64_t i = 0; i < count * parts; ++i) {
    // Small integers: every sum is exact, whatever its order.
    const int64_t value = (int64_t)(next() % 15) - 7;
    if (type == TN_GEMM_I32)
      ((uint32_t*)data)[i] = (uint32_t)next() * 0x9E3779B9u;
    else if (type == TN_GEMM_I64)
      ((uint64_t*)data)[i] = next() * 0x9E3779B97F4A7C15u;
    else if (is_f32)
      ((float*)data)[i] = (float)value;
    else
      ((double*)data)[i] = (double)value;
  }
}

static void multiply_plainly(const tn_gemm_shape_t* s, const void* lhs, const void* rhs,
                             void* result) {
  const tn_gemm_batch_t* batch = s->batch_loops;
  for (int64_t b = 0; b < batch->count; ++b) {
    for (int64_t i = 0; i < s->rows; ++i) {
      for (int64_t j = 0; j < s->columns; ++j) {
        double _Complex sum = 0;
        uint64_t whole = 0;
        for (int64_t p = 0; p < s->depth; ++p) {
          const int64_t x = b * batch->lhs_stride + i * s->lhs_row_stride + p * s->lhs_depth_stride;
          const int64_t y =
              b * batch->rhs_stride + p * s->rhs_depth_stride + j * s->rhs_column_stride;
          switch (s->type) {
            case TN_GEMM_F32:
              sum += (double)((const float*)lhs)[x] * (double)((const float*)rhs)[y];
              break;
            case TN_GEMM_F64: sum += ((const double*)lhs)[x] * ((const double*)rhs)[y]; break;
            case TN_GEMM_I32: whole += ((const uint32_t*)lhs)[x] * ((const uint32_t*)rhs)[y]; break;
            case TN_GEMM_I64: whole += ((const uint64_t*)lhs)[x] * ((const uint64_t*)rhs)[y]; break;
            case TN_GEMM_C64:
              sum += (double _Complex)((const float _Complex*)lhs)[x] *
                     (double _Complex)((const float _Complex*)rhs)[y];
              break;
            case TN_GEMM_C128:
              sum += ((const double _Complex*)lhs)[x] * ((const double _Complex*)rhs)[y];
              break;
          }
        }
        const int64_t at = (b * s->rows + i) * s->columns + j;
        switch (s->type) {
          case TN_GEMM_F32: ((float*)result)[at] = (float)creal(sum); break;
          case TN_GEMM_F64: ((double*)result)[at] = creal(sum); break;
          case TN_GEMM_I32: ((uint32_t*)result)[at] = (uint32_t)whole; break;
          case TN_GEMM_I64: ((uint64_t*)result)[at] = whole; break;
          case TN_GEMM_C64: ((float _Complex*)result)[at] = (float _Complex)sum; break;
          case TN_GEMM_C128: ((double _Complex*)result)[at] = sum; break;
        }
      }
    }
  }
}

typedef struct layout {
  bool lhs_transposed, rhs_transposed;
  int64_t gap;  // between neighbours, in elements
} layout_t;

static tn_gemm_shape_t make_shape(tn_gemm_type_t type, int64_t batch, int64_t rows, int64_t columns,
                                  int64_t depth, layout_t layout) {
  const int64_t step = layout.gap + 1;
  static tn_gemm_batch_t loop;
  loop = (tn_gemm_batch_t){batch, rows * depth * step, depth * columns * step};
  return (tn_gemm_shape_t){
      .type = type,
      .batch_loop_count = 1,
      .batch_loops = &loop,
      .rows = rows,
      .columns = columns,
      .depth = depth,
      .lhs_row_stride = layout.lhs_transposed ? step : depth * step,
      .lhs_depth_stride = layout.lhs_transposed ? rows * step : step,
      .rhs_depth_stride = layout.rhs_transposed ? step : columns * step,
      .rhs_column_stride = layout.rhs_transposed ? depth * step : step,
  };
}

static void* checked_alloc(size_t size) {
  void* data = aligned_alloc(64, (size + 127) / 64 * 64);
  assert_non_null(data);
  return data;
}

// Runs `shape` in 0xFF-filled memory; `got` is as long as the result.
static void run_shape(const tn_gemm_t* gemm, tn_pool_t* pool, const void* lhs, const void* rhs,
                      void* got, size_t length) {
  void* scratch = checked_alloc(gemm->scratch_byte_size);
  memset(scratch, 0xFF, gemm->scratch_byte_size);
  memset(got, 0xFF, length);
  TN_ASSERT_OK(tn__gemm_run(gemm, pool, lhs, rhs, got, scratch));
  free(scratch);
}

// Tiles of other sizes need panels of others.
static void take_set(tn_gemm_t* gemm, const tn_gemm_set_t* set) {
  gemm->set = set;
  if (gemm->form != TN_GEMM_BLOCKED) return;
  gemm->slot_byte_size = tn__gemm_blocked_scratch(gemm);
  gemm->scratch_byte_size = (size_t)gemm->slots * gemm->slot_byte_size;
}

static void check_shape(const tn_gemm_shape_t* shape, int64_t step, tn_pool_t* pool) {
  const size_t size = element_sizes[shape->type];
  const int64_t lhs_count = shape->batch_loops->count * shape->rows * shape->depth * step;
  const int64_t rhs_count = shape->batch_loops->count * shape->columns * shape->depth * step;
  const size_t length = (size_t)(shape->batch_loops->count * shape->rows * shape->columns) * size;
  void *lhs = checked_alloc((size_t)lhs_count * size),
       *rhs = checked_alloc((size_t)rhs_count * size);
  void *wanted = checked_alloc(length), *got = checked_alloc(length);
  randomize(shape->type, lhs, lhs_count);
  randomize(shape->type, rhs, rhs_count);
  multiply_plainly(shape, lhs, rhs, wanted);
  const tn_gemm_t gemm = tn__gemm_plan(shape);
  run_shape(&gemm, pool, lhs, rhs, got, length);
  // -0 and 0 are both right where all terms are zero.
  const bool is_f32 = shape->type == TN_GEMM_F32 || shape->type == TN_GEMM_C64;
  const bool is_float = shape->type != TN_GEMM_I32 && shape->type != TN_GEMM_I64;
  for (size_t i = 0; is_float && is_f32 && i < length / 4; ++i) ((float*)got)[i] += 0.0f;
  for (size_t i = 0; is_float && !is_f32 && i < length / 8; ++i) ((double*)got)[i] += 0.0;
  if (length && memcmp(got, wanted, length) != 0) {
    fail_msg("type %d, form %d, batch %d, %d x %d x %d", (int)shape->type, (int)gemm.form,
             (int)shape->batch_loops->count, (int)shape->rows, (int)shape->depth,
             (int)shape->columns);
  }
  free(lhs), free(rhs), free(wanted), free(got);
}

static void gemm_agrees_with_plain_loops(void** state) {
  (void)state;
  static const int64_t sizes[][4] = {
      // batch, rows, columns, depth
      {1, 1, 1, 1},     {1, 1, 1, 1000},   {1, 5, 1, 70},   {1, 1, 300, 7},    {2, 1, 40, 260},
      {3, 8, 8, 8},     {1, 13, 33, 5},    {1, 64, 64, 64}, {1, 37, 101, 300}, {20, 17, 9, 30},
      {3, 60, 50, 70},  {1, 90, 130, 513}, {1, 0, 4, 4},    {1, 4, 4, 0},      {0, 2, 2, 2},
      {1, 1, 1, 40000}, {5, 1, 3, 3},      {9, 2, 2, 2},    {9, 2, 1, 2},      {9, 3, 3, 3},
      {9, 3, 1, 3},     {9, 4, 4, 4},      {9, 4, 1, 4},    {1, 300, 61, 1},   {2, 70, 2100, 3},
      {1, 900, 3, 10},  {1, 500, 1, 10},   {1, 300, 7, 50}, {1, 5, 300, 70},   {2, 70, 3, 4200},
      {2, 1, 41, 4300}, {1, 29, 1, 1100},  {1, 45, 1, 100},
  };
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (int type = TN_GEMM_F32; type <= TN_GEMM_C128; ++type) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      for (int layout = 0; layout < 8; ++layout) {
        const layout_t chosen = {layout & 1, layout & 2, layout >> 2};
        const tn_gemm_shape_t shape = make_shape((tn_gemm_type_t)type, sizes[i][0], sizes[i][1],
                                                 sizes[i][2], sizes[i][3], chosen);
        check_shape(&shape, chosen.gap + 1, layout & 1 ? pool : NULL);
      }
    }
  }
  tn__pool_release(pool);
}

typedef struct loads {
  tn_gemm_type_t type;
  tn_dtype_t computed, lhs, rhs;
} loads_t;

// `count` elements of any bits, but small integers of floats.
static void* random_elements(tn_dtype_t dtype, int64_t count) {
  const size_t size = tn_dtype_byte_size(dtype);
  uint8_t* data = checked_alloc((size_t)count * size);
  const bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t small = (int64_t)(next() % 15) - 7;
    const uint64_t bits = dtype == TN_DTYPE_PRED ? next() & 1 : next() ^ next() << 31;
    if (is_float) tn__convert_elements(TN_DTYPE_S64, &small, dtype, data + (size_t)i * size, 1);
    if (!is_float) memcpy(data + (size_t)i * size, &bits, size);
  }
  return data;
}

static void* converted(tn_dtype_t from, const void* data, tn_dtype_t to, int64_t count) {
  void* result = checked_alloc((size_t)count * tn_dtype_byte_size(to));
  tn__convert_elements(from, data, to, result, (size_t)count);
  return result;
}

static tn_conversion_t load_of(tn_dtype_t from, tn_dtype_t to) {
  return from == to ? (tn_conversion_t){0} : tn__conversion(from, to);
}

// Against the same product of operands that were converted before; pairs on every instruction set.
static void check_loads(const loads_t* loads, tn_gemm_shape_t shape, tn_pool_t* pool) {
  const int64_t lhs_count = shape.batch_loops->count * shape.rows * shape.depth;
  const int64_t rhs_count = shape.batch_loops->count * shape.columns * shape.depth;
  const size_t length =
      (size_t)(shape.batch_loops->count * shape.rows * shape.columns) * element_sizes[shape.type];
  void *lhs = random_elements(loads->lhs, lhs_count), *rhs = random_elements(loads->rhs, rhs_count);
  void* lhs_before = converted(loads->lhs, lhs, loads->computed, lhs_count);
  void* rhs_before = converted(loads->rhs, rhs, loads->computed, rhs_count);
  void *wanted = checked_alloc(length), *got = checked_alloc(length);
  const tn_gemm_t before = tn__gemm_plan(&shape);
  run_shape(&before, pool, lhs_before, rhs_before, wanted, length);
  shape.lhs_load = load_of(loads->lhs, loads->computed);
  shape.rhs_load = load_of(loads->rhs, loads->computed);
  assert_true(tn__gemm_loads(&shape));
  tn_gemm_t gemm = tn__gemm_plan(&shape);
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    if (gemm.set->terms > 1 && tn__isa_has(isa)) {
      take_set(&gemm, tn__gemm_set_of(isa, TN_GEMM_SCALAR_I16));
    } else if (isa > TN_ISA_BASE) {
      continue;
    }
    run_shape(&gemm, pool, lhs, rhs, got, length);
    if (memcmp(got, wanted, length) != 0) {
      fail_msg("%s and %s, form %d, %d x %d x %d, strides %d %d", tn_dtype_name(loads->lhs),
               tn_dtype_name(loads->rhs), (int)gemm.form, (int)shape.rows, (int)shape.depth,
               (int)shape.columns, (int)shape.lhs_row_stride, (int)shape.rhs_column_stride);
    }
  }
  free(lhs), free(rhs), free(lhs_before), free(rhs_before), free(wanted), free(got);
}

static void gemm_converts_operands_as_it_reads_them(void** state) {
  (void)state;
  static const loads_t loads[] = {
      {TN_GEMM_F32, TN_DTYPE_F32, TN_DTYPE_BF16, TN_DTYPE_BF16},
      {TN_GEMM_F32, TN_DTYPE_F32, TN_DTYPE_F32, TN_DTYPE_F16},
      {TN_GEMM_F32, TN_DTYPE_F32, TN_DTYPE_F8E4M3FN, TN_DTYPE_F32},
      {TN_GEMM_F64, TN_DTYPE_F64, TN_DTYPE_F32, TN_DTYPE_F64},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_S8, TN_DTYPE_S8},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_U8, TN_DTYPE_S8},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_S16, TN_DTYPE_S16},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_PRED, TN_DTYPE_S8},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_U16, TN_DTYPE_S8},
      {TN_GEMM_I32, TN_DTYPE_S32, TN_DTYPE_S8, TN_DTYPE_S32},
      {TN_GEMM_I64, TN_DTYPE_S64, TN_DTYPE_S32, TN_DTYPE_U8},
  };
  static const int64_t sizes[][4] = {
      // batch, rows, columns, depth
      {1, 1, 300, 70},  {2, 1, 40, 9000},  {1, 1, 1, 40000}, {1, 300, 1, 4099},  {3, 5, 700, 60},
      {1, 300, 7, 515}, {1, 37, 101, 301}, {2, 64, 64, 17},  {1, 150, 260, 600},
  };
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (size_t l = 0; l < sizeof loads / sizeof *loads; ++l) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      for (int layout = 0; layout < 4; ++layout) {
        const layout_t chosen = {layout & 1, layout & 2, 0};
        const tn_gemm_shape_t shape =
            make_shape(loads[l].type, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], chosen);
        check_loads(&loads[l], shape, layout & 1 ? pool : NULL);
      }
    }
  }
  tn__pool_release(pool);
}

// The one sum of two products that 32 bits do not hold wraps, as it does on its own.
static void pairs_of_the_least_integers_wrap(void** state) {
  (void)state;
  enum { SIZE = 40 };
  int16_t operand[SIZE * SIZE];
  uint32_t result[SIZE * SIZE];
  for (int i = 0; i < SIZE * SIZE; ++i) operand[i] = INT16_MIN;
  tn_gemm_shape_t shape = make_shape(TN_GEMM_I32, 1, SIZE, SIZE, SIZE - 1, (layout_t){0});
  shape.lhs_load = shape.rhs_load = tn__conversion(TN_DTYPE_S16, TN_DTYPE_S32);
  const tn_gemm_t gemm = tn__gemm_plan(&shape);
  run_shape(&gemm, NULL, operand, operand, result, sizeof result);
  for (int i = 0; i < SIZE * SIZE; ++i)
    assert_int_equal(result[i], (SIZE - 1) * (UINT32_C(1) << 30));
}

static void gemm_blocks_large_dimensions(void** state) {
  (void)state;
  const tn_gemm_shape_t tall = make_shape(TN_GEMM_F32, 1, 4200, 5, 9, (layout_t){0});
  check_shape(&tall, 1, NULL);
  const tn_gemm_shape_t wide = make_shape(TN_GEMM_F64, 1, 4, 4200, 300, (layout_t){0});
  check_shape(&wide, 1, NULL);
}

// Of sets with fused multiply-add the bits are the same; the base rounds products on their own.
// `first` is what the set before gave.
static void assert_same_of_sets(tn_isa_t isa, float* first, const float* other, size_t count) {
  if (isa > TN_ISA_BASE + 1) assert_memory_equal(first, other, count * sizeof *first);
  for (size_t i = 0; isa == TN_ISA_BASE + 1 && i < count; ++i) {
    assert_true(fabsf(first[i] - other[i]) < 1e-3f);
  }
  memcpy(first, other, count * sizeof *first);
}

static void gemm_is_the_same_on_every_instruction_set(void** state) {
  (void)state;
  enum { ROWS = 50, COLUMNS = 70, DEPTH = 600 };
  float* lhs = checked_alloc(sizeof(float) * ROWS * DEPTH);
  float* rhs = checked_alloc(sizeof(float) * COLUMNS * DEPTH);
  for (int i = 0; i < ROWS * DEPTH; ++i) lhs[i] = (float)next() / 3e8f - 3.5f;
  for (int i = 0; i < COLUMNS * DEPTH; ++i) rhs[i] = (float)next() / 3e8f - 3.5f;
  static const int64_t shapes[][3] = {
      {ROWS, COLUMNS, DEPTH}, {ROWS, 1, DEPTH}, {ROWS, 1, 100}, {8, 8, 8}, {1, COLUMNS, DEPTH}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    const tn_gemm_shape_t shape =
        make_shape(TN_GEMM_F32, 1, shapes[i][0], shapes[i][1], shapes[i][2], (layout_t){0});
    float first[ROWS * COLUMNS], other[ROWS * COLUMNS];
    for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
      if (!tn__isa_has(isa)) continue;
      tn_gemm_t gemm = tn__gemm_plan(&shape);
      take_set(&gemm, tn__gemm_set_of(isa, TN_GEMM_SCALAR_F32));
      run_shape(&gemm, NULL, lhs, rhs, other, (size_t)(shape.rows * shape.columns) * sizeof *other);
      assert_same_of_sets(isa, first, other, (size_t)(shape.rows * shape.columns));
    }
  }
  free(lhs), free(rhs);
}

// Rows that begin anywhere, and two lots of terms, of which the second is added.
static void walks_are_the_same_on_every_instruction_set(void** state) {
  (void)state;
  enum { ROWS = 29, COLUMNS = 83, RHS_ROW = 96, RUNS = 3, LENGTH = 7, LHS = 400 };
  static const int64_t lhs_offsets[RUNS] = {0, 50, 20},
                       rhs_offsets[RUNS] = {0, 2 * LENGTH * RHS_ROW, LENGTH * RHS_ROW};
  float lhs[LHS], first[ROWS][COLUMNS], other[ROWS][COLUMNS];
  float* rhs = checked_alloc(sizeof(float) * RUNS * LENGTH * RHS_ROW);
  for (int i = 0; i < LHS; ++i) lhs[i] = (float)next() / 3e8f - 3.5f;
  for (int i = 0; i < RUNS * LENGTH * RHS_ROW; ++i) rhs[i] = (float)next() / 3e8f - 3.5f;
  const tn_gemm_walk_t walk = {RUNS, LENGTH, lhs_offsets, rhs_offsets, 3, RHS_ROW};
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_gemm_set_t* set = tn__gemm_set_of(isa, TN_GEMM_SCALAR_F32);
    if (!set) continue;
    float(*results)[COLUMNS] = other;
    for (int64_t i = 0; i < ROWS; i += set->tile_rows) {
      for (int64_t j = 0; j < COLUMNS; j += set->tile_columns) {
        const void* begins[TN_GEMM_TILE_LIMIT];
        void* places[TN_GEMM_TILE_LIMIT];
        const int64_t rows = ROWS - i < set->tile_rows ? ROWS - i : set->tile_rows;
        const int64_t columns = COLUMNS - j < set->tile_columns ? COLUMNS - j : set->tile_columns;
        for (int64_t r = 0; r < rows; ++r) {
          begins[r] = lhs + (i + r) * 11;
          places[r] = &results[i + r][j];
        }
        set->walk(&walk, rows, columns, begins, rhs + j, places, false);
        set->walk(&walk, rows, columns, begins, rhs + j, places, true);
      }
    }
    assert_same_of_sets(isa, first[0], other[0], sizeof first / sizeof(float));
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) {
      double sum = 0;
      for (int t = 0; t < RUNS * LENGTH; ++t) {
        sum += 2.0 * (double)lhs[i * 11 + lhs_offsets[t / LENGTH] + t % LENGTH * 3] *
               (double)rhs[rhs_offsets[t / LENGTH] + t % LENGTH * RHS_ROW + j];
      }
      assert_true(fabs((double)first[i][j] - sum) < 1e-3);
    }
  }
  free(rhs);
}

static void gemm_is_the_same_for_every_number_of_threads(void** state) {
  (void)state;
  enum { SIZE = 300 };
  float* operand = checked_alloc(sizeof(float) * SIZE * SIZE);
  float* results[2] = {checked_alloc(sizeof(float) * SIZE * SIZE),
                       checked_alloc(sizeof(float) * SIZE * SIZE)};
  for (int i = 0; i < SIZE * SIZE; ++i) operand[i] = (float)next() / 3e8f - 3.5f;
  const tn_gemm_shape_t shape = make_shape(TN_GEMM_F32, 1, SIZE, SIZE, SIZE, (layout_t){0});
  const tn_gemm_t gemm = tn__gemm_plan(&shape);
  void* scratch = checked_alloc(gemm.scratch_byte_size);
  for (int threads = 1; threads <= 4; ++threads) {
    tn_pool_t* pool;
    TN_ASSERT_OK(tn__pool_create(&(tn_pool_config_t){.thread_count = threads},
                                 tn_allocator_system(), &pool));
    TN_ASSERT_OK(tn__gemm_run(&gemm, pool, operand, operand, results[threads > 1], scratch));
    tn__pool_release(pool);
    if (threads > 1) {
      assert_memory_equal(results[0], results[1], sizeof(float) * SIZE * SIZE);
    }
  }
  free(operand), free(results[0]), free(results[1]), free(scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm_agrees_with_plain_loops),
      cmocka_unit_test(gemm_converts_operands_as_it_reads_them),
      cmocka_unit_test(pairs_of_the_least_integers_wrap),
      cmocka_unit_test(gemm_blocks_large_dimensions),
      cmocka_unit_test(gemm_is_the_same_on_every_instruction_set),
      cmocka_unit_test(walks_are_the_same_on_every_instruction_set),
      cmocka_unit_test(gemm_is_the_same_for_every_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
