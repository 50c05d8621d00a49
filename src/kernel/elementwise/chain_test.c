// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Chains give the bits of their operations one by one, on every instruction set.
#include "kernel/elementwise/chain.h"

#include <math.h>

#include "base/testing.h"
#include "kernel/elementwise/map.h"

enum { MOST = 200, BYTES = MOST * sizeof(double) };

static uint64_t random_state;

static uint64_t next_random(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return random_state >> 33;
}

static double random_number(void) {
  static const double odd[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-149, -0x1p-1074, 1, -1};
  const uint64_t choice = next_random() % 24;
  if (choice < sizeof odd / sizeof *odd) return odd[choice];
  return ((double)next_random() / 0x1p30 - 1) * (choice & 1 ? 1 : 0x1p20);
}

static bool is_integer(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) & TN_KIND_INTEGER;
}

static void fill(tn_dtype_t dtype, void* array, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (is_integer(dtype)) {
      const uint64_t word = next_random() << 33 ^ next_random() << 11 ^ next_random();
      memcpy((char*)array + i * tn_dtype_byte_size(dtype), &word, tn_dtype_byte_size(dtype));
    } else {
      const double number = random_number();
      tn__convert_elements(TN_DTYPE_F64, &number, dtype,
                           (char*)array + i * tn_dtype_byte_size(dtype), 1);
    }
  }
}

static bool is_nan(tn_dtype_t dtype, const void* array, size_t i) {
  double number;
  tn__convert_elements(dtype, (const char*)array + i * tn_dtype_byte_size(dtype), TN_DTYPE_F64,
                       &number, 1);
  return !is_integer(dtype) && isnan(number);
}

typedef struct operation {
  const char* name;
  bool is_of_floats, is_of_integers;
  bool is_unary, value_is_second, is_square;
} operation_t;

static const operation_t operations[TN_LINK_COUNT] = {
    [TN_LINK_ADD] = {"add", .is_of_floats = true, .is_of_integers = true},
    [TN_LINK_SUBTRACT] = {"subtract", .is_of_floats = true, .is_of_integers = true},
    [TN_LINK_SUBTRACT_FROM] = {"subtract", .is_of_floats = true, .is_of_integers = true,
                               .value_is_second = true},
    [TN_LINK_MULTIPLY] = {"multiply", .is_of_floats = true, .is_of_integers = true},
    [TN_LINK_DIVIDE] = {"divide", .is_of_floats = true},
    [TN_LINK_DIVIDE_INTO] = {"divide", .is_of_floats = true, .value_is_second = true},
    [TN_LINK_MAXIMUM] = {"maximum", .is_of_floats = true},
    [TN_LINK_MINIMUM] = {"minimum", .is_of_floats = true},
    [TN_LINK_AND] = {"and", .is_of_integers = true},
    [TN_LINK_OR] = {"or", .is_of_integers = true},
    [TN_LINK_XOR] = {"xor", .is_of_integers = true},
    [TN_LINK_SHIFT_LEFT] = {"shift_left", .is_of_integers = true},
    [TN_LINK_SHIFT_RIGHT] = {"shift_right_logical", .is_of_integers = true},
    [TN_LINK_SHIFT_BOTH] = {"or", .is_of_integers = true},
    [TN_LINK_SQUARE] = {"multiply", .is_of_floats = true, .is_of_integers = true,
                        .is_square = true},
    [TN_LINK_NEGATE] = {"negate", .is_of_floats = true, .is_of_integers = true, .is_unary = true},
    [TN_LINK_ABS] = {"abs", .is_of_floats = true, .is_unary = true},
};

static bool shifts(uint8_t link) {
  const uint8_t op = link % TN_LINK_ONE;
  return op >= TN_LINK_SHIFT_LEFT && op <= TN_LINK_SHIFT_BOTH;
}

// result = a `name` b, by the loops of single operations; b NULL: of one operand.
static void apply(tn_dtype_t dtype, const char* name, const void* a, const void* b, void* result,
                  size_t count) {
  tn_map_t map;
  assert_true(b ? tn__map_binary(name, dtype, dtype, &map)
                : tn__map_unary(name, dtype, dtype, &map));
  tn__map_run(&map, a, b, result, count);
}

static void repeat(char* array, size_t size, size_t count) {
  for (size_t i = 1; i < count; ++i) memcpy(array + i * size, array, size);
}

