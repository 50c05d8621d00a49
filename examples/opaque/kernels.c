// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// a[i] = b[i % size of b] + c[i], with sizes from opaque bytes (api version 3): a serialised type,
// the tuple of those of b and c.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libopaque.so
#include <tenon/custom.h>
#include <tenon/custom_call_status.h>

static void fail(XlaCustomCallStatus* status, const char* message) {
  XlaCustomCallStatusSetFailure(status, message, strlen(message));
}

static bool is_vector(const tn_shape_t* part) {
  return part->dtype == TN_FFI_F32 && part->rank == 1 && part->dynamic == 0;
}

TN_UNTYPED_OPAQUE(add_opaque, "a[i] = b[i % size of b] + c[i], with sizes from a serialised type")
void add_opaque(void* out, const void** in, const char* opaque, size_t opaque_size,
                XlaCustomCallStatus* status) {
  tn_shape_t parts[3];
  if (tn_shape_parse(opaque, opaque_size, parts, 3) != 3 || parts[0].dtype != TN_FFI_TUPLE ||
      !is_vector(&parts[1]) || !is_vector(&parts[2])) {
    fail(status, "the opaque bytes are not a type (f32[n], f32[m])");
    return;
  }
  const int64_t b_size = parts[1].dims[0], c_size = parts[2].dims[0];
  if (b_size == 0 || c_size % b_size) {
    fail(status, "the size of b does not divide that of c");
    return;
  }
  float* a = out;
  const float *b = in[0], *c = in[1];
  for (int64_t i = 0; i < c_size; ++i) a[i] = b[i % b_size] + c[i];
}

TN_LIBRARY(add_opaque)
