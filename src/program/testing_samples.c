// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/testing_samples.h"

#include <stdarg.h>

#include "base/testing.h"
#include "ops/scalar.h"

enum { RANK_LIMIT = 4 };

typedef struct shape {
  size_t rank;
  int64_t dims[RANK_LIMIT + 2];
} shape_t;

// --- random choices

static uint64_t next(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
uint64_t tn__sample_bits(tn_sample_t* sample) {
  return next(&sample->random);
}
int64_t tn__sample_pick(tn_sample_t* sample, int64_t low, int64_t high) {
  assert_true(low <= high);
  const uint64_t choices = low < high ? (uint64_t)(high - low) + 1 : 1;
  return low + (int64_t)(next(&sample->random) % choices);
}
static bool toss(tn_sample_t* sample) {
  return tn__sample_pick(sample, 0, 1) == 1;
}

static int64_t pick_dim(tn_sample_t* sample, size_t rank) {
  static const int64_t long_ones[] = {15, 16, 17, 31, 33, 64, 67};
  if (rank <= 2 && tn__sample_pick(sample, 0, 3) == 0)
    return long_ones[tn__sample_pick(sample, 0, 6)];
  return tn__sample_pick(sample, 0, 9) == 0 ? 0 : tn__sample_pick(sample, 1, 5);
}
static shape_t pick_shape(tn_sample_t* sample, size_t least_rank) {
  shape_t shape = {.rank = (size_t)tn__sample_pick(sample, (int64_t)least_rank, RANK_LIMIT)};
  for (size_t d = 0; d < shape.rank; ++d) shape.dims[d] = pick_dim(sample, shape.rank);
  return shape;
}
// Without empty dimensions.
static shape_t pick_full_shape(tn_sample_t* sample, size_t least_rank) {
  shape_t shape = pick_shape(sample, least_rank);
  for (size_t d = 0; d < shape.rank; ++d) shape.dims[d] += shape.dims[d] == 0;
  return shape;
}
static void pick_order(tn_sample_t* sample, size_t count, int64_t* out_order) {
  for (size_t i = 0; i < count; ++i) {
    out_order[i] = (int64_t)i;
    const int64_t at = tn__sample_pick(sample, 0, (int64_t)i);
    out_order[i] = out_order[at];
    out_order[at] = (int64_t)i;
  }
}

// --- text

static const char* type_text(char* out, shape_t shape, tn_dtype_t dtype) {
  int length = sprintf(out, "tensor<");
  for (size_t d = 0; d < shape.rank; ++d)
    length += sprintf(out + length, "%lldx", (long long)shape.dims[d]);
  sprintf(out + length, "%s>", tn_dtype_name(dtype));
  return out;
}
static void add_argument(tn_sample_t* sample, shape_t shape, tn_dtype_t dtype) {
  assert_true(sample->argument_count < TN_SAMPLE_ARGUMENTS);
  type_text(sample->arguments[sample->argument_count++], shape, dtype);
}
static void add_result(tn_sample_t* sample, shape_t shape, tn_dtype_t dtype) {
  assert_true(sample->result_count < TN_SAMPLE_RESULTS);
  type_text(sample->results[sample->result_count++], shape, dtype);
}

static const char* list_text(char* out, size_t count, const int64_t* values) {
  int length = sprintf(out, "array<i64%s", count ? ": " : "");
  for (size_t i = 0; i < count; ++i) {
    length += sprintf(out + length, "%s%lld", i ? ", " : "", (long long)values[i]);
  }
  sprintf(out + length, ">");
  return out;
}
static const char* numbers_text(char* out, size_t count, const int64_t* values) {
  int length = sprintf(out, "[");
  for (size_t i = 0; i < count; ++i) {
    length += sprintf(out + length, "%s%lld", i ? ", " : "", (long long)values[i]);
  }
  sprintf(out + length, "]");
  return out;
}

// "dialect.op"(%a0, ...) <regions> {attributes} : (types) -> types
static void write_operation(tn_sample_t* sample, const char* operation, const char* region,
                            const char* format, ...) __attribute__((format(printf, 4, 5)));
static void write_operation(tn_sample_t* sample, const char* operation, const char* region,
                            const char* format, ...) {
  char attributes[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(attributes, sizeof attributes, format, list);
  va_end(list);
  int at = sprintf(sample->body, "  %%r%s = \"%s%s\"(",
                   sample->result_count == 1   ? ""
                   : sample->result_count == 2 ? ":2"
                                               : ":3",
                   strchr(operation, '.') ? "" : "stablehlo.", operation);
  for (size_t i = 0; i < sample->argument_count; ++i) {
    at += sprintf(sample->body + at, "%s%%a%zu", i ? ", " : "", i);
  }
  at += sprintf(sample->body + at, ")%s {%s} : (", region, attributes);
  for (size_t i = 0; i < sample->argument_count; ++i) {
    at += sprintf(sample->body + at, "%s%s", i ? ", " : "", sample->arguments[i]);
  }
  at += sprintf(sample->body + at, ") -> (");
  for (size_t i = 0; i < sample->result_count; ++i) {
    at += sprintf(sample->body + at, "%s%s", i ? ", " : "", sample->results[i]);
  }
  sprintf(sample->body + at, ")\n");
}

static void write_program(tn_sample_t* sample) {
  int at = sprintf(sample->text, "func.func @main(");
  for (size_t i = 0; i < sample->argument_count; ++i) {
    at += sprintf(sample->text + at, "%s%%a%zu: %s", i ? ", " : "", i, sample->arguments[i]);
  }
  at += sprintf(sample->text + at, ") -> (");
  for (size_t i = 0; i < sample->result_count; ++i) {
    at += sprintf(sample->text + at, "%s%s", i ? ", " : "", sample->results[i]);
  }
  at += sprintf(sample->text + at, ") {\n%s  \"func.return\"(", sample->body);
  for (size_t i = 0; i < sample->result_count; ++i) {
    at += sprintf(sample->text + at,
                  i                          ? ", %%r#%zu"
                  : sample->result_count > 1 ? "%%r#%zu"
                                             : "%%r",
                  i);
  }
  at += sprintf(sample->text + at, ") : (");
  for (size_t i = 0; i < sample->result_count; ++i) {
    at += sprintf(sample->text + at, "%s%s", i ? ", " : "", sample->results[i]);
  }
  sprintf(sample->text + at, ") -> ()\n}\n");
}

// (a, b) -> operation(a, b), on scalars of the dtype.
static const char* binary_region(char* out, const char* operation, tn_dtype_t dtype) {
  const char* name = tn_dtype_name(dtype);
  sprintf(out,
          " ({\n  ^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n"
          "    %%z = stablehlo.%s %%x, %%y : tensor<%s>\n"
          "    stablehlo.return %%z : tensor<%s>\n  })",
          name, name, operation, name, name);
  return out;
}
static const char* compare_region(char* out, const char* direction, tn_dtype_t dtype,
                                  size_t unused_pairs) {
  const char* name = tn_dtype_name(dtype);
  int at = sprintf(out, " ({\n  ^bb0(%%x: tensor<%s>, %%y: tensor<%s>", name, name);
  for (size_t i = 0; i < unused_pairs; ++i) {
    at += sprintf(out + at, ", %%u%zu: tensor<i32>, %%v%zu: tensor<i32>", i, i);
  }
  sprintf(out + at,
          "):\n    %%z = stablehlo.compare %s, %%x, %%y : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
          "    stablehlo.return %%z : tensor<i1>\n  })",
          direction, name, name);
  return out;
}

// --- generators: element by element

static tn_dtype_t scalar_result(const char* operation, tn_dtype_t dtype) {
  static const char* const tests[] = {"is_finite", "chlo.is_inf", "chlo.is_pos_inf",
                                      "chlo.is_neg_inf"};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (strcmp(operation, tests[i]) == 0) return TN_DTYPE_PRED;
  }
  const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
  const bool gives_part = strcmp(operation, "abs") == 0 || strcmp(operation, "real") == 0 ||
                          strcmp(operation, "imag") == 0;
  if (is_complex && gives_part) return dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  if (strcmp(operation, "complex") == 0)
    return dtype == TN_DTYPE_F64 ? TN_DTYPE_C128 : TN_DTYPE_C64;
  return dtype;
}

static void write_scalar(tn_sample_t* sample, const char* operation, size_t operand_count) {
  const shape_t shape = pick_shape(sample, 0);
  for (size_t i = 0; i < operand_count; ++i) add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, scalar_result(operation, sample->dtype));
  // Functions of complex numbers are compared where they are tame.
  const bool is_complex = tn_dtype_kind(sample->dtype) == TN_KIND_COMPLEX;
  sample->values = is_complex || toss(sample) ? TN_SAMPLE_ORDINARY : TN_SAMPLE_WILD;
  sample->tolerance = is_complex ? 16 : sample->dtype == TN_DTYPE_F64 ? 4 : 1;
  write_operation(sample, operation, "", "%s", "");
}
static void write_unary(tn_sample_t* sample, const char* operation) {
  write_scalar(sample, operation, 1);
}
static void write_binary(tn_sample_t* sample, const char* operation) {
  write_scalar(sample, operation, 2);
}

