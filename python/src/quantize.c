// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: quantized matrices, composed of other functions.
//
// Elements of a row share a scale in groups. Their codes of a few bits are packed into uint32, the
// first one in the lowest bits. "affine": w = scale * code + bias; the others have codes that are
// small floats (E2M1, E4M3), and scales that are 8-bit floats (E8M0, E4M3).

#include <math.h>
#include <string.h>

#include "adapters.h"

typedef enum kind { AFFINE, MXFP4, MXFP8, NVFP4 } kind_t;

typedef struct scheme {
  kind_t kind;
  int64_t group_size, bits;
} scheme_t;

static const struct {
  const char* name;
  scheme_t scheme;  // with its defaults
} schemes[] = {
    {"affine", {AFFINE, 64, 4}},
    {"mxfp4", {MXFP4, 32, 4}},
    {"mxfp8", {MXFP8, 32, 8}},
    {"nvfp4", {NVFP4, 16, 4}},
};

static const double max_e2m1 = 6, max_e4m3 = 448;

// --- arguments

static bool is_possible(const scheme_t* scheme, const scheme_t* defaults) {
  const int64_t size = scheme->group_size, bits = scheme->bits;
  if (scheme->kind != AFFINE) return size == defaults->group_size && bits == defaults->bits;
  return (size == 32 || size == 64 || size == 128) && bits >= 1 && bits <= 8 && bits != 7;
}

static bool read_scheme(PyObject* mode, const char* otherwise, PyObject* group_size, PyObject* bits,
                        scheme_t* out_scheme) {
  const char* name = mode ? PyUnicode_AsUTF8AndSize(mode, NULL) : otherwise;
  if (!name) return false;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i) {
    if (strcmp(name, schemes[i].name) != 0) continue;
    *out_scheme = schemes[i].scheme;
    if (group_size && !core_integer_from(group_size, &out_scheme->group_size)) return false;
    if (bits && !core_integer_from(bits, &out_scheme->bits)) return false;
    if (is_possible(out_scheme, &schemes[i].scheme)) return true;
    PyErr_Format(PyExc_ValueError, "mode '%s' has no groups of %lld elements of %lld bits", name,
                 (long long)out_scheme->group_size, (long long)out_scheme->bits);
    return false;
  }
  PyErr_Format(PyExc_ValueError, "expected mode 'affine', 'mxfp4', 'mxfp8' or 'nvfp4'; found '%s'",
               name);
  return false;
}

static bool convert(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  *out_array = NULL;
  return !object || object == Py_None || core_convert(call, object, TN_DTYPE_INVALID, out_array);
}

static bool is_floating(const tn_array_t* array) {
  return tn_issubdtype(tn_array_dtype(array), TN_CATEGORY_FLOATING);
}

static bool refuse(const char* message) {
  PyErr_SetString(PyExc_ValueError, message);
  return false;
}

// --- small operations

static tn_array_t* number(core_call_t* call, const tn_array_t* like, double value) {
  return tn_array_scalar_like(call->scope, like, value);
}

// a with its last axis replaced.
static tn_array_t* reshape_last(core_call_t* call, tn_array_t* a, size_t count,
                                const int64_t* sizes) {
  int64_t dims[TN_MAX_RANK + 3];
  const size_t rank = tn_array_rank(a);
  memcpy(dims, tn_array_dims(a), rank * sizeof *dims);
  memcpy(dims + rank - 1, sizes, count * sizeof *dims);
  return tn_array_reshape(call->scope, a, rank - 1 + count, dims);
}

// The last two axes as one.
static tn_array_t* join_last(core_call_t* call, tn_array_t* a) {
  return tn_array_flatten(call->scope, a, -2, -1);
}

static tn_array_t* counts(core_call_t* call, int64_t count, int64_t step) {
  return tn_array_arange(call->scope, TN_DTYPE_U32, 0, (double)(count * step), (double)step);
}

static tn_array_t* reduce_last(core_call_t* call, tn_array_t* a,
                               tn_array_t* (*reduce)(tn_scope_t*, tn_array_t*, size_t,
                                                     const int64_t*, bool),
                               bool keepdims) {
  return reduce(call->scope, a, 1, (const int64_t[]){-1}, keepdims);
}

