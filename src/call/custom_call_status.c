// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The setters that functions of the legacy conventions call. They are part of both libraries:
// programs that link libtenon alone have them, and so have kernels, which find libtenon_xla's.
#include "call/global_xla.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  free(status->message);
  *status = (XlaCustomCallStatus){0};
}

EXPORT void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                          size_t message_len) {
  // The message may be that of the status itself: copy before freeing.
  char* copy = malloc(message_len ? message_len : 1);
  if (copy && message && message_len) memcpy(copy, message, message_len);
  free(status->message);
  *status = (XlaCustomCallStatus){true, copy, copy && message ? message_len : 0};
}