static void write_compare(tn_sample_t* sample, const char* operation) {
  static const char* const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const bool is_float = tn_dtype_kind(sample->dtype) == TN_KIND_FLOAT;
  const shape_t shape = pick_shape(sample, 0);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, TN_DTYPE_PRED);
  sample->values = toss(sample) ? TN_SAMPLE_WILD : TN_SAMPLE_WHOLE;
  write_operation(
      sample, operation, "", "comparison_direction = #stablehlo<comparison_direction %s>%s",
      directions[tn__sample_pick(sample, 0, 5)],
      is_float && toss(sample) ? ", compare_type = #stablehlo<comparison_type TOTALORDER>" : "");
}

static void write_select(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  add_argument(sample, toss(sample) ? shape : (shape_t){.rank = 0}, TN_DTYPE_PRED);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "%s", "");
}

static void write_clamp(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0), scalar = {.rank = 0};
  const bool is_scalar = toss(sample);
  add_argument(sample, is_scalar ? scalar : shape, sample->dtype);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, is_scalar ? scalar : shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "%s", "");
}

static const tn_dtype_t dtypes[] = {
    TN_DTYPE_PRED, TN_DTYPE_S4,       TN_DTYPE_S8,  TN_DTYPE_S16,  TN_DTYPE_S32,
    TN_DTYPE_S64,  TN_DTYPE_U4,       TN_DTYPE_U8,  TN_DTYPE_U16,  TN_DTYPE_U32,
    TN_DTYPE_U64,  TN_DTYPE_F8E4M3FN, TN_DTYPE_F16, TN_DTYPE_F32,  TN_DTYPE_F64,
    TN_DTYPE_BF16, TN_DTYPE_F8E5M2,   TN_DTYPE_C64, TN_DTYPE_C128,
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

static void write_convert(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, dtypes[tn__sample_pick(sample, 0, DTYPE_COUNT - 1)]);
  sample->tolerance = 1;  // 64-bit integers on their way to narrow floats
  write_operation(sample, operation, "", "%s", "");
}

