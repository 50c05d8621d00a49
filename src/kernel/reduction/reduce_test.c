// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/testing_kernel.h"

static uint64_t seed = 11;
static uint64_t next(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

// --- against plain loops, over shapes of every form

typedef struct shape {
  size_t rank;
  int64_t dims[5];
  unsigned folded;  // bit i: dimension i
} shape_t;

static const shape_t shapes[] = {
    {1, {1}, 1},
    {1, {100000}, 1},  // groups of one output
    {2, {3, 70}, 2},   // rows
    {1, {33}, 1},      // short ones
    {2, {0, 37}, 2},
    {2, {3, 0}, 2},
    {1, {1024}, 1},
    {2, {5, 37}, 2},
    {2, {3, 70000}, 2},     // long rows
    {2, {1200, 5}, 2},      // thin rows
    {2, {700, 24}, 2},      //
    {2, {2100, 3}, 2},      //
    {2, {3, 32}, 2},        //
    {2, {70, 2100}, 1},     // columns, in blocks
    {2, {50000, 3}, 1},     // narrow columns
    {2, {9000, 64}, 1},     // 256-byte rows of f32
    {3, {4, 30, 50}, 5},    // both ends
    {3, {4, 300, 5}, 2},    // the middle
    {4, {3, 5, 7, 2}, 10},  // every other one
    {4, {3, 5, 7, 2}, 5},   //
    {3, {20, 1, 30}, 3},    // dimensions of one
    {5, {2, 3, 2, 3, 2}, 31},
    {2, {4, 6}, 0},  // nothing folded: one step with the initial value
    {2, {0, 6}, 1},  // no elements to fold
    {2, {0, 6}, 2},  // no outputs
    {3, {300, 4, 300}, 5},
    // Short rows below kept and folded dimensions:
    {5, {3, 20, 9, 8, 8}, 22},
    {5, {1, 33, 31, 7, 5}, 22},
    {5, {1, 12, 11, 8, 24}, 22},
    {4, {16, 8, 4, 9}, 10},    // nothing folded around them
    {4, {70, 8, 1, 9}, 9},     //
    {4, {5, 0, 4, 9}, 10},     //
    {3, {17, 33, 64}, 5},      // in blocks
    {3, {9, 17, 256}, 5},      //
    {3, {9, 3, 257}, 5},       // rows, just
    {3, {9, 1030, 3}, 5},      //
    {3, {40000, 3, 4}, 5},     // in groups
    {5, {6, 5, 4, 3, 7}, 21},  // the same with a kept dimension inside
    {5, {6, 5, 4, 3, 7}, 10},  //
    {3, {300, 8, 8}, 2},
    {3, {300, 3, 1}, 2},
    {4, {30, 65, 5, 3}, 5},
    {4, {2, 3, 500, 2}, 5},  // halves
    {4, {2, 200, 5, 2}, 5},
};

static void begin_case(tn_case_t* c, const shape_t* shape, tn_dtype_t dtype, const void* data,
                       const void* init, const char* op, int64_t* out_outputs) {
  tn__case_begin(c, "stablehlo.reduce");
  tn__case_operand(c, dtype, shape->rank, shape->dims, data);
  tn__case_operand(c, dtype, TN_SCALAR, init);
  int64_t folded[5], kept[5];
  size_t folded_count = 0, kept_count = 0;
  *out_outputs = 1;
  for (size_t i = 0; i < shape->rank; ++i) {
    if (shape->folded >> i & 1) {
      folded[folded_count++] = (int64_t)i;
    } else {
      kept[kept_count++] = shape->dims[i];
      *out_outputs *= shape->dims[i];
    }
  }
  tn__case_list(c, "dimensions", folded_count, folded);
  tn__case_result(c, dtype, kept_count, kept);
  if (op) tn__case_binary_body(c, op);
}

// Which output element `index` of the operand goes to.
static int64_t output_of(const shape_t* shape, int64_t index) {
  int64_t stride = 1, output = 0, place = 1;
  for (size_t i = shape->rank; i-- > 0;) {
    const int64_t at = index / stride % shape->dims[i];
    stride *= shape->dims[i];
    if (shape->folded >> i & 1) continue;
    output += at * place;
    place *= shape->dims[i];
  }
  return output;
}

static int64_t size_of(const shape_t* shape) {
  int64_t size = 1;
  for (size_t i = 0; i < shape->rank; ++i) size *= shape->dims[i];
  return size;
}

static int32_t fold_s32(const char* op, int32_t a, int32_t b) {
  if (strcmp(op, "stablehlo.add") == 0) return (int32_t)((uint32_t)a + (uint32_t)b);
  if (strcmp(op, "stablehlo.multiply") == 0) return (int32_t)((uint32_t)a * (uint32_t)b);
  if (strcmp(op, "stablehlo.maximum") == 0) return a > b ? a : b;
  if (strcmp(op, "stablehlo.minimum") == 0) return a < b ? a : b;
  if (strcmp(op, "stablehlo.and") == 0) return a & b;
  if (strcmp(op, "stablehlo.or") == 0) return a | b;
  return a ^ b;
}

static void reduce_agrees_with_plain_loops(void** state) {
  (void)state;
  static const char* const ops[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                    "stablehlo.minimum", "stablehlo.and",      "stablehlo.or",
                                    "stablehlo.xor"};
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const int64_t size = size_of(&shapes[s]);
    int32_t* data = malloc(sizeof *data * (size_t)size + 4);
    for (int64_t i = 0; i < size; ++i) data[i] = (int32_t)(next() * 2654435761u);
    for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o) {
      tn_case_t c;
      int64_t outputs;
      const int32_t init = 12345;
      begin_case(&c, &shapes[s], TN_DTYPE_S32, data, &init, ops[o], &outputs);
      c.pool = o % 2 ? pool : NULL;
      TN_ASSERT_OK(tn__case_run(&c));
      int32_t* wanted = calloc((size_t)outputs + 1, sizeof *wanted);
      for (int64_t i = 0; i < outputs; ++i) wanted[i] = init;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t at = output_of(&shapes[s], i);
        wanted[at] = fold_s32(ops[o], wanted[at], data[i]);
      }
      if (outputs) assert_memory_equal(c.results[0], wanted, sizeof *wanted * (size_t)outputs);
      free(wanted);
      tn__case_end(&c);
    }
    free(data);
  }
  tn__pool_release(pool);
}

