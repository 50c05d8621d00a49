// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a kernel body has in its hands: the call, its operands and results, and the scalar types
// without a C type. Also how functions of this header are compiled.
#ifndef TENON_DETAIL_CUSTOM_CALL_H_
#define TENON_DETAIL_CUSTOM_CALL_H_

#include <tenon/detail/custom/abi.h>

#ifdef __cpp_exceptions
#include <exception>
#endif
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__has_include) && !defined(__STDC_NO_THREADS__)
#if __has_include(<threads.h>)
#include <threads.h>
#define TN__YIELD() thrd_yield()
#endif
#endif
#ifndef TN__YIELD
#define TN__YIELD() ((void)0)
#endif

#ifdef __cplusplus
#define TN__EXTERN_C extern "C"
#else
#define TN__EXTERN_C extern
#endif
#ifdef __cpp_exceptions
#define TN__RUN(result, body)                                                                    \
  try {                                                                                          \
    result = body;                                                                               \
  } catch (const std::exception& tn_thrown) {                                                    \
    result = tn__error(&tn, TN_FFI_UNKNOWN, "an exception left the body: %s", tn_thrown.what()); \
  } catch (...) {                                                                                \
    result = tn__error(&tn, TN_FFI_UNKNOWN, "an exception left the body");                       \
  }
#else
#define TN__RUN(result, body) result = body;
#endif

#ifndef TN_EXPORT  // define it to hide handlers that are built into a program
// Protected: calls inside a library use its own function even if C has one of that name (select).
#ifdef __ELF__
#define TN_EXPORT __attribute__((visibility("protected")))
#else
#define TN_EXPORT __attribute__((visibility("default")))
#endif
#endif
#define TN__HIDDEN __attribute__((visibility("hidden")))
#define TN__PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#define TN__COLD __attribute__((cold, noinline, unused)) static
#define TN__APART __attribute__((noinline, unused)) static
// Inline, so that compilers without optimisation leave out what is not used, and with it libm.
#define TN__UNUSED __attribute__((unused)) static inline
#define TN__INLINE __attribute__((always_inline, unused)) static inline
// Kernel bodies for 16-bit floats, for which processors have no arithmetic, are also compiled for
// AVX2, which halves the time of their loops. (Instructions that round differently are not
// enabled.)
#if defined __x86_64__ && !defined __AVX2__ && !defined __CUDACC__
#define TN__FOR_AVX2 __attribute__((target("avx2"), flatten, noinline, unused)) static
#define TN__HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define TN__FOR_AVX2 TN__UNUSED
#define TN__HAS_AVX2() 0
#endif
#define TN__LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TN__UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// --- values in a kernel body

// clang-format off
typedef struct tn_f16 { uint16_t bits; } tn_f16_t;
typedef struct tn_bf16 { uint16_t bits; } tn_bf16_t;
typedef struct tn_c64 { float real, imaginary; } tn_c64_t;
typedef struct tn_c128 { double real, imaginary; } tn_c128_t;

// Operands and results: dense and row-major. All have one layout and differ in the type of `data`.
#define TN__BUFFER(suffix, ctype)                                                 \
  typedef struct tn_arg_##suffix { TN__FIELDS(const ctype) } tn_arg_##suffix##_t; \
  typedef struct tn_ret_##suffix { TN__FIELDS(ctype) } tn_ret_##suffix##_t;
#define TN__FIELDS(ctype) ctype* data; const int64_t* dims; int64_t rank; tn_ffi_dtype_t dtype;
#define TN__BUFFER_OF(word, NAME, number, ctype) TN__BUFFER(word, ctype)
TN__BUFFER(any, void)
TN_FFI_DTYPES(TN__BUFFER_OF)

