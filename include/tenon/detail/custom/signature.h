// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Signature lists: their keywords, defaults, assertions, and the rows of the table that tools read.
#ifndef TENON_DETAIL_CUSTOM_SIGNATURE_H_
#define TENON_DETAIL_CUSTOM_SIGNATURE_H_

#include <tenon/detail/custom/attributes.h>

// A keyword is a macro for "~, 1, ..."; any other name remains one token, for which the macros that
// select a part substitute a default. A mistake therefore fails exactly one assertion, which names
// it (see TN__FIELD).

#define TN__CAT(a, b) TN__PASTE(a, b)
#define TN__PASTE(a, b) a##b
#define TN__PLAIN(...) __VA_ARGS__
#define TN__NONE(...)
#define TN__ONE(...) +1
#define TN__2ND(a, b, ...) b
#define TN__3RD(a, b, c, ...) c
#define TN__4TH(a, b, c, d, ...) d
#define TN__5TH(a, b, c, d, e, ...) e
#define TN__6TH(a, b, c, d, e, f, ...) f
#define TN__KNOWN(...) TN__2ND(__VA_ARGS__, 0, ~)

// Element types: ~, 1, suffix of the struct, (set, same dtype as), substitute.
#define TN__SUFFIX(...) TN__3RD(__VA_ARGS__, any, any, ~)
#define TN__DTYPES(...) TN__4TH(__VA_ARGS__, (0, NULL), (0, NULL), (0, NULL), ~)
#define TN__DTYPE_OTHER(...) \
  TN__5TH(__VA_ARGS__, (*tn_value), (*tn_value), (*tn_value), (*tn_value), ~)
#define TN__ELEMENT(word, NAME, number, ctype) tn_element_##word = number,
enum { TN_FFI_DTYPES(TN__ELEMENT) tn_element_any = 0, tn_element_none = 63 };
#define TN__BIT(word) (UINT64_C(1) << tn_element_##word)
#define TN__ANY (~TN__BIT(none))
#define TN__D_any ~, 1, any, (TN__ANY, NULL), (*tn_value)
#define TN__D_dtype_of(x) ~, 1, any, (TN__ANY, #x), tn_self->x
#define TN__D_of(...)                             \
  ~, TN__PADDED(TN__ARE_FIXED, __VA_ARGS__), any, \
      (TN__ANY & (TN__PADDED(TN__UNITE, __VA_ARGS__)), NULL), (*tn_value)
#define TN__PADDED(m, ...)                                                                       \
  m(__VA_ARGS__, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, tn_pad, \
    tn_pad, tn_pad, ~)
#define TN__D_tn_pad ~, 1, none
// The element of a word in of(...), or that of `any` unless it is a single dtype.
#define TN__WORD(word) TN__WORD_OF(TN__D_##word)
#define TN__WORD_OF(...) TN__CAT(tn_element_, TN__SUFFIX(__VA_ARGS__))
#define TN__UNITE(a, b, c, d, e, f, g, h, i, j, k, l, ...)                                      \
  TN__WORD_BIT(a) | TN__WORD_BIT(b) | TN__WORD_BIT(c) | TN__WORD_BIT(d) | TN__WORD_BIT(e) |     \
      TN__WORD_BIT(f) | TN__WORD_BIT(g) | TN__WORD_BIT(h) | TN__WORD_BIT(i) | TN__WORD_BIT(j) | \
      TN__WORD_BIT(k) | TN__WORD_BIT(l)
#define TN__WORD_BIT(word) UINT64_C(1) << TN__WORD(word)
#define TN__ARE_FIXED(a, b, c, d, e, f, g, h, i, j, k, l, m, ...)                      \
  ((TN__WORD(a) != 0) & (TN__WORD(b) != 0) & (TN__WORD(c) != 0) & (TN__WORD(d) != 0) & \
   (TN__WORD(e) != 0) & (TN__WORD(f) != 0) & (TN__WORD(g) != 0) & (TN__WORD(h) != 0) & \
   (TN__WORD(i) != 0) & (TN__WORD(j) != 0) & (TN__WORD(k) != 0) & (TN__WORD(l) != 0) & \
   (TN__WORD(m) == tn_element_none))
