// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The library against our own kernel, on random convolutions.
#include <math.h>
#include <stdlib.h>

#include "kernel/common/element.h"
#include "kernel/common/isa.h"
#include "kernel/lib/onednn.h"
#include "kernel/lib/onednn_convolution.h"
#include "kernel/testing_kernel.h"

enum { ROUNDS = 120, MOST_SPATIAL = 3, RANK = MOST_SPATIAL + 2 };

static uint64_t seed = 17;
static int64_t below(int64_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((seed >> 33) % (uint64_t)limit);
}
static double uniform(void) {
  return (double)below(1 << 24) / (1 << 24) - 0.5;
}

typedef struct problem {
  tn_dtype_t dtype, result_dtype;
  size_t spatial;
  int64_t batch, features_in, features_out, groups;
  int64_t sizes[MOST_SPATIAL], windows[MOST_SPATIAL], results[MOST_SPATIAL];
  int64_t strides[MOST_SPATIAL], dilations[MOST_SPATIAL], padding[2 * MOST_SPATIAL];
  bool reversed[MOST_SPATIAL];
  bool is_precise;
  size_t order[3][RANK];  // of the arrays: where their dimensions are
  void *input, *kernel;
} problem_t;

static void shuffle(size_t rank, size_t* places) {
  for (size_t i = 0; i < rank; ++i) places[i] = i;
  for (size_t i = rank; i-- > 1;) {
    const size_t j = (size_t)below((int64_t)i + 1), kept = places[i];
    places[i] = places[j];
    places[j] = kept;
  }
}

// Winograd's, most of the time, in odd rounds.
static problem_t make_problem(size_t round) {
  problem_t p = {
      .dtype = round % 5 == 4 ? TN_DTYPE_BF16 : TN_DTYPE_F32,
      .spatial = round % 2 ? 2 : 1 + (size_t)below(3),
      .batch = below(3) ? 1 + below(6) : 18,
      .groups = round % 2 || below(3) ? 1 : 1 + below(4),
      .is_precise = below(8) == 0,
  };
  p.result_dtype = p.dtype == TN_DTYPE_BF16 && below(2) ? TN_DTYPE_BF16 : TN_DTYPE_F32;
  p.features_in = p.groups * (1 + below(20));
  p.features_out = p.groups * (below(4) ? 1 + below(30) : 70);
  for (size_t i = 0; i < p.spatial; ++i) {
    p.windows[i] = round % 2 ? 3 : 1 + below(4);
    p.strides[i] = round % 2 ? 1 : 1 + below(3);
    p.dilations[i] = round % 2 || below(3) ? 1 : 2;
    p.reversed[i] = below(3) == 0;
    p.padding[2 * i] = below(3);
    p.padding[2 * i + 1] = below(3);
    const int64_t extent = (p.windows[i] - 1) * p.dilations[i] + 1;
    p.sizes[i] = extent + below(p.spatial == 1 ? 300 : p.spatial == 2 ? 24 : 9);
    p.results[i] =
        (p.sizes[i] + p.padding[2 * i] + p.padding[2 * i + 1] - extent) / p.strides[i] + 1;
  }
  for (size_t a = 0; a < 3; ++a) shuffle(p.spatial + 2, p.order[a]);
  return p;
}

// The dimensions of array `a`, whose first two are `first` and `second`.
static int64_t lay_out(const problem_t* p, size_t a, int64_t first, int64_t second,
                       const int64_t* spatial, int64_t* dims) {
  int64_t count = first * second;
  dims[p->order[a][0]] = first;
  dims[p->order[a][1]] = second;
  for (size_t i = 0; i < p->spatial; ++i) {
    dims[p->order[a][i + 2]] = spatial[i];
    count *= spatial[i];
  }
  return count;
}

static void* random_array(tn_dtype_t dtype, int64_t count) {
  double* values = malloc((size_t)count * sizeof *values);
  void* data = malloc((size_t)count * tn_dtype_byte_size(dtype));
  for (int64_t i = 0; i < count; ++i) values[i] = uniform();
  tn__convert_elements(TN_DTYPE_F64, values, dtype, data, (size_t)count);
  free(values);
  return data;
}

static void place(tn_case_t* c, const problem_t* p, size_t a, const char* first, const char* second,
                  const char* spatial) {
  int64_t places[MOST_SPATIAL];
  for (size_t i = 0; i < p->spatial; ++i) places[i] = (int64_t)p->order[a][i + 2];
  tn__case_integer(c, first, (int64_t)p->order[a][0]);
  tn__case_integer(c, second, (int64_t)p->order[a][1]);
  tn__case_list(c, spatial, p->spatial, places);
}

