// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/type_wire.h"

// message ShapeProto { element_type = 2; repeated dimensions = 3; repeated ShapeProto tuple_shapes
// = 4; LayoutProto layout = 5; repeated bool is_dynamic_dimension = 6; } message LayoutProto {
// repeated minor_to_major = 1; tail_padding_alignment_in_elements = 16; }
enum {
  ELEMENT_TYPE = 2,
  DIMENSIONS = 3,
  TUPLE_SHAPES = 4,
  LAYOUT = 5,
  IS_DYNAMIC = 6,
  MINOR_TO_MAJOR = 1,
  TAIL_PADDING = 16,
  // kinds of fields
  VARINT = 0,
  FIXED_64 = 1,
  BYTES = 2,
  FIXED_32 = 5,
  // element types of XLA that are no dtypes
  TUPLE = 13,
};

// --- writing: from the end to the beginning, so that the length of a part is known when it is
// written. Done twice, for the first time only to count.

typedef struct sink {
  unsigned char* data;
  size_t capacity;
  size_t total;   // bytes of the whole; 0 while counting
  size_t length;  // bytes so far, from the end
} sink_t;

static void put_byte(sink_t* sink, unsigned byte) {
  size_t place = sink->total - ++sink->length;
  if (sink->total && place < sink->capacity) sink->data[place] = (unsigned char)byte;
}

static void put_varint(sink_t* sink, uint64_t value) {
  unsigned groups = 1;
  while (groups < 10 && value >> 7 * groups) ++groups;
  for (unsigned i = groups; i-- > 0;) {
    put_byte(sink, (unsigned)(value >> 7 * i & 0x7F) | (i + 1 < groups ? 0x80 : 0));
  }
}

static void put_key(sink_t* sink, unsigned field, unsigned kind) {
  put_varint(sink, field << 3 | kind);
}

// Ends a field whose contents were written since there were `before` bytes.
static void put_head(sink_t* sink, unsigned field, size_t before) {
  put_varint(sink, sink->length - before);
  put_key(sink, field, BYTES);
}

// What a dimension is on the wire: its bound if there is one.
static uint64_t wire_dim(const tn_type_t* type, size_t i) {
  bool has_bound = type->dims[i] == TN_DIM_DYNAMIC && type->bounds;
  return (uint64_t)(has_bound ? type->bounds[i] : type->dims[i]);
}

static void put_layout(sink_t* sink, const tn_type_t* type) {
  size_t before = sink->length;
  put_varint(sink, 1);
  put_key(sink, TAIL_PADDING, VARINT);
  size_t list = sink->length;
  for (size_t i = 0; i < type->rank; ++i) put_varint(sink, i);  // row-major
  if (type->rank) put_head(sink, MINOR_TO_MAJOR, list);
  put_head(sink, LAYOUT, before);
}

static bool put_tensor(sink_t* sink, const tn_type_t* type) {
  const int first_without_number = 100;
  if ((int)type->dtype >= first_without_number) return false;
  size_t before = sink->length;
  for (size_t i = type->rank; i > 0; --i) put_byte(sink, type->dims[i - 1] == TN_DIM_DYNAMIC);
  if (type->rank) put_head(sink, IS_DYNAMIC, before);
  put_layout(sink, type);
  before = sink->length;
  for (size_t i = type->rank; i > 0; --i) put_varint(sink, wire_dim(type, i - 1));
  if (type->rank) put_head(sink, DIMENSIONS, before);
  put_varint(sink, (uint64_t)type->dtype);
  put_key(sink, ELEMENT_TYPE, VARINT);
  return true;
}

static bool put_type(sink_t* sink, const tn_type_t* type) {
  if (type->kind == TN_TYPE_TENSOR) return put_tensor(sink, type);
  bool is_tuple = type->kind == TN_TYPE_TUPLE;
  for (size_t i = is_tuple ? type->element_count : 0; i > 0; --i) {
    size_t before = sink->length;
    if (!put_type(sink, type->elements[i - 1])) return false;
    put_head(sink, TUPLE_SHAPES, before);
  }
  put_varint(sink, is_tuple ? TUPLE : TN_DTYPE_TOKEN);
  put_key(sink, ELEMENT_TYPE, VARINT);
  return true;
}

