// Tenon: an embeddable runtime for array programs and custom operations.
//
// Ownership words, used everywhere:
//   create / retain / release   shared objects, reference counted; release(NULL) does nothing
//   init / deinit               the storage is the caller's
//   view                        borrowed; the comment says until when
//   take                        the callee owns it from the call on, failure included
//   arena                       lives until its module or plan does
//
// Errors are tn_status_t objects. A function that fails writes NULL to its outputs. Nothing here
// ends the process, prints, or keeps a thread-local "last error".
#ifndef TENON_TENON_H_
#define TENON_TENON_H_

#include <tenon/allocator.h>
#include <tenon/array.h>
#include <tenon/array_fast.h>
#include <tenon/array_fft.h>
#include <tenon/array_linalg.h>
#include <tenon/array_ops.h>
#include <tenon/array_random.h>
#include <tenon/buffer.h>
#include <tenon/builder.h>
#include <tenon/call.h>
#include <tenon/cancellation.h>
#include <tenon/context.h>
#include <tenon/device.h>
#include <tenon/dlpack.h>
#include <tenon/dtype.h>
#include <tenon/export.h>
#include <tenon/module.h>
#include <tenon/npy.h>
#include <tenon/operation.h>
#include <tenon/ops.h>
#include <tenon/program.h>
#include <tenon/status.h>
#include <tenon/stream.h>
#include <tenon/strided.h>
#include <tenon/transform.h>
#include <tenon/type.h>
#include <tenon/version.h>

#endif  // TENON_TENON_H_