#define TN__FIXED(word) ~, 1, word, (TN__BIT(word), NULL), (*tn_value)
#define TN__D_pred TN__FIXED(pred)
#define TN__D_s1 TN__FIXED(s1)
#define TN__D_s2 TN__FIXED(s2)
#define TN__D_s4 TN__FIXED(s4)
#define TN__D_s8 TN__FIXED(s8)
#define TN__D_s16 TN__FIXED(s16)
#define TN__D_s32 TN__FIXED(s32)
#define TN__D_s64 TN__FIXED(s64)
#define TN__D_u1 TN__FIXED(u1)
#define TN__D_u2 TN__FIXED(u2)
#define TN__D_u4 TN__FIXED(u4)
#define TN__D_u8 TN__FIXED(u8)
#define TN__D_u16 TN__FIXED(u16)
#define TN__D_u32 TN__FIXED(u32)
#define TN__D_u64 TN__FIXED(u64)
#define TN__D_f16 TN__FIXED(f16)
#define TN__D_bf16 TN__FIXED(bf16)
#define TN__D_f32 TN__FIXED(f32)
#define TN__D_f64 TN__FIXED(f64)
#define TN__D_c64 TN__FIXED(c64)
#define TN__D_c128 TN__FIXED(c128)
#define TN__D_token TN__FIXED(token)
#define TN__D_f4e2m1fn TN__FIXED(f4e2m1fn)
#define TN__D_f8e3m4 TN__FIXED(f8e3m4)
#define TN__D_f8e4m3 TN__FIXED(f8e4m3)
#define TN__D_f8e4m3fn TN__FIXED(f8e4m3fn)
#define TN__D_f8e4m3b11fnuz TN__FIXED(f8e4m3b11fnuz)
#define TN__D_f8e4m3fnuz TN__FIXED(f8e4m3fnuz)
#define TN__D_f8e5m2 TN__FIXED(f8e5m2)
#define TN__D_f8e5m2fnuz TN__FIXED(f8e5m2fnuz)
#define TN__D_f8e8m0fnu TN__FIXED(f8e8m0fnu)

// Shapes: ~, 1, number of values, (rank, flags, same shape as), substitute[, text of dims].
#define TN__MANY(...) TN__3RD(__VA_ARGS__, one, one, ~)
#define TN__SHAPE(...) TN__4TH(__VA_ARGS__, (0, 0, NULL), (0, 0, NULL), (0, 0, NULL), ~)
#define TN__SHAPE_OTHER(...) \
  TN__5TH(__VA_ARGS__, (*tn_value), (*tn_value), (*tn_value), (*tn_value), ~)
#define TN__DIMS(...) TN__6TH(__VA_ARGS__, NULL, NULL, NULL, NULL, NULL, ~)
// Room for the plan of such a list: at most a number for each two characters, and two more.
#define TN__DIMS_ROOM(name, dtype, ...) TN__ROOM_OF(TN__S_##__VA_ARGS__, ~)
#define TN__ROOM_OF(s, ...) TN__ROOM_AS(s)
#define TN__ROOM_AS(...) +TN__ROOM(TN__6TH(__VA_ARGS__, "", "", "", "", "", ~))
#define TN__ROOM(text) (sizeof(text) > 1 ? sizeof(text) + 2 : 0)
#define TN__S_any_rank ~, 1, one, (-1, 0, NULL), (*tn_value)
#define TN__S_rank(n) ~, (sizeof #n > 1), one, (n + 0, 0, NULL), (*tn_value)
#define TN__S_dims(...) \
  ~, TN__PADDED(TN__ARE_DIMS, __VA_ARGS__), one, (-1, 0, NULL), (*tn_value), #__VA_ARGS__
