// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The registry of custom calls: maps the target name of a stablehlo.custom_call and the platform of
// the device to a function.
//
// Names are looked up when a program is compiled. A program keeps the functions that it found:
// registering or removing a function affects only programs that are compiled later. A library
// stays loaded as long as a registered target or a program needs it.
//
// Each context has its own registry, which programs for its devices use. Functions without a
// context parameter use the default context, except while a library is loaded for another one:
// targets that the library itself registers then belong to that context. State types
// (tn_type_register) and loaded libraries exist once per process, because handlers built for XLA do
// not pass a context.
//
// Threads: everything here is thread-safe, also while programs are compiled and run. No lock is
// held while foreign code runs: library initialisers, handlers, destructors.
//
// Platforms: "Host" (or "cpu"), "CUDA" ("gpu"), "OpenCL"; case is ignored.
#ifndef TENON_DETAIL_CALL_H_
#define TENON_DETAIL_CALL_H_

#include <stdbool.h>
#include <stdint.h>
#include <tenon/detail/context.h>

TN_EXTERN_C_BEGIN

// Calling conventions of custom calls, by XLA's numbers.
typedef enum tn_api_version {
  TN_API_VERSION_UNSPECIFIED = 0,  // as ORIGINAL
  TN_API_VERSION_ORIGINAL = 1,     // void f(void* out, const void** in)
  TN_API_VERSION_STATUS_RETURNING = 2,
  TN_API_VERSION_STATUS_RETURNING_UNIFIED = 3,
  TN_API_VERSION_TYPED_FFI = 4,
} tn_api_version_t;

// Any function, cast. API version 1: void f(void* out, const void** in); versions 2 and 3: with an
// XlaCustomCallStatus* as well; version 4: a handler of XLA's FFI. See tn_api_version_t.
typedef void (*tn_target_function_t)(void);

// Registers `function` under `name` (copied). ALREADY_EXISTS if a different function has that name
// on the platform: unregister it first to replace it. The same function may be registered again.
// Calls of another API version than `api_version` are rejected; with TN_API_VERSION_UNSPECIFIED,
// calls of the legacy versions 1 to 3 are accepted without a check. The metadata of a handler is
// queried at once, and a handler of TN_OP (<tenon/custom.h>) returns its signature with it: its
// calls are checked at compile time, as those of a library are. (To register an operation with
// rules, use tn_op_register of <tenon/operation.h>, which takes handler, signature and rules.)
// INVALID_ARGUMENT for an unknown platform, an empty name, a NULL function, or a handler whose ABI
// version is too new or too old.
TN_API TN_MUST_USE tn_status_t tn_context_register_target(tn_context_t* context, const char* name,
                                                          const char* platform,
                                                          tn_target_function_t function,
                                                          tn_api_version_t api_version);
TN_API TN_MUST_USE tn_status_t tn_target_register(const char* name, const char* platform,
                                                  tn_target_function_t function,
                                                  tn_api_version_t api_version);

// The stages of a handler of XLA's FFI, each an XLA_FFI_Handler; all but `execute` may be NULL. The
// FFI has these four: the struct will not grow.
typedef struct tn_handler_stages {
  tn_target_function_t instantiate;  // when a program is compiled: creates the state of the call
  tn_target_function_t prepare;      // before `execute`, in each run
  tn_target_function_t initialize;   // after `prepare`
  tn_target_function_t execute;
} tn_handler_stages_t;

// The same for a handler with several stages (API version 4).
TN_API TN_MUST_USE tn_status_t tn_context_register_stages(tn_context_t* context, const char* name,
                                                          const char* platform,
                                                          const tn_handler_stages_t* stages);
TN_API TN_MUST_USE tn_status_t tn_target_register_stages(const char* name, const char* platform,
                                                         const tn_handler_stages_t* stages);

// NOT_FOUND if the name is not registered for the platform.
TN_API TN_MUST_USE tn_status_t tn_context_unregister_target(tn_context_t* context, const char* name,
                                                            const char* platform);
TN_API TN_MUST_USE tn_status_t tn_target_unregister(const char* name, const char* platform);

// At file scope: registers `function` under its own name when the program or library starts, as
// tn_target_register does with TN_API_VERSION_UNSPECIFIED. Errors are reported by programs that use
// the target, and ALREADY_EXISTS of a library by tn_library_load.
#define TN_REGISTER_CUSTOM_CALL_TARGET(function, platform)                              \
  __attribute__((constructor)) static void tn_register_at_start_##function(void) {      \
    tn_target_register_at_start(#function, platform, (tn_target_function_t)(function)); \
  }                                                                                     \
  static void tn_register_at_start_##function(void)
TN_API void tn_target_register_at_start(const char* name, const char* platform,
                                        tn_target_function_t function);

