// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fourier transforms of f32 and c64: a launch for each dimension, in which a group of items
// transforms a line in its memory, or several short ones. Each stage makes transforms of r times
// the length of r that it has; their lengths are factors of the line's. The host computes lines
// that are too long, or have large factors.
#include <stdio.h>

#include "base/integer.h"
#include "base/type.h"
#include "kernel/gpu/source.h"

enum { LONGEST_LINE = 2048, GREATEST_FACTOR = 13, MOST_STAGES = 12, MOST_AXES = 3 };

// What lines hold where a launch reads or writes them.
typedef enum line_form {
  COMPLEX_LINE,
  REAL_LINE,
  HALF_LINE,  // of real ones: the first half of what is conjugate to the other
} line_form_t;

// A launch.
typedef struct axis {
  int64_t length, inner, line_count;
  int64_t read_length, written_length;  // of lines in memory
  line_form_t reads, writes;
  int32_t from, to;
} axis_t;

typedef struct transform {
  bool is_inverse;
  size_t axis_count;
  axis_t axes[MOST_AXES];
  size_t scratch_byte_size;
} transform_t;

// The factors of a length, by 4 as often as possible; 0: there are others.
static size_t factors_of(int64_t length, int64_t* out_factors) {
  static const int64_t primes[] = {4, 2, 3, 5, 7, 11, GREATEST_FACTOR};
  size_t count = 0;
  for (size_t i = 0; i < sizeof primes / sizeof *primes; ++i) {
    for (; length % primes[i] == 0 && count < MOST_STAGES; length /= primes[i]) {
      out_factors[count++] = primes[i];
    }
  }
  return length == 1 ? count : 0;
}

static bool is_fit(int64_t length) {
  int64_t factors[MOST_STAGES];
  return length >= 1 && length <= LONGEST_LINE && (length == 1 || factors_of(length, factors));
}

static tn_status_t read_transform(const tn_op_use_t* use, tn_arena_t* arena, transform_t* out) {
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  const int kind = tn__attr_get_enum(&use->attrs, "fft_type", TN_ENUM_fft_type_FFT);
  const bool from_real = kind == TN_ENUM_fft_type_RFFT, to_real = kind == TN_ENUM_fft_type_IRFFT;
  const tn_type_t *complex_side = from_real ? result : operand,
                  *real = from_real ? operand : result;
  tn_i64_list_t lengths;
  *out = (transform_t){.is_inverse = kind == TN_ENUM_fft_type_IFFT || to_real};
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use->attrs, "fft_length", arena, &lengths));
  // The real side comes first, or last; the other dimensions as they are.
  for (size_t k = 0; k < lengths.count && k < MOST_AXES; ++k) {
    const size_t first = complex_side->rank - lengths.count;
    const size_t d = from_real ? complex_side->rank - 1 - k : first + k;
    const bool is_real = (from_real || to_real) && d == complex_side->rank - 1;
    axis_t* axis = &out->axes[out->axis_count++];
    *axis = (axis_t){.length = is_real ? real->dims[d] : complex_side->dims[d],
                     .inner = 1,
                     .from = TN_GPU_SCRATCH,
                     .to = TN_GPU_SCRATCH};
    axis->read_length = axis->written_length = axis->length;
    if (is_real) {
      axis->reads = from_real ? REAL_LINE : HALF_LINE;
      axis->writes = from_real ? HALF_LINE : REAL_LINE;
      *(from_real ? &axis->written_length : &axis->read_length) = complex_side->dims[d];
    }
    for (size_t i = d + 1; i < complex_side->rank; ++i) axis->inner *= complex_side->dims[i];
    const int64_t size = complex_side->dims[d];
    axis->line_count = size ? tn__type_size(complex_side) / size : 0;
    if (!to_real && k) axis->from = TN_GPU_RESULT(0);
    if (k == 0) axis->from = 0;
    if (!to_real || k + 1 == lengths.count) axis->to = TN_GPU_RESULT(0);
  }
  if (to_real && out->axis_count > 1) out->scratch_byte_size = tn__type_byte_size(operand);
  return TN_OK;
}