static void write_bitcast(tn_sample_t* sample, const char* operation) {
  const tn_dtype_t to = dtypes[tn__sample_pick(sample, 0, DTYPE_COUNT - 1)];
  shape_t from_shape = pick_shape(sample, 0), to_shape = from_shape;
  const uint32_t from_bits = tn_dtype_bit_width(sample->dtype), to_bits = tn_dtype_bit_width(to);
  if (to_bits < from_bits) to_shape.dims[to_shape.rank++] = from_bits / to_bits;
  if (to_bits > from_bits) from_shape.dims[from_shape.rank++] = to_bits / from_bits;
  add_argument(sample, from_shape, sample->dtype);
  add_result(sample, to_shape, to);
  write_operation(sample, operation, "", "%s", "");
}

static void write_reduce_precision(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "exponent_bits = %lld : i32, mantissa_bits = %lld : i32",
                  (long long)tn__sample_pick(sample, 1, 11),
                  (long long)tn__sample_pick(sample, 1, 52));
}

// --- generators: movement

static void write_iota(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 1);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "iota_dimension = %lld : i64",
                  (long long)tn__sample_pick(sample, 0, (int64_t)shape.rank - 1));
}

static void write_broadcast(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0), outer = {1, {tn__sample_pick(sample, 0, 3)}};
  shape_t result = {.rank = shape.rank + 1, .dims = {outer.dims[0]}};
  memcpy(result.dims + 1, shape.dims, shape.rank * sizeof *shape.dims);
  char list[256];
  add_argument(sample, shape, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "broadcast_sizes = %s", list_text(list, 1, outer.dims));
}

static void write_broadcast_in_dim(tn_sample_t* sample, const char* operation) {
  const shape_t result = pick_shape(sample, 0);
  shape_t shape = {.rank = 0};
  int64_t dims[RANK_LIMIT];
  char list[256];
  for (size_t d = 0; d < result.rank; ++d) {
    if (toss(sample)) continue;
    dims[shape.rank] = (int64_t)d;
    shape.dims[shape.rank++] = tn__sample_pick(sample, 0, 2) ? result.dims[d] : 1;
  }
  add_argument(sample, shape, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "broadcast_dimensions = %s",
                  list_text(list, shape.rank, dims));
}

