// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arguments that each operation takes, as text:
//   arrays   dtype[dims], "none" for one that is not given, 'text' for its bytes
//   lists    numbers, dtypes or quoted characters with commas between them; "none"; ";" between
//            lists
//   reals    numbers
// Functions without a row here get matrices of floats, the last axis, and defaults.
#include <stdlib.h>
#include <string.h>

#include "array/testing_operations.h"
#include "bindings/functions.h"

typedef struct example {
  const char *name, *arrays, *lists, *reals;
} example_t;

static const example_t examples[] = {
    {"bitwise_and", "i32[2,3] i32[3]", "", ""},
    {"bitwise_or", "i32[2,3] i32[3]", "", ""},
    {"bitwise_xor", "i32[2,3] i32[3]", "", ""},
    {"left_shift", "i32[2,3] i32[3]", "", ""},
    {"right_shift", "i32[2,3] i32[3]", "", ""},
    {"bartlett", "", "5", ""},
    {"blackman", "", "5", ""},
    {"hamming", "", "5", ""},
    {"hanning", "", "5", ""},
    {"fft", "f32[2,4]", "0; -1; 0", ""},
    {"fftn", "f32[2,4]", "2,4; 0,1; 1", ""},
    {"fft2", "f32[2,4]", "none; 0,1; 2", ""},
    {"ifft", "f32[2,4]", "0; -1; 0", ""},
    {"ifftn", "f32[2,4]", "2,4; 0,1; 1", ""},
    {"ifft2", "f32[2,4]", "none; 0,1; 2", ""},
    {"rfft", "f32[2,4]", "0; -1; 0", ""},
    {"rfftn", "f32[2,4]", "2,4; 0,1; 1", ""},
    {"rfft2", "f32[2,4]", "none; 0,1; 2", ""},
    {"irfft", "f32[2,4]", "0; -1; 0", ""},
    {"irfftn", "f32[2,4]", "2,4; 0,1; 1", ""},
    {"irfft2", "f32[2,4]", "none; 0,1; 2", ""},
    {"bitwise_invert", "i32[2,3]", "", ""},
    {"imag", "complex<f32>[2,3]", "", ""},
    {"real", "complex<f32>[2,3]", "", ""},
    {"conjugate", "complex<f32>[2,3]", "", ""},
    {"conv1d", "f32[1,5,2] f32[3,2,2]", "1; 1; 1; 1", ""},
    {"conv2d", "f32[1,4,4,2] f32[2,2,2,1]", "1,1; 1,1; 1,1; 2", ""},
    {"conv3d", "f32[1,3,3,3,1] f32[1,2,2,2,1]", "1,1,1; 0,0,0; 1,1,1; 1", ""},
    {"conv_transpose1d", "f32[1,4,2] f32[3,2,2]", "2; 1; 1; 1; 1", ""},
    {"conv_transpose2d", "f32[1,3,3,1] f32[2,2,2,1]", "2,2; 1,1; 1,1; 1,1; 1", ""},
    {"conv_transpose3d", "f32[1,2,2,2,1] f32[1,2,2,2,1]", "1,1,1; 0,0,0; 1,1,1; 0,0,0; 1", ""},
    {"allclose", "f32[2,3] f32[3]", "1", "1e-5 1e-8"},
    {"arange", "", "f32", "0 5 1"},
    {"argmax", "f32[2,3]", "1; 0", ""},
    {"argmin", "f32[2,3]", "none; 0", ""},
    {"argpartition", "f32[2,3]", "1; -1", ""},
    {"argsort", "f32[2,3]", "-1", ""},
    {"array_equal", "f32[2,3] f32[2,3]", "0", ""},
    {"as_strided", "f32[2,3]", "2,2; 1,2; 1", ""},
    {"astype", "f32[2,3]", "i32", ""},
    {"atleast_1d", "f32[]", "", ""},
    {"atleast_2d", "f32[3]", "", ""},
    {"atleast_3d", "f32[2,3]", "", ""},
    {"addmm", "f32[2] f32[3,4] f32[4,2]", "", "0.5 2"},
    {"broadcast_to", "f32[3]", "2,3", ""},
    {"broadcast_shapes", "", "2,3; 3", ""},
    {"can_cast", "", "i32; f32", ""},
    {"depends", "f32[2,3] f32[2] f32[3]", "2", ""},
    {"empty", "", "2,3; f32", ""},
    {"empty_like", "f32[2,3]", "", ""},
    {"gated_delta_update",
     "f32[1,2,1,2] f32[1,2,1,2] f32[1,2,2,3] f32[1,2,2] f32[1,2,2] f32[1,2,3,2] i1[1,2]", "", ""},
    {"isdtype", "", "f32; 'numeric'", ""},
    {"result_type", "", "i32,f32", ""},
    {"clip", "f32[2,3] f32[] f32[3]", "", ""},
    {"concatenate", "f32[2,3] i32[2,1]", "1", ""},
    {"contiguous", "f32[2,3]", "", ""},
    {"conv_general", "f32[1,5,2] f32[2,3,2]", "1; 1; 2; 1; 2; 1; 1", ""},
    {"convolve", "f32[5] f32[3]", "1", ""},
    {"diag", "f32[3]", "1", ""},
    {"diagonal", "f32[2,3,2]", "1; 0; 1", ""},
    {"diff", "f32[2,4]", "2; -1", ""},
    {"expand_dims", "f32[2,3]", "0,-1", ""},
    {"eye", "", "3; 4; 1; f32", ""},
    {"flatten", "f32[2,3,2]", "0; 1", ""},
    {"flip", "f32[2,3]", "1", ""},
    {"full", "f32[3]", "2,3", ""},
    {"full_like", "f32[2,3] f32[]", "", ""},
    {"gather_mm", "f32[2,2,3] f32[2,3,2] ui32[4] ui32[4]", "", ""},
    {"identity", "", "3; f32", ""},
    {"imported",
     "'func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
     "  %y = stablehlo.sine %x : tensor<2xf32> return %y : tensor<2xf32> }' f32[2]",
     "0", ""},
    {"index", "f32[3,4] i32[2]", "4,0,0,0, 1,1,3,1, 2,0,0,0, 3,0,0,0", ""},
    {"index_update", "f32[3,4] f32[2,2,1] i32[2]", "4,0,0,0, 1,1,3,1, 2,0,0,0; 1", ""},
    {"inner", "f32[2,3] f32[4,3]", "", ""},
    {"isclose", "f32[2,3] f32[3]", "0", "1e-5 1e-8"},
    {"kron", "f32[2,2] f32[2,3]", "", ""},
    {"linspace", "", "5; 1; f32", "0 1"},
    {"matmul", "f32[2,3] f32[3,4]", "", ""},
    {"matrix_transpose", "f32[2,3]", "", ""},
    {"moveaxis", "f32[2,3,4]", "0; -1", ""},
    {"nan_to_num", "f32[2,3]", "", "0 1 -1"},
    {"ones", "", "2,3; f32", ""},
    {"ones_like", "f32[2,3]", "", ""},
    {"outer", "f32[2] f32[3]", "", ""},
    {"pad", "f32[2,3] f32[]", "1,0; 0,2; 0", ""},
    {"partition_place", "f32[5]", "2; 0", ""},
    {"put_along_axis", "f32[2,3] i32[2,1] f32[2,1]", "1; 1", ""},
    {"repeat", "f32[2,3]", "2; 0", ""},
    {"reshape", "f32[2,3]", "3,-1", ""},
    {"roll", "f32[2,3]", "1,-1; 0,1", ""},
    {"round", "f32[2,3]", "1", ""},
    {"searchsorted", "f32[5] f32[3]", "0", ""},
    {"slice", "f32[4,5]", "0,-1; 3,-5; 1,-2", ""},
    {"slice_update", "f32[4,5] f32[2,2]", "0,1; 4,5; 2,2; 1", ""},
    {"softmax", "f32[2,3]", "-1; 1", ""},
    {"sort", "f32[2,3]", "1", ""},
    {"squeeze", "f32[1,3,1]", "0,-1", ""},
    {"stack", "f32[2,3] f32[2,3]", "1", ""},
    {"std", "f32[2,3]", "1; 0; 1", ""},
    {"swapaxes", "f32[2,3,4]", "0; 2", ""},
    {"take", "f32[2,3] i32[4]", "1", ""},
    {"take_along_axis", "f32[2,3] i32[2,2]", "1", ""},
    {"tensordot", "f32[2,3,4] f32[4,3,2]", "1,2; 1,0", ""},
    {"tile", "f32[2,3]", "2,1,2", ""},
    {"topk_sorted", "f32[2,4]", "2; -1", ""},
    {"trace", "f32[3,4]", "1; 0; 1; f32", ""},
    {"transpose", "f32[2,3,4]", "2,0,1", ""},
    {"tri", "", "3; 4; 1; f32", ""},
    {"tril", "f32[3,4]", "1", ""},
    {"triu", "f32[3,4]", "-1", ""},
    {"unflatten", "f32[2,6]", "1; 2,-1", ""},
    {"var", "f32[2,3]", "1; 1; 0", ""},
    {"vecdot", "f32[2,3] f32[3]", "-1", ""},
    {"view", "f32[2,4]", "ui8", ""},
    {"where", "i1[2,3] f32[3] f32[]", "", ""},
    {"zeros", "", "2,3; f32", ""},
    {"zeros_like", "f32[2,3]", "", ""},
    {"block_masked_mm", "f32[64,32] f32[32,32] i1[2,1] i1[2,1] i1[1,1]", "32", ""},
    {"from_fp8", "ui8[2,3]", "f32", ""},
    {"hadamard_transform", "f32[2,4]", "", ""},
    {"segmented_mm", "f32[2,6] f32[6,3] ui32[2,2]", "", ""},
    {"slice_at", "f32[4,5] i32[2]", "0,1; 2,3", ""},
    {"slice_update_at", "f32[4,5] f32[2,3] i32[2]", "0,1", ""},
    {"stft", "f32[16] f32[8]", "8; 4; 0; 1; 0; 0; 1; 0", ""},
    {"istft", "complex<f32>[5,5] f32[8]", "8; 4; 0; 1; 0; 1; 16; 0", ""},
    {"to_fp8", "f32[2,3]", "", ""},
    {"cross_entropy", "f32[2,3] i32[2]", "", ""},
    {"einsum_path", "f32[2,3] f32[3,4] f32[4,2]", "'ij,jk,kl->il'", ""},
    {"einsum", "f32[2,3] f32[3,4]", "'ij,jk->ik'", ""},
    {"fftfreq", "", "5", "0.5"},
    {"fftshift", "f32[3,4]", "0,1", ""},
    {"ifftshift", "f32[3,4]", "none", ""},
    {"layer_norm", "f32[2,3] f32[3] f32[3]", "", "1e-5"},
    {"linalg_cholesky", "f32[2,2]", "0", ""},
    {"linalg_cholesky_inv", "f32[2,2]", "0", ""},
    {"linalg_cross", "f32[2,3] f32[3]", "-1", ""},
    {"linalg_det", "f32[2,2]", "", ""},
    {"linalg_eigvalsh", "f32[2,2]", "0", ""},
    {"linalg_eigh_again", "f32[2,2]", "1", ""},
    {"linalg_eig_again", "f32[2,2]", "", ""},
    {"linalg_eigvals_sum", "f32[2,2]", "", ""},
    {"linalg_inv", "f32[2,2]", "", ""},
    {"linalg_norm", "f32[2,3]", "1; -2,-1; 0", "1"},
    {"linalg_pinv", "f32[2,3]", "", ""},
    {"linalg_solve", "f32[2,2] f32[2]", "", ""},
    {"linalg_solve_triangular", "f32[2,2] f32[2,3]", "1", ""},
    {"linalg_svd_again", "f32[2,3]", "", ""},
    {"linalg_tri_inv", "f32[2,2]", "0", ""},
    {"random_bernoulli", "f32[] ui32[2]", "2,3", ""},
    {"random_bits", "ui32[2]", "2,3; 4", ""},
    {"random_categorical", "f32[2,3] ui32[2]", "-1; 4,2", ""},
    {"random_categorical_samples", "f32[2,3] ui32[2]", "4; -1", ""},
    {"random_default", "", "7; 2,3", ""},
    {"random_gumbel", "ui32[2]", "2,3; f32", ""},
    {"random_key", "", "7", ""},
    {"random_laplace", "ui32[2]", "2,3; f32", "0 1"},
    {"random_normal", "f32[] f32[3] ui32[2]", "2,3; f32", ""},
    {"random_multivariate_normal", "f32[2] f32[2,2] ui32[2]", "3", ""},
    {"random_permutation", "ui32[2]", "5", ""},
    {"random_permute", "f32[3,2] ui32[2]", "0", ""},
    {"random_randint", "i32[] i32[3] ui32[2]", "2,3; i32", ""},
    {"random_split", "ui32[2]", "3", ""},
    {"random_truncated_normal", "f32[] f32[3] ui32[2]", "2,3; f32", ""},
    {"random_uniform", "f32[] f32[3] ui32[2]", "2,3; f32", ""},
    {"rfftfreq", "", "5", "0.5"},
    {"rms_norm", "f32[2,3] f32[3]", "", "1e-5"},
    {"rope", "f32[1,3,4] i32[] none", "4; 0", "10000 1"},
    {"scaled_dot_product_attention", "f32[1,2,3,4] f32[1,1,3,4] f32[1,1,3,4] none f32[2]", "1",
     "0.5"},
    {"broadcast_arrays", "f32[2,1] i32[3]", "", ""},
    {"divmod", "f32[2,3] f32[3]", "", ""},
    {"meshgrid", "f32[2] f32[3]", "0; 0", ""},
    {"minmax", "f32[2,3]", "1; 0", ""},
    {"split", "f32[4,2]", "2; 0", ""},
    {"split_at", "f32[4,2]", "1,3; 0", ""},
    {"unstack", "f32[3,2]", "0; 3", ""},
    {"unique", "f32[6] f32[]", "4", ""},
    {"linalg_lu", "f32[3,3]", "", ""},
    {"linalg_lu_factor", "f32[3,3]", "", ""},
    {"linalg_qr", "f32[3,2]", "", ""},
    {"linalg_slogdet", "f32[3,3]", "", ""},
};