size_t tn_type_serialize(const tn_type_t* type, void* buffer, size_t capacity) {
  sink_t counter = {0};
  if (!put_type(&counter, type)) return 0;
  sink_t sink = {.data = buffer, .capacity = capacity, .total = counter.length};
  put_type(&sink, type);
  return sink.length;
}

// --- reading

typedef struct source {
  const unsigned char *begin, *at, *end;  // `begin` is that of the whole, for messages
} source_t;

// One field of a message.
typedef struct field {
  unsigned number, kind;
  uint64_t value;  // VARINT
  source_t bytes;  // BYTES
} field_t;

static tn_status_t malformed(const source_t* source, const char* what) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "serialized type: byte %zu: %s",
                          (size_t)(source->at - source->begin), what);
}

static tn_status_t take_varint(source_t* source, uint64_t* out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (source->at == source->end) return malformed(source, "a number is cut off");
    unsigned byte = *source->at++;
    *out |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return TN_OK;
  }
  return malformed(source, "a number is longer than 64 bits");
}

static tn_status_t take_field(source_t* source, field_t* out) {
  uint64_t key, length;
  TN_RETURN_IF_ERROR(take_varint(source, &key));
  *out = (field_t){.number = (unsigned)(key >> 3 & 0x1FFFFFFF), .kind = (unsigned)(key & 7)};
  size_t skipped = out->kind == FIXED_64 ? 8 : out->kind == FIXED_32 ? 4 : 0;
  if (out->kind == VARINT) return take_varint(source, &out->value);
  if (!skipped && out->kind != BYTES) return malformed(source, "there is no such kind of field");
  if (skipped) {
    length = skipped;
  } else {
    TN_RETURN_IF_ERROR(take_varint(source, &length));
  }
  if (length > (size_t)(source->end - source->at)) return malformed(source, "a field is cut off");
  out->bytes = (source_t){source->begin, source->at, source->at + length};
  source->at += length;
  return TN_OK;
}

// A list of numbers comes as one field of all, or as a field for each.
typedef struct number_list {
  size_t count;
  int64_t values[TN_MAX_RANK];
} number_list_t;

static tn_status_t take_numbers(field_t* field, number_list_t* list) {
  source_t one = {0};
  source_t* source = field->kind == BYTES ? &field->bytes : &one;
  do {
    if (field->kind == BYTES && source->at == source->end) break;
    uint64_t value = field->value;
    if (field->kind == BYTES) TN_RETURN_IF_ERROR(take_varint(source, &value));
    if (list->count == TN_MAX_RANK) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "serialized type: there are more than %d dimensions", TN_MAX_RANK);
    }
    list->values[list->count++] = (int64_t)value;
  } while (field->kind == BYTES);
  return TN_OK;
}

typedef struct message {
  uint64_t element_type;
  number_list_t dims, dynamic, minor_to_major;
  size_t element_count;
} message_t;

static tn_status_t take_layout(source_t source, message_t* message) {
  while (source.at != source.end) {
    field_t field;
    TN_RETURN_IF_ERROR(take_field(&source, &field));
    if (field.number != MINOR_TO_MAJOR) continue;
    TN_RETURN_IF_ERROR(take_numbers(&field, &message->minor_to_major));
  }
  return TN_OK;
}

static tn_status_t take_message(source_t source, message_t* message) {
  *message = (message_t){0};
  while (source.at != source.end) {
    field_t field;
    TN_RETURN_IF_ERROR(take_field(&source, &field));
    bool is_list = field.kind == BYTES || field.kind == VARINT;
    switch (field.number) {
      case ELEMENT_TYPE: message->element_type = field.value; break;
      case DIMENSIONS:
        if (is_list) TN_RETURN_IF_ERROR(take_numbers(&field, &message->dims));
        break;
      case IS_DYNAMIC:
        if (is_list) TN_RETURN_IF_ERROR(take_numbers(&field, &message->dynamic));
        break;
      case LAYOUT:
        if (field.kind == BYTES) TN_RETURN_IF_ERROR(take_layout(field.bytes, message));
        break;
      case TUPLE_SHAPES: message->element_count += field.kind == BYTES; break;
      default: break;
    }
  }
  return TN_OK;
}

