// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/type.h"

#include <stdio.h>

tn_type_kind_t tn_type_kind(const tn_type_t* type) {
  return type->kind;
}

tn_dtype_t tn_type_dtype(const tn_type_t* type) {
  switch (type->kind) {
    case TN_TYPE_TENSOR: return type->dtype;
    case TN_TYPE_TOKEN: return TN_DTYPE_TOKEN;
    case TN_TYPE_TUPLE:
    case TN_TYPE_FUTURE: break;
  }
  return TN_DTYPE_INVALID;
}

size_t tn_type_rank(const tn_type_t* type) {
  return type->rank;
}
const int64_t* tn_type_dims(const tn_type_t* type) {
  return type->dims;
}
size_t tn_type_element_count(const tn_type_t* type) {
  return type->element_count;
}

const tn_type_t* tn_type_element(const tn_type_t* type, size_t index) {
  return index < type->element_count ? type->elements[index] : NULL;
}

tn_status_t tn__type_check(tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  if (!tn_dtype_is_valid((int)dtype) || dtype == TN_DTYPE_TOKEN) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%d is not an element type of a tensor",
                            (int)dtype);
  }
  if (rank > TN_MAX_RANK) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "a tensor has rank %zu; the largest rank is %d", rank, TN_MAX_RANK);
  }
  if (rank && !dims) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the dimensions of a tensor of rank %zu are NULL", rank);
  }
  // A zero anywhere makes the product zero, but the other factors must not overflow on the way.
  int64_t bytes = (int64_t)tn_dtype_byte_size(dtype);
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == TN_DIM_DYNAMIC) continue;
    if (dims[i] < 0) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "dimension %zu is %lld; it must be >= 0", i,
                              (long long)dims[i]);
    }
    int64_t factor = dims[i] ? dims[i] : 1;
    if (__builtin_mul_overflow(bytes, factor, &bytes)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "the size of tensor<%sx%s> in bytes overflows 64 bits",
                              TN_SHAPE_TEXT(rank, dims), tn_dtype_name(dtype));
    }
  }
  return TN_OK;
}

tn_status_t tn__type_tensor(tn_arena_t* arena, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                            const tn_type_t** out_type) {
  *out_type = NULL;
  TN_RETURN_IF_ERROR(tn__type_check(dtype, rank, dims));
  if (rank == 0) {
    *out_type = tn__type_scalar(dtype);
    return TN_OK;
  }
  void* memory;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(tn_type_t) + rank * sizeof *dims, &memory));
  tn_type_t* type = memory;
  int64_t* copy = (int64_t*)(type + 1);
  memcpy(copy, dims, rank * sizeof *dims);
  *type = (tn_type_t){.kind = TN_TYPE_TENSOR, .dtype = dtype, .rank = rank, .dims = copy};
  *out_type = type;
  return TN_OK;
}

static tn_status_t make_parts(tn_arena_t* arena, tn_type_kind_t kind, size_t count,
                              const tn_type_t* const* elements, const tn_type_t** out_type) {
  *out_type = NULL;
  size_t depth = 1, part_count = 1;
  for (size_t i = 0; i < count; ++i) {
    bool has_parts = elements[i]->kind == TN_TYPE_TUPLE || elements[i]->kind == TN_TYPE_FUTURE;
    if (has_parts && elements[i]->depth >= depth) depth = elements[i]->depth + 1;
    part_count += has_parts ? elements[i]->part_count : 1;
    if (depth > TN_MAX_TYPE_DEPTH) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tuples nest deeper than %d levels",
                              TN_MAX_TYPE_DEPTH);
    }
    if (part_count > TN_MAX_TYPE_PARTS) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "a tuple type has more than %d parts",
                              TN_MAX_TYPE_PARTS);
    }
  }
  const tn_type_t** list = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, count, elements, &list));
  uint32_t* leaf_offsets = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &leaf_offsets));
  size_t leaf_count = 0;
  bool is_dynamic = false;
  for (size_t i = 0; i < count; ++i) {
    leaf_offsets[i] = (uint32_t)leaf_count;
    leaf_count += tn_type_leaf_count(elements[i]);
    is_dynamic |= !tn__type_is_static(elements[i]);
  }
  tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &type));
  *type = (tn_type_t){.kind = kind,
                      .element_count = count,
                      .elements = list,
                      .depth = depth,
                      .part_count = part_count,
                      .is_dynamic = is_dynamic,
                      .leaf_count = leaf_count,
                      .leaf_offsets = leaf_offsets};
  *out_type = type;
  return TN_OK;
}

