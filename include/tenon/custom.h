// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

/* Custom operations in plain C. This single header is self-contained and defines handlers of XLA's
 * typed FFI, which JAX, Tenon and every other runtime with that ABI can call. C11 and C++17.
 *
 *   #include <tenon/custom.h>
 *
 *   #define RMS_NORM(ARG, ATTR, RET) \
 *     ARG(x, f32, any_rank)          \
 *     ATTR(eps, float, 1e-5f)        \
 *     RET(y, f32, like(x))
 *
 *   TN_OP(rms_norm, RMS_NORM, "y = x / sqrt(mean(x * x) + eps) over the last axis") {
 *     ... call->x.data, call->eps, call->y.data ...
 *     return TN_OK;
 *   }
 *
 *   TN_LIBRARY(rms_norm)
 *
 * From this signature list the macros generate the struct that `call` points to, its decoder with
 * all checks, the metadata, and the signature that tools read. `rms_norm` is an exported handler.
 * TN_LIBRARY exports the table `tenon_library`, once in a shared library; it may name operations of
 * other files.
 *
 * ARG(name, dtype, shape[, "doc"])   RET(name, dtype, shape[, "doc"])
 *   dtype  pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 token, sub-byte types
 *          (s4 u4 ...), small floats (f8e4m3fn ...); any; of(f32, f64), up to 12; dtype_of(x)
 *   shape  any_rank; rank(2); like(x): shape and dtype of x; shape_of(x);
 *          dims(n, k + 1): named dimensions, in all ARGs and RETs with that name the same; also
 *          numbers, names of integer ATTRs, sums, 2 * n, and `...` in front: leading dimensions;
 *          optional: a trailing operand or result that may be omitted (tn_is_present);
 *          remaining: variadic, all that follow (tn_get_arg, tn_get_ret)
 *   field  tn_arg_f32_t, tn_ret_f32_t ...: {data, dims, rank, dtype}; tn_arg_any_t, with
 *          `void* data`, unless the dtype is a single one; tn_remaining_t {values, first, count}
 *
 * ATTR(name, type, default[, "doc"])
 *   type   bool, int8_t ... uint64_t, float, double. Integers and floats of another width are
 *          converted if the value is exactly representable.
 *          string: tn_string_t {data, size}. array(float): tn_span_float_t {data, count}.
 *          address: void*. dictionary: tn_dictionary_t (tn_get, tn_has).
 *          enum_of(type, int32_t): a C enum, passed as exactly that integer type.
 *          record(type): a struct attribute, see TN_RECORD.
 *          decoded_by(type, f): tn_status_t f(const tn_call_t*, const tn_ffi_attr_t*, type* out).
 *          all_attributes: the attribute dictionary, which may then have unlisted entries.
 *   default  the value of an omitted attribute, or TN_REQUIRED. Arrays, dictionaries and structs
 *          have TN_EMPTY (the fields of a struct then have their own defaults).
 *
 * In the kernel body these take `call`, or the `const tn_call_t*` call->tn:
 *   return TN_ERROR(call, INVALID_ARGUMENT, "n is %d", n)  one of 16 codes; printf-style
 *   TN_TRY(expression)                                     returns the status unless it is TN_OK
 *   tn_scratch(call, bytes)                                memory until it returns, or NULL
 *   tn_parallel_for(call, count, grain, function, user)    on the runtime's threads
 *   tn_try_parallel_for(...)                               the same, of a function that can fail
 *   tn_map(call, exp, f32, count, x, y)                    y[i] = exp(x[i]), or log, sin ...
 *   TN_DISPATCH(call, x, scale, (n, call->x.data), f32, f64)  scale_f32 or scale_f64, by x's dtype
 *   tn_thread_count(call)  tn_stream(call, &stream)  tn_device_ordinal(call, &ordinal)
 *   tn_run_id(call, &id)  tn_user_data(call, type_id, &pointer)
 *   tn_get_arg(call, call->xs, i, f32, &x)  tn_get_ret(call, call->ys, i, any, &y)
 *   tn_get(call, dictionary, "lo", int64_t, &lo)  tn_has(dictionary, "lo")
 *   tn_defer(call, &future), later tn_finish(future) or tn_fail(future, CODE, "...")
 * These take an operand or result: tn_size, tn_last_dim, tn_rank, tn_dim(buffer, axis),
 * tn_byte_size. bf16 and f16 are converted by tn_bf16_to_float, tn_bf16_from_float ...; all small
 * floats by tn_float_read and tn_float_write. tn_shape_parse reads a shape from opaque bytes. See
 * also TN_OP_ON (platform, traits), TN_STATEFUL_OP and TN_UNTYPED.
 *
 * Threads: a handler may be called from several threads at once. This header keeps no global state
 * but hints about the positions of attributes (relaxed atomics) and the ids of state types.
 * Errors are objects of the runtime, created through the table of the call frame; the receiver of
 * an error owns it. */
#ifndef TENON_CUSTOM_H_
#define TENON_CUSTOM_H_

// The implementation, in the order of reading. Installed, this is one file with the parts in place.
// clang-format off
#include <tenon/detail/custom/abi.h>
#include <tenon/detail/custom/call.h>
#include <tenon/detail/custom/dims.h>
#include <tenon/detail/custom/error.h>
#include <tenon/detail/custom/attributes.h>
#include <tenon/detail/custom/signature.h>
#include <tenon/detail/custom/decode.h>
#include <tenon/detail/custom/define.h>
#include <tenon/detail/custom/dispatch.h>
#include <tenon/detail/custom/floats.h>
#include <tenon/detail/custom/map.h>
#include <tenon/detail/custom/services.h>
#include <tenon/detail/custom/state.h>
#include <tenon/detail/custom/shape.h>
// clang-format on

#endif  // TENON_CUSTOM_H_
