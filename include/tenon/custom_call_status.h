/* How a function of api version 2 or 3 reports a failure:
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

/* The host's; only good until the function returns. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

/* Success, which is what a status that nobody touches means. */
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);

/* Failure: the program ends, and its outputs are not handed out. `message` has `message_len` bytes
 * and is copied. The last call counts. */
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len);

#ifdef __cplusplus
}
#endif

#endif /* TENON_CUSTOM_CALL_STATUS_H_ */