// --- reading

static const char* skip(const char* text) {
  while (*text == ' ' || *text == ',') ++text;
  return text;
}

// Numbers that are indices of small axes, and not all alike.
static tn_array_t* array_of(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  _Alignas(16) char data[1 << 16] = {0};
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  const size_t size = tn_dtype_byte_size(dtype);
  const bool is_inexact =
      tn_dtype_kind(dtype) == TN_KIND_FLOAT || tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
  for (size_t i = 0; i < count && (i + 1) * size <= sizeof data; ++i) {
    const double value = is_inexact ? 0.5 + 0.125 * (double)(i * 3 % 7) : (double)(i % 2);
    tn_dtype_store(dtype, value, data + i * size);
  }
  return tn_array_from_host(scope, dtype, rank, dims, data, count * size);
}

static tn_dtype_t read_dtype(const char** text) {
  const size_t length = strcspn(*text, "[;, ");
  const tn_dtype_t dtype = tn_dtype_from_name(*text, length);
  *text += length;
  return dtype;
}

static void read_arrays(const char* text, tn_scope_t* scope, tn_case_t* it) {
  for (text = skip(text); *text; text = skip(text)) {
    int64_t dims[TN_CASE_RANK_LIMIT];
    size_t rank = 0;
    if (strncmp(text, "none", 4) == 0) {
      it->arrays[it->array_count++] = NULL;
      text += 4;
      continue;
    }
    if (*text == '\'') {
      dims[0] = (int64_t)strcspn(text + 1, "'");
      it->arrays[it->array_count++] =
          tn_array_from_host(scope, TN_DTYPE_U8, 1, dims, text + 1, (size_t)dims[0]);
      text += dims[0] + 2;
      continue;
    }
    const tn_dtype_t dtype = read_dtype(&text);
    for (++text; *text != ']'; text = skip(text)) dims[rank++] = strtoll(text, (char**)&text, 10);
    ++text;
    it->arrays[it->array_count++] = array_of(scope, dtype, rank, dims);
  }
}

