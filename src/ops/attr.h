// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes: the compile-time values of operations, as StableHLO spells them. Immutable, in the
// module's arena.
#ifndef TENON_OPS_ATTR_H_
#define TENON_OPS_ATTR_H_

#include "base/type.h"

typedef struct tn_attr tn_attr_t;

typedef enum tn_attr_kind {
  TN_ATTR_UNIT = 1,     // a bare key
  TN_ATTR_BOOL,         // true, false
  TN_ATTR_INTEGER,      // 3 : i64
  TN_ATTR_FLOAT,        // 1.5 : f32
  TN_ATTR_STRING,       // "text", any bytes
  TN_ATTR_SYMBOL,       // @name
  TN_ATTR_TYPE,         // tensor<2xf32>, f32 (as a scalar tensor with `element_type` set)
  TN_ATTR_ARRAY,        // [a, b]
  TN_ATTR_DICTIONARY,   // {a = 1, b = 2}
  TN_ATTR_DENSE_ARRAY,  // array<i64: 1, 2>
  TN_ATTR_ELEMENTS,     // dense<[1, 2]> : tensor<2xi32>
  TN_ATTR_ENUM,         // #stablehlo<comparison_direction LT>
  TN_ATTR_STRUCT,       // #stablehlo.gather<offset_dims = [0], ...>
  TN_ATTR_OPAQUE,       // an attribute of another dialect, kept as text
} tn_attr_kind_t;

typedef struct tn_named_attr {
  tn_string_view_t name;
  const tn_attr_t* attr;
} tn_named_attr_t;

// Entries sorted byte-wise by name, names unique.
typedef struct tn_attr_dictionary {
  size_t count;
  const tn_named_attr_t* entries;
} tn_attr_dictionary_t;

struct tn_attr {
  tn_attr_kind_t kind;
  tn_dtype_t dtype;  // INTEGER, FLOAT, DENSE_ARRAY (of its elements)
  // ARRAY, DICTIONARY, STRUCT, as tn__attr_add_inner left them: attributes inside, a shared one
  // counted at each mention; how deep they nest; and their names and values. The first two are
  // within base/limits.h, so that any walk ends soon.
  uint32_t inner_count, depth;
  uint64_t inner_hash;
  // ENUM and STRUCT: which one, without the dialect ("comparison_direction", "gather").
  tn_string_view_t name;
  union {
    bool boolean;
    int64_t integer;          // two's complement; unsigned 64-bit values keep their bits
    double real;              // the value after rounding to `dtype`
    tn_string_view_t string;  // STRING, SYMBOL, ENUM (the enumerator's name), OPAQUE (its text)
    struct {
      const tn_type_t* type;
      bool element_type;  // written as a bare element type: f32, not tensor<f32>
    } type;
    struct {
      size_t count;
      const tn_attr_t* const* items;
    } array;
    tn_attr_dictionary_t dictionary;  // DICTIONARY, STRUCT (fields that were written)
    struct {
      int64_t count;
      const void* data;  // elements of `dtype`, as in memory
    } dense_array;
    struct {
      const tn_type_t* type;  // static tensor
      const void* data;       // 64-byte aligned; one element when `splat`
      bool splat;
    } elements;
  };
};

// The attribute in messages: "1 : i64", "the string \"x\"", "an array of f32".
typedef struct tn_attr_text {
  char text[192];
} tn_attr_text_t;
tn_attr_text_t tn__attr_describe(const tn_attr_t* attr);
#define TN_ATTR_TEXT(attr) tn__attr_describe(attr).text

// NULL when there is none.
const tn_attr_t* tn__attr_find(const tn_attr_dictionary_t* dictionary, const char* name);
// Deep equality; floats by their bits.
bool tn__attr_equal(const tn_attr_t* a, const tn_attr_t* b);
bool tn__attr_dictionary_equal(const tn_attr_dictionary_t* a, const tn_attr_dictionary_t* b);
// Equality that costs little: of attributes that are long or nest, only one and the same is the
// same. (Comparing could take long: their parts may be shared.)
bool tn__attr_dictionary_same(const tn_attr_dictionary_t* a, const tn_attr_dictionary_t* b);
// Of attributes that are equal, the same. Takes no longer for those that nest than for others; long
// data counts with its first part.
uint64_t tn__attr_hash(const tn_attr_t* attr);
// Whether a copy for each mention could cost much more than the mention did. Smaller attributes are
// easier to read, and soon copied.
enum { TN_ATTR_LARGE_PARTS = 32, TN_ATTR_LARGE_BYTES = 1024 };
bool tn__attr_is_large(const tn_attr_t* attr);
// For what fills a list or a dictionary without the makers below: takes note of one attribute
// inside of it; lists have no names. INVALID_ARGUMENT for more parts or deeper nesting than
// base/limits.h allows.
TN_MUST_USE tn_status_t tn__attr_add_inner(tn_attr_t* outer, tn_string_view_t name,
                                           const tn_attr_t* inner);
// "an integer", "a string", ... for messages.
const char* tn__attr_kind_name(tn_attr_kind_t kind);

// Attributes that C writes down: views, which live as long as the enclosing block.
#define TN_ATTR_OF(text, ...) ((tn_named_attr_t){tn__sv(text), &(const tn_attr_t){__VA_ARGS__}})
#define TN_I64_ATTR(text, value) \
  TN_ATTR_OF(text, .kind = TN_ATTR_INTEGER, .dtype = TN_DTYPE_S64, .integer = (value))
#define TN_BOOL_ATTR(text, value) \
  TN_ATTR_OF(text, .kind = TN_ATTR_BOOL, .dtype = TN_DTYPE_PRED, .boolean = (value))
