#include "call/global_xla.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static _Atomic(const void*) current_api;

EXPORT void tn__global_set_api(const void* api) {
  atomic_store(&current_api, api);
}

EXPORT const void* XLA_FFI_GetApi(void) {
  return atomic_load(&current_api);
}

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