// Fields of `width` bits, side by side along the last axis, as one number each.
static tn_array_t* join_bits(core_call_t* call, tn_array_t* fields, int64_t count, int64_t width) {
  tn_array_t* places = counts(call, count, width);
  return reduce_last(call, tn_array_left_shift(call->scope, fields, places), tn_array_sum, false);
}

// The reverse: with a new last axis.
static tn_array_t* split_bits(core_call_t* call, tn_array_t* a, int64_t count, int64_t width) {
  tn_array_t* column = tn_array_expand_dims(call->scope, a, 1, (const int64_t[]){-1});
  tn_array_t* fields = tn_array_right_shift(call->scope, column, counts(call, count, width));
  return tn_array_bitwise_and(call->scope, fields,
                              number(call, fields, (double)((1 << width) - 1)));
}

// --- codes and words

static tn_array_t* pack(core_call_t* call, tn_array_t* codes, int64_t bits) {
  const int64_t count = tn_array_dim(codes, -1);
  if (32 % bits == 0) {
    codes = reshape_last(call, codes, 2, (const int64_t[]){count * bits / 32, 32 / bits});
    return join_bits(call, codes, 32 / bits, bits);
  }
  tn_array_t* stream = join_last(call, split_bits(call, codes, bits, 1));
  stream = reshape_last(call, stream, 2, (const int64_t[]){count * bits / 32, 32});
  return join_bits(call, stream, 32, 1);
}

static tn_array_t* unpack(core_call_t* call, tn_array_t* words, int64_t bits) {
  if (32 % bits == 0) return join_last(call, split_bits(call, words, 32 / bits, bits));
  const int64_t count = tn_array_dim(words, -1) * 32 / bits;
  tn_array_t* stream = join_last(call, split_bits(call, words, 32, 1));
  stream = reshape_last(call, stream, 2, (const int64_t[]){count, bits});
  return join_bits(call, stream, bits, 1);
}

// --- to codes: groups are [..., group, element], float32

typedef struct quantized {
  tn_array_t *codes, *scales, *biases;  // scales, biases: [..., group, 1]
} quantized_t;

static tn_array_t* divide_round(core_call_t* call, tn_array_t* a, tn_array_t* b) {
  return tn_array_round(call->scope, tn_array_divide(call->scope, a, b), 0);
}

// With the end of the range that is farther from 0 exact.
static void fit_to_edge(core_call_t* call, quantized_t* it, tn_array_t* low, tn_array_t* high) {
  tn_scope_t* s = call->scope;
  tn_array_t* is_low = tn_array_greater(s, tn_array_abs(s, low), tn_array_abs(s, high));
  tn_array_t* edge = tn_array_where(s, is_low, low, high);
  tn_array_t* scale = tn_array_where(s, is_low, it->scales, tn_array_negative(s, it->scales));
  tn_array_t* code = divide_round(call, edge, scale);
  tn_array_t* zero = number(call, low, 0);
  tn_array_t* is_zero = tn_array_equal(s, code, zero);
  it->scales = tn_array_where(s, is_zero, scale, tn_array_divide(s, edge, code));
  it->biases = tn_array_where(s, is_zero, zero, edge);
}

static quantized_t quantize_affine(core_call_t* call, tn_array_t* groups, const scheme_t* scheme) {
  tn_scope_t* s = call->scope;
  const double top = (double)((1 << scheme->bits) - 1);
  tn_array_t* high = reduce_last(call, groups, tn_array_max, true);
  tn_array_t* low = reduce_last(call, groups, tn_array_min, true);
  tn_array_t* step = tn_array_divide(s, tn_array_subtract(s, high, low), number(call, groups, top));
  quantized_t it = {.scales = tn_array_maximum(s, step, number(call, groups, 1e-7)), .biases = low};
  if (scheme->bits > 1) fit_to_edge(call, &it, low, high);
  it.codes = divide_round(call, tn_array_subtract(s, groups, it.biases), it.scales);
  it.codes = tn_array_clip(s, it.codes, number(call, groups, 0), number(call, groups, top));
  return it;
}