// Loads a shared library and registers targets of it. `spec` is one of
//   LIB.so                   all operations of its table (<tenon/custom.h>: TN_LIBRARY), or all
//                            that it registers itself while it is loaded
//   LIB.so:TARGET=SYMBOL     one exported function, followed by any of
//     ,instantiate=SYMBOL ,prepare=SYMBOL ,initialize=SYMBOL    further stages of a handler
//     ,type=NAME:ID_SYMBOL[:INFO_SYMBOL]    a state type; the symbols are functions that return
//                            pointers, as XLA_FFI_DECLARE_TYPE_ID_SYMBOL defines them
//     @PLATFORM              default: "Host"
//     #API_VERSION           1 to 4; default: as the library's table states for the symbol, else 4
//                            if there are further stages, else as each call states
// Errors: NOT_FOUND for a missing file or symbol, INVALID_ARGUMENT for a malformed spec or a
// library without a table, FAILED_PRECONDITION if the system cannot load it, ALREADY_EXISTS if a
// different function has the name of one of the targets: those before it stay registered. (A
// library that was rebuilt and is loaded again replaces its own functions.) Operations of a table
// that this version of Tenon cannot call are skipped; the others are registered. The library's own
// initialisers run in this process: one that aborts or exits ends it. They run once: targets that a
// library registered itself for one context are registered for the next without them.
TN_API TN_MUST_USE tn_status_t tn_context_load_library(tn_context_t* context, const char* spec);
TN_API TN_MUST_USE tn_status_t tn_library_load(const char* spec);

// Parameters in signatures.
typedef enum tn_target_parameter_kind {
  TN_TARGET_OPERAND = 0,
  TN_TARGET_ATTRIBUTE = 1,
  TN_TARGET_RESULT = 2,
} tn_target_parameter_kind_t;

typedef struct tn_target_parameter {
  tn_target_parameter_kind_t kind;
  const char* name;           // NULL: unknown
  const char* type;           // as in the signature: "f32[rank 2]", "f32[n, k]", "float"
  const char* default_value;  // of an attribute, as written in the signature list; NULL: required
  const char* doc;            // NULL: none
  const char* dims;           // named dimensions as in the list, "..., n, k + 1"; NULL: none
} tn_target_parameter_t;

// A registered target. All of it is a view that lives as long as the callback runs.
typedef struct tn_target_info {
  size_t struct_size;
  const char* name;  // NUL-terminated; may hold NULs
  size_t name_length;
  const char* platform;   // "Host", "CUDA", "OpenCL"
  int32_t api_version;    // 1 to 4; 0: as each call states
  int32_t handler_minor;  // of API version 4: the minor version of XLA's FFI that it was built for;
                          // -1: unknown
  bool has_instantiate, has_prepare, has_initialize;
  const char* library;    // path; NULL: registered by the process itself
  const char* doc;        // NULL: none
  const char* signature;  // "rms_norm(x: f32, eps: float = 1e-5f) -> (y: like x)"; NULL: unknown
  size_t parameter_count;
  const tn_target_parameter_t* parameters;
  const char* unusable_reason;  // why programs cannot use it; NULL: they can
  uint32_t traits;         // of a handler, as XLA numbers them; 1: compatible with command buffers
  const char* state_type;  // of the state that its instantiate stage creates; NULL: none
  bool is_declared;        // has signature metadata, which the fields above show
  // The signature and parameters were inferred by tn_target_probe (<tenon/inspect.h>), and so were
  // the fields that follow.
  bool is_probed;
  bool is_confined;               // it was probed in a sandbox that allows computation only
  const char* stage_signatures;   // "instantiate(start: int64_t)"; NULL: no other stages
  const char* required_services;  // execution-context services: "stream, run id"; NULL: none found
  const char* unresolved;         // what could not be inferred, and why; NULL: nothing
  // What its definition (<tenon/operation.h>) provides: "elementwise, vjp"; NULL: none.
  const char* definition;
} tn_target_info_t;

// Called on the caller's thread, under no lock; false ends the enumeration.
typedef bool (*tn_target_visit_fn)(void* user, const tn_target_info_t* info);

// Visits the targets that are registered at the time of the call, sorted by name.
TN_API TN_MUST_USE tn_status_t tn_context_enumerate_targets(tn_context_t* context,
                                                            tn_target_visit_fn visit, void* user);
TN_API TN_MUST_USE tn_status_t tn_target_enumerate(tn_target_visit_fn visit, void* user);

// Registers an object type of handler states and user data, once per process. `deleter` may be NULL
// for a type of user data only: a state of such a type is rejected. `*type_id` 0: a new, unique id
// is stored there; otherwise that id is used. ALREADY_EXISTS if the name or the id is taken.
TN_API TN_MUST_USE tn_status_t tn_type_register(const char* name, void (*deleter)(void* object),
                                                int64_t* type_id);

// An object for handlers that request user data of this type; see tn_run_options_t. An
// element of a list: the struct will not grow.
typedef struct tn_user_data {
  int64_t type_id;
  void* data;
} tn_user_data_t;

// The time limit for an asynchronous handler (one that returns an XLA_FFI_Future), from its return
// on; a handler that misses this deadline fails the run with DEADLINE_EXCEEDED. Negative (the
// default): no limit. Such a handler may still use its operands: the run's memory, including
// operands and results, is freed when the handler completes the future, on the thread that does
// so, and never if it does not.
TN_API void tn_context_set_call_timeout_ns(tn_context_t* context, int64_t timeout_ns);
TN_API void tn_call_set_timeout_ns(int64_t timeout_ns);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_CALL_H_
