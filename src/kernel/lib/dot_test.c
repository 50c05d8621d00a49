// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The libraries against our own kernel, on random dimensions in any order.
#include <math.h>
#include <stdlib.h>

#include "kernel/common/element.h"
#include "kernel/lib/openblas.h"
#include "kernel/testing_kernel.h"

enum { ROUNDS = 500, GROUPS = 4, MOST_DIMS = 2, RANK = GROUPS * MOST_DIMS };

static uint64_t seed = 5;
static uint32_t random_below(uint32_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % limit;
}
static double uniform(void) {
  return (double)random_below(1 << 24) / (1 << 24) - 0.5;
}

static const struct {
  tn_dtype_t lhs, rhs, result;
  double epsilon;  // of what sums are made in, or of the result if that is larger
} fields[] = {
    {TN_DTYPE_F32, TN_DTYPE_F32, TN_DTYPE_F32, 0x1p-23},
    {TN_DTYPE_F64, TN_DTYPE_F64, TN_DTYPE_F64, 0x1p-52},
    {TN_DTYPE_C64, TN_DTYPE_C64, TN_DTYPE_C64, 0x1p-22},
    {TN_DTYPE_C128, TN_DTYPE_C128, TN_DTYPE_C128, 0x1p-51},
    {TN_DTYPE_F16, TN_DTYPE_F16, TN_DTYPE_F16, 0x1p-10},
    {TN_DTYPE_F16, TN_DTYPE_F16, TN_DTYPE_F32, 0x1p-23},
    {TN_DTYPE_BF16, TN_DTYPE_BF16, TN_DTYPE_BF16, 0x1p-7},
    {TN_DTYPE_BF16, TN_DTYPE_BF16, TN_DTYPE_F32, 0x1p-23},
    {TN_DTYPE_S8, TN_DTYPE_S8, TN_DTYPE_S32, 0},
    {TN_DTYPE_U8, TN_DTYPE_S8, TN_DTYPE_S32, 0},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

// Numbers of a dtype as doubles, two for a complex one.
static size_t scalar_count(tn_dtype_t dtype, int64_t count) {
  return (size_t)count * (tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? 2 : 1);
}
static tn_dtype_t wide(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? TN_DTYPE_C128 : TN_DTYPE_F64;
}

// Dimensions of a group: some of them 1, a few 0, their product not above `most`.
static size_t random_group(int64_t most, int64_t* dims) {
  const size_t rank = random_below(8) ? 1 + random_below(MOST_DIMS) : 0;
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = 1 + random_below((uint32_t)most);
    if (random_below(8) == 0) dims[i] = random_below(8) != 0;
    if (dims[i] > 1) most = most / dims[i] < 1 ? 1 : most / dims[i];
  }
  return rank;
}

typedef struct operand {
  size_t rank;
  int64_t dims[RANK], batch[MOST_DIMS], contracted[MOST_DIMS];
} operand_t;

// Lays the three groups out in random order; where[i] is the place of dimension i.
static void lay_out(size_t batch_rank, const int64_t* batch, size_t free_rank, const int64_t* free,
                    size_t contracted_rank, const int64_t* contracted, operand_t* out) {
  out->rank = batch_rank + free_rank + contracted_rank;
  size_t places[RANK];
  for (size_t i = 0; i < out->rank; ++i) places[i] = i;
  for (size_t i = out->rank; i-- > 1;) {
    const size_t j = random_below((uint32_t)i + 1), kept = places[i];
    places[i] = places[j];
    places[j] = kept;
  }
  // Free dimensions keep their order: it is the result's.
  size_t place = 0;
  for (size_t i = 0; i < batch_rank; ++i) {
    out->batch[i] = (int64_t)places[place];
    out->dims[places[place++]] = batch[i];
  }
  for (size_t i = 0; i < contracted_rank; ++i) {
    out->contracted[i] = (int64_t)places[place];
    out->dims[places[place++]] = contracted[i];
  }
  bool is_taken[RANK] = {false};
  for (size_t i = 0; i < place; ++i) is_taken[places[i]] = true;
  for (size_t i = 0, next = 0; i < out->rank; ++i) {
    if (!is_taken[i]) out->dims[i] = free[next++];
  }
}

