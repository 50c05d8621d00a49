// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/element.h"
#include "kernel/testing_kernel.h"

static uint64_t seed = 77;
static int64_t below(int64_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((seed >> 33) % (uint64_t)limit);
}

enum { SPATIAL_LIMIT = 3, RANK_LIMIT = SPATIAL_LIMIT + 2 };

typedef struct side {
  int64_t dims[RANK_LIMIT];
  int64_t first, second, spatial[SPATIAL_LIMIT];  // where its dimensions are
} side_t;

typedef struct convolution {
  size_t spatial;
  int64_t batch, features_in, features_out, feature_groups, batch_groups;
  int64_t input[SPATIAL_LIMIT], kernel[SPATIAL_LIMIT], output[SPATIAL_LIMIT];
  int64_t strides[SPATIAL_LIMIT], padding[2 * SPATIAL_LIMIT], bases[SPATIAL_LIMIT],
      dilations[SPATIAL_LIMIT], reversal[SPATIAL_LIMIT];
  side_t lhs, rhs, result;
} convolution_t;

static void place(size_t spatial, int64_t first, int64_t second, const int64_t* sizes,
                  side_t* side) {
  int64_t order[RANK_LIMIT] = {0};
  const size_t rank = spatial + 2;
  for (size_t i = 0; i < rank; ++i) order[i] = (int64_t)i;
  for (size_t i = rank; i > 1; --i) {
    const size_t j = (size_t)below((int64_t)i);
    const int64_t kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
  side->first = order[0];
  side->second = order[1];
  side->dims[order[0]] = first;
  side->dims[order[1]] = second;
  for (size_t i = 0; i < spatial; ++i) {
    side->spatial[i] = order[i + 2];
    side->dims[order[i + 2]] = sizes[i];
  }
}

static bool infer(convolution_t* c) {
  for (size_t i = 0; i < c->spatial; ++i) {
    const int64_t base = c->input[i] ? (c->input[i] - 1) * c->bases[i] + 1 : 0;
    const int64_t room = base + c->padding[2 * i] + c->padding[2 * i + 1] -
                         ((c->kernel[i] - 1) * c->dilations[i] + 1);
    if (room < 0) return false;
    c->output[i] = room / c->strides[i] + 1;
  }
  place(c->spatial, c->batch, c->features_in, c->input, &c->lhs);
  place(c->spatial, c->features_in / c->feature_groups, c->features_out, c->kernel, &c->rhs);
  place(c->spatial, c->batch / c->batch_groups, c->features_out, c->output, &c->result);
  return true;
}

static convolution_t random_convolution(void) {
  convolution_t c = {
      .spatial = (size_t)below(SPATIAL_LIMIT + 1), .feature_groups = 1, .batch_groups = 1};
  const int64_t groups = 1 + below(3);
  const int64_t kind = below(3);
  if (kind == 1) c.feature_groups = groups;
  if (kind == 2) c.batch_groups = groups;
  c.batch = c.batch_groups * (1 + below(3));
  // Often depthwise, with one feature to a group.
  const int64_t most = below(3) ? 4 : 1;
  c.features_in = c.feature_groups * (1 + below(most));
  c.features_out = c.feature_groups * c.batch_groups * (1 + below(most));
  do {
    for (size_t i = 0; i < c.spatial; ++i) {
      c.input[i] = 1 + below(7);
      c.kernel[i] = 1 + below(3);
      c.strides[i] = 1 + below(3);
      c.padding[2 * i] = below(5) - 1;
      c.padding[2 * i + 1] = below(5) - 1;
      c.bases[i] = 1 + below(2);
      c.dilations[i] = 1 + below(2);
      c.reversal[i] = below(2);
    }
  } while (!infer(&c));
  return c;
}

static int64_t count_of(size_t rank, const int64_t* dims) {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= dims[i];
  return count;
}

static int64_t offset_of(const convolution_t* c, const side_t* side, int64_t first, int64_t second,
                         const int64_t* spatial) {
  int64_t index[RANK_LIMIT], offset = 0;
  index[side->first] = first;
  index[side->second] = second;
  for (size_t i = 0; i < c->spatial; ++i) index[side->spatial[i]] = spatial[i];
  for (size_t i = 0; i < c->spatial + 2; ++i) offset = offset * side->dims[i] + index[i];
  return offset;
}

static void convolve_plainly(const convolution_t* c, const int32_t* lhs, const int32_t* rhs,
                             int32_t* out) {
  const int64_t outputs = count_of(c->spatial, c->output), taps = count_of(c->spatial, c->kernel);
  const int64_t batch = c->batch / c->batch_groups;
  const int64_t depth = c->features_in / c->feature_groups;
  const int64_t groups = c->feature_groups * c->batch_groups;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t f = 0; f < c->features_out; ++f) {
      const int64_t group = f / (c->features_out / groups);
      for (int64_t o = 0; o < outputs; ++o) {
        int64_t at[SPATIAL_LIMIT], rest = o;
        for (size_t i = c->spatial; i-- > 0;) at[i] = rest % c->output[i], rest /= c->output[i];
        int32_t sum = 0;
        for (int64_t t = 0; t < taps; ++t) {
          int64_t tap[SPATIAL_LIMIT], element[SPATIAL_LIMIT];
          bool inside = true;
          rest = t;
          for (size_t i = c->spatial; i-- > 0;) {
            tap[i] = rest % c->kernel[i];
            rest /= c->kernel[i];
            const int64_t where =
                at[i] * c->strides[i] + tap[i] * c->dilations[i] - c->padding[2 * i];
            element[i] = where / c->bases[i];
            if (where < 0 || where % c->bases[i] || element[i] >= c->input[i]) inside = false;
            if (c->reversal[i]) tap[i] = c->kernel[i] - 1 - tap[i];
          }
          if (!inside) continue;
          for (int64_t k = 0; k < depth; ++k) {
            const int64_t from_batch = c->batch_groups > 1 ? group * batch + b : b;
            const int64_t feature = c->feature_groups > 1 ? group * depth + k : k;
            sum += lhs[offset_of(c, &c->lhs, from_batch, feature, element)] *
                   rhs[offset_of(c, &c->rhs, k, f, tap)];
          }
        }
        out[offset_of(c, &c->result, b, f, at)] = sum;
      }
    }
  }
}

