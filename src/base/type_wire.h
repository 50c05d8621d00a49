// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Types as bytes: the wire format of XLA's ShapeProto, which programs keep in the opaque bytes of
// custom calls.
#ifndef TENON_BASE_TYPE_WIRE_H_
#define TENON_BASE_TYPE_WIRE_H_

#include "base/type.h"

// The counterpart of tn_type_serialize. Fields that are not known are skipped, as the format wants.
// INVALID_ARGUMENT, with the place, for bytes that are none or a type that Tenon does not take;
// UNIMPLEMENTED for an array whose layout is not row-major, which a type cannot say.
TN_MUST_USE tn_status_t tn__type_parse(tn_arena_t* arena, const void* data, size_t length,
                                       const tn_type_t** out_type);

#endif  // TENON_BASE_TYPE_WIRE_H_
