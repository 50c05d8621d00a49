// libtenon_xla: the symbols of XLA that kernels may leave undefined. A library of its own, because
// it is put where all libraries of the process look, which Tenon itself never should be.
#ifndef TENON_CALL_GLOBAL_XLA_H_
#define TENON_CALL_GLOBAL_XLA_H_

#include <stdbool.h>
#include <tenon/custom_call_status.h>

// Zeroed: success. The message is malloc's; NULL with `has_failed` means that there was no memory
// for it.
struct XlaCustomCallStatus_ {
  bool has_failed;
  char* message;
  size_t message_length;
};

// What XLA_FFI_GetApi gives from now on, a const XLA_FFI_Api*. Thread-safe.
void tn__global_set_api(const void* api);

// NULL until it is set.
const void* XLA_FFI_GetApi(void);

#endif  // TENON_CALL_GLOBAL_XLA_H_