typedef struct problem {
  tn_dtype_t lhs_dtype, rhs_dtype, result_dtype;
  size_t batch_rank, contracted_rank, result_rank;
  operand_t lhs, rhs;
  int64_t result_dims[RANK];
  void *lhs_data, *rhs_data;
} problem_t;

static int64_t count_of(size_t rank, const int64_t* dims) {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= dims[i];
  return count;
}

static void* random_array(tn_dtype_t dtype, int64_t count) {
  const size_t scalars = scalar_count(dtype, count);
  double* values = malloc(scalars * sizeof *values + 1);
  void* data = malloc((size_t)count * tn_dtype_byte_size(dtype) + 1);
  const bool is_integer = tn_dtype_kind(dtype) & TN_KIND_INTEGER;
  const double shift = dtype == TN_DTYPE_U8 ? 128 : 0;
  for (size_t i = 0; i < scalars; ++i) {
    values[i] = is_integer ? floor(uniform() * 256) + shift : uniform();
  }
  tn__convert_elements(wide(dtype), values, dtype, data, (size_t)count);
  free(values);
  return data;
}

static void run(const problem_t* p, bool may_use_libraries, tn_pool_t* pool, tn_case_t* c) {
  tn__case_begin(c, "stablehlo.dot_general");
  c->may_use_libraries = may_use_libraries;
  c->pool = pool;
  tn__case_operand(c, p->lhs_dtype, p->lhs.rank, p->lhs.dims, p->lhs_data);
  tn__case_operand(c, p->rhs_dtype, p->rhs.rank, p->rhs.dims, p->rhs_data);
  tn__case_list(c, "lhs_batching_dimensions", p->batch_rank, p->lhs.batch);
  tn__case_list(c, "rhs_batching_dimensions", p->batch_rank, p->rhs.batch);
  tn__case_list(c, "lhs_contracting_dimensions", p->contracted_rank, p->lhs.contracted);
  tn__case_list(c, "rhs_contracting_dimensions", p->contracted_rank, p->rhs.contracted);
  tn__case_struct(c, "dot_dimension_numbers", "dot", 0);
  tn__case_result(c, p->result_dtype, p->result_rank, p->result_dims);
  TN_ASSERT_OK(tn__case_run(c));
}

static void make_problem(size_t field, problem_t* p) {
  int64_t batch[MOST_DIMS], rows[MOST_DIMS], columns[MOST_DIMS], depth[MOST_DIMS];
  memset(p, 0, sizeof *p);
  p->lhs_dtype = fields[field].lhs;
  p->rhs_dtype = fields[field].rhs;
  p->result_dtype = fields[field].result;
  p->batch_rank = random_group(4, batch);
  const size_t row_rank = random_group(random_below(4) ? 60 : 400, rows);
  const size_t column_rank = random_group(random_below(4) ? 60 : 700, columns);
  p->contracted_rank = random_group(100, depth);
  lay_out(p->batch_rank, batch, row_rank, rows, p->contracted_rank, depth, &p->lhs);
  lay_out(p->batch_rank, batch, column_rank, columns, p->contracted_rank, depth, &p->rhs);
  for (size_t i = 0; i < p->batch_rank; ++i) p->result_dims[p->result_rank++] = batch[i];
  for (size_t i = 0; i < row_rank; ++i) p->result_dims[p->result_rank++] = rows[i];
  for (size_t i = 0; i < column_rank; ++i) p->result_dims[p->result_rank++] = columns[i];
  p->lhs_data = random_array(p->lhs_dtype, count_of(p->lhs.rank, p->lhs.dims));
  p->rhs_data = random_array(p->rhs_dtype, count_of(p->rhs.rank, p->rhs.dims));
}

