// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The handlers among the functions that a library exports.
#include <stdlib.h>
#include <string.h>
#include <tenon/inspect.h>

#include "base/allocator.h"
#include "base/linux/clock.h"
#include "call/api.h"
#include "call/guard.h"
#include "call/library.h"
#include "call/registry.h"
#include "inspect/child.h"
#include "inspect/scan.h"
#include "kernel/target.h"

enum { FUNCTION_LIMIT = 1024, ROUND_MS = 500, ALL_MS = 5000 };

typedef struct verdicts {
  size_t next;  // the one to be asked
  uint8_t is_confined;
  uint8_t is_handler[FUNCTION_LIMIT];
} verdicts_t;

typedef struct scan {
  const tn_library_t* library;
  size_t count;
  const char* names[FUNCTION_LIMIT];
  tn_ffi_handler_t functions[FUNCTION_LIMIT];
  verdicts_t* verdicts;  // shared with children
} scan_t;

static bool add_function(void* user, const char* name) {
  scan_t* scan = user;
  void* address = tn__library_symbol(scan->library, name);
  if (!address) return true;
  scan->names[scan->count] = name;
  memcpy(&scan->functions[scan->count], &address, sizeof address);
  return ++scan->count < FUNCTION_LIMIT;
}

// Whether the function answers the question for metadata, as nothing but a handler does.
static bool answers(tn_ffi_handler_t function) {
  tn_ffi_metadata_t metadata = {
      .struct_size = TN_FFI_METADATA_SIZE,
      .api_version = {.struct_size = TN_FFI_API_VERSION_SIZE, .major = -1, .minor = -1},
  };
  tn_ffi_metadata_extension_t extension = {{TN_FFI_METADATA_EXTENSION_SIZE, TN_FFI_METADATA, NULL},
                                           &metadata};
  tn_ffi_call_frame_t frame = {
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .extension_start = &extension.extension,
      .api = tn__call_api(),
      .stage = TN_FFI_EXECUTE,
      .args.struct_size = TN_FFI_VALUES_SIZE,
      .rets.struct_size = TN_FFI_VALUES_SIZE,
      .attrs.struct_size = TN_FFI_ATTRS_SIZE,
  };
  tn_guarded_t guarded = tn__guard_call(function, &frame);
  const tn_ffi_api_version_t* version = &metadata.api_version;
  return !guarded.exception && version->major >= 0 && version->major < 100 && version->minor >= 0 &&
         version->minor < 1000;
}

static void ask_all(void* user, tn_confinement_t confinement) {
  const scan_t* scan = user;
  verdicts_t* verdicts = scan->verdicts;
  // Functions that are no handlers run: not without a cage.
  verdicts->is_confined = confinement == TN_CONFINED_BY_SECCOMP;
  while (verdicts->is_confined && verdicts->next < scan->count) {
    size_t index = verdicts->next++;
    if (answers(scan->functions[index])) verdicts->is_handler[index] = 1;
  }
}

static tn_status_t run(scan_t* scan) {
  int64_t deadline_ns = tn__clock_deadline_ns((int64_t)ALL_MS * 1000000);
  for (size_t round = 0; round <= scan->count; ++round) {
    tn_child_end_t end;
    TN_RETURN_IF_ERROR(tn__child_run(ask_all, scan, ROUND_MS, &end));
    if (!scan->verdicts->is_confined) {
      return tn_status_create(TN_CODE_UNIMPLEMENTED,
                              "searching a library for handlers needs seccomp, which the system "
                              "does not have");
    }
    // A function that ended the child is passed over.
    if (scan->verdicts->next >= scan->count || tn__clock_ns() > deadline_ns) break;
  }
  return TN_OK;
}

tn_status_t tn__scan_function(tn_ffi_handler_t function, bool* out_is_handler) {
  void *memory = NULL, *shared = NULL;
  *out_is_handler = false;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), sizeof(scan_t), &memory));
  scan_t* scan = memory;
  tn_status_t status = tn__child_share(sizeof(verdicts_t), &shared);
  if (!status) {
    scan->library = NULL;
    scan->count = 1;
    scan->functions[0] = function;
    scan->verdicts = shared;
    status = run(scan);
  }
  if (!status) *out_is_handler = scan->verdicts->is_handler[0];
  tn__child_unshare(shared, sizeof(verdicts_t));
  tn__free(tn_allocator_system(), memory, sizeof(scan_t));
  return status;
}

static tn_status_t add_handlers(tn_context_t* context, const scan_t* scan, tn_library_t* library,
                                size_t* out_count) {
  for (size_t i = 0; i < scan->count; ++i) {
    if (!scan->verdicts->is_handler[i]) continue;
    const tn_target_spec_t spec = {
        .name = tn__sv(scan->names[i]),
        .platform = tn__sv(tn__compile_target_host.platform),
        .versions = TN_TARGET_TYPED,
        .bundle = {.execute = scan->functions[i]},
        .library = library,
    };
    TN_RETURN_IF_ERROR(tn__registry_add(context, &spec, TN_REGISTER_LENIENT));
    ++*out_count;
  }
  return TN_OK;
}

tn_status_t tn_library_load_exported(tn_context_t* context, const char* path, size_t* out_count) {
  tn_library_t* library = NULL;
  void *memory = NULL, *shared = NULL;
  *out_count = 0;
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_ERROR(tn__library_open(context, tn__sv(path), &library));
  tn_status_t status = tn__library_take_error(library);
  if (!status) status = tn__allocate(tn_allocator_system(), sizeof(scan_t), &memory);
  if (!status) status = tn__child_share(sizeof(verdicts_t), &shared);
  if (!status) {
    scan_t* scan = memory;
    scan->library = library;
    scan->verdicts = shared;
    tn__library_visit_exports(library, add_function, scan);
    if (scan->count) status = run(scan);
    if (!status) status = add_handlers(context, scan, library, out_count);
  }
  tn__child_unshare(shared, sizeof(verdicts_t));
  if (memory) tn__free(tn_allocator_system(), memory, sizeof(scan_t));
  tn__library_release(library);
  return status;
}
