// The registry of custom calls: which function a stablehlo.custom_call runs, by the name of its
// target and the platform of the device.
//
// Names are looked up when a program is compiled. A program keeps what it found: registering a name
// again, or removing it, concerns the programs that are compiled afterwards. A library stays loaded
// as long as a registered target or a program needs it.
//
// A context has a registry of its own, which programs for its devices search. Functions that name
// no context act on the default one, except while a library is loaded for another: what it
// registers then, it registers there. What Tenon cannot tell apart by context, since handlers that
// were built for XLA do not say one, exists once per process: types of states (tn_type_register),
// and the libraries themselves, as the system has them.
//
// Threads: everything here is thread-safe, and may be used while programs are compiled and run. No
// lock is held while code of others runs: initialisers of libraries, handlers, destructors.
//
// Platforms: "Host" (or "cpu"), "CUDA" ("gpu"), "OpenCL", in any case.
#ifndef TENON_CALL_H_
#define TENON_CALL_H_

#include <stdbool.h>
#include <stdint.h>
#include <tenon/builder.h>
#include <tenon/context.h>

TN_EXTERN_C_BEGIN

// Any function, cast: void f(void* out, const void** in) of api version 1, ... with a
// XlaCustomCallStatus* of 2 and 3, a handler of XLA's FFI of 4. See tn_api_version_t.
typedef void (*tn_target_function_t)(void);

// Registers `function` under `name` (copied), in the place of what had that name. Calls of another
// api version than `api_version` are refused; with TN_API_VERSION_UNSPECIFIED, calls of the untyped
// versions 1 to 3 are all taken at their word. A handler is asked for its metadata at once,
// and one of TN_OP (<tenon/custom.h>) tells its signature with it: its calls are checked when they
// are compiled, as those of a library are. (An operation with rules is registered by
// tn_op_register of <tenon/operation.h>, with handler, signature and rules.)
// INVALID_ARGUMENT for an unknown platform, an empty name, a NULL function, or a handler that is
// too new or too old.
TN_API TN_MUST_USE tn_status_t tn_context_register(tn_context_t* context, const char* name,
                                                   const char* platform,
                                                   tn_target_function_t function,
                                                   tn_api_version_t api_version);
TN_API TN_MUST_USE tn_status_t tn_register(const char* name, const char* platform,
                                           tn_target_function_t function,
                                           tn_api_version_t api_version);

// The functions of a handler of XLA's FFI, each an XLA_FFI_Handler; all but `execute` may be NULL.
typedef struct tn_handler_stages {
  tn_target_function_t instantiate;  // when a program is compiled: makes the call's state
  tn_target_function_t prepare;      // before `execute`, in each run
  tn_target_function_t initialize;   // after `prepare`
  tn_target_function_t execute;
} tn_handler_stages_t;

// The same for a handler with several stages (api version 4).
TN_API TN_MUST_USE tn_status_t tn_context_register_stages(tn_context_t* context, const char* name,
                                                          const char* platform,
                                                          const tn_handler_stages_t* stages);
TN_API TN_MUST_USE tn_status_t tn_register_stages(const char* name, const char* platform,
                                                  const tn_handler_stages_t* stages);

// NOT_FOUND when nothing of that name is registered for the platform.
TN_API TN_MUST_USE tn_status_t tn_context_unregister(tn_context_t* context, const char* name,
                                                     const char* platform);
TN_API TN_MUST_USE tn_status_t tn_unregister(const char* name, const char* platform);

// At file scope: registers `function` under its own name when the program or library starts, as
// tn_register does with TN_API_VERSION_UNSPECIFIED. What goes wrong is reported by the programs
// that want the target.
#define TN_REGISTER_CUSTOM_CALL_TARGET(function, platform)                         \
  __attribute__((constructor)) static void tn_register_at_start_##function(void) { \
    tn_register_at_start(#function, platform, (tn_target_function_t)(function));   \
  }                                                                                \
  static void tn_register_at_start_##function(void)
TN_API void tn_register_at_start(const char* name, const char* platform,
                                 tn_target_function_t function);

