// Looking into libraries of handlers that declare nothing: which there are, and what they take. For
// tools: link libtenon_inspect (CMake: Tenon::inspect).
//
// Handlers that were built with XLA's headers can be asked. Since nothing is known of the code,
// that happens in a forked child. Linux only.
#ifndef TENON_INSPECT_H_
#define TENON_INSPECT_H_

#include <stddef.h>
#include <tenon/call.h>
#include <tenon/context.h>

TN_EXTERN_C_BEGIN

// Finds out what a handler of api version 4 takes that is registered in the context (NULL: the
// default one) and has no declaration, by calls that its decoder refuses. From then on programs
// that call it otherwise do not compile; without this, they fail when they run. Nothing happens to
// targets that are declared or that have been asked.
//
// It costs a fork of the process for each stage, and a millisecond. The questions are put in the
// child, which can do nothing but compute where the system has seccomp, and otherwise has no files.
// The author's own code does not run, except when it takes any call whatsoever; then it runs once,
// in the child, with no operands. A function that was registered without an api version (tenon run
// --load LIB.so:TARGET=SYMBOL) is a handler if it answers like one, and from then on nothing else.
// FAILED_PRECONDITION for other functions, which cannot be asked; UNIMPLEMENTED where it takes
// seccomp to find out and the system has none. What a handler does not answer is no error, but the
// `gap` of its tn_target_info_t.
TN_API TN_MUST_USE tn_status_t tn_target_learn(tn_context_t* context, const char* name,
                                               const char* platform);

// Registers in the context, under their own names and for the host, all functions that a library
// exports and that are handlers of XLA's FFI. They need no declaration and no table to be found: a
// handler answers when it is asked for its version. Each exported C function is called for that, in
// a child that can do nothing but compute; UNIMPLEMENTED where the system has no seccomp. What
// cannot be used says why to the programs that want it.
TN_API TN_MUST_USE tn_status_t tn_library_load_exported(tn_context_t* context, const char* path,
                                                        size_t* out_count);

TN_EXTERN_C_END

#endif  // TENON_INSPECT_H_
