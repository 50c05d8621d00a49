// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// cuBLAS: products in the turn of a stream, element for element.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cublas.h"
#include "driver.h"

typedef struct tn_cublas_object* tn_cublas_handle_t;
#define TN_CUBLAS_FUNCTION(result, name, suffix, ...) \
  __attribute__((visibility("default"))) result cublas##name##suffix(__VA_ARGS__);
#include "kernel/lib/cublas.def"
#undef TN_CUBLAS_FUNCTION

enum {
  NOT_INITIALIZED = 1,
  ALLOC_FAILED = 3,
  INVALID_VALUE = 7,
  EXECUTION_FAILED = 13,
  NOT_SUPPORTED = 15,

  R_32F = 0,
  R_64F = 1,
  R_16F = 2,
  C_32F = 4,
  C_64F = 5,
  R_16BF = 14,

  COMPUTE_32F = 68,
  COMPUTE_64F = 70,
  COMPUTE_32F_FAST_TF32 = 77,
};

struct tn_cublas_object {
  tn_cu_context_t context;
  tn_cu_stream_t stream;
  uint64_t workspace;
  size_t workspace_byte_size;
};

__attribute__((visibility("default"))) extern simulated_cublas_t simulated_cublas;
simulated_cublas_t simulated_cublas;

const char* cublasGetStatusName(int32_t status) {
  switch (status) {
    case 0: return "CUBLAS_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "<unknown>";
  }
}

int32_t cublasGetProperty(int32_t property, int32_t* out_value) {
  static const int32_t version[] = {12, 4, 5};
  if (property < 0 || property > 2) return INVALID_VALUE;
  *out_value = version[property];
  return 0;
}

// --- handles

int32_t cublasCreate_v2(tn_cublas_handle_t* out_handle) {
  tn_cu_context_t context = NULL;
  if (sim_context(&context)) return NOT_INITIALIZED;
  tn_cublas_handle_t handle = calloc(1, sizeof *handle);
  if (!handle) return ALLOC_FAILED;
  handle->context = context;
  pthread_mutex_lock(&sim_mutex);
  ++simulated_cublas.handle_count;
  ++simulated_cublas.live_handle_count;
  pthread_mutex_unlock(&sim_mutex);
  *out_handle = handle;
  return 0;
}

// The handle's context is the one it was created in.
static bool is_usable(tn_cublas_handle_t handle) {
  tn_cu_context_t context = NULL;
  if (!handle) return false;
  sim_context(&context);
  if (context != handle->context) sim_abort("a handle of cuBLAS is used in another context");
  return true;
}

int32_t cublasDestroy_v2(tn_cublas_handle_t handle) {
  if (!is_usable(handle)) return NOT_INITIALIZED;
  pthread_mutex_lock(&sim_mutex);
  --simulated_cublas.live_handle_count;
  pthread_mutex_unlock(&sim_mutex);
  free(handle);
  return 0;
}

int32_t cublasSetStream_v2(tn_cublas_handle_t handle, void* stream) {
  if (!is_usable(handle)) return NOT_INITIALIZED;
  handle->stream = stream;
  handle->workspace = 0;
  return 0;
}

int32_t cublasSetWorkspace_v2(tn_cublas_handle_t handle, void* address, size_t byte_size) {
  if (!is_usable(handle)) return NOT_INITIALIZED;
  if ((uintptr_t)address % 256) return INVALID_VALUE;
  handle->workspace = (uintptr_t)address;
  handle->workspace_byte_size = byte_size;
  return 0;
}

int32_t cublasSetMathMode(tn_cublas_handle_t handle, int32_t mode) {
  enum { KNOWN_BITS = 31 };
  if (!is_usable(handle)) return NOT_INITIALIZED;
  return mode & ~KNOWN_BITS ? INVALID_VALUE : 0;
}

// --- elements

static float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
  return sign * (exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24));
}

// To the nearest one, ties to even: halves are whole numbers of the unit of their exponent.
static uint16_t half_bits(double value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  if (isnan(value)) return 0x7e00;
  const double size = fabs(value);
  if (size >= 65520) return sign | 0x7c00;
  const int exponent = size < 0x1p-14 ? -14 : ilogb(size);
  const uint16_t units = (uint16_t)nearbyint(ldexp(size, 10 - exponent));  // 2048: the next one
  return sign | (uint16_t)((exponent + 14) * 1024 + units);
}