static void sums_of_floats_are_accurate(void** state) {
  (void)state;
  // Of 0.1 added naively in f32, 1e5 terms are off by 1e-3 of the sum and more.
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const int64_t size = size_of(&shapes[s]);
    float* data = malloc(sizeof *data * (size_t)size + 4);
    for (int64_t i = 0; i < size; ++i) data[i] = (float)next() / 2147483648.0f;
    tn_case_t c;
    int64_t outputs;
    const float init = 0.5f;
    begin_case(&c, &shapes[s], TN_DTYPE_F32, data, &init, "stablehlo.add", &outputs);
    TN_ASSERT_OK(tn__case_run(&c));
    double* wanted = calloc((size_t)outputs + 1, sizeof *wanted);
    for (int64_t i = 0; i < size; ++i) wanted[output_of(&shapes[s], i)] += (double)data[i];
    for (int64_t i = 0; i < outputs; ++i) wanted[i] += init;
    for (int64_t i = 0; i < outputs; ++i) {
      const double got = (double)((float*)c.results[0])[i];
      if (fabs(got - wanted[i]) > 2e-6 * wanted[i]) {
        fail_msg("shape %zu: %.9g, wanted %.9g", s, got, wanted[i]);
      }
    }
    free(wanted);
    free(data);
    tn__case_end(&c);
  }
}

static void sums_do_not_depend_on_threads(void** state) {
  (void)state;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const int64_t size = size_of(&shapes[s]);
    float* data = malloc(sizeof *data * (size_t)size + 4);
    for (int64_t i = 0; i < size; ++i) data[i] = (float)next() - 1e9f;
    float* first = NULL;
    for (int threads = 1; threads <= 4; ++threads) {
      tn_case_t c;
      int64_t outputs;
      const float init = 0;
      begin_case(&c, &shapes[s], TN_DTYPE_F32, data, &init, "stablehlo.add", &outputs);
      TN_ASSERT_OK(tn__pool_create(&(tn_pool_config_t){.thread_count = threads},
                                   tn_allocator_system(), &c.pool));
      TN_ASSERT_OK(tn__case_run(&c));
      const size_t length = sizeof *first * (size_t)outputs;
      if (threads == 1) {
        first = malloc(length + 4);
        memcpy(first, c.results[0], length);
      } else if (length) {
        assert_memory_equal(first, c.results[0], length);
      }
      tn__pool_release(c.pool);
      tn__case_end(&c);
    }
    free(first);
    free(data);
  }
}