static void write_transpose(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  shape_t result = shape;
  int64_t order[RANK_LIMIT];
  char list[256];
  pick_order(sample, shape.rank, order);
  for (size_t d = 0; d < shape.rank; ++d) result.dims[d] = shape.dims[order[d]];
  add_argument(sample, shape, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "permutation = %s", list_text(list, shape.rank, order));
}

static void write_reverse(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  int64_t dims[RANK_LIMIT];
  size_t count = 0;
  char list[256];
  for (size_t d = 0; d < shape.rank; ++d) {
    if (toss(sample)) dims[count++] = (int64_t)d;
  }
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "dimensions = %s", list_text(list, count, dims));
}

static void write_concatenate(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 1);
  const int64_t dimension = tn__sample_pick(sample, 0, (int64_t)shape.rank - 1);
  shape_t result = shape, part = shape;
  result.dims[dimension] = 0;
  for (int64_t i = tn__sample_pick(sample, 1, 3); i > 0; --i) {
    part.dims[dimension] = tn__sample_pick(sample, 0, 5);
    result.dims[dimension] += part.dims[dimension];
    add_argument(sample, part, sample->dtype);
  }
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "dimension = %lld : i64", (long long)dimension);
}

static void write_slice(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  shape_t result = shape;
  int64_t starts[RANK_LIMIT], limits[RANK_LIMIT], strides[RANK_LIMIT];
  char lists[3][256];
  for (size_t d = 0; d < shape.rank; ++d) {
    starts[d] = tn__sample_pick(sample, 0, shape.dims[d]);
    limits[d] = tn__sample_pick(sample, starts[d], shape.dims[d]);
    strides[d] = tn__sample_pick(sample, 1, 3);
    result.dims[d] = (limits[d] - starts[d] + strides[d] - 1) / strides[d];
  }
  add_argument(sample, shape, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "start_indices = %s, limit_indices = %s, strides = %s",
                  list_text(lists[0], shape.rank, starts), list_text(lists[1], shape.rank, limits),
                  list_text(lists[2], shape.rank, strides));
}

static void write_pad(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  shape_t result = shape;
  int64_t low[RANK_LIMIT], high[RANK_LIMIT], interior[RANK_LIMIT];
  char lists[3][256];
  for (size_t d = 0; d < shape.rank; ++d) {
    low[d] = tn__sample_pick(sample, -1, 3);
    high[d] = tn__sample_pick(sample, -1, 3);
    interior[d] = tn__sample_pick(sample, 0, 2);
    const int64_t holes = shape.dims[d] > 1 ? (shape.dims[d] - 1) * interior[d] : 0;
    if (shape.dims[d] + holes + low[d] + high[d] < 0) low[d] = 0, high[d] = 0;
    result.dims[d] = shape.dims[d] + holes + low[d] + high[d];
  }
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, (shape_t){.rank = 0}, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "",
                  "edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s",
                  list_text(lists[0], shape.rank, low), list_text(lists[1], shape.rank, high),
                  list_text(lists[2], shape.rank, interior));
}

static shape_t smaller(tn_sample_t* sample, shape_t shape) {
  for (size_t d = 0; d < shape.rank; ++d) shape.dims[d] = tn__sample_pick(sample, 0, shape.dims[d]);
  return shape;
}

static void write_dynamic_slice(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0), result = smaller(sample, shape);
  char list[256];
  add_argument(sample, shape, sample->dtype);
  for (size_t d = 0; d < shape.rank; ++d) add_argument(sample, (shape_t){.rank = 0}, TN_DTYPE_S32);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "", "slice_sizes = %s",
                  list_text(list, shape.rank, result.dims));
}

static void write_dynamic_update_slice(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0), update = smaller(sample, shape);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, update, sample->dtype);
  for (size_t d = 0; d < shape.rank; ++d) add_argument(sample, (shape_t){.rank = 0}, TN_DTYPE_S64);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, "", "%s", "");
}

