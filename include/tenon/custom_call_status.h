// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

/* Error reporting for functions of API versions 2 and 3:
 *
 *   void f(void* out, const void** in, XlaCustomCallStatus* status);
 *
 * Both functions are exported by libtenon and by libtenon_xla, which Tenon loads so that a kernel
 * finds them without linking anything. C11 and C++. */
#ifndef TENON_CUSTOM_CALL_STATUS_H_
#define TENON_CUSTOM_CALL_STATUS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque; valid until the function returns. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

/* Reports success, which is the initial state. */
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);

/* Reports failure: the run ends without results. `message` has `message_len` bytes and is copied.
 * The last call takes effect. */
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len);

#ifdef __cplusplus
}
#endif

#endif /* TENON_CUSTOM_CALL_STATUS_H_ */
