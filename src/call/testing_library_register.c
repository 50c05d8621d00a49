// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A library that registers its handlers itself while it is loaded, as XLA_FFI_REGISTER_HANDLER
// does.
#include <string.h>
#include <tenon/detail/custom/abi.h>

const tn_ffi_api_t* XLA_FFI_GetApi(void);

static tn_status_t zero(tn_ffi_call_frame_t* frame) {
  if (frame->extension_start && frame->extension_start->type == TN_FFI_METADATA) {
    tn_ffi_metadata_t* metadata =
        ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
    metadata->api_version.major = 0;
    metadata->api_version.minor = 1;
    return TN_OK;
  }
  const tn_ffi_buffer_t* y = frame->rets.values[0];
  memset(y->data, 0, (size_t)y->dims[0] * sizeof(float));
  return TN_OK;
}

__attribute__((constructor)) static void register_handlers(void) {
  const tn_ffi_api_t* api = XLA_FFI_GetApi();
  tn_ffi_handler_register_t request = {TN_FFI_HANDLER_REGISTER_SIZE, NULL,
                                       {"register_zero", 13},        {"Host", 4},
                                       {NULL, NULL, NULL, zero},     0};
  api->handler_register(&request);
  request.platform = (tn_ffi_bytes_t){"ROCM", 4};
  api->handler_register(&request);
}
