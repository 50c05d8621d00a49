// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing.h"
#include "call/testing_host.h"

#include <tenon/custom.h>
#include <tenon/detail/dtype.h>

// ---- The operations under test

#define SCALE(ARG, ATTR, RET)                       \
  ARG(x, f32, any_rank, "what is scaled")           \
  ATTR(factor, float, 2.0f, "what it is scaled by") \
  ATTR(offset, int32_t, TN_REQUIRED)                \
  RET(y, f32, like(x))

TN_OP(rescale, SCALE, "y = x * factor + offset") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->y.data[i] = call->x.data[i] * call->factor + (float)call->offset;
  }
  return TN_OK;
}

#define MIX(ARG, ATTR, RET)           \
  ARG(a, any, rank(2))                \
  ARG(b, of(f32, bf16, s8), any_rank) \
  ARG(c, dtype_of(a), any_rank)       \
  ARG(d, pred, shape_of(a))           \
  ARG(e, f64, optional)               \
  RET(y, any, like(a))                \
  RET(z, dtype_of(b), shape_of(c))

static bool mix_saw_e;
TN_OP(mix, MIX, "takes what it gets") {
  mix_saw_e = tn_is_present(call->e);
  return TN_OK;
}

#define GATHER(ARG, ATTR, RET)          \
  ARG(first, f32, any_rank)             \
  ARG(more, dtype_of(first), remaining) \
  RET(out, f32, remaining)

static int64_t gather_index;
TN_OP(gather, GATHER, "adds everything up") {
  tn_arg_f32_t x;
  tn_ret_f32_t y;
  float sum = call->first.data[0];
  for (int64_t i = 0; i < call->more.count; ++i) {
    TN_TRY(tn_get_arg(call, call->more, i, f32, &x));
    sum += x.data[0];
  }
  for (int64_t i = 0; i < call->out.count; ++i) {
    TN_TRY(tn_get_ret(call, call->out, i, f32, &y));
    y.data[0] = sum;
  }
  tn_arg_any_t any;
  TN_TRY(tn_get_arg(call, call->more, gather_index, any, &any));
  tn_arg_f64_t wrong;
  return tn_get_arg(call, call->more, gather_index, f64, &wrong);
}

typedef enum command { ADD, MULTIPLY } command_t;
#define INNER(FIELD) FIELD(deep, uint8_t, 7)
TN_RECORD(inner_t, INNER)
#define RANGE(FIELD)              \
  FIELD(lo, int64_t, TN_REQUIRED) \
  FIELD(hi, int64_t, 100)         \
  FIELD(inner, record(inner_t), TN_EMPTY)
TN_RECORD(range_t, RANGE)

typedef struct point {
  float x, y;
} point_t;
#define POINT(FIELD) FIELD(x, float, TN_REQUIRED) FIELD(y, float, TN_REQUIRED)
TN_RECORD_OF(point_t, POINT)

static tn_status_t decode_color(const tn_call_t* call, const tn_ffi_attr_t* attr, uint32_t* out) {
  if (attr->type != TN_FFI_STRING) return TN_ERROR(call, INVALID_ARGUMENT, "a color is a string");
  *out = (uint32_t)((const tn_ffi_bytes_t*)attr->value)->size;
  return TN_OK;
}

#define EVERY(ARG, ATTR, RET)                          \
  ATTR(flag, bool, true)                               \
  ATTR(i8, int8_t, -8)                                 \
  ATTR(i64, int64_t, INT64_MIN)                        \
  ATTR(u8, uint8_t, 255)                               \
  ATTR(u64, uint64_t, UINT64_MAX)                      \
  ATTR(real, double, 0.5)                              \
  ATTR(name, string, "na\0me", "with a NUL")           \
  ATTR(weights, array(float), TN_EMPTY)                \
  ATTR(masks, array(bool), TN_EMPTY)                   \
  ATTR(command, enum_of(command_t, int32_t), MULTIPLY) \
  ATTR(range, record(range_t), TN_REQUIRED)            \
  ATTR(point, record(point_t), TN_REQUIRED)            \
  ATTR(color, decoded_by(uint32_t, decode_color), 9u)  \
  ATTR(options, dictionary, TN_EMPTY)                  \
  ATTR(where, address, NULL)

