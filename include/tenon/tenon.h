// Tenon: an embeddable runtime for array programs and custom operations.
//
// Terms of ownership, used throughout:
//   create / retain / release   shared objects, reference counted; release(NULL) does nothing
//   init / deinit               in storage that the caller provides
//   view                        borrowed; the comment states until when
//   take                        the callee owns it from the call on, even if it fails
//   arena                       lives as long as its module or plan
//
// Errors are tn_status_t objects. A function that fails sets its outputs to NULL. The library never
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
