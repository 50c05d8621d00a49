// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Types in opaque bytes: XLA's ShapeProto, as written by tn_type_serialize of <tenon/tenon.h>, and
// in Python by jaxlib.xla_client.Shape.to_serialized_proto(). GPU kernels pass sizes in this way,
// because their operands are in device memory.
#ifndef TENON_DETAIL_CUSTOM_SHAPE_H_
#define TENON_DETAIL_CUSTOM_SHAPE_H_

#include <tenon/detail/custom/call.h>

enum { TN_SHAPE_RANK_LIMIT = 64, TN_FFI_TUPLE = 13 };

// An array, a token or a tuple. The elements of a tuple follow it, nested ones in preorder.
typedef struct tn_shape {
  tn_ffi_dtype_t dtype;   // TN_FFI_F32 ..., TN_FFI_TOKEN, TN_FFI_TUPLE
  int64_t element_count;  // of a tuple
  int64_t rank;
  int64_t dims[TN_SHAPE_RANK_LIMIT];
  uint64_t dynamic;  // bit i: dims[i] is an upper bound, or INT64_MIN for none
  bool has_layout;
  int64_t minor_to_major[TN_SHAPE_RANK_LIMIT];
} tn_shape_t;

typedef struct tn__proto {
  const unsigned char *at, *end;
  bool is_bad;
} tn__proto_t;

TN__UNUSED uint64_t tn__proto_varint(tn__proto_t* proto) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && proto->at < proto->end; shift += 7) {
    const unsigned char byte = *proto->at++;
    value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    if (!(byte & 0x80)) return value;
  }
  proto->is_bad = true;
  return 0;
}

// The bytes of a length-delimited field; empty after an error.
TN__UNUSED tn__proto_t tn__proto_bytes(tn__proto_t* proto) {
  const uint64_t size = tn__proto_varint(proto);
  if (size > (uint64_t)(proto->end - proto->at)) proto->is_bad = true;
  tn__proto_t bytes = {proto->at, proto->at, proto->is_bad};
  if (!proto->is_bad) bytes.end = proto->at += size;
  return bytes;
}

// Skips a field; `key` is its number and, in the low bits, its wire type.
TN__UNUSED void tn__proto_skip(tn__proto_t* proto, uint64_t key) {
  const uint64_t wire = key & 7, size = wire == 1 ? 8 : 4;
  if (wire == 0) {
    tn__proto_varint(proto);
  } else if (wire == 2) {
    tn__proto_bytes(proto);
  } else if ((wire == 1 || wire == 5) && size <= (uint64_t)(proto->end - proto->at)) {
    proto->at += size;
  } else {
    proto->is_bad = true;
  }
}

// A repeated integer field: a single value, or a packed list.
TN__UNUSED void tn__proto_numbers(tn__proto_t* proto, uint64_t key, int64_t* values,
                                  int64_t* count) {
  const bool is_packed = (key & 7) == 2;
  tn__proto_t packed = {NULL, NULL, false};
  if (is_packed) packed = tn__proto_bytes(proto);
  tn__proto_t* const from = is_packed ? &packed : proto;
  if (!is_packed && (key & 7) != 0) proto->is_bad = true;
  while (!proto->is_bad && (!is_packed || packed.at < packed.end)) {
    const uint64_t value = tn__proto_varint(from);
    if (from->is_bad || *count == TN_SHAPE_RANK_LIMIT) {
      proto->is_bad = true;
      return;
    }
    memcpy(&values[(*count)++], &value, sizeof value);
    if (!is_packed) return;
  }
}

