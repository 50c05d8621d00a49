// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A library as an author of operations makes it: a table of typed and legacy ones.
#include <stdio.h>
#include <tenon/custom.h>
#include <tenon/custom_call_status.h>

#define NEGATE(ARG, ATTR, RET) ARG(x, f32, any_rank, "the numbers") RET(y, f32, like(x))

TN_OP(negate, NEGATE, "y = -x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = -call->x.data[i];
  return TN_OK;
}

TN_UNTYPED(copy_four, "out = in")
void copy_four(void* out, const void** in) {
  memcpy(out, in[0], 4 * sizeof(float));
}

TN_UNTYPED_STATUS(refuse_negative, "out = in, unless a number is negative")
void refuse_negative(void* out, const void** in, struct XlaCustomCallStatus_* status) {
  const float* x = in[0];
  XlaCustomCallStatusSetSuccess(status);
  for (int i = 0; i < 4; ++i) {
    char text[64];
    const int length = snprintf(text, sizeof text, "number %d is %g%c!", i, (double)x[i], 0);
    if (x[i] < 0) XlaCustomCallStatusSetFailure(status, text, (size_t)length);
    ((float*)out)[i] = x[i];
  }
}

TN_UNTYPED_OPAQUE(fill_opaque, "out = the sum of the opaque bytes, everywhere")
void fill_opaque(void* out, const void** in, const char* opaque, size_t opaque_size,
                 struct XlaCustomCallStatus_* status) {
  (void)in;
  (void)status;
  float sum = 0;
  for (size_t i = 0; i < opaque_size; ++i) sum += (float)(unsigned char)opaque[i];
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = sum;
}

TN_LIBRARY(negate, copy_four, refuse_negative, fill_opaque)
