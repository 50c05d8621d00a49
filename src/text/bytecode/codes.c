// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/codes.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

// --- enumerations

static const struct {
  tn_vhlo_attr_t code;
  const char* enumeration;
} enumerations[] = {
    {TN_VHLO_COMPARISON_DIRECTION, "comparison_direction"},
    {TN_VHLO_COMPARISON_TYPE, "comparison_type"},
    {TN_VHLO_FFT_TYPE, "fft_type"},
    {TN_VHLO_PRECISION, "precision"},
    {TN_VHLO_RNG_ALGORITHM, "rng_algorithm"},
    {TN_VHLO_RNG_DISTRIBUTION, "rng_distribution"},
    {TN_VHLO_TRANSPOSE, "transpose"},
    {TN_VHLO_ACCURACY_MODE, "result_accuracy_mode"},
};

const char* tn__vhlo_enumeration(uint64_t code) {
  for (size_t i = 0; i < COUNT(enumerations); ++i) {
    if (enumerations[i].code == code) return enumerations[i].enumeration;
  }
  return NULL;
}

uint64_t tn__vhlo_enumeration_code(tn_string_view_t enumeration) {
  for (size_t i = 0; i < COUNT(enumerations); ++i) {
    if (tn__sv_is(enumeration, enumerations[i].enumeration)) return enumerations[i].code;
  }
  return 0;
}

// --- element types

enum { SIGNLESS, SIGNED, UNSIGNED };

static const tn_builtin_element_t builtin_elements[] = {
    {TN_BUILTIN_INTEGER, 1 << 2 | SIGNLESS, TN_DTYPE_PRED},
    {TN_BUILTIN_INTEGER, 1 << 2 | UNSIGNED, TN_DTYPE_U1},
    {TN_BUILTIN_INTEGER, 2 << 2 | SIGNLESS, TN_DTYPE_S2},
    {TN_BUILTIN_INTEGER, 2 << 2 | UNSIGNED, TN_DTYPE_U2},
    {TN_BUILTIN_INTEGER, 4 << 2 | SIGNLESS, TN_DTYPE_S4},
    {TN_BUILTIN_INTEGER, 4 << 2 | UNSIGNED, TN_DTYPE_U4},
    {TN_BUILTIN_INTEGER, 8 << 2 | SIGNLESS, TN_DTYPE_S8},
    {TN_BUILTIN_INTEGER, 8 << 2 | UNSIGNED, TN_DTYPE_U8},
    {TN_BUILTIN_INTEGER, 16 << 2 | SIGNLESS, TN_DTYPE_S16},
    {TN_BUILTIN_INTEGER, 16 << 2 | UNSIGNED, TN_DTYPE_U16},
    {TN_BUILTIN_INTEGER, 32 << 2 | SIGNLESS, TN_DTYPE_S32},
    {TN_BUILTIN_INTEGER, 32 << 2 | UNSIGNED, TN_DTYPE_U32},
    {TN_BUILTIN_INTEGER, 64 << 2 | SIGNLESS, TN_DTYPE_S64},
    {TN_BUILTIN_INTEGER, 64 << 2 | UNSIGNED, TN_DTYPE_U64},
    {TN_BUILTIN_INDEX, 0, TN_DTYPE_INDEX},
    {TN_BUILTIN_BF16, 0, TN_DTYPE_BF16},
    {TN_BUILTIN_F16, 0, TN_DTYPE_F16},
    {TN_BUILTIN_F32, 0, TN_DTYPE_F32},
    {TN_BUILTIN_F64, 0, TN_DTYPE_F64},
};

tn_dtype_t tn__builtin_element_dtype(uint64_t code, uint64_t detail) {
  for (size_t i = 0; i < COUNT(builtin_elements); ++i) {
    const tn_builtin_element_t* element = &builtin_elements[i];
    if (element->code == code && element->detail == detail) return element->dtype;
  }
  return TN_DTYPE_INVALID;
}

const tn_builtin_element_t* tn__builtin_element(tn_dtype_t dtype) {
  for (size_t i = 0; i < COUNT(builtin_elements); ++i) {
    if (builtin_elements[i].dtype == dtype) return &builtin_elements[i];
  }
  return NULL;
}

#define FIRST TN_ARTIFACT_OLDEST
#define SINCE TN_ARTIFACT_VERSION

static const tn_vhlo_element_t vhlo_elements[] = {
    {0, TN_DTYPE_PRED, FIRST},
    {2, TN_DTYPE_BF16, FIRST},
    {3, TN_DTYPE_F16, FIRST},
    {4, TN_DTYPE_F32, FIRST},
    {5, TN_DTYPE_F64, FIRST},
    {6, TN_DTYPE_F8E4M3FN, FIRST},
    {7, TN_DTYPE_F8E5M2, FIRST},
    {9, TN_DTYPE_INDEX, FIRST},
    {10, TN_DTYPE_S4, FIRST},
    {11, TN_DTYPE_S8, FIRST},
    {12, TN_DTYPE_S16, FIRST},
    {13, TN_DTYPE_S32, FIRST},
    {14, TN_DTYPE_S64, FIRST},
    {15, TN_DTYPE_U4, FIRST},
    {16, TN_DTYPE_U8, FIRST},
    {17, TN_DTYPE_U16, FIRST},
    {18, TN_DTYPE_U32, FIRST},
    {19, TN_DTYPE_U64, FIRST},
    {27, TN_DTYPE_F8E4M3FNUZ, SINCE(0, 10)},
    {28, TN_DTYPE_F8E5M2FNUZ, SINCE(0, 10)},
    {29, TN_DTYPE_F8E4M3B11FNUZ, SINCE(0, 11)},
    {31, TN_DTYPE_S2, SINCE(1, 2)},
    {32, TN_DTYPE_U2, SINCE(1, 2)},
    {35, TN_DTYPE_F8E4M3, SINCE(1, 7)},
    {36, TN_DTYPE_F8E3M4, SINCE(1, 7)},
    {37, TN_DTYPE_F4E2M1FN, SINCE(1, 8)},
    {38, TN_DTYPE_F6E2M3FN, SINCE(1, 8)},
    {39, TN_DTYPE_F6E3M2FN, SINCE(1, 8)},
    {40, TN_DTYPE_F8E8M0FNU, SINCE(1, 8)},
};

tn_dtype_t tn__vhlo_element_dtype(uint64_t code) {
  for (size_t i = 0; i < COUNT(vhlo_elements); ++i) {
    if (vhlo_elements[i].code == code) return vhlo_elements[i].dtype;
  }
  return TN_DTYPE_INVALID;
}

const tn_vhlo_element_t* tn__vhlo_element(tn_dtype_t dtype) {
  for (size_t i = 0; i < COUNT(vhlo_elements); ++i) {
    if (vhlo_elements[i].dtype == dtype) return &vhlo_elements[i];
  }
  return NULL;
}