#define TN__ARE_DIMS(a, b, c, d, e, f, g, h, i, j, k, l, m, ...)                            \
  ((__builtin_strcmp(#a, "...") == 0 || TN__IS_DIM(a)) && TN__IS_DIM(b) && TN__IS_DIM(c) && \
   TN__IS_DIM(d) && TN__IS_DIM(e) && TN__IS_DIM(f) && TN__IS_DIM(g) && TN__IS_DIM(h) &&     \
   TN__IS_DIM(i) && TN__IS_DIM(j) && TN__IS_DIM(k) && TN__IS_DIM(l) &&                      \
   __builtin_strcmp(#m, "tn_pad") == 0)
// Begins with a letter or a digit; the rest is read when the operation is used first.
#define TN__IS_DIM(x)                                                                  \
  (TN__BEGINS(#x, "a", "z") || TN__BEGINS(#x, "A", "Z") || TN__BEGINS(#x, "0", "9") || \
   TN__BEGINS(#x, "_", "_"))
#define TN__BEGINS(text, first, last) \
  (__builtin_memcmp(text, first, 1) >= 0 && __builtin_memcmp(text, last, 1) <= 0)
#define TN__S_like(x) ~, 1, one, (-1, TN_FFI_PARAM_LIKE, #x), tn_self->x
#define TN__S_shape_of(x) ~, 1, one, (-1, 0, #x), tn_self->x
#define TN__S_optional ~, 1, maybe, (-1, TN_FFI_PARAM_OPTIONAL, NULL), (*tn_value)
#define TN__S_remaining ~, 1, rest, (-1, TN_FFI_PARAM_REMAINING, NULL), (*tn_value)

// Attributes: ~, 1, C type, kind of default, expression that decodes tn_found into *tn_out, (set,
// same dtype as, rank, flags, same shape as, type in the ABI, fields, number of fields).
#define TN__CTYPE(...) TN__3RD(__VA_ARGS__, int, int, ~)
#define TN__DEFAULT(...) TN__4TH(__VA_ARGS__, unknown, unknown, unknown, ~)
#define TN__DECODER(...) TN__5TH(__VA_ARGS__, false, false, false, false, ~)
#define TN__ATTR(...) \
  TN__6TH(__VA_ARGS__, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, ~)
#define TN__NO_ATTR (0, NULL, -1, 0, NULL, 0, NULL, 0)
#define TN__A(ctype, way, decoder, set, flags, wire, fields, count) \
  ~, 1, ctype, way, decoder, (set, NULL, -1, flags, NULL, wire, fields, count)
#define TN__NUMBER_ATTR(T, way)                                                               \
  TN__A(T, way,                                                                               \
        (tn__exact_##T(&tn_found, tn_out) || (tn_converts && tn__as_##T(&tn_found, tn_out))), \
        UINT64_C(1) << tn_element_##T, 0, TN_FFI_SCALAR, NULL, 0)
#define TN__A_bool TN__NUMBER_ATTR(bool, integer)
#define TN__A_int8_t TN__NUMBER_ATTR(int8_t, integer)
#define TN__A_int16_t TN__NUMBER_ATTR(int16_t, integer)
#define TN__A_int32_t TN__NUMBER_ATTR(int32_t, integer)
#define TN__A_int64_t TN__NUMBER_ATTR(int64_t, integer)
#define TN__A_uint8_t TN__NUMBER_ATTR(uint8_t, integer)
#define TN__A_uint16_t TN__NUMBER_ATTR(uint16_t, integer)
#define TN__A_uint32_t TN__NUMBER_ATTR(uint32_t, integer)
#define TN__A_uint64_t TN__NUMBER_ATTR(uint64_t, integer)
#define TN__A_float TN__NUMBER_ATTR(float, number)
#define TN__A_double TN__NUMBER_ATTR(double, number)
#define TN__A_address                                                         \
  TN__A(tn_address_t, value, tn__as_address(&tn_found, tn_out), TN__BIT(s64), \
        TN_FFI_PARAM_ADDRESS, TN_FFI_SCALAR, NULL, 0)
#define TN__A_string \
  TN__A(tn_string_t, text, tn__as_string(&tn_found, tn_out), 0, 0, TN_FFI_STRING, NULL, 0)
#define TN__A_array(T) \
  TN__CAT(TN__ARRAY_, TN__DEFAULT(TN__A_##T))(tn_span_##T##_t, tn__as_array_##T, tn_element_##T)
#define TN__ARRAY_integer(ctype, decode, element) \
  TN__A(ctype, empty, decode(&tn_found, tn_out), UINT64_C(1) << element, 0, TN_FFI_ARRAY, NULL, 0)
#define TN__ARRAY_number TN__ARRAY_integer
#define TN__ARRAY_value(...) TN__NO_SCALAR
#define TN__ARRAY_text(...) TN__NO_SCALAR
#define TN__ARRAY_empty(...) TN__NO_SCALAR
#define TN__ARRAY_fields(...) TN__NO_SCALAR
#define TN__ARRAY_unknown(...) TN__NO_SCALAR
#define TN__A_dictionary                                                                        \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, 0, TN_FFI_DICTIONARY, \
        NULL, 0)
#define TN__A_all_attributes                                                                       \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, TN_FFI_PARAM_EVERYTHING, \
        TN_FFI_DICTIONARY, NULL, 0)
#define TN__A_enum_of(T, wire)                                                                     \
  TN__A(                                                                                           \
      T, integer,                                                                                  \
      (tn__exact_##wire(&tn_found, &tn_wire.as_##wire) && (*tn_out = (T)tn_wire.as_##wire, true)), \
      UINT64_C(1) << tn_element_##wire, TN_FFI_PARAM_ENUM, TN_FFI_SCALAR, NULL, 0)
#define TN__A_record(T)                                                          \
  TN__A(T, fields,                                                               \
        (tn_found.type == TN_FFI_DICTIONARY &&                                   \
         (tn_bad = T##_decode(tn_out, tn_call, &tn_here,                         \
                              (const tn_ffi_attrs_t*)tn_found.value)) == TN_OK), \
        0, 0, TN_FFI_DICTIONARY, T##_fields, sizeof T##_fields / sizeof *T##_fields - 1)
#define TN__A_decoded_by(T, function)                                                             \
  TN__A(T, value, (tn_found.type && (tn_bad = function(tn_call, &tn_found, tn_out)) == TN_OK), 0, \
        0, 0, NULL, 0)
typedef union tn__wire {
  bool as_bool;
  int8_t as_int8_t;
  int16_t as_int16_t;
  int32_t as_int32_t;
  int64_t as_int64_t;
  uint8_t as_uint8_t;
  uint16_t as_uint16_t;
  uint32_t as_uint32_t;
  uint64_t as_uint64_t;
} tn__wire_t;

// Defaults, by kind: the entry of the signature (TN__SAY: text, integer, number, string), and the
// assignment to the struct (TN__PUT). TN__WAY is the kind, or `required` for TN_REQUIRED.
#define TN_REQUIRED() ~, 1
#define TN_EMPTY 0
#define TN__WAY(way, ...) TN__CAT(TN__WAY_, TN__IS_REQUIRED(__VA_ARGS__, ~))(way)
#define TN__IS_REQUIRED(value, ...) TN__KNOWN(value())
#define TN__WAY_0(way) way
#define TN__WAY_1(way) required
// clang-format off
#define TN__SAY_required(...) NULL, 0, 0.0, {NULL, 0}
#define TN__SAY_unknown(...) NULL, 0, 0.0, {NULL, 0}
#define TN__SAY_integer(value, ...) #value, (int64_t)TN__AS_NUMBER(value), 0.0, {NULL, 0}
#define TN__SAY_number(value, ...) #value, 0, (double)TN__AS_NUMBER(value), {NULL, 0}
#define TN__SAY_text(value, ...) #value, 0, 0.0, {TN__AS_TEXT(value), sizeof(value) - 1}
#define TN__SAY_value(value, ...) #value, 0, 0.0, {NULL, 0}
#define TN__SAY_empty(value, ...) "", (value), 0.0, {NULL, 0}
#define TN__SAY_fields(value, ...) "", (value), 0.0, {NULL, 0}
// clang-format on
#define TN__PUT_required(decoder, ...) return TN__REFUSE_ATTR();
#define TN__PUT_unknown(decoder, ...)
#define TN__PUT_integer(decoder, otherwise, ...) *tn_out = TN__AS_NUMBER(otherwise);
#define TN__PUT_number(decoder, otherwise, ...) *tn_out = TN__AS_NUMBER(otherwise);
#define TN__PUT_text(decoder, otherwise, ...) \
  tn_out->data = TN__AS_TEXT(otherwise), tn_out->size = sizeof(otherwise) - 1;
#define TN__PUT_value(decoder, otherwise, ...) *tn_out = (otherwise);
#define TN__PUT_empty(decoder, otherwise, ...) memset(tn_out, (otherwise), sizeof *tn_out);
#define TN__PUT_fields(decoder, otherwise, ...)    \
  tn_found.type = TN_FFI_DICTIONARY + (otherwise); \
  tn_found.value = &tn__no_attrs;                  \
  if (!(decoder)) return tn_bad;

// Whether a default is a string; TN__AS_TEXT and TN__AS_NUMBER are it, or a substitute if it is of
// another kind, so that only the assertion fails.
#ifdef __cplusplus
extern "C++" {
template <size_t size>
char (&tn__text_kind(const char (&)[size]))[2];
char (&tn__text_kind(...))[1];
template <size_t size>
constexpr const char* tn__as_text(const char (&text)[size]) {
  return text;
}
constexpr const char* tn__as_text(...) {
  return "";
}
}
#define TN__IS_TEXT(value) (sizeof tn__text_kind(value) == 2)
#define TN__AS_TEXT(value) tn__as_text(value)
#define TN__AS_NUMBER(value) (value)
#else
#define TN__IS_TEXT(value) _Generic((value), char* : 1, default : 0)
#define TN__AS_TEXT(value) _Generic((value), char* : (value), default : "")
#define TN__AS_NUMBER(value) _Generic((value), char* : 0, default : (value))
#endif
#define TN__FITS_required(...) 1
#define TN__FITS_unknown(...) 1
#define TN__FITS_integer(value, ...) !TN__IS_TEXT(value)
#define TN__FITS_number(value, ...) !TN__IS_TEXT(value)
#define TN__FITS_text(value, ...) TN__IS_TEXT(value)
#define TN__FITS_value(...) 1
#define TN__FITS_empty(...) 1
#define TN__FITS_fields(...) 1

// ---- Expansions of the lists

// The struct, with its assertions.
#define TN__FIELD_ARG(name, dtype, ...)                                               \
  TN__FIELD(arg, name, "ARG(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD_RET(name, dtype, ...)                                               \
  TN__FIELD(ret, name, "RET(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD(side, name, text, d, s, ...)                                          \
  TN__STATIC_ASSERT(TN__KNOWN(d), text ": unknown dtype; expected " TN__DTYPE_CHOICES); \
  TN__STATIC_ASSERT(TN__KNOWN(s), text ": unknown shape; expected " TN__SHAPE_CHOICES); \
  TN__FIELD_AS(TN__MANY(s), side, TN__SUFFIX(d), name)
#define TN__DTYPE_CHOICES \
  "any, of(f32, f64) with up to 12, dtype_of(x)" TN_FFI_DTYPES(TN__DTYPE_CHOICE)
#define TN__DTYPE_CHOICE(word, NAME, number, ctype) ", " #word
#define TN__SHAPE_CHOICES \
  "any_rank, rank(2), dims(n, k + 1) with up to 12, like(x), shape_of(x), optional, remaining"
#define TN__TYPE_CHOICES                                                      \
  "string, array(float), address, dictionary, all_attributes, record(type), " \
  "enum_of(type, int32_t), decoded_by(type, function)" TN__SCALARS(TN__TYPE_CHOICE)
#define TN__TYPE_CHOICE(ctype, NAME) ", " #ctype
#define TN__FIELD_AS(many, side, suffix, name) TN__FIELD_OF(many, side, suffix, name)
#define TN__FIELD_OF(many, side, suffix, name) TN__FIELD_##many(side, suffix, name)
#define TN__FIELD_one(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_maybe(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_rest(side, suffix, name) tn_remaining_t name;
#define TN__FIELD_ATTR(name, type, ...)                                                           \
  TN__STATIC_ASSERT(TN__KNOWN(TN__A_##type),                                                      \
                    "ATTR(" #name ", " #type ", ...): unknown type; expected " TN__TYPE_CHOICES); \
  TN__STATIC_ASSERT(sizeof(#__VA_ARGS__) > 1,                                                     \
                    "ATTR(" #name ", " #type "): no default; expected a value or TN_REQUIRED");   \
  TN__STATIC_ASSERT(                                                                              \
      TN__CAT(TN__FITS_, TN__WAY(TN__DEFAULT(TN__A_##type), __VA_ARGS__))(__VA_ARGS__, ~),        \
      "ATTR(" #name ", " #type ", " #__VA_ARGS__                                                  \
      "): wrong default; expected a string literal for a string, a number for a number");         \
  TN__CTYPE(TN__A_##type) name;
#define TN__MEMBER_ATTR(name, type, ...) TN__CTYPE(TN__A_##type) name;
#define TN__COPY_ATTR(name, type, ...) tn_self->name = tn_attrs.name;
// Checks the order, as a number that is 1 if something follows the variadic values (9999 + 1 < 999
// || 0 + 1) or a required value follows an optional one.
#define TN__AFTER_REST(name, dtype, ...) TN__CAT(TN__AFTER_REST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__AFTER_REST_one +1
#define TN__AFTER_REST_maybe +1
#define TN__AFTER_REST_rest +1 < 999 || 0
#define TN__AFTER_MAYBE(name, dtype, ...) TN__CAT(TN__AFTER_MAYBE_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__AFTER_MAYBE_one +1
#define TN__AFTER_MAYBE_maybe < 0 || 0
#define TN__AFTER_MAYBE_rest

// The signature.
#define TN__ROW_ARG(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_ARG, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW_RET(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_RET, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW(name, dtype, kind, d, s, doc, ...) \
  TN__ROW_AS(name, doc, dtype, kind, TN__DTYPES(d), TN__SHAPE(s), TN__DIMS(s))
#define TN__ROW_AS(name, doc, dtype, kind, d, s, dims) \
  {name, doc, dtype, kind, TN__PLAIN d, TN__PLAIN s, 0, NULL, 0, NULL, 0, 0.0, {NULL, 0}, dims},
#define TN__ROW_ATTR(name, type, ...)                                      \
  TN__ROW_ATTR_AS(                                                         \
      #name, TN__2ND(__VA_ARGS__, NULL, ~), #type, TN__ATTR(TN__A_##type), \
      TN__CAT(TN__SAY_, TN__WAY(TN__DEFAULT(TN__A_##type), __VA_ARGS__))(__VA_ARGS__, ~))
#define TN__ROW_ATTR_AS(name, doc, type, attr, ...) \
  {name, doc, type, TN_FFI_PARAM_ATTR, TN__PLAIN attr, __VA_ARGS__, NULL},
// clang-format off
#define TN__ROW_END {NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0.0, {NULL, 0}, NULL}
// clang-format on
#define TN__ROWS(rows) rows, sizeof rows / sizeof *rows - 1

#endif  // TENON_DETAIL_CUSTOM_SIGNATURE_H_
