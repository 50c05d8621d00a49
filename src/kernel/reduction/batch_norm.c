// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The array is [outer, feature, inner]. Everything is computed in f64 and rounded once. Sums are
// made for groups of outer rows, whose number depends on the shape alone, and then over the groups.
#include "kernel/reduction/batch_norm.h"

#include <math.h>

#include "base/pool.h"
#include "kernel/common/element.h"
#include "kernel/common/loop.h"
#include "kernel/common/site.h"

enum { GROUP_LIMIT = 32, GRAIN = 16 << 10, LISTS = 6 };

typedef struct batch_norm {
  double epsilon;
  int64_t outer, features, inner;
  int64_t groups, row_grain;
  size_t size;  // of an element
  tn_conversion_t load, store;
} batch_norm_t;

tn_status_t tn__cpu_batch_norm_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_operand(site, 0);
  const size_t feature = (size_t)tn__attr_get_integer(&site->use->attrs, "feature_index", 0);
  batch_norm_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->epsilon = tn__attr_get_float(&site->use->attrs, "epsilon", 0);
  state->size = tn_dtype_byte_size(type->dtype);
  state->load = tn__conversion(type->dtype, TN_DTYPE_F64);
  state->store = tn__conversion(TN_DTYPE_F64, type->dtype);
  state->outer = state->inner = 1;
  state->features = type->dims[feature];
  for (size_t i = 0; i < feature; ++i) state->outer *= type->dims[i];
  for (size_t i = feature + 1; i < type->rank; ++i) state->inner *= type->dims[i];
  const int64_t row = state->features * state->inner;
  state->groups = state->outer < GROUP_LIMIT ? state->outer : GROUP_LIMIT;
  if (state->groups == 0) state->groups = 1;
  state->row_grain = row && row < GRAIN ? GRAIN / row : 1;
  // Per feature: mean, variance, scale, offset and two sums; and a sum or two for each group.
  site->scratch_byte_size =
      (size_t)(state->features * (LISTS + 2 * state->groups)) * sizeof(double);
  return TN_OK;
}

// --- sums

typedef struct norm_run {
  const batch_norm_t* state;
  const char *operand, *gradient;  // gradient: of the output; NULL: none
  char* result;
  double *mean, *variance, *scale, *offset, *first, *second;  // per feature
  double* partials;                                           // [group][2][feature]
} norm_run_t;

// What one element adds to the two sums of its feature.
typedef void (*term_fn)(double value, double gradient, double mean, double* first, double* second);

static void value_term(double value, double gradient, double mean, double* first, double* second) {
  (void)gradient, (void)mean, (void)second;
  *first += value;
}
static void square_term(double value, double gradient, double mean, double* first, double* second) {
  (void)gradient, (void)second;
  *first += (value - mean) * (value - mean);
}
static void gradient_term(double value, double gradient, double mean, double* first,
                          double* second) {
  *first += gradient;
  *second += gradient * (value - mean);
}

typedef struct sum_run {
  const norm_run_t* norm;
  term_fn term;
} sum_run_t;

// The operand, and the gradient where there is one, as doubles.
static void load(const norm_run_t* run, int64_t first, int64_t count, double* values,
                 double* gradients) {
  const batch_norm_t* state = run->state;
  const size_t offset = (size_t)first * state->size;
  state->load.run(&state->load, run->operand + offset, values, (size_t)count);
  if (!run->gradient) return;
  state->load.run(&state->load, run->gradient + offset, gradients, (size_t)count);
}

static void sum_row(const sum_run_t* run, int64_t row, double* first, double* second) {
  const norm_run_t* norm = run->norm;
  const batch_norm_t* state = norm->state;
  const int64_t count = state->features * state->inner;
  double values[TN_CHUNK], gradients[TN_CHUNK] = {0};
  int64_t feature = 0, inside = 0;
  for (int64_t begin = 0; begin < count; begin += TN_CHUNK) {
    const int64_t length = count - begin < TN_CHUNK ? count - begin : TN_CHUNK;
    load(norm, row * count + begin, length, values, gradients);
    for (int64_t i = 0; i < length; ++i) {
      run->term(values[i], gradients[i], norm->mean[feature], &first[feature], &second[feature]);
      if (++inside == state->inner) {
        inside = 0;
        ++feature;
      }
    }
  }
}

static tn_status_t sum_groups(int64_t begin, int64_t end, void* user) {
  const sum_run_t* run = user;
  const batch_norm_t* state = run->norm->state;
  for (int64_t group = begin; group < end; ++group) {
    double* first = run->norm->partials + group * 2 * state->features;
    double* second = first + state->features;
    memset(first, 0, (size_t)(2 * state->features) * sizeof *first);
    const int64_t last = state->outer * (group + 1) / state->groups;
    for (int64_t row = state->outer * group / state->groups; row < last; ++row) {
      sum_row(run, row, first, second);
    }
  }
  return TN_OK;
}