// x[indices]: slices of one or two leading dimensions, one of which may be a batch.
static void write_gather(tn_sample_t* sample, const char* operation) {
  shape_t shape = pick_full_shape(sample, 2), indices = {2, {tn__sample_pick(sample, 0, 6), 2}};
  const bool has_batch = shape.rank > 2 && toss(sample);
  int64_t sizes[RANK_LIMIT] = {0}, offsets[RANK_LIMIT] = {0};
  shape_t result = {1, {indices.dims[0]}};
  char lists[2][256];
  if (has_batch) shape.dims[2] = indices.dims[0];
  size_t offset_count = 0;
  for (size_t d = 0; d < shape.rank; ++d) {
    sizes[d] = d < 2 || (has_batch && d == 2) ? 1 : tn__sample_pick(sample, 0, shape.dims[d]);
    if (d < 2 || (has_batch && d == 2)) continue;
    offsets[offset_count++] = (int64_t)result.rank;
    result.dims[result.rank++] = sizes[d];
  }
  if (has_batch && shape.dims[2] == 0) sizes[2] = 0;
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, indices, toss(sample) ? TN_DTYPE_S32 : TN_DTYPE_U8);
  add_result(sample, result, sample->dtype);
  write_operation(
      sample, operation, "",
      "dimension_numbers = #stablehlo.gather<offset_dims = %s, collapsed_slice_dims = [0, 1], "
      "%sstart_index_map = %s, index_vector_dim = 1>, slice_sizes = %s",
      numbers_text(lists[0], offset_count, offsets),
      has_batch ? "operand_batching_dims = [2], start_indices_batching_dims = [0], " : "",
      toss(sample) ? "[0, 1]" : "[1, 0]", list_text(lists[1], shape.rank, sizes));
}

// --- generators: with regions

static const char* folding(tn_sample_t* sample) {
  static const char* const logical[] = {"and", "or", "maximum", "minimum", "xor"};
  static const char* const numeric[] = {"add", "multiply", "maximum", "minimum"};
  sample->values = TN_SAMPLE_WHOLE;
  if (sample->dtype == TN_DTYPE_PRED) return logical[tn__sample_pick(sample, 0, 4)];
  if (tn_dtype_kind(sample->dtype) == TN_KIND_COMPLEX) return "add";
  const char* operation = numeric[tn__sample_pick(sample, 0, 3)];
  // Products of integers soon need more digits than floats have.
  const bool is_float = tn_dtype_kind(sample->dtype) == TN_KIND_FLOAT;
  return is_float && strcmp(operation, "multiply") == 0 ? "add" : operation;
}

static void write_reduce(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  shape_t result = {.rank = 0};
  int64_t dims[RANK_LIMIT];
  size_t count = 0;
  char list[256], region[1024];
  for (size_t d = 0; d < shape.rank; ++d) {
    if (toss(sample)) {
      dims[count++] = (int64_t)d;
    } else {
      result.dims[result.rank++] = shape.dims[d];
    }
  }
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, (shape_t){.rank = 0}, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, binary_region(region, folding(sample), sample->dtype),
                  "dimensions = %s", list_text(list, count, dims));
}

static void write_map(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 0);
  const int64_t dims[] = {0, 1, 2, 3};
  char list[256], region[1024];
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, binary_region(region, folding(sample), sample->dtype),
                  "dimensions = %s", list_text(list, shape.rank, dims));
}

static void write_reduce_window(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_full_shape(sample, 1);
  shape_t result = shape;
  int64_t lists[4][RANK_LIMIT], padding[2 * RANK_LIMIT];  // sizes, strides, dilations: base, window
  char texts[4][256], pairs[512], region[1024];
  int at = sprintf(pairs, "dense<[");
  for (size_t d = 0; d < shape.rank; ++d) {
    for (size_t k = 0; k < 4; ++k) lists[k][d] = tn__sample_pick(sample, 1, k == 0 ? 3 : 2);
    for (size_t k = 0; k < 2; ++k) padding[2 * d + k] = tn__sample_pick(sample, 0, 3);
    const int64_t base =
        (shape.dims[d] - 1) * lists[2][d] + 1 + padding[2 * d] + padding[2 * d + 1];
    const int64_t reach = (lists[0][d] - 1) * lists[3][d] + 1;
    result.dims[d] = reach > base ? 0 : (base - reach) / lists[1][d] + 1;
    at += sprintf(pairs + at, "%s[%lld, %lld]", d ? ", " : "", (long long)padding[2 * d],
                  (long long)padding[2 * d + 1]);
  }
  sprintf(pairs + at, "]> : tensor<%zux2xi64>", shape.rank);
  for (size_t k = 0; k < 4; ++k) list_text(texts[k], shape.rank, lists[k]);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, (shape_t){.rank = 0}, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, binary_region(region, folding(sample), sample->dtype),
                  "window_dimensions = %s, window_strides = %s, base_dilations = %s, "
                  "window_dilations = %s, padding = %s",
                  texts[0], texts[1], texts[2], texts[3], pairs);
}