static void begin_case(tn_case_t* c, const convolution_t* v, tn_dtype_t dtype, const void* lhs,
                       const void* rhs) {
  tn__case_begin(c, "stablehlo.convolution");
  tn__case_operand(c, dtype, v->spatial + 2, v->lhs.dims, lhs);
  tn__case_operand(c, dtype, v->spatial + 2, v->rhs.dims, rhs);
  tn__case_integer(c, "input_batch_dimension", v->lhs.first);
  tn__case_integer(c, "input_feature_dimension", v->lhs.second);
  tn__case_list(c, "input_spatial_dimensions", v->spatial, v->lhs.spatial);
  tn__case_integer(c, "kernel_input_feature_dimension", v->rhs.first);
  tn__case_integer(c, "kernel_output_feature_dimension", v->rhs.second);
  tn__case_list(c, "kernel_spatial_dimensions", v->spatial, v->rhs.spatial);
  tn__case_integer(c, "output_batch_dimension", v->result.first);
  tn__case_integer(c, "output_feature_dimension", v->result.second);
  tn__case_list(c, "output_spatial_dimensions", v->spatial, v->result.spatial);
  tn__case_struct(c, "dimension_numbers", "conv", 0);
  tn__case_integer(c, "feature_group_count", v->feature_groups);
  tn__case_integer(c, "batch_group_count", v->batch_groups);
  tn__case_list(c, "window_strides", v->spatial, v->strides);
  tn__case_pairs(c, "padding", v->spatial, v->padding);
  tn__case_list(c, "lhs_dilation", v->spatial, v->bases);
  tn__case_list(c, "rhs_dilation", v->spatial, v->dilations);
  tn__case_list(c, "window_reversal", v->spatial, v->reversal);
  tn__case_result(c, dtype, v->spatial + 2, v->result.dims);
}