tn_status_t tn__type_tuple(tn_arena_t* arena, size_t count, const tn_type_t* const* elements,
                           const tn_type_t** out_type) {
  return make_parts(arena, TN_TYPE_TUPLE, count, elements, out_type);
}

tn_status_t tn__type_future(tn_arena_t* arena, size_t count, const tn_type_t* const* elements,
                            const tn_type_t** out_type) {
  return make_parts(arena, TN_TYPE_FUTURE, count, elements, out_type);
}

const tn_type_t* tn__type_token(void) {
  static const tn_type_t token = {.kind = TN_TYPE_TOKEN, .dtype = TN_DTYPE_TOKEN};
  return &token;
}

const tn_type_t* tn__type_scalar(tn_dtype_t dtype) {
  static const tn_type_t scalars[TN_DTYPE_LIMIT] = {
#define TN_DTYPE(name, number, mlir, numpy, bits, kind_) \
  [TN_DTYPE_##name] = {.kind = TN_TYPE_TENSOR, .dtype = TN_DTYPE_##name},
#include <tenon/detail/dtype.def>
#undef TN_DTYPE
  };
  return tn_dtype_is_valid((int)dtype) && dtype != TN_DTYPE_TOKEN ? &scalars[dtype] : NULL;
}

tn_status_t tn__type_copy(tn_arena_t* arena, const tn_type_t* type, const tn_type_t** out_type) {
  *out_type = NULL;
  if (type->kind == TN_TYPE_TOKEN) {
    *out_type = type;
    return TN_OK;
  }
  if (type->kind == TN_TYPE_TENSOR) {
    const tn_type_t* copy = NULL;
    TN_RETURN_IF_ERROR(tn__type_tensor(arena, type->dtype, type->rank, type->dims, &copy));
    if (type->bounds) {
      // A scalar has no bounds, so `copy` is not static.
      TN_RETURN_IF_ERROR(
          TN_ARENA_COPY(arena, type->rank, type->bounds, &((tn_type_t*)copy)->bounds));
    }
    *out_type = copy;
    return TN_OK;
  }
  const tn_type_t** elements = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, type->element_count, &elements));
  for (size_t i = 0; i < type->element_count; ++i) {
    TN_RETURN_IF_ERROR(tn__type_copy(arena, type->elements[i], &elements[i]));
  }
  return make_parts(arena, type->kind, type->element_count, elements, out_type);
}

bool tn__type_is_static(const tn_type_t* type) {
  for (size_t i = 0; i < type->rank; ++i) {
    if (type->dims[i] == TN_DIM_DYNAMIC) return false;
  }
  return !type->is_dynamic;
}

int64_t tn__type_size(const tn_type_t* type) {
  int64_t size = 1;
  for (size_t i = 0; i < type->rank; ++i) {
    if (type->dims[i] == 0) return 0;
    size *= type->dims[i];
  }
  return size;
}

size_t tn__type_byte_size(const tn_type_t* type) {
  if (type->kind != TN_TYPE_TENSOR) return 0;
  return (size_t)tn__type_size(type) * tn_dtype_byte_size(type->dtype);
}

bool tn__type_same_shape(const tn_type_t* a, const tn_type_t* b) {
  return a == b || (a->rank == b->rank &&
                    (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0));
}

bool tn__type_is_rows_of(const tn_type_t* rows, const tn_type_t* whole, size_t* out_rank) {
  size_t rank = 0;
  for (size_t d = 0; d < rows->rank; ++d) {
    if (rows->dims[d] == 1) continue;
    while (rank < whole->rank && whole->dims[rank] == 1) ++rank;
    if (rank == whole->rank || whole->dims[rank] != rows->dims[d]) return false;
    ++rank;
  }
  *out_rank = rank;
  return true;
}