static void write_select_and_scatter(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_full_shape(sample, 1);
  shape_t source = shape;
  int64_t sizes[RANK_LIMIT], strides[RANK_LIMIT];
  char lists[2][256], regions[2048], scatter[1024];
  for (size_t d = 0; d < shape.rank; ++d) {
    sizes[d] = tn__sample_pick(sample, 1, shape.dims[d] < 3 ? shape.dims[d] : 3);
    strides[d] = tn__sample_pick(sample, 1, 2);
    source.dims[d] = (shape.dims[d] - sizes[d]) / strides[d] + 1;
  }
  compare_region(regions, "GE", sample->dtype, 0);
  regions[strlen(regions) - 1] = ',';
  binary_region(scatter, folding(sample), sample->dtype);
  const size_t length = strlen(regions);
  snprintf(regions + length, sizeof regions - length, "%s", strchr(scatter, '(') + 1);
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, source, sample->dtype);
  add_argument(sample, (shape_t){.rank = 0}, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, regions, "window_dimensions = %s, window_strides = %s",
                  list_text(lists[0], shape.rank, sizes), list_text(lists[1], shape.rank, strides));
}

static void write_scatter(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_full_shape(sample, 1);
  const shape_t indices = {2, {tn__sample_pick(sample, 0, 8), 1}};
  shape_t updates = {1, {indices.dims[0]}};
  int64_t window[RANK_LIMIT] = {0};
  char list[256], region[1024];
  for (size_t d = 1; d < shape.rank; ++d) {
    window[d - 1] = (int64_t)updates.rank;
    updates.dims[updates.rank++] = tn__sample_pick(sample, 1, shape.dims[d]);
  }
  add_argument(sample, shape, sample->dtype);
  add_argument(sample, indices, TN_DTYPE_S32);
  add_argument(sample, updates, sample->dtype);
  add_result(sample, shape, sample->dtype);
  write_operation(sample, operation, binary_region(region, folding(sample), sample->dtype),
                  "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, "
                  "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                  "index_vector_dim = 1>",
                  numbers_text(list, shape.rank - 1, window));
}

static void write_sort(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_shape(sample, 1);
  const bool has_values = toss(sample);
  char region[1024];
  add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  if (has_values) {
    add_argument(sample, shape, TN_DTYPE_S32);
    add_result(sample, shape, TN_DTYPE_S32);
  }
  sample->values = TN_SAMPLE_WHOLE;
  write_operation(
      sample, operation,
      compare_region(region, toss(sample) ? "LT" : "GT", sample->dtype, has_values ? 1 : 0),
      "dimension = %lld : i64, is_stable = true",
      (long long)tn__sample_pick(sample, 0, (int64_t)shape.rank - 1));
}

// --- generators: sums of products

static void write_dot_general(tn_sample_t* sample, const char* operation) {
  const int64_t most = tn__sample_pick(sample, 0, 3) ? 20 : 45;  // packed products are larger
  const int64_t batch = tn__sample_pick(sample, 0, 3), rows = tn__sample_pick(sample, 0, most);
  const int64_t depth = tn__sample_pick(sample, 0, most);
  const int64_t columns = tn__sample_pick(sample, 0, most);
  const bool has_batch = toss(sample), is_turned = toss(sample);
  shape_t lhs = {.rank = 0}, rhs = {.rank = 0}, result = {.rank = 0};
  if (has_batch) lhs.dims[lhs.rank++] = rhs.dims[rhs.rank++] = result.dims[result.rank++] = batch;
  const size_t first = lhs.rank;
  lhs.rank = rhs.rank = first + 2;
  lhs.dims[first] = is_turned ? depth : rows;
  lhs.dims[first + 1] = is_turned ? rows : depth;
  rhs.dims[first] = depth;
  rhs.dims[first + 1] = columns;
  result.dims[result.rank++] = rows;
  result.dims[result.rank++] = columns;
  sample->values = TN_SAMPLE_WHOLE;
  add_argument(sample, lhs, sample->dtype);
  add_argument(sample, rhs, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "",
                  "dot_dimension_numbers = #stablehlo.dot<%slhs_contracting_dimensions = [%zu], "
                  "rhs_contracting_dimensions = [%zu]>",
                  has_batch ? "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], " : "",
                  is_turned ? first : first + 1, first);
}

static void write_dot(tn_sample_t* sample, const char* operation) {
  const shape_t lhs = {2, {tn__sample_pick(sample, 0, 20), tn__sample_pick(sample, 0, 20)}};
  const shape_t rhs = {2, {lhs.dims[1], tn__sample_pick(sample, 0, 20)}};
  sample->values = TN_SAMPLE_WHOLE;
  add_argument(sample, lhs, sample->dtype);
  add_argument(sample, rhs, sample->dtype);
  add_result(sample, (shape_t){2, {lhs.dims[0], rhs.dims[1]}}, sample->dtype);
  write_operation(sample, operation, "", "%s", "");
}