static const char* read_list(const char* text, tn_case_list_t* list) {
  list->values = list->numbers;
  text = skip(text);
  for (text = skip(text); *text && *text != ';'; text = skip(text)) {
    if (strncmp(text, "none", 4) == 0) {
      list->values = NULL;
      text += 4;
    } else if (*text == '\'') {
      for (++text; *text != '\''; ++text) list->numbers[list->count++] = *text;
      ++text;
    } else if (*text >= 'a') {
      list->numbers[list->count++] = read_dtype(&text);
    } else {
      list->numbers[list->count++] = strtoll(text, (char**)&text, 10);
    }
  }
  return text;
}

static void read_example(const example_t* example, tn_scope_t* scope, tn_case_t* it) {
  read_arrays(example->arrays, scope, it);
  for (const char* text = example->lists; *skip(text);) {
    text = read_list(text, &it->lists[it->list_count++]);
    if (*text == ';') ++text;
  }
  for (const char* text = skip(example->reals); *text; text = skip(text)) {
    it->reals[it->real_count++] = strtod(text, (char**)&text);
  }
}

// --- functions without a row

static void add_array(tn_scope_t* scope, bool is_optional, tn_case_t* it) {
  static const int64_t dims[] = {2, 3};
  const size_t rank = it->array_count ? 1 : 2;
  it->arrays[it->array_count++] =
      is_optional ? NULL : array_of(scope, TN_DTYPE_F32, rank, dims + 2 - rank);
}