static void add_flags(tn_case_t* c, const char* name, size_t count, const bool* flags) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_dense_array(&c->arena, TN_DTYPE_PRED, (int64_t)count, flags, &attr));
  tn__case_attr(c, name, attr);
}

static const tn_kernel_t library_kernel = {.op = "convolution",
                                           .name = "onednn.convolution",
                                           .refuse = tn__onednn_convolution_decline,
                                           .prepare = tn__onednn_convolution_prepare,
                                           .run = tn__onednn_convolution_run};

static void run_by(const problem_t* p, const tn_kernel_t* wanted, tn_pool_t* pool, tn_case_t* c) {
  int64_t dims[RANK];
  tn__case_begin(c, "stablehlo.convolution");
  c->wanted = wanted;
  c->pool = pool;
  lay_out(p, 0, p->batch, p->features_in, p->sizes, dims);
  tn__case_operand(c, p->dtype, p->spatial + 2, dims, p->input);
  lay_out(p, 1, p->features_in / p->groups, p->features_out, p->windows, dims);
  tn__case_operand(c, p->dtype, p->spatial + 2, dims, p->kernel);
  place(c, p, 0, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions");
  place(c, p, 1, "kernel_input_feature_dimension", "kernel_output_feature_dimension",
        "kernel_spatial_dimensions");
  place(c, p, 2, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions");
  tn__case_struct(c, "dimension_numbers", "conv", 0);
  tn__case_list(c, "window_strides", p->spatial, p->strides);
  tn__case_list(c, "rhs_dilation", p->spatial, p->dilations);
  tn__case_pairs(c, "padding", p->spatial, p->padding);
  add_flags(c, "window_reversal", p->spatial, p->reversed);
  tn__case_integer(c, "feature_group_count", p->groups);
  tn__case_integer(c, "batch_group_count", 1);
  if (p->is_precise) {
    const tn_attr_t *one, *both;
    TN_ASSERT_OK(tn__attr_enum(&c->arena, "precision", tn__sv("HIGHEST"), &one));
    TN_ASSERT_OK(tn__attr_array(&c->arena, 2, (const tn_attr_t*[]){one, one}, &both));
    tn__case_attr(c, "precision_config", both);
  }
  lay_out(p, 2, p->batch, p->features_out, p->results, dims);
  tn__case_result(c, p->result_dtype, p->spatial + 2, dims);
  TN_ASSERT_OK(tn__case_run(c));
}

static void run(const problem_t* p, bool by_library, tn_pool_t* pool, tn_case_t* c) {
  run_by(p, by_library ? &library_kernel : NULL, pool, c);
}

static double* as_doubles(const tn_case_t* c, int64_t* out_count) {
  const tn_type_t* type = c->result_types[0];
  *out_count = tn__type_size(type);
  double* values = malloc((size_t)*out_count * sizeof *values + 1);
  tn__convert_elements(type->dtype, c->results[0], TN_DTYPE_F64, values, (size_t)*out_count);
  return values;
}

// Operands are between -1/2 and 1/2, so that each of the terms is 1/4 at most; Winograd's sums go
// by way of numbers some ten times larger.
static double tolerance_of(const problem_t* p) {
  const int64_t features = p->features_in / p->groups;
  double terms = (double)features;
  bool is_winograd = p->dtype == TN_DTYPE_F32 && p->spatial == 2 && !p->is_precise;
  for (size_t i = 0; i < p->spatial; ++i) {
    terms *= (double)p->windows[i];
    is_winograd &= p->windows[i] == 3;
  }
  const double sums = terms * 0x1p-25 * (is_winograd ? 16 : 2);
  return p->result_dtype == TN_DTYPE_BF16 ? sums + sqrt(terms) * 0x1p-8 : sums;
}

static void onednn_convolutions_are_the_references_within_terms_eps(void** state) {
  size_t by_library = 0;
  for (size_t round = 0; round < ROUNDS; ++round) {
    problem_t p = make_problem(round);
    int64_t dims[RANK], count;
    tn_case_t got, wanted, pooled;
    p.input = random_array(p.dtype, lay_out(&p, 0, p.batch, p.features_in, p.sizes, dims));
    p.kernel = random_array(
        p.dtype, lay_out(&p, 1, p.features_in / p.groups, p.features_out, p.windows, dims));
    run(&p, true, NULL, &got);
    run(&p, false, NULL, &wanted);
    run(&p, true, *state, &pooled);
    by_library += strcmp(got.kernel->name, "onednn.convolution") == 0;
    double *a = as_doubles(&got, &count), *b = as_doubles(&wanted, &count);
    const double tolerance = tolerance_of(&p);
    for (int64_t i = 0; i < count; ++i) {
      if (!(fabs(a[i] - b[i]) <= tolerance)) {
        fail_msg("round %zu, element %d: %g, not %g", round, (int)i, a[i], b[i]);
      }
    }
    assert_memory_equal(got.results[0], pooled.results[0],
                        (size_t)count * tn_dtype_byte_size(p.result_dtype));
    tn__case_end(&got), tn__case_end(&wanted), tn__case_end(&pooled);
    free(a), free(b), free(p.input), free(p.kernel);
  }
  assert_true(by_library >= ROUNDS / 4);
}

static void onednn_keeps_infinities_and_nans_where_they_belong(void** state) {
  enum { SIDE = 20, FEATURES = 16 };
  problem_t p = {
      .dtype = TN_DTYPE_F32,
      .result_dtype = TN_DTYPE_F32,
      .spatial = 2,
      .batch = 5,
      .features_in = FEATURES,
      .features_out = FEATURES,
      .groups = 1,
      .sizes = {SIDE, SIDE},
      .windows = {3, 3},
      .results = {SIDE, SIDE},
      .strides = {1, 1},
      .dilations = {1, 1},
      .padding = {1, 1, 1, 1},
      .order = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3}},
  };
  float* input = random_array(TN_DTYPE_F32, 5 * FEATURES * SIDE * SIDE);
  input[SIDE * 7 + 9] = INFINITY;
  input[2 * FEATURES * SIDE * SIDE + SIDE * 3 + 3] = NAN;
  p.input = input;
  p.kernel = random_array(TN_DTYPE_F32, FEATURES * FEATURES * 9);
  tn_case_t got, wanted;
  int64_t count;
  run(&p, true, *state, &got);
  run(&p, false, NULL, &wanted);
  assert_string_equal(got.kernel->name, "onednn.convolution");
  double *a = as_doubles(&got, &count), *b = as_doubles(&wanted, &count);
  for (int64_t i = 0; i < count; ++i) {
    if (isfinite(b[i])) {
      assert_true(fabs(a[i] - b[i]) <= 1e-4);
    } else {
      assert_true(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
    }
  }
  tn__case_end(&got), tn__case_end(&wanted);
  free(a), free(b), free(input), free(p.kernel);
}

static const char* refusal;
static const char* note_reason(const tn_op_use_t* use) {
  refusal = tn__onednn_convolution_refuse(use);
  return "only asked";
}

// Of those that the library could compute.
static void small_f32_convolutions_are_our_own_without_avx512(void** state) {
  const tn_kernel_t asked = {.op = "convolution", .refuse = note_reason};
  for (int is_bf16 = 0; is_bf16 < 2; ++is_bf16) {
    problem_t p = {
        .dtype = is_bf16 ? TN_DTYPE_BF16 : TN_DTYPE_F32,
        .result_dtype = TN_DTYPE_F32,
        .spatial = 2,
        .batch = 5,
        .features_in = 16,
        .features_out = 16,
        .groups = 1,
        .sizes = {20, 20},
        .windows = {3, 3},
        .results = {20, 20},
        .strides = {1, 1},
        .dilations = {1, 1},
        .padding = {1, 1, 1, 1},
        .order = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3}},
    };
    p.input = random_array(p.dtype, 5 * 16 * 400);
    p.kernel = random_array(p.dtype, 16 * 16 * 9);
    tn_case_t c;
    run_by(&p, &asked, *state, &c);
    if (!tn__isa_has(TN_ISA_AVX512)) {
      assert_non_null(refusal);
      assert_non_null(strstr(refusal, is_bf16 ? "no instructions" : "without AVX-512"));
    } else if (!is_bf16) {
      assert_null(refusal);
    }
    tn__case_end(&c);
    free(p.input), free(p.kernel);
  }
}

int main(void) {
  const char* reason;
  tn_pool_t* pool;
  if (!tn__onednn_version(&reason)) {
    printf("onednn: %s\n", reason);
    return 0;
  }
  tn_status_t status =
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool);
  if (status) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(onednn_convolutions_are_the_references_within_terms_eps, pool),
      cmocka_unit_test_prestate(small_f32_convolutions_are_our_own_without_avx512, pool),
      cmocka_unit_test_prestate(onednn_keeps_infinities_and_nans_where_they_belong, pool),
  };
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  tn__pool_release(pool);
  return failures;
}