static void write_convolution(tn_sample_t* sample, const char* operation) {
  const int64_t group_kind = tn__sample_pick(sample, 0, 2),
                groups = group_kind ? tn__sample_pick(sample, 1, 3) : 1;
  const int64_t feature_groups = group_kind == 1 ? groups : 1;
  const int64_t batch_groups = group_kind == 2 ? groups : 1;
  const int64_t batches = tn__sample_pick(sample, 1, 2), inputs = tn__sample_pick(sample, 1, 3);
  const int64_t outputs = groups * tn__sample_pick(sample, 1, 3);
  shape_t input = {4, {batches * batch_groups, 0, 0, inputs * feature_groups}};
  shape_t kernel = {4, {0, 0, inputs, outputs}}, result = {4, {batches, 0, 0, outputs}};
  int64_t strides[2], lhs_dilation[2], rhs_dilation[2], padding[4];
  char lists[3][64];
  for (size_t d = 0; d < 2; ++d) {
    input.dims[1 + d] = tn__sample_pick(sample, 1, 9);
    kernel.dims[d] = tn__sample_pick(sample, 1, 3);
    strides[d] = tn__sample_pick(sample, 1, 2);
    lhs_dilation[d] = tn__sample_pick(sample, 1, 2);
    rhs_dilation[d] = tn__sample_pick(sample, 1, 2);
    padding[2 * d] = tn__sample_pick(sample, -1, 3);
    padding[2 * d + 1] = tn__sample_pick(sample, 0, 3);
    const int64_t base =
        (input.dims[1 + d] - 1) * lhs_dilation[d] + 1 + padding[2 * d] + padding[2 * d + 1];
    const int64_t reach = (kernel.dims[d] - 1) * rhs_dilation[d] + 1;
    result.dims[1 + d] = base <= 0 || reach > base ? 0 : (base - reach) / strides[d] + 1;
  }
  sample->values = TN_SAMPLE_WHOLE;
  add_argument(sample, input, sample->dtype);
  add_argument(sample, kernel, sample->dtype);
  add_result(sample, result, sample->dtype);
  write_operation(sample, operation, "",
                  "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
                  "window_strides = %s, lhs_dilation = %s, rhs_dilation = %s, "
                  "padding = dense<[[%lld, %lld], [%lld, %lld]]> : tensor<2x2xi64>, "
                  "feature_group_count = %lld : i64, batch_group_count = %lld : i64",
                  list_text(lists[0], 2, strides), list_text(lists[1], 2, lhs_dilation),
                  list_text(lists[2], 2, rhs_dilation), (long long)padding[0],
                  (long long)padding[1], (long long)padding[2], (long long)padding[3],
                  (long long)feature_groups, (long long)batch_groups);
}

// --- generators: linear

static void write_fft(tn_sample_t* sample, const char* operation) {
  static const char* const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const bool is_real = tn_dtype_kind(sample->dtype) == TN_KIND_FLOAT;
  const int64_t kind = is_real ? 2 : (int64_t[]){0, 1, 3}[tn__sample_pick(sample, 0, 2)];
  const tn_dtype_t other = is_real ? (sample->dtype == TN_DTYPE_F64 ? TN_DTYPE_C128 : TN_DTYPE_C64)
                           : kind != 3                     ? sample->dtype
                           : sample->dtype == TN_DTYPE_C64 ? TN_DTYPE_F32
                                                           : TN_DTYPE_F64;
  const int64_t length = tn__sample_pick(sample, 1, 40), half = length / 2 + 1,
                lines = tn__sample_pick(sample, 0, 4);
  sample->values = TN_SAMPLE_ORDINARY;
  sample->is_by_largest = true;
  sample->tolerance = 64;
  add_argument(sample, (shape_t){2, {lines, kind == 3 ? half : length}}, sample->dtype);
  add_result(sample, (shape_t){2, {lines, kind == 2 ? half : length}}, other);
  write_operation(sample, operation, "",
                  "fft_type = #stablehlo<fft_type %s>, fft_length = array<i64: %lld>", kinds[kind],
                  (long long)length);
}