static void remember(const void* call);
TN_OP(every_kind, EVERY, "has every kind of attribute") {
  remember(call);
  return TN_OK;
}

static struct every_kind_call every;
static void remember(const void* call) {
  memcpy(&every, call, sizeof every);
}

#define OPEN(ARG, ATTR, RET) ATTR(n, int64_t, 1) ATTR(all, all_attributes, TN_EMPTY)
TN_OP(open_ended, OPEN, "looks attributes up") {
  float eps = 0;
  tn_string_t text;
  tn_span_int32_t_t list;
  tn_dictionary_t nested;
  int64_t lo = 0;
  TN_TRY(tn_get(call, call->all, "eps", float, &eps));
  TN_TRY(tn_get(call, call->all, "text", string, &text));
  TN_TRY(tn_get(call, call->all, "list", array(int32_t), &list));
  TN_TRY(tn_get(call, call->all, "nested", dictionary, &nested));
  TN_TRY(tn_get(call, nested, "lo", int64_t, &lo));
  if (eps != 0.25f || text.size != 2 || list.count != 3 || list.data[2] != 30 || lo != -1 ||
      !tn_has(nested, "lo") || tn_has(nested, "hi") || call->n != 5) {
    return TN_ERROR(call, INTERNAL, "other values");
  }
  return TN_OK;
}

static int error_code;
#define NOTHING(ARG, ATTR, RET)
TN_OP(fail_with, NOTHING, "fails") {
  return tn__error(call->tn, error_code, "%s %d", "reason", 7);
}

TN_OP_ON("CUDA", "rescale", TN_FFI_COMMAND_BUFFER_COMPATIBLE, rescale_cuda, SCALE, "on a GPU") {
  return TN_OK;
}

TN_UNTYPED(add_one, "out = in + 1")
void add_one(void* out, const void** in) {
  *(float*)out = *(const float*)in[0] + 1;
}

TN_UNTYPED_OPAQUE(opaque, "takes bytes")
void opaque(void* out, const void** in, const char* bytes, size_t size,
            struct XlaCustomCallStatus_* status) {
  (void)out, (void)in, (void)bytes, (void)size, (void)status;
}

TN_LIBRARY(rescale, mix, gather, every_kind, open_ended, fail_with, rescale_cuda, add_one, opaque)

// ---- Tests

static tn_testing_host_t host;
static tn_testing_frame_t frame;
static float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];

static int start(void** state) {
  (void)state;
  tn__testing_host_init(&host);
  tn__host_frame_init(&frame, &host);
  return 0;
}

static int finish(void** state) {
  (void)state;
  tn__testing_host_deinit(&host);
  return 0;
}

