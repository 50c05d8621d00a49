// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of tn_type_t (public in <tenon/detail/type.h>), and the checked arithmetic of shapes.
#ifndef TENON_BASE_TYPE_H_
#define TENON_BASE_TYPE_H_

#include <tenon/detail/type.h>

#include "base/arena.h"

struct tn_type {
  tn_type_kind_t kind;
  tn_dtype_t dtype;     // tensors
  size_t rank;          // tensors
  const int64_t* dims;  // tensors: `rank` of them, each >= 0 or TN_DIM_DYNAMIC
  const int64_t*
      bounds;  // NULL, or `rank` upper bounds of dynamic dimensions (TN_DIM_DYNAMIC: none)
  size_t element_count;  // tuples and futures
  // Of both, counted when they are made: elements may be shared, so walking them can take long.
  size_t depth;                  // 1 when no element has elements
  size_t part_count;             // the tuple itself and everything in it
  bool is_dynamic;               // whether there is a `?` in an element
  size_t leaf_count;             // of a tuple
  const uint32_t* leaf_offsets;  // of a tuple: how many leaves are before each element
  const tn_type_t* const* elements;
};

// Refuses what is no element type, ranks above TN_MAX_RANK, negative dimensions and sizes in bytes
// that overflow int64.
TN_MUST_USE tn_status_t tn__type_check(tn_dtype_t dtype, size_t rank, const int64_t* dims);
// Copies `dims`, checked so.
TN_MUST_USE tn_status_t tn__type_tensor(tn_arena_t* arena, tn_dtype_t dtype, size_t rank,
                                        const int64_t* dims, const tn_type_t** out_type);
// Copies the list, not the elements, which must live as long as the arena. Refuses what nests
// deeper than TN_MAX_TYPE_DEPTH or has more parts than TN_MAX_TYPE_PARTS.
TN_MUST_USE tn_status_t tn__type_tuple(tn_arena_t* arena, size_t count,
                                       const tn_type_t* const* elements,
                                       const tn_type_t** out_type);
// The same for what async_start gives.
TN_MUST_USE tn_status_t tn__type_future(tn_arena_t* arena, size_t count,
                                        const tn_type_t* const* elements,
                                        const tn_type_t** out_type);
const tn_type_t* tn__type_token(void);               // static
const tn_type_t* tn__type_scalar(tn_dtype_t dtype);  // static tensor<dtype>; NULL for INVALID

// Deep copy into `arena`.
TN_MUST_USE tn_status_t tn__type_copy(tn_arena_t* arena, const tn_type_t* type,
                                      const tn_type_t** out_type);

static inline bool tn__type_is_tensor(const tn_type_t* type) {
  return type->kind == TN_TYPE_TENSOR;
}
bool tn__type_is_static(const tn_type_t* type);  // no `?` anywhere in it

// Number of elements of a static tensor. Cannot overflow: tn__type_tensor checked it.
int64_t tn__type_size(const tn_type_t* type);
// Bytes of a static tensor's data; 0 for tokens. Tuples have no bytes of their own.
size_t tn__type_byte_size(const tn_type_t* type);

// Equal shapes (dims only), whatever the dtypes. Both are tensors.
bool tn__type_same_shape(const tn_type_t* a, const tn_type_t* b);
// Whether `rows` has one element for each row of `whole`: the first dimensions of that, those of
// size 1 aside. *out_rank is how many of them; the others make a row.
bool tn__type_is_rows_of(const tn_type_t* rows, const tn_type_t* whole, size_t* out_rank);

// How many leaves of a tuple are before those of element `index`.
size_t tn__type_leaf_offset(const tn_type_t* type, size_t index);
// Leaves in preorder: calls visit(user, leaf) for each tensor or token.
void tn__type_for_each_leaf(const tn_type_t* type, void (*visit)(void* user, const tn_type_t* leaf),
                            void* user);

// Text of a type for messages, in one of several static-size buffers: printf("%s",
// TN_TYPE_TEXT(type)).
typedef struct tn_type_text {
  char text[160];
} tn_type_text_t;
tn_type_text_t tn__type_text(const tn_type_t* type);
tn_type_text_t tn__shape_text(size_t rank, const int64_t* dims);  // "2x3"; "scalar" for rank 0
#define TN_TYPE_TEXT(type) tn__type_text(type).text
#define TN_SHAPE_TEXT(rank, dims) tn__shape_text(rank, dims).text

#endif  // TENON_BASE_TYPE_H_