static void write_triangular_solve(tn_sample_t* sample, const char* operation) {
  static const char* const modes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const int64_t n = tn__sample_pick(sample, 1, 5), columns = tn__sample_pick(sample, 0, 5),
                batch = tn__sample_pick(sample, 0, 2);
  const bool is_left = toss(sample);
  const shape_t b = {3, {batch, is_left ? n : columns, is_left ? columns : n}};
  sample->values = TN_SAMPLE_WHOLE;  // with a unit diagonal all is exact
  add_argument(sample, (shape_t){3, {batch, n, n}}, sample->dtype);
  add_argument(sample, b, sample->dtype);
  add_result(sample, b, sample->dtype);
  write_operation(sample, operation, "",
                  "left_side = %s, lower = %s, unit_diagonal = true, transpose_a = "
                  "#stablehlo<transpose %s>",
                  is_left ? "true" : "false", toss(sample) ? "true" : "false",
                  modes[tn__sample_pick(sample, 0, 2)]);
}

static void write_batch_norm(tn_sample_t* sample, const char* operation) {
  const shape_t shape = pick_full_shape(sample, 1);
  const int64_t feature = tn__sample_pick(sample, 0, (int64_t)shape.rank - 1);
  const shape_t features = {1, {shape.dims[feature]}};
  const bool is_training = strstr(operation, "training"), is_grad = strstr(operation, "grad");
  add_argument(sample, shape, sample->dtype);
  for (int i = 0; i < (is_training ? 2 : is_grad ? 3 : 4); ++i) {
    add_argument(sample, features, sample->dtype);
  }
  if (is_grad) add_argument(sample, shape, sample->dtype);
  add_result(sample, shape, sample->dtype);
  for (int i = 0; (is_training || is_grad) && i < 2; ++i) {
    add_result(sample, features, sample->dtype);
  }
  sample->values = TN_SAMPLE_ORDINARY;
  sample->is_by_largest = true;
  sample->tolerance = 64;
  write_operation(sample, operation, "", "epsilon = 4.0 : f32, feature_index = %lld : i64",
                  (long long)feature);
}

// --- the list

static const tn_sample_generator_t generators[] = {
#define SCALAR_ALONE(name, writer, expression)
#define SCALAR_NONE(name, writer, expression) {name, writer},
#define SCALAR_IS SCALAR_NONE
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, ...) \
  TN_COLUMN(SCALAR, TN_PREFIX_##dialect #name, write_unary, reals)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, ...) \
  TN_COLUMN(SCALAR, TN_PREFIX_##dialect #name, write_binary, reals)
#include "ops/scalar.def"
    {"chlo.tan", write_unary},
    {"compare", write_compare},
    {"select", write_select},
    {"clamp", write_clamp},
    {"convert", write_convert},
    {"bitcast_convert", write_bitcast},
    {"reduce_precision", write_reduce_precision},
    {"iota", write_iota},
    {"broadcast", write_broadcast},
    {"broadcast_in_dim", write_broadcast_in_dim},
    {"transpose", write_transpose},
    {"reverse", write_reverse},
    {"concatenate", write_concatenate},
    {"slice", write_slice},
    {"pad", write_pad},
    {"dynamic_slice", write_dynamic_slice},
    {"dynamic_update_slice", write_dynamic_update_slice},
    {"gather", write_gather},
    {"map", write_map},
    {"reduce", write_reduce},
    {"reduce_window", write_reduce_window},
    {"select_and_scatter", write_select_and_scatter},
    {"scatter", write_scatter},
    {"sort", write_sort},
    {"dot_general", write_dot_general},
    {"dot", write_dot},
    {"convolution", write_convolution},
    {"fft", write_fft},
    {"triangular_solve", write_triangular_solve},
    {"batch_norm_inference", write_batch_norm},
    {"batch_norm_training", write_batch_norm},
    {"batch_norm_grad", write_batch_norm},
};
enum { GENERATOR_COUNT = sizeof generators / sizeof *generators };

size_t tn__sample_generator_count(void) {
  return GENERATOR_COUNT;
}
const tn_sample_generator_t* tn__sample_generator_at(size_t index) {
  return &generators[index];
}

void tn__sample_write(const tn_sample_generator_t* generator, tn_dtype_t dtype, uint64_t seed,
                      tn_sample_t* out_sample) {
  *out_sample = (tn_sample_t){.random = seed, .dtype = dtype};
  generator->write(out_sample, generator->operation);
  write_program(out_sample);
}

size_t tn__sample_dtype_count(void) {
  return DTYPE_COUNT;
}
tn_dtype_t tn__sample_dtype_at(size_t index) {
  return dtypes[index];
}