bool tn_type_equal(const tn_type_t* a, const tn_type_t* b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->dtype != b->dtype || a->element_count != b->element_count ||
      !tn__type_same_shape(a, b)) {
    return false;
  }
  if (!a->bounds != !b->bounds) return false;
  if (a->bounds && memcmp(a->bounds, b->bounds, a->rank * sizeof *a->bounds) != 0) return false;
  for (size_t i = 0; i < a->element_count; ++i) {
    if (!tn_type_equal(a->elements[i], b->elements[i])) return false;
  }
  return true;
}

size_t tn_type_leaf_count(const tn_type_t* type) {
  return type->kind == TN_TYPE_TUPLE ? type->leaf_count : 1;
}

size_t tn__type_leaf_offset(const tn_type_t* type, size_t index) {
  return type->leaf_offsets[index];
}

void tn__type_for_each_leaf(const tn_type_t* type, void (*visit)(void* user, const tn_type_t* leaf),
                            void* user) {
  if (type->kind != TN_TYPE_TUPLE) {
    visit(user, type);
    return;
  }
  for (size_t i = 0; i < type->element_count; ++i) {
    tn__type_for_each_leaf(type->elements[i], visit, user);
  }
}

typedef struct text {
  char* buffer;
  size_t capacity, length;
} text_t;

static void put(text_t* text, const char* piece) {
  size_t length = strlen(piece);
  if (text->length < text->capacity) {
    size_t room = text->capacity - text->length;
    memcpy(text->buffer + text->length, piece, length < room ? length : room);
  }
  text->length += length;
}

static void put_dimension(text_t* text, int64_t dimension) {
  char number[24];
  snprintf(number, sizeof number, "%lld", (long long)dimension);
  put(text, dimension == TN_DIM_DYNAMIC ? "?" : number);
}

static void put_type(text_t* text, const tn_type_t* type) {
  switch (type->kind) {
    case TN_TYPE_TOKEN: put(text, "!stablehlo.token"); return;
    case TN_TYPE_TUPLE:
    case TN_TYPE_FUTURE:
      put(text, type->kind == TN_TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
      for (size_t i = 0; i < type->element_count; ++i) {
        if (i) put(text, ", ");
        put_type(text, type->elements[i]);
      }
      put(text, ">");
      return;
    case TN_TYPE_TENSOR: break;
  }
  put(text, "tensor<");
  for (size_t i = 0; i < type->rank; ++i) {
    put_dimension(text, type->dims[i]);
    put(text, "x");
  }
  put(text, tn_dtype_name(type->dtype));
  if (type->bounds) {
    put(text, ", #stablehlo.bounds<");
    for (size_t i = 0; i < type->rank; ++i) {
      if (i) put(text, ", ");
      put_dimension(text, type->bounds[i]);
    }
    put(text, ">");
  }
  put(text, ">");
}

static size_t finish(text_t* text, size_t capacity) {
  if (capacity) text->buffer[text->length < capacity ? text->length : capacity - 1] = 0;
  return text->length;
}

size_t tn_type_format(const tn_type_t* type, char* buffer, size_t capacity) {
  text_t text = {buffer, capacity ? capacity - 1 : 0, 0};
  put_type(&text, type);
  return finish(&text, capacity);
}

tn_type_text_t tn__type_text(const tn_type_t* type) {
  tn_type_text_t out;
  size_t length = tn_type_format(type, out.text, sizeof out.text);
  if (length >= sizeof out.text) memcpy(out.text + sizeof out.text - 4, "...", 4);
  return out;
}

tn_type_text_t tn__shape_text(size_t rank, const int64_t* dims) {
  tn_type_text_t out;
  text_t text = {out.text, sizeof out.text - 1, 0};
  if (rank == 0) put(&text, "scalar");
  for (size_t i = 0; i < rank; ++i) {
    if (i) put(&text, "x");
    put_dimension(&text, dims[i]);
  }
  if (finish(&text, sizeof out.text) >= sizeof out.text) {
    memcpy(out.text + sizeof out.text - 4, "...", 4);
  }
  return out;
}
