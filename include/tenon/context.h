// Contexts: what the devices, programs and arrays of one user of the library have in common, such
// as registered custom calls, the default device, settings. Whoever names no context uses the
// default one, which lives as long as the process. What else exists once per process is listed in
// docs/context.md.
#ifndef TENON_CONTEXT_H_
#define TENON_CONTEXT_H_

#include <stdint.h>
#include <tenon/allocator.h>
#include <tenon/status.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. A device retains its context. With the last reference that is not
// a device's, the context gives up its default device and default streams. NULL stands for the
// default context, in every function that takes one.
typedef struct tn_context tn_context_t;

// Zero means the default, everywhere.
typedef struct tn_context_options {
  size_t struct_size;               // sizeof(tn_context_options_t)
  const tn_allocator_t* allocator;  // for the context itself; must outlive it; NULL: malloc
  // "NAME=VALUE" strings, NULL behind the last, in the place of the process's environment: Tenon
  // reads nothing else. NULL: the process's. Read by tn_context_create, and not again.
  const char* const* environment;
  // What its devices have whose options say nothing; see tn_device_options_t.
  int32_t thread_count;
  uint64_t memory_limit_byte_length;
  uint64_t cache_limit_byte_length;
} tn_context_options_t;

// `options` may be NULL. The variables of the environment:
//   TENON_DEVICE       the name of the default device; otherwise "cpu"
//   TENON_NUM_THREADS  threads of parallel loops of a device, 1 to 1024; otherwise the cores that
//                      the thread that creates the device may use
//   TENON_LIBRARIES    which optional libraries may compute ("openblas,onednn", "none"); otherwise
//                      all
//   TENON_FUSION       how many elements elementwise operations must have to be fused, or "none"
// INVALID_ARGUMENT for a value that makes no sense.
TN_API TN_MUST_USE tn_status_t tn_context_create(const tn_context_options_t* options,
                                                 tn_context_t** out_context);
TN_API tn_context_t* tn_context_retain(tn_context_t* context);
TN_API void tn_context_release(tn_context_t* context);

// A view. Its environment is the process's, read when its first device is created; a value that
// makes no sense is the error of creating devices. References to it are not counted.
TN_API tn_context_t* tn_context_default(void);

TN_EXTERN_C_END

#endif  // TENON_CONTEXT_H_