// Whether the dimensions, the flags of dynamic dimensions, and the layout are consistent.
TN__UNUSED bool tn__shape_is_good(tn_shape_t* part, const int64_t* varies, int64_t varies_count,
                                  int64_t layout_count) {
  uint64_t seen = 0;
  if (part->dtype == TN_FFI_TUPLE || part->dtype == TN_FFI_TOKEN) {
    return part->rank == 0 && varies_count == 0;
  }
  if (part->element_count || tn_ffi_dtype_size(part->dtype) == 0) return false;
  if (varies_count && varies_count != part->rank) return false;
  for (int64_t i = 0; i < part->rank; ++i) {
    const bool is_dynamic = varies_count && varies[i];
    if (is_dynamic) part->dynamic |= UINT64_C(1) << i;
    if (part->dims[i] < 0 && !(is_dynamic && part->dims[i] == INT64_MIN)) return false;
  }
  if (!part->has_layout || (layout_count == 0 && part->rank > 0)) {
    part->has_layout = part->rank == 0;
    return layout_count == 0;
  }
  if (layout_count != part->rank) return false;
  for (int64_t i = 0; i < part->rank; ++i) {
    const int64_t dimension = part->minor_to_major[i];
    if (dimension < 0 || dimension >= part->rank) return false;
    seen |= UINT64_C(1) << dimension;
  }
  return part->rank == 64 ? seen == UINT64_MAX : seen == (UINT64_C(1) << part->rank) - 1;
}

// Reads one type, and counts it and the types inside it. Writes only parts below `capacity`.
TN__UNUSED void tn__shape_read(tn__proto_t* proto, int depth, tn_shape_t* parts, int64_t capacity,
                               int64_t* count) {
  enum { ELEMENT_TYPE = 2, DIMENSIONS = 3, TUPLE_SHAPES = 4, LAYOUT = 5, IS_DYNAMIC = 6 };
  tn_shape_t part;
  int64_t varies[TN_SHAPE_RANK_LIMIT], varies_count = 0, layout_count = 0;
  const int64_t index = (*count)++;
  memset(&part, 0, sizeof part);
  while (!proto->is_bad && proto->at < proto->end) {
    const uint64_t key = tn__proto_varint(proto);
    if (key == (ELEMENT_TYPE << 3 | 0)) {
      const uint64_t dtype = tn__proto_varint(proto);
      part.dtype = dtype < 64 ? (tn_ffi_dtype_t)dtype : TN_FFI_INVALID;
    } else if (key >> 3 == DIMENSIONS) {
      tn__proto_numbers(proto, key, part.dims, &part.rank);
    } else if (key == (TUPLE_SHAPES << 3 | 2)) {
      tn__proto_t element = tn__proto_bytes(proto);
      proto->is_bad |= depth == TN_SHAPE_RANK_LIMIT;
      if (proto->is_bad) return;
      ++part.element_count;
      tn__shape_read(&element, depth + 1, parts, capacity, count);
      proto->is_bad |= element.is_bad;
    } else if (key == (LAYOUT << 3 | 2)) {
      tn__proto_t layout = tn__proto_bytes(proto);
      part.has_layout = true;
      while (!layout.is_bad && layout.at < layout.end) {
        const uint64_t layout_key = tn__proto_varint(&layout);
        if (layout_key >> 3 == 1) {
          tn__proto_numbers(&layout, layout_key, part.minor_to_major, &layout_count);
        } else {
          tn__proto_skip(&layout, layout_key);
        }
      }
      proto->is_bad |= layout.is_bad;
    } else if (key >> 3 == IS_DYNAMIC) {
      tn__proto_numbers(proto, key, varies, &varies_count);
    } else {
      tn__proto_skip(proto, key);
    }
  }
  proto->is_bad |= !tn__shape_is_good(&part, varies, varies_count, layout_count);
  if (index < capacity) parts[index] = part;
}

// Reads a serialised type. Returns the number of its parts, of which the first `capacity` are
// written to out_parts (may be NULL if capacity is 0), or -1 if the bytes are not a type.
TN__UNUSED int64_t tn_shape_parse(const void* bytes, size_t size, tn_shape_t* out_parts,
                                  int64_t capacity) {
  const unsigned char* const begin = (const unsigned char*)bytes;
  int64_t count = 0;
  if (size == 0) return -1;
  tn__proto_t proto = {begin, begin + size, false};
  tn__shape_read(&proto, 1, out_parts, capacity, &count);
  return proto.is_bad ? -1 : count;
}

#endif  // TENON_DETAIL_CUSTOM_SHAPE_H_