// value = value `link` operands, which have `count` elements, or are repeated to have them.
static void apply_link(tn_dtype_t dtype, uint8_t link, void* value, const void* const* operands,
                       size_t count) {
  const operation_t* operation = &operations[link % TN_LINK_ONE];
  const size_t size = tn_dtype_byte_size(dtype);
  char other[2][BYTES], parts[2][BYTES];
  for (uint32_t i = 0; i < tn__link_operand_count(link); ++i) {
    memcpy(other[i], operands[i], link & TN_LINK_ONE ? size : count * size);
    if (link & TN_LINK_ONE) repeat(other[i], size, count);
  }
  if (link % TN_LINK_ONE == TN_LINK_SHIFT_BOTH) {
    apply(dtype, "shift_left", value, other[0], parts[0], count);
    apply(dtype, "shift_right_logical", value, other[1], parts[1], count);
    apply(dtype, "or", parts[0], parts[1], value, count);
  } else if (operation->is_unary) {
    apply(dtype, operation->name, value, NULL, value, count);
  } else {
    const void* second = operation->is_square ? value : other[0];
    apply(dtype, operation->name, operation->value_is_second ? second : value,
          operation->value_is_second ? value : second, value, count);
  }
}

static uint8_t random_link(tn_dtype_t dtype) {
  for (;;) {
    const uint8_t link = (uint8_t)(next_random() % TN_LINK_COUNT);
    const operation_t* operation = &operations[link];
    if (!(is_integer(dtype) ? operation->is_of_integers : operation->is_of_floats)) continue;
    const bool is_one = shifts(link) || (tn__link_operand_count(link) && (next_random() & 1));
    return is_one ? link + TN_LINK_ONE : link;
  }
}

static void check(tn_chain_fn run, tn_dtype_t dtype, size_t link_count, size_t count,
                  bool is_in_place) {
  static char arrays[TN_LINK_OPERANDS][BYTES + 64];
  const void* operands[TN_LINK_OPERANDS];
  char wanted[BYTES], found[BYTES + 64];
  uint8_t links[TN_LINK_LIMIT];
  const size_t size = tn_dtype_byte_size(dtype), shift = next_random() % 4 * size;
  fill(dtype, arrays[0] + shift, count);
  operands[0] = arrays[0] + shift;
  memcpy(wanted, operands[0], count * size);
  size_t operand_count = 1;
  for (size_t k = 0; k < link_count; ++k) {
    const size_t first = operand_count;
    links[k] = random_link(dtype);
    for (uint32_t i = 0; i < tn__link_operand_count(links[k]); ++i) {
      char* operand = arrays[operand_count] + shift;
      fill(dtype, operand, count);
      // Most amounts are below the width.
      const uint64_t amount = next_random() % (8 * size + 3);
      if (shifts(links[k])) memcpy(operand, &amount, size);
      operands[operand_count++] = operand;
    }
    apply_link(dtype, links[k], wanted, operands + first, count);
  }
  char* out = is_in_place ? arrays[0] + shift : found + shift;
  run(links, link_count, operands, out, count);
  for (size_t i = 0; i < count; ++i) {
    if (is_nan(dtype, wanted, i) && is_nan(dtype, out, i)) continue;
    assert_memory_equal(out + i * size, wanted + i * size, size);
  }
}

static void chains_give_the_bits_of_their_operations(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F16, TN_DTYPE_BF16, TN_DTYPE_F32, TN_DTYPE_F64,
                                      TN_DTYPE_U32, TN_DTYPE_S32,  TN_DTYPE_U64, TN_DTYPE_S64};
  for (int isa = 0; isa < TN_ISA_COUNT; ++isa) {
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
      const tn_chain_fn run = tn__chain_loop_of((tn_isa_t)isa, dtypes[d]);
      for (size_t count = 1; run && count <= MOST; ++count) {
        for (size_t links = 1; links <= TN_LINK_LIMIT; links = links < 6 ? links + 1 : 2 * links) {
          check(run, dtypes[d], links, count, links & 1);
        }
      }
    }
  }
}

static void every_link_alone_gives_the_bits_of_its_operation(void** state) {
  (void)state;
  for (int turn = 0; turn < 4000; ++turn) {
    check(tn__chain_loop(TN_DTYPE_BF16), TN_DTYPE_BF16, 1, 67, false);
    if (tn__chain_loop(TN_DTYPE_F16)) {
      check(tn__chain_loop(TN_DTYPE_F16), TN_DTYPE_F16, 1, 67, false);
    }
    check(tn__chain_loop(TN_DTYPE_F32), TN_DTYPE_F32, 1, 67, false);
    check(tn__chain_loop(TN_DTYPE_U32), TN_DTYPE_U32, 1, 67, false);
  }
}

static void other_dtypes_have_no_chains(void** state) {
  (void)state;
  assert_null(tn__chain_loop(TN_DTYPE_F8E4M3FN));
  assert_null(tn__chain_loop(TN_DTYPE_S16));
  assert_null(tn__chain_loop(TN_DTYPE_C64));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_give_the_bits_of_their_operations),
      cmocka_unit_test(every_link_alone_gives_the_bits_of_its_operation),
      cmocka_unit_test(other_dtypes_have_no_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
