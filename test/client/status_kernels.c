// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels of api versions 2 and 3 as they were built for XLA: the functions of the status are left
// undefined, for the host to bring.
#include <string.h>

typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len);

void negate_status(void* out, const void** in, XlaCustomCallStatus* status) {
  const float* x = in[0];
  float* y = out;
  XlaCustomCallStatusSetFailure(status, "not yet", 7);
  if (x[0] < 0) {
    XlaCustomCallStatusSetFailure(status, "the first is negative, and more", 21);
    return;
  }
  for (int i = 0; i < 4; ++i) y[i] = -x[i];
  XlaCustomCallStatusSetSuccess(status);
}

void repeat_opaque(void* out, const void** in, const char* opaque, size_t opaque_len,
                   XlaCustomCallStatus* status) {
  const float* x = in[0];
  float* y = out;
  if (opaque_len == 0) {
    XlaCustomCallStatusSetFailure(status, "a\0b", 3);
    return;
  }
  for (int i = 0; i < 4; ++i) y[i] = x[i] + (float)opaque[opaque_len - 1] + 100 * (float)opaque_len;
}