// --- dtypes

static void narrow_floats_are_summed_in_f32(void** state) {
  (void)state;
  // 4096 times 1 in f16, where 2048 + 1 is 2048.
  uint16_t ones[4096];
  for (int i = 0; i < 4096; ++i) ones[i] = 0x3C00;
  tn_case_t c;
  int64_t outputs;
  begin_case(&c, &(shape_t){1, {4096}, 1}, TN_DTYPE_F16, ones, (uint16_t[]){0}, "stablehlo.add",
             &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, 0x6C00);
  tn__case_end(&c);
}

static void booleans_add_with_or(void** state) {
  (void)state;
  tn_case_t c;
  int64_t outputs;
  begin_case(&c, &(shape_t){2, {3, 2}, 2}, TN_DTYPE_PRED, (uint8_t[]){1, 1, 0, 0, 0, 1}, "\0",
             "stablehlo.add", &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 1, 0, 1);
  tn__case_end(&c);
}

static void narrow_integers_wrap_in_their_own_width(void** state) {
  (void)state;
  tn_case_t c;
  int64_t outputs;
  begin_case(&c, &(shape_t){1, {3}, 1}, TN_DTYPE_S4, (int8_t[]){7, 7, -3}, "\0", "stablehlo.add",
             &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, -5);
  tn__case_end(&c);
}

static void maximum_lets_nan_through_and_orders_zeros(void** state) {
  (void)state;
  tn_case_t c;
  int64_t outputs;
  const float low = -INFINITY;
  begin_case(&c, &(shape_t){2, {3, 2}, 2}, TN_DTYPE_F32, (float[]){1, NAN, -0.0f, 0.0f, NAN, 1},
             &low, "stablehlo.maximum", &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  const float* got = c.results[0];
  assert_true(isnan(got[0]) && isnan(got[2]));
  assert_true(got[1] == 0 && !signbit(got[1]));
  tn__case_end(&c);
}

// A plane for each channel of images; whichever is NaN or infinite, its channel is.
static void what_is_not_finite_is_found_anywhere_in_a_block(void** state) {
  (void)state;
  enum { IMAGES = 5, CHANNELS = 9, SIZE = 11, COUNT = IMAGES * CHANNELS * SIZE };
  static const char* const ops[] = {"stablehlo.maximum", "stablehlo.add"};
  float data[COUNT];
  for (int i = 0; i < 2 * COUNT; ++i) {
    const float odd = i % 2 ? NAN : INFINITY, init = 0;
    for (int k = 0; k < COUNT; ++k) data[k] = (float)(k % 7) - 3;
    data[i / 2] = odd;
    tn_case_t c;
    int64_t outputs = 0;
    begin_case(&c, &(shape_t){3, {IMAGES, CHANNELS, SIZE}, 5}, TN_DTYPE_F32, data, &init,
               ops[i / 2 % 2], &outputs);
    TN_ASSERT_OK(tn__case_run(&c));
    const float* got = c.results[0];
    for (int k = 0; k < CHANNELS; ++k) {
      const bool is_odd = k == i / 2 / SIZE % CHANNELS;
      assert_int_equal(!isfinite(got[k]), is_odd);
      if (is_odd) assert_int_equal(isnan(got[k]), isnan(odd));
    }
    tn__case_end(&c);
  }
}

static void equal_elements_have_equal_sums_anywhere(void** state) {
  (void)state;
  // The last block has fewer of them.
  enum { CHANNELS = 17, SIZE = 63 };
  float data[3][CHANNELS][SIZE];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < SIZE; ++k) {
      const float value = (float)next() - 1e9f;
      for (int channel = 0; channel < CHANNELS; ++channel) data[i][channel][k] = value;
    }
  }
  tn_case_t c;
  int64_t outputs;
  begin_case(&c, &(shape_t){3, {3, CHANNELS, SIZE}, 5}, TN_DTYPE_F32, data, (float[]){0},
             "stablehlo.add", &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  const float* got = c.results[0];
  for (int i = 1; i < CHANNELS; ++i) assert_true(got[i] == got[0]);
  tn__case_end(&c);
}

