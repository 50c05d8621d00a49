// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Introspection of libraries whose handlers have no signature metadata: which handlers they export,
// and what those take. For tools: link libtenon_inspect (CMake: Tenon::inspect).
//
// Handlers built with XLA's headers can be probed. Since the code is unknown, probe calls are made
// in a forked child process. Linux only.
#ifndef TENON_INSPECT_H_
#define TENON_INSPECT_H_

#include <stddef.h>
#include <tenon/detail/call.h>
#include <tenon/detail/context.h>
#include <tenon/detail/ops.h>

TN_EXTERN_C_BEGIN

// Infers what a registered handler of API version 4 without signature metadata takes, by probe
// calls that its decoder rejects. `context` NULL: the default one. From then on mismatched calls
// are compile errors; without the inferred signature they fail at run time. Does nothing for
// targets with metadata or an inferred signature.
//
// Costs a fork of the process for each stage, and a millisecond. Probe calls are made in the child,
// which is confined to computation where the system has seccomp, and otherwise has no files. The
// kernel itself does not run, unless it accepts every call; then it runs once, in the child,
// without operands. A function that was registered without an API version (tenon run --load
// LIB.so:TARGET=SYMBOL) is treated as a handler from then on if it responds like one.
// FAILED_PRECONDITION for other functions, which cannot be probed; UNIMPLEMENTED if probing needs
// seccomp and the system has none. Details that a handler does not reveal are not an error;
// `unresolved` of its tn_target_info_t lists them.
TN_API TN_MUST_USE tn_status_t tn_target_probe(tn_context_t* context, const char* name,
                                               const char* platform);

// Registers in the context all functions that a library exports and that are handlers of XLA's FFI,
// under their own names, for the platform "Host". They need neither metadata nor a table: a handler
// responds to a query for its version. Each exported C function is called with that query, in a
// child process confined to computation; UNIMPLEMENTED if the system has no seccomp. Functions that
// cannot be used are reported to the programs that call them.
TN_API TN_MUST_USE tn_status_t tn_library_load_exported(tn_context_t* context, const char* path,
                                                        size_t* out_count);

TN_EXTERN_C_END

#endif  // TENON_INSPECT_H_