// The size of a dynamic dimension is its upper bound.
static tn_status_t add_bounds(tn_arena_t* arena, const message_t* message, const tn_type_t** type) {
  const tn_type_t* unbounded = *type;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof *unbounded, &memory));
  int64_t* bounds = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, unbounded->rank, &bounds));
  for (size_t i = 0; i < unbounded->rank; ++i) {
    bool is_dynamic = unbounded->dims[i] == TN_DIM_DYNAMIC;
    bounds[i] = is_dynamic ? message->dims.values[i] : TN_DIM_DYNAMIC;
    if (is_dynamic && bounds[i] < 0 && bounds[i] != TN_DIM_DYNAMIC) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "serialized type: dimension %zu is at most %lld", i,
                              (long long)bounds[i]);
    }
  }
  tn_type_t* bounded = memory;
  *bounded = *unbounded;
  bounded->bounds = bounds;
  *type = bounded;
  return TN_OK;
}

static tn_status_t make_tensor(tn_arena_t* arena, const message_t* message,
                               const tn_type_t** out_type) {
  int64_t dims[TN_MAX_RANK];
  size_t rank = message->dims.count;
  if (message->element_type > INT32_MAX || !tn_dtype_is_valid((int)message->element_type)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "serialized type: %llu is not an element type of Tenon",
                            (unsigned long long)message->element_type);
  }
  if (message->dynamic.count && message->dynamic.count != rank) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "serialized type: %zu dimensions, but %zu marks of dynamic ones", rank,
                            message->dynamic.count);
  }
  for (size_t i = 0; i < message->minor_to_major.count; ++i) {
    if (message->minor_to_major.values[i] == (int64_t)(rank - 1 - i)) continue;
    return tn_status_create(
        TN_CODE_UNIMPLEMENTED,
        "serialized type: its layout is not row-major; expected a row-major layout");
  }
  bool has_bounds = false;
  for (size_t i = 0; i < rank; ++i) {
    bool is_dynamic = message->dynamic.count && message->dynamic.values[i];
    dims[i] = is_dynamic ? TN_DIM_DYNAMIC : message->dims.values[i];
    has_bounds |= is_dynamic && message->dims.values[i] != TN_DIM_DYNAMIC;
  }
  tn_dtype_t dtype = (tn_dtype_t)message->element_type;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, dtype, rank, dims, out_type));
  return has_bounds ? add_bounds(arena, message, out_type) : TN_OK;
}

static tn_status_t make_type(tn_arena_t* arena, source_t source, size_t depth,
                             const tn_type_t** out_type);

static tn_status_t make_tuple(tn_arena_t* arena, source_t source, size_t count, size_t depth,
                              const tn_type_t** out_type) {
  if (depth == TN_MAX_TYPE_DEPTH) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "serialized type: tuples nest deeper than %d",
                            TN_MAX_TYPE_DEPTH);
  }
  const tn_type_t** elements = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &elements));
  size_t filled = 0;
  while (source.at != source.end) {
    field_t field;
    TN_RETURN_IF_ERROR(take_field(&source, &field));
    if (field.number != TUPLE_SHAPES || field.kind != BYTES) continue;
    TN_RETURN_IF_ERROR(make_type(arena, field.bytes, depth + 1, &elements[filled++]));
  }
  return tn__type_tuple(arena, count, elements, out_type);
}

static tn_status_t make_type(tn_arena_t* arena, source_t source, size_t depth,
                             const tn_type_t** out_type) {
  message_t message;
  TN_RETURN_IF_ERROR(take_message(source, &message));
  if (message.element_type == TUPLE) {
    return make_tuple(arena, source, message.element_count, depth, out_type);
  }
  if (message.element_type == TN_DTYPE_TOKEN) {
    *out_type = tn__type_token();
    return TN_OK;
  }
  return make_tensor(arena, &message, out_type);
}

tn_status_t tn__type_parse(tn_arena_t* arena, const void* data, size_t length,
                           const tn_type_t** out_type) {
  const unsigned char* bytes = length ? data : (const unsigned char*)"";
  *out_type = NULL;
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(make_type(arena, (source_t){bytes, bytes, bytes + length}, 0, &type));
  *out_type = type;
  return TN_OK;
}