static uint16_t bfloat_bits(float value) {
  const uint32_t bits = float_bits(value);
  if (isnan(value)) return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float to_tf32(float value) {
  return isfinite(value) ? bits_float((float_bits(value) + 0x1000) & ~UINT32_C(0x1fff)) : value;
}

static size_t size_of(int32_t type) {
  switch (type) {
    case R_16F:
    case R_16BF: return 2;
    case R_32F: return 4;
    case R_64F:
    case C_32F: return 8;
    default: return 16;
  }
}

static bool is_complex(int32_t type) {
  return type == C_32F || type == C_64F;
}

// Real and imaginary part.
static void load(int32_t type, const void* at, double out[2]) {
  out[1] = 0;
  switch (type) {
    case R_16F: out[0] = half_value(*(const uint16_t*)at); break;
    case R_16BF: out[0] = bits_float((uint32_t) * (const uint16_t*)at << 16); break;
    case R_32F:
    case C_32F:
      for (int part = 0; part <= is_complex(type); ++part) out[part] = ((const float*)at)[part];
      break;
    default:
      for (int part = 0; part <= is_complex(type); ++part) out[part] = ((const double*)at)[part];
  }
}

static void store(int32_t type, void* at, const double value[2]) {
  switch (type) {
    case R_16F: *(uint16_t*)at = half_bits(value[0]); break;
    case R_16BF: *(uint16_t*)at = bfloat_bits((float)value[0]); break;
    case R_32F:
    case C_32F:
      for (int part = 0; part <= is_complex(type); ++part) ((float*)at)[part] = (float)value[part];
      break;
    default:
      for (int part = 0; part <= is_complex(type); ++part) ((double*)at)[part] = value[part];
  }
}

// --- products

typedef struct side {
  uint64_t address;
  int32_t type, form, stride;
  int64_t batch_stride;
  char* bytes;
} side_t;

typedef struct product {
  int32_t rows, columns, depth, batch, compute;
  double alpha[2], beta[2];
  side_t a, b, c;
  uint64_t workspace;
  size_t workspace_byte_size;
} product_t;

// Where all of a side's matrices are; false: not in one allocation that is alive.
static bool find_side(side_t* side, int32_t rows, int32_t columns, int32_t batch) {
  const int64_t across = side->form ? rows : columns, along = side->form ? columns : rows;
  if (!rows || !columns || !batch) return true;
  const int64_t count = (batch - 1) * side->batch_stride + (across - 1) * side->stride + along;
  side->bytes = sim_find_bytes(side->address, (size_t)count * size_of(side->type));
  return side->bytes && side->address % size_of(side->type) == 0;
}

static char* place(const side_t* side, int64_t matrix, int64_t row, int64_t column) {
  const int64_t across = side->form ? row : column, along = side->form ? column : row;
  return side->bytes + (size_t)(matrix * side->batch_stride + across * side->stride + along) *
                           size_of(side->type);
}

static double round_operand(const product_t* product, double value) {
  return product->compute == COMPUTE_32F_FAST_TF32 ? (double)to_tf32((float)value) : value;
}

static void compute(const product_t* product, int64_t matrix, int64_t row, int64_t column) {
  const bool is_double = product->compute == COMPUTE_64F;
  double sum[2] = {0, 0}, old[2] = {0, 0};
  for (int64_t p = 0; p < product->depth; ++p) {
    double a[2], b[2];
    load(product->a.type, place(&product->a, matrix, row, p), a);
    load(product->b.type, place(&product->b, matrix, p, column), b);
    for (int part = 0; part < 2; ++part) {
      a[part] = round_operand(product, a[part]);
      b[part] = round_operand(product, b[part]);
    }
    sum[0] = fma(a[0], b[0], sum[0]);
    if (is_complex(product->a.type)) {
      sum[0] = fma(-a[1], b[1], sum[0]);
      sum[1] = fma(a[0], b[1], fma(a[1], b[0], sum[1]));
    }
    for (int part = 0; part < 2 && !is_double; ++part) sum[part] = (float)sum[part];
  }
  char* result = place(&product->c, matrix, row, column);
  if (product->beta[0] != 0 || product->beta[1] != 0) load(product->c.type, result, old);
  const double scaled[2] = {product->alpha[0] * sum[0] - product->alpha[1] * sum[1] +
                                product->beta[0] * old[0] - product->beta[1] * old[1],
                            product->alpha[0] * sum[1] + product->alpha[1] * sum[0] +
                                product->beta[0] * old[1] + product->beta[1] * old[0]};
  const bool is_plain = product->alpha[0] == 1 && product->alpha[1] == 0 && product->beta[0] == 0 &&
                        product->beta[1] == 0;
  store(product->c.type, result, is_plain ? sum : scaled);
}

static void multiply(tn_cu_context_t context, void* user) {
  product_t* product = user;
  const bool has_workspace =
      !product->workspace || sim_find_bytes(product->workspace, product->workspace_byte_size);
  if (context->error) return;
  if (!has_workspace || !find_side(&product->a, product->rows, product->depth, product->batch) ||
      !find_side(&product->b, product->depth, product->columns, product->batch) ||
      !find_side(&product->c, product->rows, product->columns, product->batch)) {
    sim_set_error(context, SIM_ILLEGAL_ADDRESS);
    return;
  }
  for (int64_t matrix = 0; matrix < product->batch; ++matrix) {
    for (int64_t column = 0; column < product->columns; ++column) {
      for (int64_t row = 0; row < product->rows; ++row) compute(product, matrix, row, column);
    }
  }
}

static bool is_supported(const product_t* product) {
  const int32_t type = product->a.type, result = product->c.type;
  if (product->b.type != type) return false;
  switch (product->compute) {
    case COMPUTE_32F:
      return ((type == R_16F || type == R_16BF) && (result == type || result == R_32F)) ||
             ((type == R_32F || type == C_32F) && result == type);
    case COMPUTE_32F_FAST_TF32: return (type == R_32F || type == C_32F) && result == type;
    case COMPUTE_64F: return (type == R_64F || type == C_64F) && result == type;
    default: return false;
  }
}

static bool is_valid(const side_t* side, int32_t rows, int32_t columns) {
  const int32_t least = side->form ? columns : rows;
  return (side->form == 0 || side->form == 1) && side->stride >= (least > 1 ? least : 1);
}

static int32_t check(const product_t* product, int32_t algorithm) {
  if (product->rows < 0 || product->columns < 0 || product->depth < 0 || product->batch < 0 ||
      !is_valid(&product->a, product->rows, product->depth) ||
      !is_valid(&product->b, product->depth, product->columns) ||
      !is_valid(&product->c, product->rows, product->columns)) {
    return INVALID_VALUE;
  }
  return algorithm < -1 || algorithm > 23 || !is_supported(product) ? NOT_SUPPORTED : 0;
}

static int32_t start(tn_cublas_handle_t handle, product_t product, const void* alpha,
                     const void* beta, int32_t algorithm) {
  if (!is_usable(handle)) return NOT_INITIALIZED;
  if (sim_context_error(handle->context)) return EXECUTION_FAILED;
  if (!alpha || !beta) return INVALID_VALUE;
  int32_t status = check(&product, algorithm);
  if (!status) status = simulated_cublas.next_status;
  simulated_cublas.next_status = 0;
  if (status) return status;
  const bool is_wide = is_complex(product.a.type);
  const int32_t scalar = product.compute == COMPUTE_64F ? is_wide ? C_64F : R_64F
                         : is_wide                      ? C_32F
                                                        : R_32F;
  product_t* copy = malloc(sizeof *copy);
  if (!copy) return ALLOC_FAILED;
  load(scalar, alpha, product.alpha);
  load(scalar, beta, product.beta);
  product.workspace = handle->workspace;
  product.workspace_byte_size = handle->workspace_byte_size;
  *copy = product;
  const sim_work_t work = {multiply, free, copy};
  if (sim_enqueue(handle->stream, handle->context, &work)) {
    free(copy);
    return EXECUTION_FAILED;
  }
  pthread_mutex_lock(&sim_mutex);
  ++simulated_cublas.product_count;
  pthread_mutex_unlock(&sim_mutex);
  return 0;
}

int32_t cublasGemmEx(tn_cublas_handle_t handle, int32_t a_form, int32_t b_form, int32_t rows,
                     int32_t columns, int32_t depth, const void* alpha, const void* a,
                     int32_t a_type, int32_t a_stride, const void* b, int32_t b_type,
                     int32_t b_stride, const void* beta, void* c, int32_t c_type, int32_t c_stride,
                     int32_t compute_type, int32_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, a_form, b_form, rows, columns, depth, alpha, a, a_type,
                                    a_stride, 0, b, b_type, b_stride, 0, beta, c, c_type, c_stride,
                                    0, 1, compute_type, algorithm);
}

int32_t cublasGemmStridedBatchedEx(tn_cublas_handle_t handle, int32_t a_form, int32_t b_form,
                                   int32_t rows, int32_t columns, int32_t depth, const void* alpha,
                                   const void* a, int32_t a_type, int32_t a_stride,
                                   int64_t a_batch_stride, const void* b, int32_t b_type,
                                   int32_t b_stride, int64_t b_batch_stride, const void* beta,
                                   void* c, int32_t c_type, int32_t c_stride,
                                   int64_t c_batch_stride, int32_t batch, int32_t compute_type,
                                   int32_t algorithm) {
  const product_t product = {
      .rows = rows,
      .columns = columns,
      .depth = depth,
      .batch = batch,
      .compute = compute_type,
      .a = {(uintptr_t)a, a_type, a_form, a_stride, a_batch_stride, NULL},
      .b = {(uintptr_t)b, b_type, b_form, b_stride, b_batch_stride, NULL},
      .c = {(uintptr_t)c, c_type, 0, c_stride, c_batch_stride, NULL},
  };
  return start(handle, product, alpha, beta, algorithm);
}
