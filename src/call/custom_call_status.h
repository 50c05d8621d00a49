// What a function of api version 2 or 3 gets to report a failure with, as XlaCustomCallStatus.
#ifndef TENON_CALL_CUSTOM_CALL_STATUS_H_
#define TENON_CALL_CUSTOM_CALL_STATUS_H_

#include <stdbool.h>
#include <stddef.h>

// Zeroed: success. The message is malloc's; NULL with `has_failed` means that there was no memory
// for it.
struct XlaCustomCallStatus_ {
  bool has_failed;
  char* message;
  size_t message_length;
};

#endif  // TENON_CALL_CUSTOM_CALL_STATUS_H_