static void check_convolution(const convolution_t* v, tn_dtype_t dtype, tn_pool_t* pool) {
  const size_t rank = v->spatial + 2, size = tn_dtype_byte_size(dtype);
  const int64_t lhs_count = count_of(rank, v->lhs.dims), rhs_count = count_of(rank, v->rhs.dims);
  const int64_t count = count_of(rank, v->result.dims);
  int32_t* lhs = malloc((size_t)lhs_count * 4 + 4);
  int32_t* rhs = malloc((size_t)rhs_count * 4 + 4);
  int32_t* wanted = malloc((size_t)count * 4 + 4);
  // Small enough to be exact in every float.
  for (int64_t i = 0; i < lhs_count; ++i) lhs[i] = (int32_t)below(5) - 2;
  for (int64_t i = 0; i < rhs_count; ++i) rhs[i] = (int32_t)below(3) - 1;
  convolve_plainly(v, lhs, rhs, wanted);
  void* lhs_data = malloc((size_t)lhs_count * size + 16);
  void* rhs_data = malloc((size_t)rhs_count * size + 16);
  void* wanted_data = malloc((size_t)count * size + 16);
  tn__convert_elements(TN_DTYPE_S32, lhs, dtype, lhs_data, (size_t)lhs_count);
  tn__convert_elements(TN_DTYPE_S32, rhs, dtype, rhs_data, (size_t)rhs_count);
  tn__convert_elements(TN_DTYPE_S32, wanted, dtype, wanted_data, (size_t)count);
  tn_case_t c;
  begin_case(&c, v, dtype, lhs_data, rhs_data);
  c.pool = pool;
  TN_ASSERT_OK(tn__case_run(&c));
  for (int64_t i = 0; i < count; ++i) {
    const char* got = (const char*)c.results[0] + (size_t)i * size;
    int32_t value;
    tn__convert_elements(dtype, got, TN_DTYPE_S32, &value, 1);
    int32_t expected;
    tn__convert_elements(dtype, (char*)wanted_data + (size_t)i * size, TN_DTYPE_S32, &expected, 1);
    assert_int_equal(value, expected);
  }
  tn__case_end(&c);
  free(lhs), free(rhs), free(wanted), free(lhs_data), free(rhs_data), free(wanted_data);
}

static void convolution_agrees_with_its_definition(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_S8,  TN_DTYPE_BF16,
                                      TN_DTYPE_F64, TN_DTYPE_S64, TN_DTYPE_C64};
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (int round = 0; round < 1000; ++round) {
    const convolution_t v = random_convolution();
    check_convolution(&v, dtypes[round % 6], round % 4 ? NULL : pool);
  }
  tn__pool_release(pool);
}

static void large_images_are_done_in_blocks(void** state) {
  (void)state;
  convolution_t v = {.spatial = 2,
                     .batch = 2,
                     .features_in = 40,
                     .features_out = 24,
                     .feature_groups = 1,
                     .batch_groups = 1,
                     .input = {21, 19},
                     .kernel = {3, 3},
                     .strides = {1, 1},
                     .padding = {1, 1, 1, 1},
                     .bases = {1, 1},
                     .dilations = {1, 1}};
  assert_true(infer(&v));
  check_convolution(&v, TN_DTYPE_F32, NULL);
  check_convolution(&v, TN_DTYPE_C64, NULL);
}

// What gradients look like: the features of either side are a batch, windows are far apart or full
// of holes.
// A gradient may look like this: windows of many terms, and holes.
static convolution_t many_terms_and_features(void) {
  convolution_t v = {.spatial = (size_t)below(SPATIAL_LIMIT), .feature_groups = 1};
  v.batch_groups = below(4) ? 1 : 2;
  if (v.batch_groups == 1 && below(3) == 0) v.feature_groups = 2;
  v.batch = v.batch_groups * (1 + below(20));
  v.features_in = v.feature_groups * (1 + below(below(4) ? 20 : 600));
  v.features_out = v.feature_groups * v.batch_groups * (2 + below(70));
  for (size_t i = 0; i < v.spatial; ++i) {
    v.input[i] = 1 + below(12);
    v.kernel[i] = 1 + below(8);
    v.strides[i] = 1 + below(4);
    v.padding[2 * i] = below(6) - 2;
    v.padding[2 * i + 1] = below(6) - 2;
    v.bases[i] = 1 + below(4);
    v.dilations[i] = 1 + below(3);
    v.reversal[i] = below(2);
  }
  return v;
}