static void add_list(const tn_parameter_t* parameter, tn_case_t* it) {
  tn_case_list_t* list = &it->lists[it->list_count++];
  const bool is_axis = strcmp(parameter->name, "axis") == 0;
  if (!is_axis && parameter->kind == TN_PARAMETER_INTEGERS) return;
  *list = (tn_case_list_t){.count = 1, .numbers = {is_axis ? -1 : parameter->integer}};
  list->values = list->numbers;
}

// False: a parameter needs a value.
static bool derive_example(const tn_array_function_t* function, tn_scope_t* scope, tn_case_t* it) {
  for (size_t i = 0; i < function->parameter_count; ++i) {
    const tn_parameter_t* parameter = &function->parameters[i];
    const tn_parameter_kind_t kind = parameter->kind;
    if (kind == TN_PARAMETER_ARRAY) {
      add_array(scope, parameter->is_optional, it);
    } else if (!parameter->is_optional) {
      return false;
    } else if (kind == TN_PARAMETER_REAL) {
      it->reals[it->real_count++] = parameter->real;
    } else if (kind != TN_PARAMETER_REAL_OR_NONE) {
      add_list(parameter, it);
    }
  }
  return true;
}

bool tn_case_example(const tn_case_operation_t* operation, tn_scope_t* scope, tn_case_t* out_case) {
  *out_case = (tn_case_t){0};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    if (strcmp(examples[i].name, operation->name) != 0) continue;
    read_example(&examples[i], scope, out_case);
    return true;
  }
  return operation->function && derive_example(operation->function, scope, out_case);
}