static void narrow_floats_are_summed_in_f32_in_blocks(void** state) {
  (void)state;
  static uint16_t ones[64 * 2 * 64];
  for (int i = 0; i < 64 * 2 * 64; ++i) ones[i] = 0x3C00;
  tn_case_t c;
  int64_t outputs;
  begin_case(&c, &(shape_t){3, {64, 2, 64}, 5}, TN_DTYPE_F16, ones, (uint16_t[]){0},
             "stablehlo.add", &outputs);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, 0x6C00, 0x6C00);
  tn__case_end(&c);
}

static void results_may_be_wider_than_operands(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.reduce");
  tn__case_operand(&c, TN_DTYPE_S8, TN_DIMS(3), (int8_t[]){100, 100, 100});
  tn__case_operand(&c, TN_DTYPE_S8, TN_SCALAR, (int8_t[]){-1});
  tn__case_list(&c, "dimensions", 1, (int64_t[]){0});
  tn__case_result(&c, TN_DTYPE_S32, TN_SCALAR);
  tn__case_binary_body(&c, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 299);
  tn__case_end(&c);
}

// --- bodies

static float float_arguments[4], float_results[2];
static int32_t int_arguments[4], int_results[2];
static int runs_left;

// (value, index) pairs: the larger value, the smaller index of equal ones.
static tn_status_t run_argmax(const tn_body_t* body) {
  (void)body;
  const bool keep =
      float_arguments[0] > float_arguments[2] ||
      (float_arguments[0] == float_arguments[2] && int_arguments[1] < int_arguments[3]);
  float_results[0] = float_arguments[keep ? 0 : 2];
  int_results[1] = int_arguments[keep ? 1 : 3];
  return TN_OK;
}

static void reduce_folds_several_operands_through_the_body(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.reduce");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2, 3), (float[]){1, 5, 5, 7, 2, 3});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), (int32_t[]){0, 1, 2, 0, 1, 2});
  tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, (float[]){-INFINITY});
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){0});
  tn__case_list(&c, "dimensions", 1, (int64_t[]){1});
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(2));
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
  c.body_shapes[0].binary = NULL;
  void* arguments[] = {&float_arguments[0], &int_arguments[1], &float_arguments[2],
                       &int_arguments[3]};
  void* results[] = {&float_results[0], &int_results[1]};
  tn__case_callback_body(&c, arguments, results, run_argmax);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 5, 7);
  assert_memory_equal(c.results[1], ((int32_t[]){1, 0}), 8);
  tn__case_end(&c);
}

static tn_status_t run_subtract(const tn_body_t* body) {
  (void)body;
  if (runs_left-- == 0) return tn_status_create(TN_CODE_ABORTED, "enough");
  int_results[0] = int_arguments[0] - int_arguments[1];
  return TN_OK;
}

static tn_status_t run_subtraction(int32_t* out_results) {
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.reduce");
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(2, 2, 2), (int16_t[]){1, 2, 3, 4, 5, 6, 7, 8});
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){100});
  tn__case_list(&c, "dimensions", 2, (int64_t[]){0, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
  void* arguments[] = {&int_arguments[0], &int_arguments[1]};
  void* results[] = {&int_results[0]};
  tn__case_callback_body(&c, arguments, results, run_subtract);
  tn_status_t status = tn__case_run(&c);
  memcpy(out_results, c.results[0], 8);
  tn__case_end(&c);
  return status;
}

static void bodies_run_in_order_on_converted_elements(void** state) {
  (void)state;
  int32_t got[2];
  runs_left = 8;
  TN_ASSERT_OK(run_subtraction(got));
  assert_int_equal(got[0], 100 - 1 - 2 - 5 - 6);
  assert_int_equal(got[1], 100 - 3 - 4 - 7 - 8);
}

static void errors_of_a_body_end_the_reduction(void** state) {
  (void)state;
  int32_t got[2];
  runs_left = 3;
  TN_ASSERT_CODE(ABORTED, run_subtraction(got));
}

// Three outputs at a time, of an operand and of its negation: x <- x / 2 + element in each lane.
enum { LANES = 3 };
static double lane_accumulators[2][LANES], lane_elements[2][LANES];

static tn_status_t halve_and_add(const tn_body_t* body) {
  (void)body;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < LANES; ++i) {
      lane_accumulators[k][i] = lane_accumulators[k][i] / 2 + lane_elements[k][i];
    }
  }
  return TN_OK;
}

