// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of expressions that few sources need.
#include <string.h>

#include "kernel/gpu/source.h"

#define LINE(text) text "\n"
#define CODE(...) #__VA_ARGS__ "\n"

// M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2011, in single precision.
// clang-format off
static const char erf_inv[] =
    CODE(TN_FN float tn_erf_inv(float x) {
      const float w = -log1p(-x * x);
      const int is_central = w < 5;
      const float t = is_central ? w - 2.5f : sqrt(w) - 3.0f;
      float sum = is_central ? 2.81022636e-08f : -0.000200214257f;
      sum = fma(sum, t, is_central ? 3.43273939e-07f : 0.000100950558f);
      sum = fma(sum, t, is_central ? -3.5233877e-06f : 0.00134934322f);
      sum = fma(sum, t, is_central ? -4.39150654e-06f : -0.00367342844f);
      sum = fma(sum, t, is_central ? 0.00021858087f : 0.00573950773f);
      sum = fma(sum, t, is_central ? -0.00125372503f : -0.0076224613f);
      sum = fma(sum, t, is_central ? -0.00417768164f : 0.00943887047f);
      sum = fma(sum, t, is_central ? 0.246640727f : 1.00167406f);
      sum = fma(sum, t, is_central ? 1.50140941f : 2.83297682f);
      return fabs(x) == 1 ? x / 0.0f : sum * x;
    })
    LINE("#define ERF_INV(x) tn_erf_inv(x)");
// clang-format on

// clang-format off
static const char complexes[] =
    CODE(TN_FN tn_c64 tn_complex(float x, float y) {
      tn_c64 z;
      z.real = x;
      z.imaginary = y;
      return z;
    })
    LINE("#define C_MAKE(x, y) tn_complex(x, y)")
    LINE("#define MAKE_COMPLEX(x, y) tn_complex(x, y)")
    LINE("#define CREAL(x) ((x).real)")
    LINE("#define CIMAG(x) ((x).imaginary)")
    LINE("#define CONJ(x) tn_complex((x).real, -(x).imaginary)")
    LINE("#define CABS(x) hypot((x).real, (x).imaginary)")
    LINE("#define C_negate(x, y) tn_complex(-(x).real, -(x).imaginary)")
    LINE("#define C_add(x, y) tn_complex((x).real + (y).real, (x).imaginary + (y).imaginary)")
    LINE("#define C_subtract(x, y) tn_complex((x).real - (y).real, (x).imaginary - (y).imaginary)")
    LINE("#define C_EQUAL(x, y) ((x).real == (y).real && (x).imaginary == (y).imaginary)")
    LINE("#define CMULTIPLY(x, y) "
         "tn_complex(fma((x).real, (y).real, -((x).imaginary * (y).imaginary)), "
         "fma((x).real, (y).imaginary, (x).imaginary * (y).real))");
// clang-format on

typedef struct helper {
  const char* words[8];  // in expressions
  const char* text;
} helper_t;

static const helper_t helpers[] = {
    {{"ERF_INV("}, erf_inv},
    {{"C_", "COMPLEX(", "CREAL(", "CIMAG(", "CONJ(", "CABS(", "CMULTIPLY("}, complexes},
};

static bool has_word(const char* expression, const char* const words[8]) {
  for (size_t i = 0; i < 8 && words[i]; ++i) {
    if (strstr(expression, words[i])) return true;
  }
  return false;
}

void tn__gpu_add_helpers(tn_gpu_source_t* source, const char* expression) {
  for (size_t i = 0; i < sizeof helpers / sizeof *helpers; ++i) {
    const uint32_t bit = UINT32_C(1) << i;
    if ((source->helpers & bit) || !has_word(expression, helpers[i].words)) continue;
    source->helpers |= bit;
    tn__gpu_add(&source->functions, "%s", helpers[i].text);
  }
}
#undef LINE
#undef CODE
