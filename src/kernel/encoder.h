// Where kernels put their work when a device other than the host does it: run() of such a kernel
// says what is to be done, and the device does it behind what it was told before
// (device/device.h).
#ifndef TENON_KERNEL_ENCODER_H_
#define TENON_KERNEL_ENCODER_H_

#include "base/status.h"

// A kernel as source, in the language of the device: C with the words of kernel/gpu/prelude.c. It
// has one entry, TN_ENTRY. Lives as long as the program.
#define TN_ENTRY "tn_entry"
typedef struct tn_device_code {
  const char* text;
  const char* operation;  // for messages
} tn_device_code_t;

// A launch in one dimension: of `item_count` items, rounded up, so that the kernel must compare.
// Its parameters are the addresses, and then, unless byte_size is 0, a struct by value. Read before
// the call returns.
typedef struct tn_dispatch {
  const tn_device_code_t* code;
  size_t item_count;
  size_t address_count;
  void* const* addresses;
  const void* bytes;
  size_t byte_size;
} tn_dispatch_t;

typedef struct tn_encoder tn_encoder_t;
struct tn_encoder {
  tn_status_t (*dispatch)(tn_encoder_t* encoder, const tn_dispatch_t* dispatch);
  // Addresses of the device.
  tn_status_t (*copy)(tn_encoder_t* encoder, void* to, const void* from, size_t byte_size);
};

#endif  // TENON_KERNEL_ENCODER_H_
