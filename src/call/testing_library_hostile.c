// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A library whose initialiser registers what cannot be called, among one good handler.
#include <string.h>
#include <tenon/detail/custom/abi.h>

const tn_ffi_api_t* XLA_FFI_GetApi(void);

static tn_status_t answer(tn_ffi_call_frame_t* frame, int32_t minor) {
  if (!frame->extension_start || frame->extension_start->type != TN_FFI_METADATA) return TN_OK;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = minor;
  return TN_OK;
}
static tn_status_t good(tn_ffi_call_frame_t* frame) {
  return answer(frame, 1);
}
static tn_status_t too_new(tn_ffi_call_frame_t* frame) {
  return answer(frame, 77);
}

static void add(const char* name, size_t length, const char* platform, tn_ffi_handler_t handler,
                size_t size) {
  const tn_ffi_api_t* api = XLA_FFI_GetApi();
  tn_ffi_handler_register_t request = {
      size, NULL, {name, length}, {platform, strlen(platform)}, {NULL, NULL, NULL, handler}, 0};
  tn_status_t error = api->handler_register(&request);
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  if (error) api->error_destroy(&destroy);
}

__attribute__((constructor)) static void register_handlers(void) {
  add("hostile_no_handler", 18, "Host", NULL, TN_FFI_HANDLER_REGISTER_SIZE);
  add("", 0, "Host", good, TN_FFI_HANDLER_REGISTER_SIZE);
  add(NULL, 12, "Host", good, TN_FFI_HANDLER_REGISTER_SIZE);
  add("hostile_platform", 16, "", good, TN_FFI_HANDLER_REGISTER_SIZE);
  add("hostile_small", 13, "Host", good, 8);
  add("hostile_too_new", 15, "Host", too_new, TN_FFI_HANDLER_REGISTER_SIZE);
  add("hostile\0\xC3\xA9\xFF", 11, "Host", good, TN_FFI_HANDLER_REGISTER_SIZE);
  add("hostile_good", 12, "Host", good, TN_FFI_HANDLER_REGISTER_SIZE);
}