typedef struct tn_remaining { const tn_ffi_values_t* values; int64_t first, count; } tn_remaining_t;
typedef struct tn_string { const char* data; size_t size; } tn_string_t;
typedef struct tn_dictionary { const tn_ffi_attrs_t* attrs; } tn_dictionary_t;
typedef struct tn_ffi_attr { int32_t type; const void* value; } tn_ffi_attr_t;  // as in attrs
typedef void* tn_address_t;
// clang-format on

// The current call. The struct of every operation has a field `tn` that points to it, and so has
// this one: macros that take a call accept either.
typedef struct tn_call {
  struct tn_call* tn;
  tn_ffi_call_frame_t* frame;
  const tn_ffi_op_t* op;
  struct tn__block* blocks;  // scratch memory to free
} tn_call_t;

TN__INLINE int64_t tn__product(const int64_t* dims, int64_t rank) {
  int64_t size = 1;
  for (int64_t i = 0; i < rank; ++i) size *= dims[i];
  return size;
}

TN__INLINE int64_t tn__dim_at(const int64_t* dims, int64_t rank, int64_t axis) {
  if (axis < 0) axis += rank;
  return TN__LIKELY((uint64_t)axis < (uint64_t)rank) ? dims[axis] : 0;
}

// The size in bytes of an element in memory.
TN__INLINE size_t tn_ffi_dtype_size(tn_ffi_dtype_t dtype) {
#define TN__SIZE_CASE(word, NAME, number, ctype) \
  case number: return number == TN_FFI_TOKEN ? 0 : sizeof(ctype);
  switch (dtype) { TN_FFI_DTYPES(TN__SIZE_CASE) default : return 0; }
}

// "f32"; "no dtype" for other values.
TN__COLD const char* tn_ffi_dtype_name(tn_ffi_dtype_t dtype) {
#define TN__NAME_CASE(word, NAME, number, ctype) \
  case number: return #word;
  switch (dtype) { TN_FFI_DTYPES(TN__NAME_CASE) default : return "no dtype"; }
}

#define tn_rank(buffer) ((buffer).rank)
// Axis -1 is the last one; 0 for an axis that the buffer does not have.
#define tn_dim(buffer, axis) tn__dim_at((buffer).dims, (buffer).rank, axis)
#define tn_last_dim(buffer) ((buffer).rank ? (buffer).dims[(buffer).rank - 1] : (int64_t)1)
#define tn_size(buffer) tn__product((buffer).dims, (buffer).rank)
#define tn_byte_size(buffer) ((size_t)tn_size(buffer) * tn_ffi_dtype_size((buffer).dtype))
#define tn_is_present(buffer) ((buffer).dtype != TN_FFI_INVALID)

// --- attribute lookup

TN__INLINE bool tn__is_named(const tn_ffi_attrs_t* attrs, int64_t index, const char* name,
                             size_t size) {
  return TN__LIKELY(attrs->names[index]->size == size) &&
         TN__LIKELY(!memcmp(attrs->names[index]->data, name, size));
}

// The attribute of that name. Attributes are sorted by name, so that the position of one depends on
// which others the caller gives. `hint` stores the distance of its last position from its index in
// the list; if it is not found there, all are searched. `hint` may be NULL.
TN__APART bool tn__find(const tn_ffi_attrs_t* attrs, const char* name, int64_t guess,
                        signed char* hint, tn_ffi_attr_t* out) {
  const size_t size = strlen(name);
  int64_t at = guess + (hint ? __atomic_load_n(hint, __ATOMIC_RELAXED) : 0);
  if (at < 0 || at >= attrs->count || !tn__is_named(attrs, at, name, size)) {
    for (at = 0; at < attrs->count && !tn__is_named(attrs, at, name, size);) ++at;
    if (at == attrs->count) return false;
    const int64_t distance = at - guess;
    if (hint && distance >= INT8_MIN && distance <= INT8_MAX)
      __atomic_store_n(hint, (signed char)distance, __ATOMIC_RELAXED);
  }
  out->type = attrs->types[at];
  out->value = attrs->values[at];
  return true;
}

#endif  // TENON_DETAIL_CUSTOM_CALL_H_