static void numbers_are_those_of_the_runtime(void** state) {
  (void)state;
#define SAME(word, NAME, number, ctype)             \
  assert_int_equal(TN_FFI_##NAME, TN_DTYPE_##NAME); \
  assert_int_equal(tn_ffi_dtype_size(TN_FFI_##NAME), tn_dtype_byte_size(TN_DTYPE_##NAME));
  TN_FFI_DTYPES(SAME)
#define TN_CODE(name, number, meaning) assert_int_equal(TN_FFI_##name, TN_CODE_##name);
#include <tenon/detail/status.def>
#undef TN_CODE
}

static void answers_with_the_oldest_version(void** state) {
  (void)state;
  tn_ffi_metadata_t metadata;
  TN_ASSERT_OK(tn__host_query(rescale, &host, &metadata));
  assert_int_equal(metadata.api_version.struct_size, TN_FFI_API_VERSION_SIZE);
  assert_int_equal(metadata.api_version.major, 0);
  assert_int_equal(metadata.api_version.minor, 1);
  assert_int_equal(metadata.traits, 0);
  assert_int_equal(metadata.state_type_id.id, 0);
  TN_ASSERT_OK(tn__host_query(rescale_cuda, &host, &metadata));
  assert_int_equal(metadata.traits, TN_FFI_COMMAND_BUFFER_COMPATIBLE);
}

static void refuses_frames_it_does_not_know(void** state) {
  (void)state;
  frame.frame.stage = TN_FFI_INITIALIZE;
  TN_ASSERT_REPORT("rescale: expected stage execute, found initialize",
                   tn__host_call(rescale, &frame));
  frame.frame.stage = 9;
  TN_ASSERT_REPORT("rescale: expected stage execute, found unknown",
                   tn__host_call(rescale, &frame));
  frame.frame.stage = TN_FFI_EXECUTE;
  frame.frame.struct_size = 160;
  TN_ASSERT_REPORT("rescale: expected a call frame of 168 bytes, found 160",
                   tn__host_call(rescale, &frame));
  frame.frame.struct_size = 176;  // a newer host's
  TN_ASSERT_REPORT("expected 1 argument", tn__host_call(rescale, &frame));
}

static void scale_frame(void) {
  tn__host_frame_init(&frame, &host);
  tn__host_arg(&frame, TN_FFI_F32, in, TN_TESTING_DIMS(2, 2));
  tn__host_ret(&frame, TN_FFI_F32, out, TN_TESTING_DIMS(2, 2));
}

static void reads_values_and_attributes(void** state) {
  (void)state;
  const float factor = 3;
  const int32_t offset = 10;
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S32, &offset);
  TN_ASSERT_OK(tn__host_call(rescale, &frame));
  assert_true(out[3] == 18);  // the default factor
  tn__host_scalar(&frame.attrs, "factor", TN_FFI_F32, &factor);
  for (int i = 0; i < 3; ++i) {  // the places of attributes are remembered
    TN_ASSERT_OK(tn__host_call(rescale, &frame));
    assert_true(out[0] == 13 && out[3] == 22);
  }
  // A host that does not sort is served as well.
  tn_ffi_bytes_t* name = frame.attrs.names[0];
  frame.attrs.names[0] = frame.attrs.names[1], frame.attrs.names[1] = name;
  void* value = frame.attrs.values[0];
  frame.attrs.values[0] = frame.attrs.values[1], frame.attrs.values[1] = value;
  for (int i = 0; i < 3; ++i) {
    memset(out, 0, sizeof out);
    TN_ASSERT_OK(tn__host_call(rescale, &frame));
    assert_true(out[0] == 13 && out[3] == 22);
  }
}

static void takes_other_numbers_when_exact(void** state) {
  (void)state;
  const double half = 0.5, tenth = 0.1;
  const int64_t minus = -3, large = INT64_C(1) << 31;
  const uint8_t small = 200;
  const uint64_t huge = UINT64_MAX;
  scale_frame();
  tn__host_scalar(&frame.attrs, "factor", TN_FFI_F64, &half);
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S64, &minus);
  TN_ASSERT_OK(tn__host_call(rescale, &frame));
  assert_true(out[3] == -1);
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_U8, &small);
  TN_ASSERT_OK(tn__host_call(rescale, &frame));
  assert_true(out[0] == 202);
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S64, &large);
  TN_ASSERT_REPORT(
      "rescale: attribute offset: expected int32_t, found s64 2147483648; other scalars",
      tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_U64, &huge);
  TN_ASSERT_REPORT("expected int32_t, found u64", tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_scalar(&frame.attrs, "factor", TN_FFI_F64, &tenth);
  TN_ASSERT_REPORT("attribute factor: expected float, found f64 0.1;",
                   tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_scalar(&frame.attrs, "factor", TN_FFI_S64, &minus);
  TN_ASSERT_REPORT("attribute factor: expected float, found s64 -3;",
                   tn__host_call(rescale, &frame));
}

static void names_the_attribute_that_is_wrong(void** state) {
  (void)state;
  const int32_t offset = 1;
  scale_frame();
  TN_ASSERT_REPORT("rescale: attribute offset is missing; expected int32_t",
                   tn__host_call(rescale, &frame));
  tn__host_string(&frame.attrs, "offset", "one");
  TN_ASSERT_REPORT("attribute offset: expected int32_t, found the string \"one\"",
                   tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_array(&frame.attrs, "offset", TN_FFI_S32, &offset, 1);
  TN_ASSERT_REPORT("attribute offset: expected int32_t, found an array of 1 s32",
                   tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S32, &offset);
  tn__host_scalar(&frame.attrs, "facter", TN_FFI_S32, &offset);
  TN_ASSERT_REPORT("rescale: attribute facter is unknown; did you mean factor?",
                   tn__host_call(rescale, &frame));
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S32, &offset);
  tn__host_scalar(&frame.attrs, "zzz", TN_FFI_S32, &offset);
  TN_ASSERT_REPORT("attribute zzz is unknown; expected factor, offset",
                   tn__host_call(rescale, &frame));
  tn__host_frame_init(&frame, &host);
  tn__host_scalar(&frame.attrs, "zzz", TN_FFI_S32, &offset);
  TN_ASSERT_REPORT("fail_with: attribute zzz is unknown; expected none",
                   tn__host_call(fail_with, &frame));
}

static void counts_values(void** state) {
  (void)state;
  TN_ASSERT_REPORT("rescale: expected 1 argument (x), found 0", tn__host_call(rescale, &frame));
  tn__host_arg(&frame, TN_FFI_F32, in, TN_TESTING_DIMS(2));
  TN_ASSERT_REPORT("rescale: expected 1 result (y), found 0", tn__host_call(rescale, &frame));
  TN_ASSERT_REPORT("mix: expected at least 4 arguments (a, b, c, d, e), found 1",
                   tn__host_call(mix, &frame));
  TN_ASSERT_REPORT("fail_with: expected 0 arguments (none), found 1",
                   tn__host_call(fail_with, &frame));
  for (int i = 0; i < 5; ++i) tn__host_arg(&frame, TN_FFI_F32, in, TN_TESTING_DIMS(2));
  TN_ASSERT_REPORT("mix: expected at most 5 arguments (a, b, c, d, e), found 6",
                   tn__host_call(mix, &frame));
}

static void mix_frame(int values) {
  tn__host_frame_init(&frame, &host);
  tn__host_arg(&frame, TN_FFI_S32, in, TN_TESTING_DIMS(2, 3));
  tn__host_arg(&frame, TN_FFI_BF16, in, TN_TESTING_DIMS(5));
  tn__host_arg(&frame, TN_FFI_S32, in, TN_TESTING_DIMS(7));
  tn__host_arg(&frame, TN_FFI_PRED, in, TN_TESTING_DIMS(2, 3));
  if (values > 4) tn__host_arg(&frame, TN_FFI_F64, in, 0, NULL);
  tn__host_ret(&frame, TN_FFI_S32, out, TN_TESTING_DIMS(2, 3));
  tn__host_ret(&frame, TN_FFI_BF16, out, TN_TESTING_DIMS(7));
}

static void checks_dtypes_shapes_and_their_relations(void** state) {
  (void)state;
  mix_frame(4);
  TN_ASSERT_OK(tn__host_call(mix, &frame));
  assert_false(mix_saw_e);
  mix_frame(5);
  TN_ASSERT_OK(tn__host_call(mix, &frame));
  assert_true(mix_saw_e);

  frame.buffers[0][0].rank = 1;
  TN_ASSERT_REPORT("mix: argument a: expected rank 2, found 2xs32", tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[0][1].dtype = TN_FFI_F64;
  TN_ASSERT_REPORT("mix: argument b: expected s8 or f32 or bf16, found 5xf64",
                   tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[0][2].dtype = TN_FFI_S64;
  TN_ASSERT_REPORT("mix: argument c: expected the dtype of a, 2x3xs32, found 7xs64",
                   tn__host_call(mix, &frame));
  mix_frame(5);
  frame.dims[0][3][1] = 4;
  TN_ASSERT_REPORT("mix: argument d: expected the shape of a, 2x3xs32, found 2x4xpred",
                   tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[0][4].dtype = TN_FFI_F32;
  TN_ASSERT_REPORT("mix: argument e: expected f64, found f32", tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[1][0].dtype = TN_FFI_U32;
  TN_ASSERT_REPORT("mix: result y: expected the dtype of a, 2x3xs32, found 2x3xu32",
                   tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[1][1].dtype = TN_FFI_F32;
  TN_ASSERT_REPORT("mix: result z: expected the dtype of b, 5xbf16, found 7xf32",
                   tn__host_call(mix, &frame));
  mix_frame(5);
  frame.types[0][2] = 2;
  TN_ASSERT_REPORT("mix: c: expected a buffer, found type 2", tn__host_call(mix, &frame));
  mix_frame(5);
  frame.buffers[0][1].dtype = 99;
  TN_ASSERT_REPORT("argument b: expected s8 or f32 or bf16, found 5xno dtype",
                   tn__host_call(mix, &frame));
  frame.buffers[0][1].dtype = -1;
  TN_ASSERT_REPORT("found 5xno dtype", tn__host_call(mix, &frame));
}

static void gives_access_to_the_remaining(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) tn__host_arg(&frame, TN_FFI_F32, &in[i], 0, NULL);
  for (int i = 0; i < 2; ++i) tn__host_ret(&frame, TN_FFI_F32, &out[i], 0, NULL);
  gather_index = 2;
  TN_ASSERT_REPORT("gather: remaining value 2: expected f64, found f32",
                   tn__host_call(gather, &frame));
  assert_true(out[0] == 10 && out[1] == 10);
  gather_index = 3;
  TN_ASSERT_REPORT("gather: remaining value 3 does not exist; expected an index below 3",
                   tn__host_call(gather, &frame));
  gather_index = -1;
  TN_ASSERT_CODE(OUT_OF_RANGE, tn__host_call(gather, &frame));
  frame.buffers[0][2].dtype = TN_FFI_S8;
  TN_ASSERT_REPORT("gather: argument more[1]: expected the dtype of first, f32, found s8",
                   tn__host_call(gather, &frame));
  frame.frame.args.count = 0;
  TN_ASSERT_REPORT("gather: expected at least 1 argument (first, more), found 0",
                   tn__host_call(gather, &frame));
}

static void decodes_every_kind_of_attribute(void** state) {
  (void)state;
  tn_testing_attrs_t range, inner, point;
  const int64_t lo = 5;
  const float one = 1, two = 2;
  tn__host_attrs_init(&range);
  tn__host_attrs_init(&inner);
  tn__host_attrs_init(&point);
  tn__host_scalar(&range, "lo", TN_FFI_S64, &lo);
  tn__host_scalar(&point, "x", TN_FFI_F32, &one);
  tn__host_scalar(&point, "y", TN_FFI_F32, &two);
  tn__host_dictionary(&frame.attrs, "range", &range);
  tn__host_dictionary(&frame.attrs, "point", &point);
  TN_ASSERT_OK(tn__host_call(every_kind, &frame));
  assert_true(every.flag && every.i8 == -8 && every.i64 == INT64_MIN && every.u8 == 255);
  assert_true(every.u64 == UINT64_MAX && every.real == 0.5 && every.weights.count == 0);
  assert_int_equal(every.name.size, 5);
  assert_memory_equal(every.name.data, "na\0me", 5);
  assert_true(every.command == MULTIPLY && every.color == 9 && every.where == NULL);
  assert_true(every.range.lo == 5 && every.range.hi == 100 && every.range.inner.deep == 7);
  assert_true(every.point.x == 1 && every.point.y == 2);
  assert_int_equal(every.options.attrs->count, 0);

  const bool no = false, masks[] = {true, false};
  const uint8_t deep = 9;
  const int32_t add = 0;
  const float weights[] = {1, 2, 3};
  const int64_t address = (int64_t)(intptr_t)&address;
  tn__host_scalar(&inner, "deep", TN_FFI_U8, &deep);
  tn__host_dictionary(&range, "inner", &inner);
  tn__host_scalar(&frame.attrs, "flag", TN_FFI_PRED, &no);
  tn__host_array(&frame.attrs, "weights", TN_FFI_F32, weights, 3);
  tn__host_array(&frame.attrs, "masks", TN_FFI_PRED, masks, 2);
  tn__host_scalar(&frame.attrs, "command", TN_FFI_S32, &add);
  tn__host_string(&frame.attrs, "color", "green");
  tn__host_dictionary(&frame.attrs, "options", &inner);
  tn__host_scalar(&frame.attrs, "where", TN_FFI_S64, &address);
  TN_ASSERT_OK(tn__host_call(every_kind, &frame));
  assert_true(!every.flag && every.weights.count == 3 && every.weights.data[2] == 3);
  assert_true(every.masks.count == 2 && every.masks.data[0] && every.command == ADD);
  assert_true(every.color == 5 && every.range.inner.deep == 9 && every.where == &address);
  assert_int_equal(every.options.attrs->count, 1);
}

static void names_the_field_that_is_wrong(void** state) {
  (void)state;
  tn_testing_attrs_t range, inner, point;
  const int64_t lo = 5, deep = 256;
  tn__host_attrs_init(&range);
  tn__host_attrs_init(&inner);
  tn__host_attrs_init(&point);
  tn__host_dictionary(&frame.attrs, "range", &range);
  TN_ASSERT_REPORT("every_kind: attribute range.lo is missing; expected int64_t",
                   tn__host_call(every_kind, &frame));
  tn__host_scalar(&range, "lo", TN_FFI_S64, &lo);
  tn__host_scalar(&inner, "deep", TN_FFI_S64, &deep);
  tn__host_dictionary(&range, "inner", &inner);
  TN_ASSERT_REPORT("attribute range.inner.deep: expected uint8_t, found s64 256",
                   tn__host_call(every_kind, &frame));
  tn__host_attrs_init(&inner);
  tn__host_string(&inner, "deep", "very");
  TN_ASSERT_REPORT("attribute range.inner.deep: expected uint8_t, found the string",
                   tn__host_call(every_kind, &frame));
  tn__host_attrs_init(&inner);
  tn__host_scalar(&inner, "depp", TN_FFI_S64, &lo);
  TN_ASSERT_REPORT("attribute range.inner.depp is unknown; did you mean deep?",
                   tn__host_call(every_kind, &frame));

  tn__host_frame_init(&frame, &host);
  const int64_t command = 1;
  tn__host_scalar(&frame.attrs, "command", TN_FFI_S64, &command);
  TN_ASSERT_REPORT("attribute command: expected enum_of(command_t, int32_t), found s64 1",
                   tn__host_call(every_kind, &frame));
  tn__host_frame_init(&frame, &host);
  tn__host_array(&frame.attrs, "weights", TN_FFI_F64, &command, 1);
  TN_ASSERT_REPORT("attribute weights: expected array(float), found an array of 1 f64",
                   tn__host_call(every_kind, &frame));
  tn__host_frame_init(&frame, &host);
  tn__host_string(&frame.attrs, "range", "0..1");
  TN_ASSERT_REPORT("attribute range: expected record(range_t), found the string \"0..1\"",
                   tn__host_call(every_kind, &frame));
  tn__host_frame_init(&frame, &host);
  tn__host_dictionary(&frame.attrs, "name", &point);
  TN_ASSERT_REPORT("attribute name: expected string, found a dictionary",
                   tn__host_call(every_kind, &frame));
}

static void passes_on_what_the_authors_decoder_says(void** state) {
  (void)state;
  const int64_t lo = 5;
  const float one = 1;
  tn_testing_attrs_t range, point;
  tn__host_attrs_init(&range);
  tn__host_attrs_init(&point);
  tn__host_scalar(&range, "lo", TN_FFI_S64, &lo);
  tn__host_scalar(&point, "x", TN_FFI_F32, &one);
  tn__host_scalar(&point, "y", TN_FFI_F32, &one);
  tn__host_dictionary(&frame.attrs, "range", &range);
  tn__host_dictionary(&frame.attrs, "point", &point);
  tn__host_scalar(&frame.attrs, "color", TN_FFI_S64, &lo);
  TN_ASSERT_REPORT("every_kind: a color is a string", tn__host_call(every_kind, &frame));
}

static void looks_attributes_up_by_name(void** state) {
  (void)state;
  const float eps = 0.25f;
  const int32_t list[] = {10, 20, 30};
  const int64_t lo = -1, n = 5;
  tn_testing_attrs_t nested;
  tn__host_attrs_init(&nested);
  TN_ASSERT_REPORT("open_ended: attribute eps is missing; expected float",
                   tn__host_call(open_ended, &frame));
  tn__host_scalar(&frame.attrs, "eps", TN_FFI_F32, &eps);
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  tn__host_string(&frame.attrs, "text", "ab");
  tn__host_array(&frame.attrs, "list", TN_FFI_S32, list, 3);
  tn__host_dictionary(&frame.attrs, "nested", &nested);
  TN_ASSERT_REPORT("attribute lo is missing; expected int64_t", tn__host_call(open_ended, &frame));
  tn__host_scalar(&nested, "lo", TN_FFI_S64, &lo);
  TN_ASSERT_OK(tn__host_call(open_ended, &frame));
  tn__host_attrs_init(&nested);
  tn__host_string(&nested, "lo", "low");
  TN_ASSERT_REPORT("attribute lo: expected int64_t, found the string \"low\"",
                   tn__host_call(open_ended, &frame));
}

static void errors_have_every_code(void** state) {
  (void)state;
  for (error_code = 1; error_code <= 16; ++error_code) {
    tn_status_t status = tn__host_call(fail_with, &frame);
    assert_int_equal(tn_status_code(status), error_code);
    assert_string_equal(tn_status_message(status), "fail_with: reason 7");
    tn_status_release(status);
  }
  error_code = 17;
  TN_ASSERT_CODE(INTERNAL, tn__host_call(fail_with, &frame));
}

static void long_messages_are_cut(void** state) {
  (void)state;
  char name[3000];
  const int32_t offset = 1;
  memset(name, 'q', sizeof name);
  name[sizeof name - 1] = 0;
  scale_frame();
  tn__host_scalar(&frame.attrs, "offset", TN_FFI_S32, &offset);
  tn__host_scalar(&frame.attrs, name, TN_FFI_S32, &offset);
  TN_ASSERT_REPORT("qqq is unknown; expected factor, offset", tn__host_call(rescale, &frame));
}

static const tn_ffi_param_t* param(const tn_ffi_op_t* op, const char* name) {
  for (size_t i = 0; i < op->param_count; ++i) {
    if (!strcmp(op->params[i].name, name)) return &op->params[i];
  }
  fail_msg("no parameter %s", name);
  return NULL;
}

static void the_table_tells_the_signature(void** state) {
  (void)state;
  assert_int_equal(tenon_library.struct_size, sizeof tenon_library);
  assert_int_equal(tenon_library.version, TN_FFI_LIBRARY_VERSION);
  assert_int_equal(tenon_library.op_count, 9);
  const tn_ffi_op_t* op = tenon_library.ops[0];
  assert_string_equal(op->name, "rescale");
  assert_string_equal(op->platform, "Host");
  assert_string_equal(op->doc, "y = x * factor + offset");
  assert_int_equal(op->api_version, 4);
  assert_true(op->bundle.execute == rescale && !op->bundle.instantiate && !op->function);
  assert_int_equal(op->param_count, 4);
  const tn_ffi_param_t* x = param(op, "x");
  assert_int_equal(x->kind, TN_FFI_PARAM_ARG);
  assert_string_equal(x->doc, "what is scaled");
  assert_true(x->dtypes == UINT64_C(1) << TN_FFI_F32 && x->rank == -1 && !x->same_shape_as);
  const tn_ffi_param_t* factor = param(op, "factor");
  assert_int_equal(factor->kind, TN_FFI_PARAM_ATTR);
  assert_int_equal(factor->attr_type, TN_FFI_SCALAR);
  assert_string_equal(factor->type_text, "float");
  assert_string_equal(factor->default_text, "2.0f");
  assert_string_equal(factor->doc, "what it is scaled by");
  assert_true(factor->default_number == 2);
  assert_null(param(op, "offset")->default_text);
  const tn_ffi_param_t* y = param(op, "y");
  assert_int_equal(y->kind, TN_FFI_PARAM_RET);
  assert_string_equal(y->same_shape_as, "x");
  assert_int_equal(y->flags, TN_FFI_PARAM_LIKE);

  op = tenon_library.ops[1];
  assert_int_equal(param(op, "a")->rank, 2);
  assert_true(param(op, "b")->dtypes ==
              (UINT64_C(1) << TN_FFI_F32 | UINT64_C(1) << TN_FFI_BF16 | UINT64_C(1) << TN_FFI_S8));
  assert_string_equal(param(op, "b")->type_text, "of(f32, bf16, s8)");
  assert_string_equal(param(op, "c")->same_dtype_as, "a");
  assert_int_equal(param(op, "e")->flags, TN_FFI_PARAM_OPTIONAL);
  assert_int_equal(param(tenon_library.ops[2], "more")->flags, TN_FFI_PARAM_REMAINING);

  op = tenon_library.ops[3];
  assert_true(param(op, "flag")->default_integer == 1);
  assert_true((uint64_t)param(op, "u64")->default_integer == UINT64_MAX);
  assert_int_equal(param(op, "name")->default_string.size, 5);
  assert_int_equal(param(op, "command")->flags, TN_FFI_PARAM_ENUM);
  assert_int_equal(param(op, "command")->default_integer, MULTIPLY);
  assert_int_equal(param(op, "weights")->attr_type, TN_FFI_ARRAY);
  const tn_ffi_param_t* range = param(op, "range");
  assert_int_equal(range->field_count, 3);
  assert_string_equal(range->fields[1].name, "hi");
  assert_true(range->fields[1].default_integer == 100);
  assert_int_equal(range->fields[2].field_count, 1);
  assert_int_equal(param(tenon_library.ops[4], "all")->flags, TN_FFI_PARAM_EVERYTHING);

  assert_string_equal(tenon_library.ops[6]->platform, "CUDA");
  assert_string_equal(tenon_library.ops[6]->name, "rescale");
  assert_int_equal(tenon_library.ops[7]->api_version, 1);
  assert_true(tenon_library.ops[7]->function == (tn_ffi_function_t)add_one);
  assert_int_equal(tenon_library.ops[8]->api_version, 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
  const struct CMUnitTest tests[] = {
      TEST(numbers_are_those_of_the_runtime),
      TEST(answers_with_the_oldest_version),
      TEST(refuses_frames_it_does_not_know),
      TEST(reads_values_and_attributes),
      TEST(takes_other_numbers_when_exact),
      TEST(names_the_attribute_that_is_wrong),
      TEST(counts_values),
      TEST(checks_dtypes_shapes_and_their_relations),
      TEST(gives_access_to_the_remaining),
      TEST(decodes_every_kind_of_attribute),
      TEST(names_the_field_that_is_wrong),
      TEST(passes_on_what_the_authors_decoder_says),
      TEST(looks_attributes_up_by_name),
      TEST(errors_have_every_code),
      TEST(long_messages_are_cut),
      TEST(the_table_tells_the_signature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
