// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A function that can fail, with a status (API version 2).
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libstatus.so -lm
#include <math.h>
#include <tenon/custom.h>
#include <tenon/custom_call_status.h>

TN_UNTYPED_STATUS(roots, "the square roots of 8 numbers, none of them negative")
void roots(void* out, const void** in, XlaCustomCallStatus* status) {
  float* y = out;
  const float* x = in[0];
  for (int i = 0; i < 8; ++i) {
    if (x[i] < 0) {
      char message[64];
      const int length =
          snprintf(message, sizeof message, "x[%d] is %g, which has no root", i, (double)x[i]);
      XlaCustomCallStatusSetFailure(status, message, (size_t)length);
      return;
    }
    y[i] = sqrtf(x[i]);
  }
}

TN_LIBRARY(roots)