// What the definition takes.
static int64_t product_count(const convolution_t* c) {
  return c->batch / c->batch_groups * c->features_out * count_of(c->spatial, c->output) *
         count_of(c->spatial, c->kernel) * (c->features_in / c->feature_groups);
}

static void many_terms_and_features_agree_with_the_definition(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_S32, TN_DTYPE_BF16};
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (int round = 0; round < 60; ++round) {
    convolution_t v;
    do {
      v = many_terms_and_features();
    } while (!infer(&v) || product_count(&v) > 1 << 19);
    // Sums of bf16 are no larger than the integers that it represents.
    const bool is_small = v.features_in * count_of(v.spatial, v.kernel) <= 128;
    check_convolution(&v, dtypes[round % (is_small ? 4 : 3)], round % 2 ? NULL : pool);
  }
  tn__pool_release(pool);
}

// A transposed convolution whose stride has thousands of phases, more than there are results along
// one of the dimensions.
static void any_stride_of_a_transposed_convolution_agrees_with_the_definition(void** state) {
  (void)state;
  static const int64_t strides[][2] = {{16, 16}, {40, 9}, {7, 500}, {130, 3}, {1, 1000}};
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (size_t i = 0; i < sizeof strides / sizeof *strides; ++i) {
    for (int64_t window_stride = 1; window_stride < 4; ++window_stride) {
      convolution_t v = {.spatial = 2,
                         .batch = 1 + below(2),
                         .features_in = 1 + below(4),
                         .features_out = 2 + below(5),
                         .feature_groups = 1,
                         .batch_groups = 1,
                         .input = {1 + below(2), 1 + below(3)},
                         .kernel = {1 + below(20), 1 + below(20)},
                         .strides = {window_stride, 1 + below(3)},
                         .padding = {15, below(30), 3, below(20)},
                         .bases = {strides[i][0], strides[i][1]},
                         .dilations = {1 + below(2), 1}};
      if (infer(&v))
        check_convolution(&v, i % 2 ? TN_DTYPE_F32 : TN_DTYPE_F64, i % 3 ? pool : NULL);
    }
  }
  tn__pool_release(pool);
}

// Copies with zeros around them would be thousands of times as large.
static void padding_that_dwarfs_the_input_takes_no_memory(void** state) {
  (void)state;
  convolution_t v = {.spatial = 1,
                     .batch = 1,
                     .features_in = 2,
                     .features_out = 3,
                     .feature_groups = 1,
                     .batch_groups = 1,
                     .input = {4},
                     .kernel = {2},
                     .strides = {1 << 20},
                     .padding = {1 << 24, 1 << 24},
                     .bases = {1},
                     .dilations = {1}};
  assert_true(infer(&v));
  check_convolution(&v, TN_DTYPE_F32, NULL);
}

static void empty_batches_give_empty_results(void** state) {
  (void)state;
  convolution_t v = {.spatial = 1,
                     .batch = 0,
                     .features_in = 2,
                     .features_out = 3,
                     .feature_groups = 1,
                     .batch_groups = 1,
                     .input = {4},
                     .kernel = {2},
                     .strides = {1},
                     .bases = {1},
                     .dilations = {1}};
  assert_true(infer(&v));
  check_convolution(&v, TN_DTYPE_F32, NULL);
}

static void features_that_are_not_there_sum_to_zero(void** state) {
  (void)state;
  convolution_t v = {.spatial = 1,
                     .batch = 2,
                     .features_in = 0,
                     .features_out = 3,
                     .feature_groups = 1,
                     .batch_groups = 1,
                     .input = {4},
                     .kernel = {2},
                     .strides = {1},
                     .bases = {1},
                     .dilations = {1}};
  assert_true(infer(&v));
  check_convolution(&v, TN_DTYPE_F32, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolution_agrees_with_its_definition),
      cmocka_unit_test(large_images_are_done_in_blocks),
      cmocka_unit_test(many_terms_and_features_agree_with_the_definition),
      cmocka_unit_test(any_stride_of_a_transposed_convolution_agrees_with_the_definition),
      cmocka_unit_test(padding_that_dwarfs_the_input_takes_no_memory),
      cmocka_unit_test(empty_batches_give_empty_results),
      cmocka_unit_test(features_that_are_not_there_sum_to_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
