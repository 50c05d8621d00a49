// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

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
//
// NULL. A function that returns a status refuses NULL for what it needs: INVALID_ARGUMENT, which
// names the function and the argument. May be NULL: a context (the default one), an allocator (the
// system's), options (the defaults), a cancellation, a callback's `user`, and what a comment says.
// retain, release and destroy accept NULL. Functions that return no status need their handles, and
// all need what they write to (out_...).
#ifndef TENON_TENON_H_
#define TENON_TENON_H_

#include <tenon/detail/allocator.h>
#include <tenon/detail/buffer.h>
#include <tenon/detail/call.h>
#include <tenon/detail/cancellation.h>
#include <tenon/detail/context.h>
#include <tenon/detail/device.h>
#include <tenon/detail/dtype.h>
#include <tenon/detail/module.h>
#include <tenon/detail/program.h>
#include <tenon/detail/status.h>
#include <tenon/detail/type.h>
#include <tenon/dlpack.h>
#include <tenon/operation.h>
#include <tenon/stream.h>
#include <tenon/version.h>

#endif  // TENON_TENON_H_
