// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any text as what a handler answers when it is asked what it takes: a new answer behind each NUL,
// and the last one from then on. An empty one is none, as if the handler had run.
#include <stdlib.h>
#include <string.h>

#include "base/testing_fuzz.h"
#include "inspect/probe.h"

static const char *next, *end;

// The first answers are always what they should be, or there would be no others.
static tn_status_t answer(tn_ffi_call_frame_t* frame) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, next, TN_FFI_INVALID_ARGUMENT};
  if (frame->struct_size == 0) {
    create.message = "Unexpected XLA_FFI_CallFrame size: expected 168 got 0";
  } else if (frame->stage == TN_FFI_PREPARE) {
    create.message = "Wrong execution stage: expected `execute` but got `prepare`";
  } else {
    if (!*next) return TN_OK;
    const char* following = next + strlen(next) + 1;
    if (following < end) next = following;
  }
  return frame->api->error_create(&create);
}

static void need(bool condition) {
  if (!condition) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = calloc(1, size + 1);
  tn_probe_t* probe = calloc(1, sizeof *probe);
  if (text && probe) {
    if (size) memcpy(text, data, size);
    next = text;
    end = text + size;
    tn__probe_ask(answer, TN_FFI_EXECUTE, probe);
    need(tn__probe_is_sound(probe));
  }
  free(probe);
  free(text);
  return 0;
}