bool tn__gpu_fft_supports(const tn_op_use_t* use) {
  const tn_dtype_t dtypes[] = {use->operand_types[0]->dtype, use->result_types[0]->dtype};
  transform_t transform;
  bool fits = tn__gpu_know_types(use);
  for (size_t i = 0; i < 2; ++i) fits &= dtypes[i] == TN_DTYPE_F32 || dtypes[i] == TN_DTYPE_C64;
  if (!fits) return false;
  const tn_status_t status = read_transform(use, use->arena, &transform);
  tn_status_release(status);
  fits = !status && transform.axis_count > 0;
  for (size_t k = 0; fits && k < transform.axis_count; ++k) {
    fits = is_fit(transform.axes[k].length);
  }
  return fits;
}

// --- source

// Writes `place`: element `element` of line `line` of the group, of so many in memory.
static void add_place(tn_gpu_source_t* source, const axis_t* axis, const char* element,
                      int64_t length) {
  const size_t inner = tn__gpu_add_number(source, axis->inner);
  const size_t step = tn__gpu_add_number(source, axis->inner * length);
  tn__gpu_add(&source->body,
              "    const long place = line / n(%zu) * n(%zu) + line %% n(%zu) + (%s) * n(%zu);\n",
              inner, step, inner, element, inner);
}

static void add_loop(tn_gpu_source_t* source, int64_t count, size_t length, int64_t lines,
                     size_t line_count) {
  tn__gpu_add(&source->body,
              "  for (long e = tn_lane(0); e < %lld; e += %d) {\n"
              "    const long o = e %% n(%zu), line = tn_group(0) * %lld + e / n(%zu);\n"
              "    if (line >= n(%zu)) continue;\n",
              (long long)count, TN_GPU_GROUP_SIZE, length, (long long)lines, length, line_count);
}

static void add_load(tn_gpu_source_t* source, const axis_t* axis, size_t length) {
  static const char complex_text[] =
      "    re[e] = x0[place].real;\n    im[e] = x0[place].imaginary;\n";
  static const char real_text[] = "    re[e] = x0[place];\n    im[e] = 0;\n";
  static const char half_text[] =
      "    re[e] = x0[place].real;\n"
      "    im[e] = is_other ? -x0[place].imaginary : x0[place].imaginary;\n";
  if (axis->reads == HALF_LINE) {
    const size_t half = tn__gpu_add_number(source, axis->read_length);
    tn__gpu_add(&source->body, "    const int is_other = o >= n(%zu);\n", half);
    tn__gpu_add(&source->body, "    const long at = is_other ? n(%zu) - o : o;\n", length);
  }
  add_place(source, axis, axis->reads == HALF_LINE ? "at" : "o", axis->read_length);
  tn__gpu_add(&source->body, "%s  }\n",
              axis->reads == REAL_LINE   ? real_text
              : axis->reads == HALF_LINE ? half_text
                                         : complex_text);
}

// A stage, whose angles are counted from the nearest quarter of a turn: transforms of `before`
// times `factor` numbers, of those of `before`. Line by line, each is behind the one that begins an
// element earlier.
static void add_stage(tn_gpu_source_t* source, size_t length, int64_t before, int64_t factor,
                      int64_t from, int64_t to, bool is_inverse) {
  const size_t small = tn__gpu_add_number(source, before);
  const size_t large = tn__gpu_add_number(source, before * factor);
  const size_t step = tn__gpu_add_number(source, source->numbers[length] / factor);
  tn__gpu_add(&source->body,
              "    const long k = o %% n(%zu);\n"
              "    const long first = e - o + o / n(%zu) * n(%zu) + k %% n(%zu);\n"
              "    const long quarter = (8 * k + n(%zu)) / (2 * n(%zu));\n"
              "    const float angle = 1.57079633f * (4 * k - quarter * n(%zu)) / n(%zu);\n"
              "    const float p = cos(angle), r = sin(angle);\n"
              "    const float c = quarter & 1 ? (quarter & 2 ? r : -r) : (quarter & 2 ? -p : p);\n"
              "    const float w = quarter & 1 ? (quarter & 2 ? -p : p) : (quarter & 2 ? -r : r);\n"
              "    const float s = %sw;\n"
              "    float x = 0, y = 0, u = 1, v = 0;\n"
              "    for (int q = 0; q < %lld; ++q) {\n"
              "      const float a = re[%lld + first + q * n(%zu)];\n"
              "      const float b = im[%lld + first + q * n(%zu)];\n"
              "      x += a * u - b * v;\n      y += a * v + b * u;\n"
              "      const float next = u * c - v * s;\n      v = u * s + v * c;\n      u = next;\n"
              "    }\n    re[%lld + e] = x;\n    im[%lld + e] = y;\n  }\n  tn_barrier();\n",
              large, large, small, small, large, large, large, large, is_inverse ? "" : "-",
              (long long)factor, (long long)from, step, (long long)from, step, (long long)to,
              (long long)to);
}

