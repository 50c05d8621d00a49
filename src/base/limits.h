// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a program may ask of Tenon before it runs: every limit on input in one place, but for those
// that callers may want to know (TN_MAX_... in <tenon/detail/type.h> and <tenon/detail/module.h>).
// SECURITY.md states them all for users.
#ifndef TENON_BASE_LIMITS_H_
#define TENON_BASE_LIMITS_H_

enum {
  TN_LIMIT_NESTING = 256,              // regions, attributes and types inside one another
  TN_LIMIT_ATTRIBUTE_PARTS = 1 << 20,  // of one attribute, a shared part counted at each mention
  TN_LIMIT_DICTIONARY_NESTING = 64,    // lists and dictionaries that handlers get, who may recurse
  TN_LIMIT_SPLAT_BYTES = 64 << 20,     // of what a program's handlers get and splats stand for
  TN_LIMIT_MODULE_PARTS = 1 << 24,     // of all lists and dictionaries of a module, so counted
  TN_LIMIT_TUPLE_LEAVES = 1 << 20,     // of a program's values and operands that are tuples
  TN_LIMIT_TEXT_MEMORY = 100,          // bytes that a byte of text may take until it runs
  TN_LIMIT_LEAF_MEMORY = 200,          // the same, in addition, for each leaf of a tuple
  TN_LIMIT_STACK_BYTES = 112 << 10,    // of stack that reading, printing and compiling may take
  TN_LIMIT_RUN_STACK_BYTES = 512 << 10,  // of stack that a run may take
};

// Keeps a function's locals out of the frames of those that call it: for what recursive functions
// call, so that deep nesting fits in TN_LIMIT_STACK_BYTES.
#define TN_APART __attribute__((noinline))

#endif  // TENON_BASE_LIMITS_H_