static void compare(const tn_case_t* got, const tn_case_t* wanted, double tolerance, size_t round) {
  const tn_type_t* type = got->result_types[0];
  const int64_t count = tn__type_size(type);
  const size_t scalars = scalar_count(type->dtype, count);
  double* a = malloc(scalars * sizeof *a + 1);
  double* b = malloc(scalars * sizeof *b + 1);
  tn__convert_elements(type->dtype, got->results[0], wide(type->dtype), a, (size_t)count);
  tn__convert_elements(type->dtype, wanted->results[0], wide(type->dtype), b, (size_t)count);
  for (size_t i = 0; i < scalars; ++i) {
    if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("round %zu: %g, not %g", round, a[i], b[i]);
  }
  free(a), free(b);
}

// Operands are between -1/2 and 1/2: each of `depth` terms is off by an eps of 1/4, twice if
// complex, and so is each sum of them.
static void products_are_the_references_within_depth_eps(void** state) {
  (void)state;
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  tn_case_t wanted, got, pooled;
  size_t by_openblas = 0, by_onednn = 0;
  for (size_t round = 0; round < ROUNDS; ++round) {
    problem_t p;
    const size_t field = round % FIELD_COUNT;
    make_problem(field, &p);
    run(&p, false, NULL, &wanted);
    run(&p, true, NULL, &got);
    run(&p, true, pool, &pooled);
    assert_string_equal(wanted.kernel->name, "cpu.dot_general");
    by_openblas += strcmp(got.kernel->name, "openblas.dot_general") == 0;
    by_onednn += strcmp(got.kernel->name, "onednn.dot_general") == 0;
    int64_t depth = 1;
    for (size_t i = 0; i < p.contracted_rank; ++i) depth *= p.lhs.dims[p.lhs.contracted[i]];
    const double tolerance = (double)depth * fields[field].epsilon / 2;
    const int64_t count = count_of(p.result_rank, p.result_dims);
    compare(&got, &wanted, tolerance, round);
    assert_memory_equal(got.results[0], pooled.results[0],
                        (size_t)count * tn_dtype_byte_size(p.result_dtype));
    tn__case_end(&wanted), tn__case_end(&got), tn__case_end(&pooled);
    free(p.lhs_data), free(p.rhs_data);
  }
  tn__pool_release(pool);
  const char* reason;
  if (tn__openblas(&reason)) assert_true(by_openblas >= ROUNDS / 5);
  print_message("of %d: %zu by openblas, %zu by onednn\n", ROUNDS, by_openblas, by_onednn);
}

static void products_keep_infinities_and_nans_apart(void** state) {
  (void)state;
  enum { SIDE = 33 };
  static float lhs[SIDE * SIDE], rhs[SIDE * SIDE];
  for (size_t i = 0; i < SIDE * SIDE; ++i) lhs[i] = rhs[i] = 1;
  lhs[2 * SIDE + 3] = INFINITY;
  rhs[5 * SIDE + 7] = NAN;
  problem_t p = {
      .lhs_dtype = TN_DTYPE_F32,
      .rhs_dtype = TN_DTYPE_F32,
      .result_dtype = TN_DTYPE_F32,
      .contracted_rank = 1,
      .result_rank = 2,
      .lhs = {.rank = 2, .dims = {SIDE, SIDE}, .contracted = {1}},
      .rhs = {.rank = 2, .dims = {SIDE, SIDE}, .contracted = {0}},
      .result_dims = {SIDE, SIDE},
      .lhs_data = lhs,
      .rhs_data = rhs,
  };
  tn_case_t c;
  run(&p, true, NULL, &c);
  const float* got = c.results[0];
  for (size_t i = 0; i < SIDE * SIDE; ++i) {
    if (i % SIDE == 7) {
      assert_true(isnan(got[i]));
    } else {
      assert_true(got[i] == (i / SIDE == 2 ? INFINITY : (float)SIDE));
    }
  }
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_the_references_within_depth_eps),
      cmocka_unit_test(products_keep_infinities_and_nans_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