// Loads a shared library and registers targets of it. `spec` is one of
//   LIB.so                   all operations that its table lists (<tenon/custom.h>: TN_LIBRARY), or
//                            that it registers itself while it is loaded
//   LIB.so:TARGET=SYMBOL     one exported function, followed by any of
//     ,instantiate=SYMBOL ,prepare=SYMBOL ,initialize=SYMBOL    further stages of a handler
//     ,type=NAME:ID_SYMBOL[:INFO_SYMBOL]    a type of states; the symbols are functions that return
//                            pointers, as XLA_FFI_DECLARE_TYPE_ID_SYMBOL makes them
//     @PLATFORM              "Host" when it is not given
//     #API_VERSION           1 to 4; without it: what the library's table says of the symbol, else
//                            4 if there are further stages, else what each call says
// Errors: NOT_FOUND for a missing file or symbol, INVALID_ARGUMENT for a spec that is none or a
// library without a table, FAILED_PRECONDITION when the system refuses to load it. Of a table with
// operations that this version of Tenon cannot call, the others are registered all the same. The
// library's own initialisers run in this process: one that aborts or exits ends it. They run once:
// what a library registered itself for one context is registered for the next without them.
TN_API TN_MUST_USE tn_status_t tn_context_load_library(tn_context_t* context, const char* spec);
TN_API TN_MUST_USE tn_status_t tn_library_load(const char* spec);

// What a declared operation takes and gives.
typedef enum tn_target_parameter_kind {
  TN_TARGET_OPERAND = 0,
  TN_TARGET_ATTRIBUTE = 1,
  TN_TARGET_RESULT = 2,
} tn_target_parameter_kind_t;

typedef struct tn_target_parameter {
  tn_target_parameter_kind_t kind;
  const char* name;           // NULL: it has none that is known
  const char* type;           // as in the signature: "f32[rank 2]", "float"
  const char* default_value;  // of an attribute, as its author wrote it; NULL: required
  const char* doc;            // NULL: none
} tn_target_parameter_t;

// A row of the registry. Everything in it is a view that lives as long as the callback runs.
typedef struct tn_target_info {
  size_t struct_size;
  const char* name;  // NUL-terminated; may hold NULs
  size_t name_length;
  const char* platform;   // "Host", "CUDA", "OpenCL"
  int32_t api_version;    // 1 to 4; 0: what each call says
  int32_t handler_minor;  // of api version 4: the minor version of XLA's FFI it was built for; -1:
                          // unknown
  bool has_instantiate, has_prepare, has_initialize;
  const char* library;    // path; NULL: registered by the process itself
  const char* doc;        // NULL: none
  const char* signature;  // "rms_norm(x: f32, eps: float = 1e-5f) -> (y: like x)"; NULL: unknown
  size_t parameter_count;
  const tn_target_parameter_t* parameters;
  const char* refusal;  // why no program can use it; NULL: it can be used
  uint32_t traits;      // of a handler, as XLA numbers them; 1: it may be part of a recorded graph
  const char* state_type;  // of what its instantiate stage makes; NULL: none
  bool is_declared;        // signature and parameters are what its author wrote
  // signature and parameters are what was found out by tn_target_learn (<tenon/inspect.h>), and
  // with them:
  bool is_learned;
  bool is_confined;              // while it was asked, it could not have done any harm
  const char* stage_signatures;  // "instantiate(start: int64_t)"; NULL: there are no other stages
  const char* asks_for;          // of its host: "stream, run id"; NULL: nothing that shows
  const char* gap;               // what could not be learned, and why; NULL: all is known
  // What its definition (<tenon/operation.h>) says to lazy arrays: "element-wise, vjp"; NULL: none.
  const char* definition;
} tn_target_info_t;

// Called on the caller's thread, under no lock; false ends the enumeration.
typedef bool (*tn_target_visit_fn)(void* user, const tn_target_info_t* info);

// Visits what is registered at the time of the call, in the order of names.
TN_API TN_MUST_USE tn_status_t tn_context_enumerate_targets(tn_context_t* context,
                                                            tn_target_visit_fn visit, void* user);
TN_API TN_MUST_USE tn_status_t tn_target_enumerate(tn_target_visit_fn visit, void* user);

// Once per process: object types of handlers' states and user data. `deleter` may be NULL for user
// data alone: a state of such a type is refused. `*type_id` 0: a new id, which is unique in the
// process and written there; otherwise that id. ALREADY_EXISTS when the name or the id is taken.
TN_API TN_MUST_USE tn_status_t tn_type_register(const char* name, void (*deleter)(void* object),
                                                int64_t* type_id);

// An object for handlers that ask for user data of this type in a run; see the options of a run.
typedef struct tn_user_data {
  int64_t type_id;
  void* data;
} tn_user_data_t;

// How long a handler that finishes later (an XLA_FFI_Future) may take, from its return on; after it
// the run fails with DEADLINE_EXCEEDED. Negative (the default): no limit. Such a handler may still
// use what it was given: the run's memory, arguments and results among it, is freed when it
// completes the future, on the thread that does, and never if it does not.
TN_API void tn_context_set_call_timeout_ns(tn_context_t* context, int64_t timeout_ns);
TN_API void tn_call_set_timeout_ns(int64_t timeout_ns);

TN_EXTERN_C_END

#endif  // TENON_CALL_H_
