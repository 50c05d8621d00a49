// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Errors: TN_ERROR and TN_TRY for kernel bodies, and the messages of the decoders for calls that do
// not match the signature. All of it is out of the way of calls that do.
#ifndef TENON_DETAIL_CUSTOM_ERROR_H_
#define TENON_DETAIL_CUSTOM_ERROR_H_

#include <tenon/detail/custom/dims.h>

// return TN_ERROR(call, INVALID_ARGUMENT, "n is %d", n);
#define TN_ERROR(call, CODE, ...)                                                                 \
  __extension__({                                                                                 \
    TN__STATIC_ASSERT(TN__KNOWN(TN__CODE_##CODE), "TN_ERROR(" #call ", " #CODE TN__CODE_CHOICES); \
    tn__error((call)->tn, TN__CODE_NUMBER(TN__CODE_##CODE), __VA_ARGS__);                         \
  })
#define TN__CODE_NUMBER(...) TN__3RD(__VA_ARGS__, TN_FFI_INTERNAL, TN_FFI_INTERNAL, ~)
// Written out, so that TN_ERROR may stand in a list made of TN_FFI_ERRORS.
#define TN__CODE_CHOICES                                                                        \
  ", ...): unknown code; expected one of CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED " \
  "NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED "  \
  "OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED"
#define TN__CODE_CANCELLED ~, 1, TN_FFI_CANCELLED
#define TN__CODE_UNKNOWN ~, 1, TN_FFI_UNKNOWN
#define TN__CODE_INVALID_ARGUMENT ~, 1, TN_FFI_INVALID_ARGUMENT
#define TN__CODE_DEADLINE_EXCEEDED ~, 1, TN_FFI_DEADLINE_EXCEEDED
#define TN__CODE_NOT_FOUND ~, 1, TN_FFI_NOT_FOUND
#define TN__CODE_ALREADY_EXISTS ~, 1, TN_FFI_ALREADY_EXISTS
#define TN__CODE_PERMISSION_DENIED ~, 1, TN_FFI_PERMISSION_DENIED
#define TN__CODE_RESOURCE_EXHAUSTED ~, 1, TN_FFI_RESOURCE_EXHAUSTED
#define TN__CODE_FAILED_PRECONDITION ~, 1, TN_FFI_FAILED_PRECONDITION
#define TN__CODE_ABORTED ~, 1, TN_FFI_ABORTED
#define TN__CODE_OUT_OF_RANGE ~, 1, TN_FFI_OUT_OF_RANGE
#define TN__CODE_UNIMPLEMENTED ~, 1, TN_FFI_UNIMPLEMENTED
#define TN__CODE_INTERNAL ~, 1, TN_FFI_INTERNAL
#define TN__CODE_UNAVAILABLE ~, 1, TN_FFI_UNAVAILABLE
#define TN__CODE_DATA_LOSS ~, 1, TN_FFI_DATA_LOSS
#define TN__CODE_UNAUTHENTICATED ~, 1, TN_FFI_UNAUTHENTICATED

// Returns the status unless it is TN_OK. Nothing else is taken for one; in C, any address would be.
#define TN_TRY(expression)                              \
  do {                                                  \
    TN__STATUS_OF(expression);                          \
    if (TN__UNLIKELY(tn_try_ != TN_OK)) return tn_try_; \
  } while (0)
#ifdef __cplusplus
#define TN__STATUS_OF(expression) const tn_status_t tn_try_ = (expression)
#else
#define TN__STATUS_OF(expression)                                                         \
  __extension__ const __auto_type tn_try_ = (expression);                                 \
  TN__STATIC_ASSERT(__builtin_types_compatible_p(__typeof__(tn_try_), const tn_status_t), \
                    "TN_TRY(" #expression "): expected a tn_status_t")
#endif

TN__COLD tn_status_t tn__create_error(const tn_ffi_api_t* api, int32_t code, const char* message) {
  if (code <= TN_FFI_OK || code > TN_FFI_UNAUTHENTICATED) code = TN_FFI_INTERNAL;
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, code};
  return api->error_create(&create);
}

TN__COLD void tn__drop_error(const tn_ffi_api_t* api, tn_status_t error) {
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  if (error != TN_OK) api->error_destroy(&destroy);
}

// A message under construction; text beyond its capacity is truncated.
typedef struct tn__text {
  size_t size;
  char data[1024];
} tn__text_t;

TN__PRINTF(2, 0) TN__COLD void tn__vprint(tn__text_t* text, const char* format, va_list values) {
  const size_t room = sizeof text->data - text->size;
  const int length = vsnprintf(text->data + text->size, room, format, values);
  if (length > 0) text->size += (size_t)length < room ? (size_t)length : room - 1;
}

TN__PRINTF(2, 3) TN__COLD void tn__print(tn__text_t* text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  tn__vprint(text, format, values);
  va_end(values);
}

// Formats a number with a decimal point in any locale.
TN__COLD void tn__print_number(tn__text_t* text, double number) {
  const size_t begin = text->size;
  size_t end = begin;
  tn__print(text, " %.9g", number);
  for (size_t i = begin; i < text->size; ++i) {
    const bool is_of_number = text->data[i] && strchr(" +-.0123456789einfa", text->data[i]);
    if (is_of_number) {
      text->data[end++] = text->data[i];
    } else if (end > begin && text->data[end - 1] != '.') {  // a separator of several bytes
      text->data[end++] = '.';
    }
  }
  text->size = end;
  text->data[end] = 0;
}

// A runtime always creates an error object. Stating that tells the compiler, and so its warnings,
// that an error ends the call.
TN__INLINE tn_status_t tn__refused(tn_status_t error) {
  if (error == TN_OK) __builtin_unreachable();
  return error;
}

// The implementation of TN_ERROR. The message begins with the operation's name.
TN__PRINTF(3, 4)
TN__COLD tn_status_t tn__error(const tn_call_t* call, int32_t code, const char* format, ...) {
  tn__text_t text = {0, ""};
  va_list values;
  va_start(values, format);
  tn__print(&text, "%s: ", call->op->name);
  tn__vprint(&text, format, values);
  va_end(values);
  return tn__create_error(call->frame->api, code, text.data);
}

#define tn__error(...) tn__refused(tn__error(__VA_ARGS__))

// --- errors of the decoders

TN__COLD void tn__print_type(tn__text_t* text, const tn_ffi_buffer_t* buffer) {
  for (int64_t i = 0; i < buffer->rank; ++i) tn__print(text, "%" PRId64 "x", buffer->dims[i]);
  tn__print(text, "%s", tn_ffi_dtype_name(buffer->dtype));
}

// The number of arguments or results is wrong.
TN__COLD tn_status_t tn__refuse_count(const tn_call_t* call) {
  for (int32_t kind = TN_FFI_PARAM_ARG;; kind = TN_FFI_PARAM_RET) {
    const bool is_arg = kind == TN_FFI_PARAM_ARG;
    const int64_t found = is_arg ? call->frame->args.count : call->frame->rets.count;
    tn__text_t names = {0, ""};
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < call->op->param_count; ++i) {
      const tn_ffi_param_t* param = &call->op->params[i];
      if (param->kind != kind) continue;
      tn__print(&names, "%s%s", names.size ? ", " : "", param->name);
      most = param->flags & TN_FFI_PARAM_REMAINING ? INT64_MAX : most + 1;
      least += !(param->flags & (TN_FFI_PARAM_REMAINING | TN_FFI_PARAM_OPTIONAL));
    }
    if (is_arg && found >= least && found <= most) continue;
    const int64_t expected = found < least ? least : most;
    return tn__error(call, TN_FFI_INVALID_ARGUMENT,
                     "expected %s%" PRId64 " %s%s (%s), found %" PRId64,
                     least == most   ? ""
                     : found < least ? "at least "
                                     : "at most ",
                     expected, is_arg ? "argument" : "result", expected == 1 ? "" : "s",
                     names.size ? names.data : "none", found);
  }
}

// Whether the value does not match its parameter, without regard to other values.
TN__INLINE bool tn__misfit(const tn_ffi_param_t* param, const tn_ffi_buffer_t* buffer) {
  const uint64_t set = param->dtypes, dtype = (uint32_t)buffer->dtype;
  const bool single = (set & (set - 1)) == 0;
  if (single ? dtype != (uint64_t)__builtin_ctzll(set) : dtype > 63 || !(set >> dtype & 1))
    return true;
  return param->rank >= 0 && buffer->rank != param->rank;
}

TN__INLINE bool tn__same_shape(const int64_t* a, int64_t a_rank, const int64_t* b, int64_t b_rank) {
  if (a_rank != b_rank) return false;
  for (int64_t i = 0; a != b && i < a_rank; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// The value of a parameter, or the first of the variadic ones; NULL if there is none.
TN__COLD const tn_ffi_buffer_t* tn__value_of(const tn_call_t* call, const char* name) {
  int64_t index[3] = {0, 0, 0};
  for (size_t i = 0; i < call->op->param_count; ++i) {
    const tn_ffi_param_t* param = &call->op->params[i];
    const tn_ffi_values_t* values =
        param->kind == TN_FFI_PARAM_ARG ? &call->frame->args : &call->frame->rets;
    if (!strcmp(param->name, name))
      return index[param->kind] < values->count
                 ? (const tn_ffi_buffer_t*)values->values[index[param->kind]]
                 : NULL;
    ++index[param->kind];
  }
  return NULL;
}

// Describes how a value differs from its parameter; OK if it matches.
TN__COLD tn_status_t tn__judge_value(const tn_call_t* call, const tn_ffi_param_t* param,
                                     const tn_ffi_buffer_t* buffer, int64_t offset,
                                     bool relations) {
  tn__text_t text = {0, ""};
  tn__print(&text, "%s %s", param->kind == TN_FFI_PARAM_ARG ? "argument" : "result", param->name);
  if (param->flags & TN_FFI_PARAM_REMAINING) tn__print(&text, "[%" PRId64 "]", offset);
  tn__print(&text, ": expected ");
  if (!relations) {
    if (!tn__misfit(param, buffer)) return TN_OK;
    const char* between = "";
    for (int32_t dtype = 1; dtype < 63; ++dtype) {
      if (!(param->dtypes >> dtype & 1) || param->dtypes == ~(UINT64_C(1) << 63)) continue;
      tn__print(&text, "%s%s", between, tn_ffi_dtype_name(dtype));
      between = " or ";
    }
    if (param->rank >= 0) tn__print(&text, "%srank %" PRId64, *between ? " of " : "", param->rank);
  } else {
    const char* other_names[] = {param->same_dtype_as, param->same_shape_as,
                                 param->flags & TN_FFI_PARAM_LIKE ? param->same_shape_as : NULL};
    int kind = 0;
    const tn_ffi_buffer_t* other = NULL;
    for (; kind < 3; ++kind) {
      if (!other_names[kind]) continue;
      other = tn__value_of(call, other_names[kind]);
      if (!other) break;
      if (kind == 1 ? !tn__same_shape(buffer->dims, buffer->rank, other->dims, other->rank)
                    : buffer->dtype != other->dtype)
        break;
    }
    if (kind == 3) return TN_OK;
    tn__print(&text, "the %s of %s, ", kind == 1 ? "shape" : "dtype", other_names[kind]);
    if (other)
      tn__print_type(&text, other);
    else
      tn__print(&text, "absent");
  }
  tn__print(&text, ", found ");
  tn__print_type(&text, buffer);
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// --- named dimensions

// Whether the parameter is an integer attribute.
TN__COLD bool tn__is_integer_attr(const tn_ffi_param_t* param) {
  const uint64_t integers = UINT64_C(1) << TN_FFI_S8 | UINT64_C(1) << TN_FFI_S16 |
                            UINT64_C(1) << TN_FFI_S32 | UINT64_C(1) << TN_FFI_S64 |
                            UINT64_C(1) << TN_FFI_U8 | UINT64_C(1) << TN_FFI_U16 |
                            UINT64_C(1) << TN_FFI_U32 | UINT64_C(1) << TN_FFI_U64;
  return param->kind == TN_FFI_PARAM_ATTR && param->attr_type == TN_FFI_SCALAR && param->dtypes &&
         !(param->dtypes & ~integers) &&
         !(param->flags & (TN_FFI_PARAM_ENUM | TN_FFI_PARAM_ADDRESS));
}

// Whether dimensions have the name of this attribute.
TN__COLD bool tn__is_size(const tn_ffi_op_t* op, const tn_ffi_param_t* param) {
  for (size_t i = 0; tn__is_integer_attr(param) && i < op->param_count; ++i) {
    if (op->params[i].dims && tn__dims_have_name(op->params[i].dims, param->name)) return true;
  }
  return false;
}

// The integer of a scalar; TN__UNKNOWN_SIZE for others.
TN__COLD int64_t tn__read_integer(tn_ffi_attr_t attr) {
  const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr.value;
  if (attr.type != TN_FFI_SCALAR) return TN__UNKNOWN_SIZE;
#define TN__INTEGER_CASE(NAME, ctype)            \
  case TN_FFI_##NAME: {                          \
    ctype value;                                 \
    memcpy(&value, scalar->value, sizeof value); \
    return (int64_t)value;                       \
  }
  switch (scalar->dtype) {
    TN__INTEGER_CASE(S8, int8_t)
    TN__INTEGER_CASE(S16, int16_t)
    TN__INTEGER_CASE(S32, int32_t)
    TN__INTEGER_CASE(S64, int64_t)
    TN__INTEGER_CASE(U8, uint8_t)
    TN__INTEGER_CASE(U16, uint16_t)
    TN__INTEGER_CASE(U32, uint32_t)
    TN__INTEGER_CASE(U64, uint64_t)
    default: return TN__UNKNOWN_SIZE;
  }
}

// Integer attributes are sizes by their names.
TN__COLD void tn__take_attr_sizes(const tn_call_t* call, tn__sizes_t* sizes) {
  for (size_t i = 0; i < call->op->param_count; ++i) {
    const tn_ffi_param_t* param = &call->op->params[i];
    tn_ffi_attr_t found = {0, NULL};
    if (!tn__is_size(call->op, param)) continue;
    const bool is_given = tn__find(&call->frame->attrs, param->name, 0, NULL, &found);
    tn__set_size(sizes, param->name, (int)strlen(param->name),
                 is_given ? tn__read_integer(found) : param->default_integer);
  }
}

// " where n is 3 and k is 4": what was known of the names in the list.
TN__COLD void tn__print_sizes(tn__text_t* text, const char* dims, const tn__sizes_t* sizes) {
  const char* between = " where ";
  tn__dim_t dim;
  if (tn__read_leading(&dims) && sizes->leading_rank >= 0) {
    tn__print(text, "%s... is ", between);
    for (int64_t i = 0; i < sizes->leading_rank; ++i)
      tn__print(text, "%s%" PRId64, i ? "x" : "", sizes->leading[i]);
    if (!sizes->leading_rank) tn__print(text, "nothing");
    between = " and ";
  }
  while (*dims && tn__read_dim(&dims, &dim)) {
    for (int i = 0; i < dim.term_count; ++i) {
      const int64_t size = tn__size_of(sizes, dim.terms[i].name, dim.terms[i].length);
      if (size == TN__UNKNOWN_SIZE) continue;
      tn__print(text, "%s%.*s is %" PRId64, between, dim.terms[i].length, dim.terms[i].name, size);
      between = " and ";
    }
  }
}

// Names the first value whose shape is not as its dims(...) say; OK if there is none.
TN__COLD tn_status_t tn__judge_dims(const tn_call_t* call) {
  tn__sizes_t sizes, before;
  tn__forget_sizes(&sizes);
  tn__take_attr_sizes(call, &sizes);
  for (int again = 0; again < 2; ++again) {
    int64_t index[3] = {0, 0, 0};
    for (size_t i = 0; i < call->op->param_count; ++i) {
      const tn_ffi_param_t* param = &call->op->params[i];
      const bool is_arg = param->kind == TN_FFI_PARAM_ARG;
      const tn_ffi_values_t* values = is_arg ? &call->frame->args : &call->frame->rets;
      const int64_t at = index[param->kind]++;
      tn__text_t text = {0, ""};
      if (param->kind == TN_FFI_PARAM_ATTR || !param->dims || at >= values->count) continue;
      const tn_ffi_buffer_t* buffer = (const tn_ffi_buffer_t*)values->values[at];
      before = sizes;
      if (tn__match_dims(param->dims, buffer->dims, buffer->rank, &sizes)) continue;
      tn__print(&text, "%s %s: expected dims(%s)", is_arg ? "argument" : "result", param->name,
                param->dims);
      if (tn__count_dims(param->dims) < 0) {
        tn__print(&text, " to have names, numbers and their sums");
      } else {
        tn__print_sizes(&text, param->dims, &before);
        tn__print(&text, ", found ");
        tn__print_type(&text, buffer);
      }
      return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
    }
  }
  return TN_OK;
}

// Names the first value that does not match the list.
TN__COLD tn_status_t tn__refuse_values(const tn_call_t* call) {
  for (int relations = 0; relations < 2; ++relations) {
    int64_t index[3] = {0, 0, 0};
    for (size_t i = 0; i < call->op->param_count; ++i) {
      const tn_ffi_param_t* param = &call->op->params[i];
      const tn_ffi_values_t* values =
          param->kind == TN_FFI_PARAM_ARG ? &call->frame->args : &call->frame->rets;
      if (param->kind == TN_FFI_PARAM_ATTR) continue;
      const int64_t first = index[param->kind],
                    many = param->flags & TN_FFI_PARAM_REMAINING ? values->count : first + 1;
      for (int64_t k = first; k < many && k < values->count; ++k) {
        if (values->types[k] != TN_FFI_BUFFER) {
          return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s: expected a buffer, found type %d",
                           param->name, (int)values->types[k]);
        }
        TN_TRY(tn__judge_value(call, param, (const tn_ffi_buffer_t*)values->values[k], k - first,
                               relations));
      }
      index[param->kind] = many;
    }
  }
  TN_TRY(tn__judge_dims(call));
  return tn__error(call, TN_FFI_INTERNAL, "the arguments changed during the call");
}

// The path of an attribute: includes the enclosing attribute of a struct field.
typedef struct tn__path {
  const struct tn__path* parent;
  const char* name;
} tn__path_t;

TN__COLD void tn__print_path(tn__text_t* text, const tn__path_t* path, const char* name) {
  if (path) tn__print_path(text, path->parent, path->name);
  tn__print(text, path ? ".%s" : "attribute %s", name);
}

TN__COLD void tn__print_attr(tn__text_t* text, tn_ffi_attr_t attr) {
  if (attr.type == TN_FFI_SCALAR) {
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr.value;
    int64_t integer = 0;
    double number = 0;
    tn__print(text, "%s", tn_ffi_dtype_name(scalar->dtype));
    if (scalar->dtype == TN_FFI_S64)
      tn__print(text, " %" PRId64, *(int64_t*)memcpy(&integer, scalar->value, sizeof integer));
    if (scalar->dtype == TN_FFI_F64)
      tn__print_number(text, *(double*)memcpy(&number, scalar->value, sizeof number));
  } else if (attr.type == TN_FFI_ARRAY) {
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr.value;
    tn__print(text, "an array of %zu %s", array->count, tn_ffi_dtype_name(array->dtype));
  } else if (attr.type == TN_FFI_STRING) {
    const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr.value;
    tn__print(text, "the string \"%.*s\"", (int)(bytes->size < 40 ? bytes->size : 40), bytes->data);
  } else {
    tn__print(text, attr.type == TN_FFI_DICTIONARY ? "a dictionary" : "something of type %d",
              (int)attr.type);
  }
}

// The attribute is missing or does not have the expected type.
TN__COLD tn_status_t tn__refuse_attr(const tn_call_t* call, const tn__path_t* path,
                                     const tn_ffi_attrs_t* attrs, const char* name,
                                     const char* expected) {
  tn__text_t text = {0, ""};
  tn_ffi_attr_t found = {0, NULL};
  const bool is_there = tn__find(attrs, name, 0, NULL, &found);
  tn__print_path(&text, path, name);
  tn__print(&text, is_there ? ": expected %s, found " : " is missing; expected %s", expected);
  if (is_there) tn__print_attr(&text, found);
  if (found.type == TN_FFI_SCALAR)
    tn__print(&text,
              strncmp(expected, "enum_of(", 8) == 0
                  ? "; enums are not converted: pass that integer type, in JAX "
                    "np.int32(...) for int32_t"
                  : "; other scalars are converted only if the value is exactly representable");
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// The edit distance of two names, up to the limit that matters.
TN__COLD size_t tn__distance(const char* a, size_t a_size, const char* b, size_t b_size) {
  size_t row[64];
  if (a_size > 60 || b_size > 60) return 99;
  for (size_t j = 0; j <= b_size; ++j) row[j] = j;
  for (size_t i = 1; i <= a_size; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_size; ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]),
                   drop = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = change < drop ? change : drop;
    }
  }
  return row[b_size];
}

// Names the first attribute that is not in the list.
TN__COLD tn_status_t tn__refuse_unknown(const tn_call_t* call, const tn__path_t* path,
                                        const tn_ffi_attrs_t* attrs, const tn_ffi_param_t* params,
                                        size_t count) {
  for (int64_t i = 0; i < attrs->count; ++i) {
    tn__text_t names = {0, ""}, text = {0, ""}, spelled = {0, ""};
    const tn_ffi_bytes_t* name = attrs->names[i];
    const char* near = NULL;
    size_t nearest = 3;
    for (size_t k = 0; k < count; ++k) {
      if (params[k].kind != TN_FFI_PARAM_ATTR) continue;
      const size_t size = strlen(params[k].name),
                   distance = tn__distance(name->data, name->size, params[k].name, size);
      if (distance < nearest && distance < size) nearest = distance, near = params[k].name;
      tn__print(&names, "%s%s", names.size ? ", " : "", params[k].name);
    }
    if (nearest == 0) continue;
    tn__print(&spelled, "%.*s", (int)(name->size < 60 ? name->size : 60), name->data);
    tn__print_path(&text, path, spelled.data);
    if (near)
      return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; did you mean %s?", text.data,
                       near);
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; expected %s", text.data,
                     names.size ? names.data : "none");
  }
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "an attribute is given twice");
}

TN__COLD tn_status_t tn__refuse_frame(const tn_call_t* call, int32_t stage) {
  static const char* const stages[] = {"instantiate", "prepare", "initialize", "execute",
                                       "unknown"};
  const uint32_t found = (uint32_t)call->frame->stage;
  if (call->frame->struct_size >= TN_FFI_CALL_FRAME_SIZE) {
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "expected stage %s, found %s", stages[stage],
                     stages[found < 4 ? found : 4]);
  }
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "expected a call frame of %d bytes, found %zu",
                   TN_FFI_CALL_FRAME_SIZE, call->frame->struct_size);
}

#define tn__refuse_count(...) tn__refused(tn__refuse_count(__VA_ARGS__))
#define tn__refuse_values(...) tn__refused(tn__refuse_values(__VA_ARGS__))
#define tn__refuse_attr(...) tn__refused(tn__refuse_attr(__VA_ARGS__))
#define tn__refuse_unknown(...) tn__refused(tn__refuse_unknown(__VA_ARGS__))

#endif  // TENON_DETAIL_CUSTOM_ERROR_H_