#define TN_ENUM_ATTR(text, of, value) \
  TN_ATTR_OF(text, .kind = TN_ATTR_ENUM, .name = tn__sv(of), .string = tn__sv(value))
#define TN_LIST_ATTR(text, type, n, list)                        \
  TN_ATTR_OF(text, .kind = TN_ATTR_DENSE_ARRAY, .dtype = (type), \
             .dense_array = {.count = (int64_t)(n), .data = (list)})
#define TN_I64_LIST_ATTR(text, n, list) TN_LIST_ATTR(text, TN_DTYPE_S64, n, list)
// `n` pairs, one behind the other.
#define TN_I64_PAIRS_ATTR(text, n, list)                                                          \
  TN_ATTR_OF(text, .kind = TN_ATTR_ELEMENTS,                                                      \
             .elements = {.type = &(const tn_type_t){.kind = TN_TYPE_TENSOR,                      \
                                                     .dtype = TN_DTYPE_S64,                       \
                                                     .rank = 2,                                   \
                                                     .dims = (const int64_t[]){(int64_t)(n), 2}}, \
                          .data = (list)})
#define TN_STRUCT_ATTR(text, of, n, fields)                    \
  TN_ATTR_OF(text, .kind = TN_ATTR_STRUCT, .name = tn__sv(of), \
             .dictionary = {.count = (n), .entries = (fields)})

// A deep copy, which shares nothing with what it is a copy of. Entries may come in any order; a
// name given twice is an error. A copy that is not counted costs less: it lacks inner_count, depth
// and inner_hash, and is not for modules.
TN_MUST_USE tn_status_t tn__attr_dictionary_copy(tn_arena_t* arena, bool is_counted,
                                                 const tn_attr_dictionary_t* dictionary,
                                                 tn_attr_dictionary_t* out_dictionary);

// Makers: copy what they are given into the arena. INVALID_ARGUMENT for more parts or deeper
// nesting than base/limits.h allows.
TN_MUST_USE tn_status_t tn__attr_unit(tn_arena_t* arena, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_bool(tn_arena_t* arena, bool value, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_integer(tn_arena_t* arena, tn_dtype_t dtype, int64_t value,
                                         const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_float(tn_arena_t* arena, tn_dtype_t dtype, double value,
                                       const tn_attr_t** out_attr);
// STRING, SYMBOL or OPAQUE.
TN_MUST_USE tn_status_t tn__attr_text(tn_arena_t* arena, tn_attr_kind_t kind, tn_string_view_t text,
                                      const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_enum(tn_arena_t* arena, const char* name, tn_string_view_t value,
                                      const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_type(tn_arena_t* arena, const tn_type_t* type, bool element_type,
                                      const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_array(tn_arena_t* arena, size_t count,
                                       const tn_attr_t* const* items, const tn_attr_t** out_attr);
// Sorts; a name given twice is an error. `kind` is DICTIONARY, or STRUCT with its `name`.
TN_MUST_USE tn_status_t tn__attr_dictionary(tn_arena_t* arena, tn_attr_kind_t kind,
                                            tn_string_view_t name, size_t count,
                                            const tn_named_attr_t* entries,
                                            const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_dense_array(tn_arena_t* arena, tn_dtype_t dtype, int64_t count,
                                             const void* data, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attr_i64_array(tn_arena_t* arena, size_t count, const int64_t* values,
                                           const tn_attr_t** out_attr);
// What `[1, 2]` and `[true]` say as array<i64: 1, 2> and array<i1: true>; an empty list is one of
// i64. NULL when the items are neither.
TN_MUST_USE tn_status_t tn__attr_list_of_items(tn_arena_t* arena, const tn_attr_t* array,
                                               const tn_attr_t** out_attr);
// Whether there are elements, and all have the same bits.
bool tn__elements_are_alike(const tn_type_t* type, const void* data);
// `data` holds one element when `splat`, else all. Elements that are all alike are a splat as well,
// whatever their number: passes and printers need not look for one. They are all there then.
TN_MUST_USE tn_status_t tn__attr_elements(tn_arena_t* arena, const tn_type_t* type, bool splat,
                                          const void* data, const tn_attr_t** out_attr);

// Readers for rules and kernels, whose attributes the verifier has already matched with the
// operation's specification. Absent attributes give `fallback`.
// A list of array<...> or dense<...>, where it is; NULL and 0 when it is absent.
const void* tn__attr_get_elements(const tn_attr_dictionary_t* dictionary, const char* name,
                                  size_t* out_count);
int64_t tn__attr_get_integer(const tn_attr_dictionary_t* dictionary, const char* name,
                             int64_t fallback);
bool tn__attr_get_bool(const tn_attr_dictionary_t* dictionary, const char* name, bool fallback);
double tn__attr_get_float(const tn_attr_dictionary_t* dictionary, const char* name,
                          double fallback);
tn_string_view_t tn__attr_get_string(const tn_attr_dictionary_t* dictionary, const char* name);

// A list of integers, whichever way it was written: array<i64: ...>, dense<...> : tensor<Nxi64>, [1
// : i64, ...]. `values` is NULL and `present` false when the attribute is absent. A splat is
// expanded into the arena.
typedef struct tn_i64_list {
  bool present;
  size_t count;
  const int64_t* values;
} tn_i64_list_t;
TN_MUST_USE tn_status_t tn__attr_get_i64_list(const tn_attr_dictionary_t* dictionary,
                                              const char* name, tn_arena_t* arena,
                                              tn_i64_list_t* out_list);

#endif  // TENON_OPS_ATTR_H_
