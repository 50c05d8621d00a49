// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The decoders that a signature list expands to.
#ifndef TENON_DETAIL_CUSTOM_DECODE_H_
#define TENON_DETAIL_CUSTOM_DECODE_H_

#include <tenon/detail/custom/signature.h>

// The type at this index, combined with the next one if both are among the `least` values that must
// exist; a type at an odd index was then checked with the previous one. All are 1 unless a higher
// bit is set.
TN__INLINE uint64_t tn__types_at(const int32_t* types, int64_t index, int64_t least) {
  uint64_t pair = 0;
  if (index < least && index % 2 == 1) return 0;
  memcpy(&pair, &types[index], index + 1 < least ? 8 : 4);
  return pair;
}

// The buffer, of any type, whose field `dims` this is.
typedef struct __attribute__((may_alias)) tn__seen {
  TN__FIELDS(const void)
} tn__seen_t;
TN__INLINE const tn__seen_t* tn__see(const int64_t* const* dims) {
  return (const tn__seen_t*)(const void*)((const char*)dims - offsetof(tn_arg_any_t, dims));
}

// The decoder of attributes, for operations and structs.
#define TN__DECODE_ATTR(name, type, ...)                                                 \
  TN__DECODE_ATTR_AS(name, #name, TN__CTYPE(TN__A_##type), (TN__DECODER(TN__A_##type)),  \
                     TN__CAT(TN__PUT_, TN__WAY(TN__DEFAULT(TN__A_##type), __VA_ARGS__)), \
                     __VA_ARGS__)
#define TN__DECODE_ATTR_AS(name, text, ctype, decoder, put, ...)        \
  {                                                                     \
    const tn__path_t tn_here = {tn_path, text};                         \
    tn_ffi_attr_t tn_found = {0, NULL};                                 \
    ctype* const tn_out = &tn_self->name;                               \
    (void)tn_here, (void)tn_out;                                        \
    if (tn_row->flags & TN_FFI_PARAM_EVERYTHING) {                      \
      tn_found.type = TN_FFI_DICTIONARY, tn_found.value = tn_attrs;     \
      tn_seen = tn_attrs->count - 1, tn_open = true;                    \
    } else {                                                            \
      tn__find(tn_attrs, text, tn_attr, &tn_hints[tn_attr], &tn_found); \
    }                                                                   \
    if (TN__LIKELY(decoder)) {                                          \
      ++tn_seen;                                                        \
    } else if (tn_found.type) {                                         \
      return tn_bad ? tn_bad : TN__REFUSE_ATTR();                       \
    } else {                                                            \
      put(decoder, __VA_ARGS__, ~)                                      \
    }                                                                   \
    ++tn_attr, ++tn_row;                                                \
  }
#define TN__REFUSE_ATTR() \
  tn__refuse_attr(tn_call, tn_path, tn_attrs, tn_row->name, tn_row->type_text)
#define TN__NEXT_ROW(...) ++tn_row;
#define TN__DECODE_ATTRS(rows, statements)                                        \
  enum { tn_converts = 1 };                                                       \
  const tn_ffi_param_t* tn_row = rows;                                            \
  __attribute__((unused)) int64_t tn_attr = 0, tn_seen = 0;                       \
  __attribute__((unused)) tn_status_t tn_bad = TN_OK;                             \
  tn__wire_t tn_wire;                                                             \
  bool tn_open = false;                                                           \
  (void)tn_self, (void)tn_row, (void)tn_wire;                                     \
  statements if (TN__LIKELY(tn_open || tn_seen == tn_attrs->count)) return TN_OK; \
  return tn__refuse_unknown(tn_call, tn_path, tn_attrs, TN__ROWS(rows))

// The common case, in registers: scalars and the like, all given, at their last positions.
#define TN__QUICK_ATTR(name, type, ...)                                                \
  TN__QUICK_ATTR_AS(name, #name, TN__CTYPE(TN__A_##type), (TN__DECODER(TN__A_##type)), \
                    TN__CAT(TN__QUICK_, TN__DEFAULT(TN__A_##type)))
#define TN__QUICK_ATTR_AS(name, text, ctype, decoder, quick) quick(name, text, ctype, decoder)
#define TN__QUICK_unknown(name, text, ctype, decoder) return false;
#define TN__QUICK_fields(name, text, ctype, decoder) return false;
#define TN__QUICK_value(name, text, ctype, decoder) return false;
#define TN__QUICK_integer(name, text, ctype, decoder)                                      \
  {                                                                                        \
    const int64_t tn_at = tn_attr + __atomic_load_n(&tn_hints[tn_attr], __ATOMIC_RELAXED); \
    ctype* const tn_out = &tn_self->name;                                                  \
    if (!TN__LIKELY((uint64_t)tn_at < (uint64_t)tn_count)) return false;                   \
    if (!tn__is_named(tn_attrs, tn_at, text, sizeof text - 1)) return false;               \
    const tn_ffi_attr_t tn_found = {tn_attrs->types[tn_at], tn_attrs->values[tn_at]};      \
    if (!TN__LIKELY(decoder)) return false;                                                \
    ++tn_attr;                                                                             \
  }
#define TN__QUICK_number TN__QUICK_integer
#define TN__QUICK_text TN__QUICK_integer
#define TN__QUICK_empty TN__QUICK_integer

// The decoder of arguments and results: checks their number, reads them, and, once all are present,
// checks them against each other.
#define TN__LEAST(name, dtype, ...) TN__CAT(TN__LEAST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__LEAST_one +1
#define TN__LEAST_maybe
#define TN__LEAST_rest
#define TN__MOST(name, dtype, ...) TN__CAT(TN__MOST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__MOST_one +1
#define TN__MOST_maybe +1
#define TN__MOST_rest +(INT64_C(1) << 62)
#define TN__TYPE_ARG(name, dtype, ...) TN__TYPE(TN__MANY(TN__S_##__VA_ARGS__), tn_args, tn_arg)
#define TN__TYPE_RET(name, dtype, ...) TN__TYPE(TN__MANY(TN__S_##__VA_ARGS__), tn_rets, tn_ret)
#define TN__TYPE(many, source, index) TN__CAT(TN__TYPE_, many)(source, index)
#define TN__TYPE_one(source, index) \
  tn_types |= tn__types_at(source->types, index, least_##index), ++index;
#define TN__TYPE_maybe(source, index) \
  if (index < source->count) TN__TYPE_one(source, index)
#define TN__TYPE_rest(source, index) \
  while (index < source->count) TN__TYPE_one(source, index)
#define TN__TAKE_ARG(name, dtype, ...) \
  TN__TAKE(TN__MANY(TN__S_##__VA_ARGS__), name, tn_args, tn_arg)
#define TN__TAKE_RET(name, dtype, ...) \
  TN__TAKE(TN__MANY(TN__S_##__VA_ARGS__), name, tn_rets, tn_ret)
#define TN__TAKE(many, name, source, index) TN__TAKE_AS(many, name, source, index)
#define TN__TAKE_AS(many, name, source, index) TN__TAKE_##many(name, source, index)
#define TN__TAKE_one(name, source, index)                                                   \
  {                                                                                         \
    const tn_ffi_buffer_t* const tn_buffer = (const tn_ffi_buffer_t*)source->values[index]; \
    const tn_arg_any_t tn_view = {tn_buffer->data, tn_buffer->dims, tn_buffer->rank,        \
                                  tn_buffer->dtype};                                        \
    if (TN__UNLIKELY(tn__misfit(tn_row, tn_buffer))) return tn__refuse_values(tn_call);     \
    memcpy(&tn_self->name, &tn_view, sizeof tn_view);                                       \
  }                                                                                         \
  ++index, ++tn_row;
#define TN__TAKE_maybe(name, source, index)        \
  memset(&tn_self->name, 0, sizeof tn_self->name); \
  if (index < source->count) {                     \
    TN__TAKE_one(name, source, index)              \
  } else {                                         \
    ++tn_row;                                      \
  }
#define TN__TAKE_rest(name, source, index)                                         \
  tn_self->name.values = source;                                                   \
  tn_self->name.first = index;                                                     \
  tn_self->name.count = source->count - index;                                     \
  for (; index < source->count; ++index)                                           \
    tn_wrong |= tn__misfit(tn_row, (const tn_ffi_buffer_t*)source->values[index]); \
  ++tn_row;
// Whether an operand or result may be a 16-bit float.
#define TN__NOTE_HALVES(...)             \
  tn_halves |= tn__takes_halves(tn_row); \
  ++tn_row;
TN__INLINE bool tn__takes_halves(const tn_ffi_param_t* row) {
  return row->dtypes != TN__ANY && (row->dtypes & (TN__BIT(f16) | TN__BIT(bf16))) != 0;
}
#define TN__RELATE(name, dtype, ...)                                                 \
  TN__RELATE_AS(TN__MANY(TN__S_##__VA_ARGS__), name, TN__DTYPE_OTHER(TN__D_##dtype), \
                TN__SHAPE_OTHER(TN__S_##__VA_ARGS__))
#define TN__RELATE_AS(many, name, d, s) TN__RELATE_OF(many, name, d, s)
#define TN__RELATE_OF(many, name, d, s) TN__RELATE_##many(name, d, s)++ tn_row;
#define TN__RELATE_one(name, d, s)                                                         \
  {                                                                                        \
    const tn__seen_t* const tn_value = tn__see(&tn_self->name.dims);                       \
    const tn__seen_t *const tn_d = tn__see(&(d).dims), *const tn_s = tn__see(&(s).dims);   \
    if (tn_row->same_dtype_as) tn_wrong |= tn_value->dtype != tn_d->dtype;                 \
    if (tn_row->flags & TN_FFI_PARAM_LIKE) tn_wrong |= tn_value->dtype != tn_s->dtype;     \
    if (tn_row->same_shape_as)                                                             \
      tn_wrong |= !tn__same_shape(tn_value->dims, tn_value->rank, tn_s->dims, tn_s->rank); \
  }
#define TN__RELATE_maybe(name, d, s) \
  if (tn_is_present(tn_self->name)) TN__RELATE_one(name, d, s)
#define TN__RELATE_rest(name, d, s)                                                            \
  for (int64_t tn_i = 0; tn_row->same_dtype_as && tn_i < tn_self->name.count; ++tn_i) {        \
    const tn_arg_any_t tn_one = tn__remaining(tn_self->name, tn_i), *const tn_value = &tn_one; \
    tn_wrong |= tn_value->dtype != (d).dtype;                                                  \
  }

// Named dimensions. A call goes through a plan that the first one makes of the lists: for each
// value its number, its rank and, for each dimension, the place of a name's size, or ~ of a number.
// Lists with sums, leading dimensions or attributes are read at each call.
enum { TN__PLAN_NONE, TN__PLAN_READY, TN__PLAN_READS };
#define TN__PLAN_LOAD(place) __atomic_load_n(place, __ATOMIC_RELAXED)
#define TN__PLAN_STORE(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)

// One list; NULL: it must be read at each call.
TN__COLD int32_t* tn__plan_list(const char* text, int32_t* next, tn__sizes_t* places) {
  tn__dim_t dim;
  const int64_t rank = tn__count_dims(text);
  if (rank < 0 || tn__read_leading(&text)) return NULL;
  TN__PLAN_STORE(next++, (int32_t)rank);
  while (*text && tn__read_dim(&text, &dim)) {
    if (dim.term_count == 0 && dim.number >= 0 && dim.number < INT32_MAX) {
      TN__PLAN_STORE(next++, ~(int32_t)dim.number);
      continue;
    }
    if (dim.term_count != 1 || dim.number || dim.terms[0].factor != 1) return NULL;
    int64_t place = tn__size_of(places, dim.terms[0].name, dim.terms[0].length);
    if (place == TN__UNKNOWN_SIZE) {
      if (places->count == TN__SIZES_LIMIT) return NULL;
      place = places->count;
      tn__set_size(places, dim.terms[0].name, dim.terms[0].length, place);
    }
    TN__PLAN_STORE(next++, (int32_t)place);
  }
  return next;
}

// Threads that meet here write the same.
TN__COLD int32_t tn__plan_dims(const tn_call_t* call, int32_t* plan) {
  tn__sizes_t places;
  int32_t values[3] = {0, 0, 0}, *next = plan + 1;
  tn__forget_sizes(&places);
  for (size_t i = 0; next && i < call->op->param_count; ++i) {
    const tn_ffi_param_t* param = &call->op->params[i];
    const int32_t value = values[param->kind]++;
    if (tn__is_size(call->op, param)) next = NULL;
    if (!next || param->kind == TN_FFI_PARAM_ATTR || !param->dims) continue;
    TN__PLAN_STORE(next++, value * 2 + (param->kind == TN_FFI_PARAM_RET));
    next = tn__plan_list(param->dims, next, &places);
  }
  if (next) TN__PLAN_STORE(next, -1);
  __atomic_store_n(plan, next ? TN__PLAN_READY : TN__PLAN_READS, __ATOMIC_RELEASE);
  return next ? TN__PLAN_READY : TN__PLAN_READS;
}

TN__COLD bool tn__named_dims_agree_as_read(const tn_call_t* call) {
  const tn_status_t error = tn__judge_dims(call);
  tn__drop_error(call->frame->api, error);
  return error == TN_OK;
}

// Whether all shapes are as the lists say.
TN__APART bool tn__named_dims_agree(const tn_call_t* call, int32_t* plan) {
  int64_t sizes[TN__SIZES_LIMIT];
  int32_t kind = __atomic_load_n(plan, __ATOMIC_ACQUIRE);
  if (TN__UNLIKELY(kind == TN__PLAN_NONE)) kind = tn__plan_dims(call, plan);
  if (TN__UNLIKELY(kind == TN__PLAN_READS)) return tn__named_dims_agree_as_read(call);
  for (int i = 0; i < TN__SIZES_LIMIT; ++i) sizes[i] = -1;
  const int32_t* next = plan + 1;
  for (int32_t value = TN__PLAN_LOAD(next++); value >= 0; value = TN__PLAN_LOAD(next++)) {
    const tn_ffi_values_t* values = value & 1 ? &call->frame->rets : &call->frame->args;
    const tn_ffi_buffer_t* buffer = (const tn_ffi_buffer_t*)values->values[value >> 1];
    if (buffer->rank != TN__PLAN_LOAD(next++)) return false;
    for (int64_t axis = 0; axis < buffer->rank; ++axis) {
      const int32_t place = TN__PLAN_LOAD(next++);
      const int64_t size = buffer->dims[axis], known = place < 0 ? ~place : sizes[place];
      if (known >= 0 && size != known) return false;
      if (place >= 0) sizes[place] = size;
    }
  }
  return true;
}

#endif  // TENON_DETAIL_CUSTOM_DECODE_H_