static void lanes_fold_their_own_outputs(void** state) {
  (void)state;
  enum { OUTPUTS = 7, COUNT = 37 };
  static void* const arguments[] = {lane_accumulators[0], lane_accumulators[1], lane_elements[0],
                                    lane_elements[1]};
  static void* const results[] = {lane_accumulators[0], lane_accumulators[1]};
  double data[OUTPUTS * COUNT], negated[OUTPUTS * COUNT], one = 1, minus_one = -1;
  for (int i = 0; i < OUTPUTS * COUNT; ++i) {
    data[i] = (double)(next() % 100);
    negated[i] = -data[i];
  }
  for (int folds_rows = 0; folds_rows < 2; ++folds_rows) {
    tn_case_t c;
    const int64_t rows = folds_rows ? OUTPUTS : COUNT, columns = folds_rows ? COUNT : OUTPUTS;
    tn__case_begin(&c, "stablehlo.reduce");
    tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(rows, columns), data);
    tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(rows, columns), negated);
    tn__case_operand(&c, TN_DTYPE_F64, TN_SCALAR, &one);
    tn__case_operand(&c, TN_DTYPE_F64, TN_SCALAR, &minus_one);
    tn__case_list(&c, "dimensions", 1, (int64_t[]){folds_rows});
    tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(OUTPUTS));
    tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(OUTPUTS));
    c.body_shapes[0].lanes = LANES;
    tn__case_callback_body(&c, arguments, results, halve_and_add);
    TN_ASSERT_OK(tn__case_run(&c));
    for (int o = 0; o < OUTPUTS; ++o) {
      double wanted = 1;
      for (int i = 0; i < COUNT; ++i) {
        wanted = wanted / 2 + data[folds_rows ? o * COUNT + i : i * OUTPUTS + o];
      }
      assert_true(((double*)c.results[0])[o] == wanted);
      assert_true(((double*)c.results[1])[o] == -wanted);
    }
    tn__case_end(&c);
  }
}

// tn__case_run compares what is quick with what is not.
static void short_rows_of_floats_have_the_bits_of_others(void** state) {
  (void)state;
  static const int64_t widths[] = {2, 15, 16, 17, 31, 32, 33, 64, 65, 100, 513, 1023, 1024};
  static const char* const ops[] = {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum",
                                    "stablehlo.multiply"};
  float data[1024];
  const float inits[] = {-0.0f, 0.0f, 1.5f};
  for (int i = 0; i < 1024; ++i) data[i] = (float)next() * 0x1p-31f - 0.5f;
  data[3] = -0.0f;
  data[14] = 0.0f;
  for (size_t w = 0; w < sizeof widths / sizeof *widths; ++w) {
    for (size_t o = 0; o < 12; ++o) {
      const shape_t row = {1, {widths[w]}, 1}, rows = {2, {1024 / widths[w], widths[w]}, 2};
      for (int turn = 0; turn < 2; ++turn) {
        tn_case_t c;
        int64_t outputs = 0;
        begin_case(&c, turn ? &rows : &row, TN_DTYPE_F32, data, &inits[o / 4], ops[o % 4],
                   &outputs);
        TN_ASSERT_OK(tn__case_run(&c));
        tn__case_end(&c);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduce_agrees_with_plain_loops),
      cmocka_unit_test(sums_of_floats_are_accurate),
      cmocka_unit_test(sums_do_not_depend_on_threads),
      cmocka_unit_test(narrow_floats_are_summed_in_f32),
      cmocka_unit_test(booleans_add_with_or),
      cmocka_unit_test(narrow_integers_wrap_in_their_own_width),
      cmocka_unit_test(maximum_lets_nan_through_and_orders_zeros),
      cmocka_unit_test(what_is_not_finite_is_found_anywhere_in_a_block),
      cmocka_unit_test(equal_elements_have_equal_sums_anywhere),
      cmocka_unit_test(narrow_floats_are_summed_in_f32_in_blocks),
      cmocka_unit_test(results_may_be_wider_than_operands),
      cmocka_unit_test(reduce_folds_several_operands_through_the_body),
      cmocka_unit_test(bodies_run_in_order_on_converted_elements),
      cmocka_unit_test(lanes_fold_their_own_outputs),
      cmocka_unit_test(short_rows_of_floats_have_the_bits_of_others),
      cmocka_unit_test(errors_of_a_body_end_the_reduction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
