// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any text as the attributes of a typed call, as far as a handler, which looks at all of its frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "base/testing_fuzz.h"
#include "call/abi.h"

static unsigned long checksum;  // so that every byte is read

static void need(bool condition) {
  if (!condition) __builtin_trap();
}

static void read_bytes(const void* data, size_t size) {
  for (size_t i = 0; i < size; ++i) checksum += ((const unsigned char*)data)[i];
}

static void walk(const tn_ffi_attrs_t* attrs) {
  need(attrs->struct_size == TN_FFI_ATTRS_SIZE && attrs->count >= 0);
  for (int64_t i = 0; i < attrs->count; ++i) {
    const tn_ffi_bytes_t* name = attrs->names[i];
    read_bytes(name->data, name->size);
    if (i) {
      const tn_ffi_bytes_t* before = attrs->names[i - 1];
      size_t common = before->size < name->size ? before->size : name->size;
      int order = memcmp(before->data, name->data, common);
      need(order < 0 || (order == 0 && before->size < name->size));
    }
    if (attrs->types[i] == TN_FFI_SCALAR) {
      const tn_ffi_scalar_t* scalar = attrs->values[i];
      need(tn_dtype_is_valid(scalar->dtype));
      read_bytes(scalar->value, tn_dtype_byte_size((tn_dtype_t)scalar->dtype));
    } else if (attrs->types[i] == TN_FFI_ARRAY) {
      const tn_ffi_array_t* array = attrs->values[i];
      need(tn_dtype_is_valid(array->dtype));
      read_bytes(array->data, array->count * tn_dtype_byte_size((tn_dtype_t)array->dtype));
    } else if (attrs->types[i] == TN_FFI_STRING) {
      const tn_ffi_bytes_t* text = attrs->values[i];
      read_bytes(text->data, text->size);
    } else {
      need(attrs->types[i] == TN_FFI_DICTIONARY);
      walk(attrs->values[i]);
    }
  }
}

static tn_status_t handler(tn_ffi_call_frame_t* frame) {
  if (frame->extension_start) {
    tn_ffi_metadata_t* metadata =
        ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
    metadata->api_version.major = 0;
    metadata->api_version.minor = 1;
    return TN_OK;
  }
  need(frame->struct_size == TN_FFI_CALL_FRAME_SIZE && frame->args.count == 1 &&
       frame->rets.count == 1);
  walk(&frame->attrs);
  return TN_OK;
}

static tn_status_t run(tn_device_t* device, const char* text, size_t length) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *argument = NULL, *result = NULL;
  float x[2] = {1, 2};
  tn_status_t status = tn_module_parse(NULL, "fuzz.mlir", text, length, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (const int64_t[]){2}, x, sizeof x,
                                        &argument);
  }
  if (!status) status = tn_program_run(program, 1, &argument, NULL, 1, &result);
  tn_buffer_release(argument);
  tn_buffer_release(result);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tn_device_t* device;
  static const char head[] =
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.custom_call @fuzz(%a) {mhlo.backend_config = {";
  static const char tail[] =
      "}} : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
  if (!device) {
    tn_status_release(tn_device_create("cpu", NULL, &device));
    tn_status_release(tn_target_register("fuzz", "Host", (tn_target_function_t)handler,
                                         TN_API_VERSION_TYPED_FFI));
  }
  size_t length = sizeof head - 1 + size + sizeof tail - 1;
  char* text = malloc(length);
  if (!text || !device) {
    free(text);
    return 0;
  }
  memcpy(text, head, sizeof head - 1);
  if (size) memcpy(text + sizeof head - 1, data, size);
  memcpy(text + sizeof head - 1 + size, tail, sizeof tail - 1);
  tn_status_release(run(device, text, length));
  free(text);
  return 0;
}
