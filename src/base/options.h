// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Option structs of public headers. They begin with `size_t struct_size`, which the caller sets,
// and grow at their end: callers compiled with an older header pass shorter structs, with a newer
// header longer ones.
#ifndef TENON_BASE_OPTIONS_H_
#define TENON_BASE_OPTIONS_H_

#include "base/status.h"

// What the caller gives, or, if that is NULL or of an older header, `copy` with zeros for all
// members that are missing. INVALID_ARGUMENT for a struct of a newer header whose unknown members
// are not all zero, and for a struct_size that is too small or too large for any header; the result
// is then a `copy` of zeros. Never NULL.
const void* tn__options_copy(const char* name, size_t byte_size, const void* given, void* copy,
                             tn_status_t* out_status);

static inline const void* tn__options_read(const char* name, size_t byte_size, const void* given,
                                           void* copy, tn_status_t* out_status) {
  *out_status = TN_OK;
  if (given && *(const size_t*)given == byte_size) return given;
  return tn__options_copy(name, byte_size, given, copy, out_status);
}
// `given` and `copy` are pointers to a `type`.
#define TN_OPTIONS_READ(type, given, copy, out_status) \
  tn__options_read(#type, sizeof(type), (given), (copy), (out_status))

// The other direction: fills the caller's struct, as far as its struct_size covers `known`, whose
// struct_size is ignored. Members that only the caller knows become zero.
void tn__options_fill(void* out_struct, const void* known, size_t byte_size);

#endif  // TENON_BASE_OPTIONS_H_