static void add_store(tn_gpu_source_t* source, const axis_t* axis, int64_t from, bool is_inverse) {
  const size_t length = tn__gpu_add_number(source, axis->written_length);
  const bool is_real = axis->writes == REAL_LINE;
  char scale[48] = "";
  if (is_inverse) snprintf(scale, sizeof scale, " / %lld", (long long)axis->length);
  tn__gpu_add(&source->body, "    if (o >= n(%zu)) continue;\n", length);
  add_place(source, axis, "o", axis->written_length);
  if (is_real) {
    tn__gpu_add(&source->body, "    y0[place] = re[%lld + e]%s;\n  }\n", (long long)from, scale);
  } else {
    tn__gpu_add_helpers(source, "C_");
    tn__gpu_add(&source->body, "    y0[place] = C_MAKE(re[%lld + e]%s, im[%lld + e]%s);\n  }\n",
                (long long)from, scale, (long long)from, scale);
  }
}

static void write_axis(tn_gpu_source_t* source, tn_arena_t* arena, const axis_t* axis,
                       bool is_inverse) {
  int64_t factors[MOST_STAGES], before = 1, from = 0;
  const size_t count = axis->length == 1 ? 0 : factors_of(axis->length, factors);
  const int64_t lines = axis->length >= TN_GPU_GROUP_SIZE ? 1 : TN_GPU_GROUP_SIZE / axis->length;
  const int64_t size = lines * axis->length;
  tn__gpu_begin(source, arena, tn__ceil_divide(axis->line_count, lines) * TN_GPU_GROUP_SIZE);
  source->is_grouped = true;
  tn__gpu_add_words(source, TN_DTYPE_C64);
  tn__gpu_add_helpers(source, "C_");
  tn__gpu_add_address(source, axis->from, 0, axis->reads == REAL_LINE ? "float" : "tn_c64");
  tn__gpu_add_output(source, axis->to, 0, axis->writes == REAL_LINE ? "float" : "tn_c64");
  const size_t length = tn__gpu_add_number(source, axis->length);
  const size_t line_count = tn__gpu_add_number(source, axis->line_count);
  tn__gpu_add(&source->body, "  TN_SHARED float re[%lld];\n  TN_SHARED float im[%lld];\n",
              (long long)(2 * size), (long long)(2 * size));
  add_loop(source, size, length, lines, line_count);
  add_load(source, axis, length);
  tn__gpu_add(&source->body, "  tn_barrier();\n");
  for (size_t i = 0; i < count; ++i, from = size - from) {
    add_loop(source, size, length, lines, line_count);
    add_stage(source, length, before, factors[i], from, size - from, is_inverse);
    before *= factors[i];
  }
  add_loop(source, size, length, lines, line_count);
  add_store(source, axis, from, is_inverse);
}

tn_status_t tn__gpu_fft_prepare(tn_kernel_site_t* site) {
  transform_t transform;
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(read_transform(site->use, site->arena, &transform));
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, transform.axis_count, &state));
  site->scratch_byte_size = transform.scratch_byte_size;
  for (size_t k = 0; k < transform.axis_count; ++k) {
    write_axis(&source, site->arena, &transform.axes[k], transform.is_inverse);
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, k, &source));
  }
  return TN_OK;
}