static tn_status_t sum_all(const norm_run_t* norm, tn_pool_t* pool, term_fn term, double* first,
                           double* second) {
  const batch_norm_t* state = norm->state;
  sum_run_t run = {norm, term};
  const bool is_small = state->outer * state->features * state->inner < GRAIN;
  TN_RETURN_IF_ERROR(
      tn__pool_parallel_for(is_small ? NULL : pool, state->groups, 1, sum_groups, &run));
  for (int64_t f = 0; f < state->features; ++f) {
    double sums[2] = {0, 0};
    for (int64_t group = 0; group < state->groups; ++group) {
      sums[0] += norm->partials[group * 2 * state->features + f];
      sums[1] += norm->partials[(group * 2 + 1) * state->features + f];
    }
    first[f] = sums[0];
    if (second) second[f] = sums[1];
  }
  return TN_OK;
}

// --- results

static tn_status_t normalize_rows(int64_t begin, int64_t end, void* user) {
  const norm_run_t* run = user;
  const batch_norm_t* state = run->state;
  const int64_t count = state->features * state->inner;
  double values[TN_CHUNK], gradients[TN_CHUNK];
  const double terms = (double)(state->outer * state->inner);
  for (int64_t row = begin; row < end; ++row) {
    int64_t f = 0, inside = 0;
    for (int64_t at = 0; at < count; at += TN_CHUNK) {
      const int64_t length = count - at < TN_CHUNK ? count - at : TN_CHUNK;
      load(run, row * count + at, length, values, gradients);
      for (int64_t i = 0; i < length; ++i) {
        const double centred = values[i] - run->mean[f];
        const double spread = run->variance[f] + state->epsilon;
        if (run->gradient) {
          // d output / d operand, by way of the mean and the variance as well.
          const double rest =
              terms * gradients[i] - run->first[f] - centred / spread * run->second[f];
          values[i] = run->scale[f] / sqrt(spread) / terms * rest;
        } else {
          values[i] = run->scale[f] * (centred / sqrt(spread)) + run->offset[f];
        }
        if (++inside == state->inner) {
          inside = 0;
          ++f;
        }
      }
      state->store.run(&state->store, values,
                       run->result + (size_t)(row * count + at) * state->size, (size_t)length);
    }
  }
  return TN_OK;
}

static norm_run_t begin(const tn_kernel_call_t* call) {
  const batch_norm_t* state = call->state;
  double* lists = call->scratch;
  const int64_t n = state->features;
  return (norm_run_t){
      .state = state,
      .operand = call->operands[0],
      .result = call->results[0],
      .mean = lists,
      .variance = lists + n,
      .scale = lists + 2 * n,
      .offset = lists + 3 * n,
      .first = lists + 4 * n,
      .second = lists + 5 * n,
      .partials = lists + LISTS * n,
  };
}

static void load_features(const batch_norm_t* state, const void* operand, double* out) {
  state->load.run(&state->load, operand, out, (size_t)state->features);
}
static void store_features(const batch_norm_t* state, const double* values, void* result) {
  state->store.run(&state->store, values, result, (size_t)state->features);
}

tn_status_t tn__cpu_batch_norm_inference_run(const tn_kernel_call_t* call) {
  const batch_norm_t* state = call->state;
  norm_run_t run = begin(call);
  load_features(state, call->operands[1], run.scale);
  load_features(state, call->operands[2], run.offset);
  load_features(state, call->operands[3], run.mean);
  load_features(state, call->operands[4], run.variance);
  return tn__pool_parallel_for(call->context->pool, state->outer, state->row_grain, normalize_rows,
                               &run);
}

tn_status_t tn__cpu_batch_norm_training_run(const tn_kernel_call_t* call) {
  const batch_norm_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  norm_run_t run = begin(call);
  load_features(state, call->operands[1], run.scale);
  load_features(state, call->operands[2], run.offset);
  const double terms = (double)(state->outer * state->inner);
  memset(run.mean, 0, (size_t)state->features * sizeof *run.mean);
  TN_RETURN_IF_ERROR(sum_all(&run, pool, value_term, run.first, NULL));
  for (int64_t f = 0; f < state->features; ++f) run.mean[f] = run.first[f] / terms;
  TN_RETURN_IF_ERROR(sum_all(&run, pool, square_term, run.first, NULL));
  for (int64_t f = 0; f < state->features; ++f) run.variance[f] = run.first[f] / terms;
  store_features(state, run.mean, call->results[1]);
  store_features(state, run.variance, call->results[2]);
  return tn__pool_parallel_for(pool, state->outer, state->row_grain, normalize_rows, &run);
}

tn_status_t tn__cpu_batch_norm_grad_run(const tn_kernel_call_t* call) {
  const batch_norm_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  norm_run_t run = begin(call);
  load_features(state, call->operands[1], run.scale);
  load_features(state, call->operands[2], run.mean);
  load_features(state, call->operands[3], run.variance);
  run.gradient = call->operands[4];
  TN_RETURN_IF_ERROR(sum_all(&run, pool, gradient_term, run.first, run.second));
  for (int64_t f = 0; f < state->features; ++f) {
    run.offset[f] = run.second[f] / sqrt(run.variance[f] + state->epsilon);
  }
  store_features(state, run.offset, call->results[1]);  // of the scale
  store_features(state, run.first, call->results[2]);   // of the offset
  return tn__pool_parallel_for(pool, state->outer, state->row_grain, normalize_rows, &run);
}
