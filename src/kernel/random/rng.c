// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "base/pool.h"
#include "kernel/common/index.h"
#include "kernel/common/site.h"
#include "kernel/random/random.h"

__extension__ typedef unsigned __int128 uint128_t;

enum {
  GRAIN = 4096,
  // Bounds are redrawn when the element type rounds a number up to the upper one, which is outside.
  MOST_ATTEMPTS = 64,
};

typedef struct rng {
  const tn_type_t* shape;  // of the operand that holds the result's
  const tn_type_t* result;
  tn_dtype_t dtype;
  size_t element_size;
  bool is_normal;
  tn_conversion_t to_real, from_real;
} rng_t;

tn_status_t tn__cpu_rng_prepare(tn_kernel_site_t* site) {
  rng_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->shape = tn__site_operand(site, 2);
  state->result = tn__site_result(site, 0);
  state->dtype = state->result->dtype;
  state->element_size = tn_dtype_byte_size(state->dtype);
  state->is_normal =
      tn__attr_get_enum(&site->use->attrs, "rng_distribution", TN_ENUM_rng_distribution_UNIFORM) ==
      TN_ENUM_rng_distribution_NORMAL;
  if (tn_dtype_kind(state->dtype) == TN_KIND_FLOAT) {
    state->to_real = tn__conversion(state->dtype, TN_DTYPE_F64);
    state->from_real = tn__conversion(TN_DTYPE_F64, state->dtype);
  }
  return TN_OK;
}

typedef struct drawing {
  const rng_t* state;
  uint64_t key, number;
  const void *a, *b;
  double real_a, real_b;
  char* result;
} drawing_t;

// Two words of 64 bits for an element.
static void draw(const drawing_t* drawing, int64_t element, uint32_t attempt,
                 uint64_t out_words[2]) {
  const uint32_t key[2] = {(uint32_t)drawing->key, (uint32_t)(drawing->key >> 32)};
  // Attempts share a counter's word with the upper half of the number of drawings.
  const uint32_t counter[4] = {(uint32_t)element, (uint32_t)((uint64_t)element >> 32),
                               (uint32_t)drawing->number,
                               (uint32_t)(drawing->number >> 32) << 8 ^ attempt};
  uint32_t words[4];
  tn__philox(key, counter, words);
  for (size_t i = 0; i < 2; ++i) out_words[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}

// In [0, 1), a multiple of 2^-53.
static double fraction(uint64_t word) {
  return (double)(word >> 11) * 0x1p-53;
}

static void draw_integer(const drawing_t* drawing, int64_t element) {
  const tn_dtype_t dtype = drawing->state->dtype;
  const uint64_t a = (uint64_t)tn__element_to_i64(dtype, drawing->a);
  const uint64_t b = (uint64_t)tn__element_to_i64(dtype, drawing->b);
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  const bool is_range = is_signed ? (int64_t)a < (int64_t)b : a < b;
  uint64_t words[2];
  draw(drawing, element, 0, words);
  // The upper half of the product is below the span; a word of 64 bits leaves no bias to see.
  const uint64_t offset = is_range ? (uint64_t)((uint128_t)words[0] * (b - a) >> 64) : 0;
  const uint64_t value = a + offset;
  char* target = drawing->result + (size_t)element * drawing->state->element_size;
  tn__convert_elements(dtype == TN_DTYPE_U64 ? TN_DTYPE_U64 : TN_DTYPE_S64, &value, dtype, target,
                       1);
}

static double normal(const uint64_t words[2]) {
  static const double two_pi = 6.283185307179586476925286766559;
  return sqrt(-2 * log(fraction(words[0]) + 0x1p-53)) * cos(two_pi * fraction(words[1]));
}

static double uniform(double a, double b, uint64_t word) {
  const double u = fraction(word), span = b - a;
  return isinf(span) ? a * (1 - u) + b * u : a + u * span;
}

static void draw_float(const drawing_t* drawing, int64_t element) {
  const rng_t* state = drawing->state;
  const double a = drawing->real_a, b = drawing->real_b;
  char* target = drawing->result + (size_t)element * state->element_size;
  for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
    uint64_t words[2];
    draw(drawing, element, attempt, words);
    const double x = state->is_normal ? a + b * normal(words) : uniform(a, b, words[0]);
    double rounded;
    state->from_real.run(&state->from_real, &x, target, 1);
    if (state->is_normal) return;
    state->to_real.run(&state->to_real, target, &rounded, 1);
    if (!(rounded >= b)) return;
  }
  memcpy(target, drawing->a, state->element_size);
}

static tn_status_t draw_range(int64_t begin, int64_t end, void* user) {
  const drawing_t* drawing = user;
  const bool is_float = tn_dtype_kind(drawing->state->dtype) == TN_KIND_FLOAT;
  for (int64_t i = begin; i < end; ++i) {
    if (is_float) {
      draw_float(drawing, i);
    } else {
      draw_integer(drawing, i);
    }
  }
  return TN_OK;
}

static tn_status_t check_shape(const rng_t* state, const void* shape) {
  const size_t size = tn_dtype_byte_size(state->shape->dtype);
  for (size_t i = 0; i < state->result->rank; ++i) {
    const int64_t stated = state->result->dims[i];
    const int64_t value = tn__index_load(state->shape->dtype, (const char*)shape + i * size);
    if (value == stated) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "rng (C3): shape has %lld for dimension %zu; expected %lld, as in the "
                            "result's type %s",
                            (long long)value, i, (long long)stated, TN_TYPE_TEXT(state->result));
  }
  return TN_OK;
}

tn_status_t tn__cpu_rng_run(const tn_kernel_call_t* call) {
  const rng_t* state = call->state;
  tn_kernel_random_t* random = call->context->random;
  TN_RETURN_IF_ERROR(check_shape(state, call->operands[2]));
  drawing_t drawing = {.state = state,
                       .key = random->key,
                       .number = random->draw_count++,
                       .a = call->operands[0],
                       .b = call->operands[1],
                       .result = call->results[0]};
  if (tn_dtype_kind(state->dtype) == TN_KIND_FLOAT) {
    state->to_real.run(&state->to_real, drawing.a, &drawing.real_a, 1);
    state->to_real.run(&state->to_real, drawing.b, &drawing.real_b, 1);
  }
  return tn__pool_parallel_for(call->context->pool, tn__type_size(state->result), GRAIN, draw_range,
                               &drawing);
}
