// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/map.h"

#include <string.h>

#include "kernel/common/half.h"
#include "kernel/elementwise/scalar_loops.h"

enum { GRAIN_LIGHT = 65536, GRAIN_HEAVY = 4096 };

typedef struct operation {
  const char* name;
  tn_dtype_t float_carrier;
  int64_t grain;
} operation_t;

static const operation_t unary_operations[] = {
#define TN_UNARY(dialect, name, carrier, cost, ...) \
  [TN_UNARY_##name] = {#name, TN_DTYPE_##carrier, GRAIN_##cost},
#define TN_BINARY(...)
#include "ops/scalar.def"
};

static const operation_t binary_operations[] = {
#define TN_UNARY(...)
#define TN_BINARY(dialect, name, carrier, cost, ...) \
  [TN_BINARY_##name] = {#name, TN_DTYPE_##carrier, GRAIN_##cost},
#include "ops/scalar.def"
};

static size_t find(const operation_t* operations, size_t count, const char* name) {
  size_t i = 0;
  while (i < count && strcmp(operations[i].name, name) != 0) ++i;
  return i;
}

static bool is_narrow_integer(tn_dtype_t dtype) {
  return (tn_dtype_kind(dtype) & TN_KIND_INTEGER) && tn_dtype_bit_width(dtype) < 8;
}

tn_dtype_t tn__carrier(tn_dtype_t dtype, tn_dtype_t float_carrier) {
  if (is_narrow_integer(dtype)) {
    return tn_dtype_kind(dtype) == TN_KIND_SIGNED ? TN_DTYPE_S8 : TN_DTYPE_U8;
  }
  if (dtype == TN_DTYPE_INDEX) return TN_DTYPE_S64;
  return tn__native(dtype) < TN_NATIVE_COUNT ? dtype : float_carrier;
}

// The integer dtype of the same width, signed or unsigned.
static tn_dtype_t twin(tn_dtype_t dtype, bool is_signed) {
  switch (dtype) {
    case TN_DTYPE_S1:
    case TN_DTYPE_U1: return is_signed ? TN_DTYPE_S1 : TN_DTYPE_U1;
    case TN_DTYPE_S2:
    case TN_DTYPE_U2: return is_signed ? TN_DTYPE_S2 : TN_DTYPE_U2;
    case TN_DTYPE_S4:
    case TN_DTYPE_U4: return is_signed ? TN_DTYPE_S4 : TN_DTYPE_U4;
    default: return dtype;
  }
}

// Leading zeros of what has fewer than 8 bits, in a byte.
#define TN_T uint8_t
#define TN_TARGET
#define TN_NAME u1
TN_UNARY_LOOP(count_leading_zeros, SAME, IS(a ? 0 : 1))
#undef TN_NAME
#define TN_NAME u2
TN_UNARY_LOOP(count_leading_zeros, SAME, IS(a ? a < 2 : 2))
#undef TN_NAME
#define TN_NAME u4
TN_UNARY_LOOP(count_leading_zeros, SAME, IS(a ? __builtin_clz(a) - 28 : 4))
#undef TN_NAME

// The upper half of a product of what has fewer than 8 bits, whose products fit a byte.
#define TN_NAME u2
TN_BINARY_LOOP(mulhi, HEAVY, SAME, LEFT, IS((a * b) >> 2))
#undef TN_NAME
#define TN_NAME u4
TN_BINARY_LOOP(mulhi, HEAVY, SAME, LEFT, IS((a * b) >> 4))
#undef TN_NAME
#undef TN_T
#define TN_T int8_t
#define TN_NAME s2
TN_BINARY_LOOP(mulhi, HEAVY, SAME, LEFT, IS((a * b) >> 2))
#undef TN_NAME
#define TN_NAME s4
TN_BINARY_LOOP(mulhi, HEAVY, SAME, LEFT, IS((a * b) >> 4))
#undef TN_NAME
#undef TN_T

// Of single bits the product's upper half is 0, and so is that of two.
static tn_binary_fn narrow_upper_product(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_S1:
    case TN_DTYPE_S2: return map_mulhi_s2;
    case TN_DTYPE_U1:
    case TN_DTYPE_U2: return map_mulhi_u2;
    case TN_DTYPE_S4: return map_mulhi_s4;
    case TN_DTYPE_U4: return map_mulhi_u4;
    default: return NULL;
  }
}

static tn_unary_fn narrow_leading_zeros(uint32_t bits) {
  if (bits == 4) return map_count_leading_zeros_u4;
  return bits == 2 ? map_count_leading_zeros_u2 : map_count_leading_zeros_u1;
}

// Loads `operand` as `read`, its twin or itself. A result has the carrier of its dtype, but of the
// operand's for the integers and floats that both share.
static void carry(tn_map_t* map, tn_dtype_t read, tn_dtype_t carrier, tn_dtype_t result,
                  tn_dtype_t float_carrier) {
  map->load = tn__conversion(read, carrier);
  tn_dtype_t result_carrier = tn__carrier(result, float_carrier);
  if (is_narrow_integer(result)) result_carrier = carrier;
  map->store = tn__conversion(result_carrier, result);
  if (!tn__map_is_direct(map)) map->threaded = NULL;
}

// What an operation on `dtype` is computed in, where one in f64 would round as if once: floats of
// 16 bits in f32, whose results nearly always tell what they round to.
static tn_dtype_t quick_carrier(const operation_t* operation, tn_dtype_t dtype) {
  const bool is_half = dtype == TN_DTYPE_F16 || dtype == TN_DTYPE_BF16;
  return is_half ? TN_DTYPE_F32 : operation->float_carrier;
}

static bool make_unary(size_t id, tn_dtype_t operand, tn_dtype_t result, bool exactly,
                       tn_map_t* out_map) {
  if (id == TN_UNARY_COUNT) return false;
  const operation_t* operation = &unary_operations[id];
  bool narrow = is_narrow_integer(operand);
  bool bits = id == TN_UNARY_popcnt || id == TN_UNARY_count_leading_zeros;
  tn_dtype_t read = narrow && bits ? twin(operand, false) : operand;
  const tn_dtype_t float_carrier =
      exactly ? operation->float_carrier : quick_carrier(operation, operand);
  tn_dtype_t carrier = tn__carrier(read, float_carrier);
  tn_map_t map = {.grain = operation->grain};
  const tn_native_t native = tn__native(carrier);
  if (float_carrier != operation->float_carrier) {
    map.precise_unary = tn__loops(TN_NATIVE_F64)->unary[id];
  }
  map.unary = (exactly ? tn__loops_of(TN_ISA_BASE, native) : tn__loops(native))->unary[id];
  const tn_threaded_table_t* threaded = tn__threaded(native);
  if (threaded) map.threaded = threaded->unary[id];
  if (narrow && id == TN_UNARY_count_leading_zeros) {
    map.unary = narrow_leading_zeros(tn_dtype_bit_width(operand));
  }
  carry(&map, read, carrier, result, float_carrier);
  *out_map = map;
  return map.unary != NULL;
}

bool tn__map_unary(const char* op, tn_dtype_t operand, tn_dtype_t result, tn_map_t* out_map) {
  return make_unary(find(unary_operations, TN_UNARY_COUNT, op), operand, result, false, out_map);
}

bool tn__map_unary_exactly(const char* op, tn_dtype_t operand, tn_dtype_t result,
                           tn_map_t* out_map) {
  return make_unary(find(unary_operations, TN_UNARY_COUNT, op), operand, result, true, out_map);
}

bool tn__map_unary_op(tn_unary_op_t op, tn_dtype_t dtype, tn_map_t* out_map) {
  return make_unary(op, dtype, dtype, false, out_map);
}

static bool make_binary(size_t id, tn_dtype_t operand, tn_dtype_t result, tn_map_t* out_map) {
  if (id == TN_BINARY_COUNT) return false;
  const operation_t* operation = &binary_operations[id];
  tn_dtype_t read = operand;
  if (id == TN_BINARY_shift_right_logical) read = twin(operand, false);
  if (id == TN_BINARY_shift_right_arithmetic) read = twin(operand, true);
  const tn_dtype_t float_carrier = quick_carrier(operation, operand);
  tn_dtype_t carrier = tn__carrier(read, float_carrier);
  tn_map_t map = {.grain = operation->grain};
  const tn_native_t native = tn__native(carrier);
  if (float_carrier != operation->float_carrier) {
    map.precise_binary = tn__loops(TN_NATIVE_F64)->binary[id];
  }
  const tn_loops_t* loops = tn__loops(native);
  map.binary = loops->binary[id];
  const tn_threaded_table_t* threaded = tn__threaded(native);
  if (threaded) map.threaded = threaded->binary[id];
  if (is_narrow_integer(operand) && id == TN_BINARY_mulhi) {
    map.binary = narrow_upper_product(operand);
  }
  carry(&map, read, carrier, result, float_carrier);
  for (int side = 0; side < TN_SIDE_COUNT && tn__map_is_direct(&map); ++side) {
    map.repeating[side] = loops->repeating[side][id];
  }
  *out_map = map;
  return map.binary != NULL;
}

bool tn__map_binary(const char* op, tn_dtype_t operand, tn_dtype_t result, tn_map_t* out_map) {
  return make_binary(find(binary_operations, TN_BINARY_COUNT, op), operand, result, out_map);
}

bool tn__map_binary_op(tn_binary_op_t op, tn_dtype_t dtype, tn_map_t* out_map) {
  return make_binary(op, dtype, dtype, out_map);
}

bool tn__map_compare(tn_direction_t direction, bool total_order, tn_dtype_t operand,
                     tn_map_t* out_map) {
  tn_dtype_t carrier = tn__carrier(operand, TN_DTYPE_F32);
  const tn_loops_t* loops = tn__loops(tn__native(carrier));
  bool total = total_order && tn_dtype_kind(operand) == TN_KIND_FLOAT;
  tn_map_t map = {.grain = GRAIN_LIGHT};
  map.binary = total ? loops->compare_total[direction] : loops->compare[direction];
  const tn_threaded_table_t* threaded = tn__threaded(tn__native(carrier));
  if (threaded) {
    map.threaded = total ? threaded->compare_total[direction] : threaded->compare[direction];
  }
  carry(&map, operand, carrier, TN_DTYPE_PRED, TN_DTYPE_F32);
  if (tn__map_is_direct(&map)) {
    map.repeating[TN_RIGHT_REPEATED] =
        total ? loops->compare_total_to_one[direction] : loops->compare_to_one[direction];
  }
  *out_map = map;
  return map.binary != NULL;
}

static double element_of(const void* values, size_t index) {
  float value;
  memcpy(&value, (const char*)values + index * sizeof value, sizeof value);
  return (double)value;
}

// Of f32: results that are near the middle of two of 16 bits, once more in f64.
static void make_sure(const tn_map_t* map, const void* left, const void* right, void* results,
                      size_t count) {
  const tn_half_loops_t* halves = tn__half_loops();
  size_t (*const next)(const float*, size_t, size_t) =
      map->store.to == TN_DTYPE_F16 ? halves->find_unsure_f16 : halves->find_unsure_bf16;
  for (size_t i = next(results, 0, count); i < count; i = next(results, i + 1, count)) {
    const double a = element_of(left, i);
    double precise;
    uint16_t rounded;
    if (map->precise_unary) {
      map->precise_unary(&a, &precise, 1);
    } else {
      const double b = element_of(right, i);
      map->precise_binary(&a, &b, &precise, 1);
    }
    tn__convert_elements(TN_DTYPE_F64, &precise, map->store.to, &rounded, 1);
    tn__convert_elements(map->store.to, &rounded, TN_DTYPE_F32, (char*)results + i * sizeof(float),
                         1);
  }
}

// Loads one element and repeats it.
static void load_repeated(const tn_conversion_t* load, const char* element, int64_t* chunk,
                          size_t count) {
  const size_t size = tn_dtype_byte_size(load->to);
  load->run(load, element, chunk, 1);
  for (size_t i = 1; i < count; ++i) memcpy((char*)chunk + i * size, chunk, size);
}

// `side`: which operand is repeated; TN_SIDE_COUNT: none.
static void run_chunks(const tn_map_t* map, tn_side_t side, const char* a, const char* b, char* out,
                       size_t count) {
  size_t operand_size = tn_dtype_byte_size(map->load.from),
         result_size = tn_dtype_byte_size(map->store.to);
  // What is converted is carried in at most 8 bytes.
  int64_t left[TN_CHUNK], right[TN_CHUNK], result[TN_CHUNK];
  const size_t most = count < TN_CHUNK ? count : TN_CHUNK;
  if (side == TN_LEFT_REPEATED) load_repeated(&map->load, a, left, most);
  if (side == TN_RIGHT_REPEATED) load_repeated(&map->load, b, right, most);
  for (size_t begin = 0; begin < count; begin += TN_CHUNK) {
    size_t length = count - begin < TN_CHUNK ? count - begin : TN_CHUNK;
    if (side != TN_LEFT_REPEATED) map->load.run(&map->load, a + begin * operand_size, left, length);
    if (b) {
      if (side != TN_RIGHT_REPEATED) {
        map->load.run(&map->load, b + begin * operand_size, right, length);
      }
      map->binary(left, right, result, length);
    } else {
      map->unary(left, result, length);
    }
    if (map->precise_unary || map->precise_binary) {
      make_sure(map, left, right, result, length);
    }
    map->store.run(&map->store, result, out + begin * result_size, length);
  }
}

void tn__map_run(const tn_map_t* map, const void* a, const void* b, void* out, size_t count) {
  if (!tn__map_is_direct(map)) {
    run_chunks(map, TN_SIDE_COUNT, a, b, out, count);
  } else if (b) {
    map->binary(a, b, out, count);
  } else {
    map->unary(a, out, count);
  }
}

bool tn__map_repeats(const tn_map_t* map, tn_side_t side) {
  return map->binary && (map->repeating[side] || !tn__map_is_direct(map));
}

void tn__map_run_repeated(const tn_map_t* map, tn_side_t side, const void* a, const void* b,
                          void* out, size_t count) {
  if (tn__map_is_direct(map)) {
    map->repeating[side](a, b, out, count);
  } else {
    run_chunks(map, side, a, b, out, count);
  }
}