// Codes of E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and 8 more for negative ones; ties to the smaller
// one.
static tn_array_t* to_e2m1(core_call_t* call, tn_array_t* a) {
  static const double middles[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
  tn_scope_t* s = call->scope;
  tn_array_t* size = tn_array_abs(s, a);
  tn_array_t* code = tn_array_scalar(s, TN_DTYPE_U32, 0);
  for (size_t i = 0; i < sizeof middles / sizeof *middles; ++i) {
    tn_array_t* middle = number(call, size, middles[i]);
    tn_array_t* is_above = tn_array_greater(s, size, middle);
    code = tn_array_add(s, code, tn_array_astype(s, is_above, TN_DTYPE_U32));
  }
  tn_array_t* is_negative = tn_array_logical_and(s, tn_array_less(s, a, number(call, a, 0)), code);
  tn_array_t* sign = tn_array_where(s, is_negative, number(call, code, 8), number(call, code, 0));
  return tn_array_add(s, code, sign);
}

static tn_array_t* from_e2m1(core_call_t* call, tn_array_t* codes) {
  static const float values[] = {0,     0.5F,  1,  1.5F,  2,  3,  4,  6,
                                 -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};
  const int64_t count = 16;
  tn_array_t* table =
      tn_array_from_host(call->scope, TN_DTYPE_F32, 1, &count, values, sizeof values);
  return tn_array_take(call->scope, table, codes, 0);
}

// 2^(code - 127)
static tn_array_t* from_e8m0(core_call_t* call, tn_array_t* codes) {
  tn_array_t* exponent = tn_array_astype(call->scope, codes, TN_DTYPE_F32);
  exponent = tn_array_subtract(call->scope, exponent, number(call, exponent, 127));
  return tn_array_power(call->scope, number(call, exponent, 2), exponent);
}

// The power of 2 that is large enough; 1 for groups of zeros.
static tn_array_t* to_e8m0(core_call_t* call, tn_array_t* a) {
  tn_scope_t* s = call->scope;
  tn_array_t* exponent = tn_array_ceil(s, tn_array_log2(s, a));
  exponent = tn_array_clip(s, exponent, number(call, a, -127), number(call, a, 127));
  tn_array_t* zero = number(call, a, 0);
  exponent = tn_array_where(s, tn_array_equal(s, a, zero), zero, exponent);
  return tn_array_astype(s, tn_array_add(s, exponent, number(call, a, 127)), TN_DTYPE_U8);
}

static tn_array_t* scales_of(core_call_t* call, tn_array_t* codes, const scheme_t* scheme,
                             tn_array_t* global_scale) {
  if (scheme->kind != NVFP4) return from_e8m0(call, codes);
  tn_array_t* scales = tn_array_from_fp8(call->scope, codes, TN_DTYPE_F32);
  if (!global_scale) return scales;
  tn_array_t* unit =
      tn_array_divide(call->scope, global_scale, number(call, scales, max_e2m1 * max_e4m3));
  return tn_array_multiply(call->scope, scales, unit);
}

static quantized_t quantize_float(core_call_t* call, tn_array_t* groups, const scheme_t* scheme,
                                  tn_array_t* global_scale) {
  tn_scope_t* s = call->scope;
  const double top = scheme->bits == 8 ? max_e4m3 : max_e2m1;
  tn_array_t* size = reduce_last(call, tn_array_abs(s, groups), tn_array_max, true);
  size = tn_array_divide(s, size, number(call, size, top));
  if (global_scale) {
    tn_array_t* unit = tn_array_divide(s, number(call, size, max_e2m1 * max_e4m3), global_scale);
    size = tn_array_multiply(s, size, unit);
  }
  quantized_t it = {0};
  it.scales = scheme->kind == NVFP4 ? tn_array_to_fp8(s, size) : to_e8m0(call, size);
  tn_array_t* scales = scales_of(call, it.scales, scheme, global_scale);
  tn_array_t* zero = number(call, groups, 0);
  tn_array_t* values =
      tn_array_where(s, tn_array_equal(s, scales, zero), zero, tn_array_divide(s, groups, scales));
  it.codes = scheme->bits == 8 ? tn_array_to_fp8(s, values) : to_e2m1(call, values);
  return it;
}

static bool check_matrix(const tn_array_t* w, const scheme_t* scheme) {
  if (!is_floating(w)) return refuse("quantize: expected elements that are floats");
  if (tn_array_rank(w) >= 2 && tn_array_dim(w, -1) % scheme->group_size == 0 &&
      tn_array_dim(w, -1) * scheme->bits % 32 == 0) {
    return true;
  }
  return refuse("quantize: expected rows of whole groups, and at least two dimensions");
}

static quantized_t quantize(core_call_t* call, tn_array_t* w, const scheme_t* scheme,
                            tn_array_t* global_scale) {
  tn_scope_t* s = call->scope;
  const int64_t count = tn_array_dim(w, -1), size = scheme->group_size;
  tn_array_t* groups = reshape_last(call, tn_array_astype(s, w, TN_DTYPE_F32), 2,
                                    (const int64_t[]){count / size, size});
  quantized_t it = scheme->kind == AFFINE ? quantize_affine(call, groups, scheme)
                                          : quantize_float(call, groups, scheme, global_scale);
  it.codes = pack(call, join_last(call, tn_array_astype(s, it.codes, TN_DTYPE_U32)), scheme->bits);
  it.scales = join_last(call, it.scales);
  if (it.biases) {
    it.scales = tn_array_astype(s, it.scales, tn_array_dtype(w));
    it.biases = tn_array_astype(s, join_last(call, it.biases), tn_array_dtype(w));
  }
  return it;
}

// w, group_size, bits, mode, global_scale
PyObject* core_quantize(core_call_t* call, PyObject* const* objects) {
  scheme_t scheme;
  tn_array_t *w = NULL, *global_scale = NULL;
  if (!read_scheme(objects[3], "affine", objects[1], objects[2], &scheme) ||
      !convert(call, objects[0], &w) || !convert(call, objects[4], &global_scale) ||
      !check_matrix(w, &scheme)) {
    return NULL;
  }
  const quantized_t it = quantize(call, w, &scheme, global_scale);
  tn_array_t* const results[] = {it.codes, it.scales, it.biases};
  const Py_ssize_t count = it.biases ? 3 : 2;
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    PyObject* object = core_array_object(results[i]);
    if (object) {
      PyTuple_SetItem(tuple, i, object);
    } else {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

// --- back

typedef struct packed {
  scheme_t scheme;
  tn_array_t *words, *scales, *biases, *global_scale;
} packed_t;

static bool check_packed(const packed_t* it) {
  const scheme_t* scheme = &it->scheme;
  if (tn_array_dtype(it->words) != TN_DTYPE_U32 || tn_array_rank(it->words) < 1) {
    return refuse("expected a matrix of uint32, as quantize gives it");
  }
  const int64_t groups = tn_array_dim(it->words, -1) * 32 / scheme->bits / scheme->group_size;
  const size_t rank = tn_array_rank(it->words);
  const bool fits = tn_array_rank(it->scales) == rank && tn_array_dim(it->scales, -1) == groups &&
                    memcmp(tn_array_dims(it->scales), tn_array_dims(it->words),
                           (rank - 1) * sizeof(int64_t)) == 0;
  if (!fits) return refuse("the scales do not fit the matrix: expected one for each group");
  if (scheme->kind != AFFINE) {
    const bool has_codes = tn_array_dtype(it->scales) == TN_DTYPE_U8 && !it->biases;
    return has_codes || refuse("expected scales of uint8, and no biases");
  }
  if (!it->biases) return refuse("mode 'affine' needs biases");
  if (!is_floating(it->scales)) return refuse("expected scales that are floats");
  const bool is_same =
      tn_array_rank(it->biases) == rank &&
      memcmp(tn_array_dims(it->scales), tn_array_dims(it->biases), rank * sizeof(int64_t)) == 0;
  return is_same || refuse("expected biases of the shape of the scales");
}

static bool read_packed(core_call_t* call, PyObject* words, PyObject* scales, PyObject* biases,
                        PyObject* global_scale, packed_t* it) {
  if (!scales || scales == Py_None) return refuse("expected scales");
  return convert(call, words, &it->words) && convert(call, scales, &it->scales) &&
         convert(call, biases, &it->biases) && convert(call, global_scale, &it->global_scale) &&
         check_packed(it);
}

static tn_array_t* dequantize(core_call_t* call, const packed_t* it, tn_dtype_t dtype) {
  tn_scope_t* s = call->scope;
  const scheme_t* scheme = &it->scheme;
  const int64_t last[] = {-1};
  tn_array_t* codes = unpack(call, it->words, scheme->bits);
  const int64_t groups = tn_array_dim(codes, -1) / scheme->group_size;
  codes = reshape_last(call, codes, 2, (const int64_t[]){groups, scheme->group_size});
  tn_array_t *values = NULL, *scales = tn_array_expand_dims(s, it->scales, 1, last);
  if (scheme->kind == AFFINE) {
    tn_array_t* biases = tn_array_expand_dims(s, it->biases, 1, last);
    values = tn_array_multiply(s, tn_array_astype(s, codes, tn_array_dtype(scales)), scales);
    values = tn_array_add(s, values, biases);
  } else {
    values = scheme->bits == 8
                 ? tn_array_from_fp8(s, tn_array_astype(s, codes, TN_DTYPE_U8), TN_DTYPE_F32)
                 : from_e2m1(call, codes);
    values = tn_array_multiply(s, values, scales_of(call, scales, scheme, it->global_scale));
  }
  return tn_array_astype(s, join_last(call, values), dtype);
}

// w, scales, biases, group_size, bits, mode, global_scale, dtype
PyObject* core_dequantize(core_call_t* call, PyObject* const* objects) {
  packed_t it = {0};
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!read_scheme(objects[5], "affine", objects[3], objects[4], &it.scheme) ||
      !read_packed(call, objects[0], objects[1], objects[2], objects[6], &it)) {
    return NULL;
  }
  const bool is_affine = it.scheme.kind == AFFINE;
  const tn_dtype_t own = is_affine ? tn_array_dtype(it.scales) : TN_DTYPE_BF16;
  if (!core_dtype_or(objects[7], own, &dtype)) return NULL;
  if (!tn_issubdtype(dtype, TN_CATEGORY_FLOATING)) {
    refuse("dequantize: expected a dtype of floats");
    return NULL;
  }
  return core_array_object(dequantize(call, &it, dtype));
}

// --- products

typedef struct product {
  tn_array_t *x, *w;         // w: a matrix that is not quantized any more
  tn_array_t *left, *right;  // indices; NULL: none
  bool is_gather, is_transposed;
} product_t;

static PyObject* multiply(core_call_t* call, const product_t* it, tn_dtype_t dtype) {
  tn_scope_t* s = call->scope;
  tn_array_t* w = it->is_transposed ? tn_array_matrix_transpose(s, it->w) : it->w;
  tn_array_t* result = it->is_gather ? tn_array_gather_mm(s, it->x, w, it->left, it->right)
                                     : tn_array_matmul(s, it->x, w);
  return core_array_object(tn_array_astype(s, result, dtype));
}

static PyObject* multiply_packed(core_call_t* call, const packed_t* it, product_t* product) {
  const bool is_affine = it->scheme.kind == AFFINE;
  if (!is_floating(product->x)) {
    refuse("expected x of floats");
    return NULL;
  }
  const tn_dtype_t own = tn_array_dtype(product->x);
  const tn_dtype_t dtype = is_affine ? tn_promote_types(own, tn_array_dtype(it->scales)) : own;
  product->w = dequantize(call, it, dtype);
  return multiply(call, product, dtype);
}

// x, w, scales, biases, transpose, group_size, bits, mode
PyObject* core_quantized_matmul(core_call_t* call, PyObject* const* objects) {
  packed_t it = {0};
  product_t product = {0};
  const int is_transposed = objects[4] ? PyObject_IsTrue(objects[4]) : 1;
  if (is_transposed < 0 || !read_scheme(objects[7], "affine", objects[5], objects[6], &it.scheme) ||
      !convert(call, objects[0], &product.x) ||
      !read_packed(call, objects[1], objects[2], objects[3], NULL, &it)) {
    return NULL;
  }
  product.is_transposed = is_transposed > 0;
  return multiply_packed(call, &it, &product);
}

// x, w, scales, biases, lhs_indices, rhs_indices, transpose, group_size, bits, mode, global_scale
PyObject* core_gather_qmm(core_call_t* call, PyObject* const* objects) {
  packed_t it = {0};
  product_t product = {.is_gather = true};
  const int is_transposed = objects[6] ? PyObject_IsTrue(objects[6]) : 1;
  if (is_transposed < 0 || !read_scheme(objects[9], "affine", objects[7], objects[8], &it.scheme) ||
      !convert(call, objects[0], &product.x) || !convert(call, objects[4], &product.left) ||
      !convert(call, objects[5], &product.right) ||
      !read_packed(call, objects[1], objects[2], objects[3], objects[10], &it)) {
    return NULL;
  }
  product.is_transposed = is_transposed > 0;
  return multiply_packed(call, &it, &product);
}

// --- products of two quantized operands

static bool quantize_back(core_call_t* call, tn_array_t** operand, const scheme_t* scheme,
                          tn_array_t* global_scale, tn_dtype_t dtype) {
  if (!check_matrix(*operand, scheme)) return false;
  const quantized_t it = quantize(call, *operand, scheme, global_scale);
  const packed_t packed = {*scheme, it.codes, it.scales, it.biases, global_scale};
  *operand = dequantize(call, &packed, dtype);
  return true;
}

typedef struct pair {
  scheme_t scheme;
  PyObject *w, *scales;
  tn_array_t *scale_of_x, *scale_of_w;
} pair_t;

static PyObject* multiply_pair(core_call_t* call, const pair_t* pair, product_t* product) {
  packed_t packed = {.scheme = pair->scheme};
  const tn_dtype_t dtype = tn_array_dtype(product->x);
  product->is_transposed = true;
  if (pair->scheme.kind != NVFP4 && pair->scheme.kind != MXFP8) {
    refuse("expected mode 'nvfp4' or 'mxfp8'");
    return NULL;
  }
  if (!quantize_back(call, &product->x, &pair->scheme, pair->scale_of_x, dtype)) return NULL;
  if (pair->scales) {
    if (!read_packed(call, pair->w, pair->scales, NULL, NULL, &packed)) return NULL;
    packed.global_scale = pair->scale_of_w;
    product->w = dequantize(call, &packed, dtype);
  } else if (!convert(call, pair->w, &product->w) ||
             !quantize_back(call, &product->w, &pair->scheme, pair->scale_of_w, dtype)) {
    return NULL;
  }
  return multiply(call, product, dtype);
}

// x, w, scales, group_size, bits, mode, global_scale_x, global_scale_w
PyObject* core_qqmm(core_call_t* call, PyObject* const* objects) {
  pair_t pair = {.w = objects[1], .scales = objects[2]};
  product_t product = {0};
  if (!read_scheme(objects[5], "nvfp4", objects[3], objects[4], &pair.scheme) ||
      !convert(call, objects[0], &product.x) || !convert(call, objects[6], &pair.scale_of_x) ||
      !convert(call, objects[7], &pair.scale_of_w)) {
    return NULL;
  }
  return multiply_pair(call, &pair, &product);
}

// x, w, scales, lhs_indices, rhs_indices, group_size, bits, mode, global_scale_x, global_scale_w
PyObject* core_gather_qqmm(core_call_t* call, PyObject* const* objects) {
  pair_t pair = {.w = objects[1], .scales = objects[2]};
  product_t product = {.is_gather = true};
  if (!read_scheme(objects[7], "nvfp4", objects[5], objects[6], &pair.scheme) ||
      !convert(call, objects[0], &product.x) || !convert(call, objects[3], &product.left) ||
      !convert(call, objects[4], &product.right) || !convert(call, objects[8], &pair.scale_of_x) ||
      !convert(call, objects[9], &pair.scale_of_w)) {
    return NULL;
  }
  return multiply_pair(call, &pair, &product);
}
