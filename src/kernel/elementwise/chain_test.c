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

static void fill(tn_dtype_t dtype, void* array, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double number = random_number();
    if (dtype == TN_DTYPE_F32) {
      ((float*)array)[i] = (float)number;
    } else {
      ((double*)array)[i] = number;
    }
  }
}

static bool is_nan(tn_dtype_t dtype, const void* array, size_t i) {
  return dtype == TN_DTYPE_F32 ? isnan(((const float*)array)[i]) : isnan(((const double*)array)[i]);
}

typedef struct operation {
  const char* name;
  bool is_unary, value_is_second, is_square;
} operation_t;

static const operation_t operations[TN_LINK_COUNT] = {
    [TN_LINK_ADD] = {"add"},
    [TN_LINK_SUBTRACT] = {"subtract"},
    [TN_LINK_SUBTRACT_FROM] = {"subtract", .value_is_second = true},
    [TN_LINK_MULTIPLY] = {"multiply"},
    [TN_LINK_DIVIDE] = {"divide"},
    [TN_LINK_DIVIDE_INTO] = {"divide", .value_is_second = true},
    [TN_LINK_MAXIMUM] = {"maximum"},
    [TN_LINK_MINIMUM] = {"minimum"},
    [TN_LINK_SQUARE] = {"multiply", .is_square = true},
    [TN_LINK_NEGATE] = {"negate", .is_unary = true},
    [TN_LINK_ABS] = {"abs", .is_unary = true},
};

// value = value `link` operand, by the loops of single operations.
static void apply(tn_dtype_t dtype, uint8_t link, void* value, const char* operand, size_t count) {
  const operation_t* operation = &operations[link % TN_LINK_ONE];
  const size_t size = tn_dtype_byte_size(dtype);
  char repeated[BYTES];
  tn_map_t map;
  if (operation->is_unary) {
    assert_true(tn__map_unary(operation->name, dtype, dtype, &map));
    tn__map_run(&map, value, NULL, value, count);
    return;
  }
  for (size_t i = 0; operand && i < count; ++i) {
    memcpy(repeated + i * size, operand + (link & TN_LINK_ONE ? 0 : i * size), size);
  }
  const void* other = operation->is_square ? value : repeated;
  assert_true(tn__map_binary(operation->name, dtype, dtype, &map));
  tn__map_run(&map, operation->value_is_second ? other : value,
              operation->value_is_second ? value : other, value, count);
}

static void check(tn_chain_fn run, tn_dtype_t dtype, size_t link_count, size_t count,
                  bool is_in_place) {
  static char arrays[TN_LINK_LIMIT + 1][BYTES + 64];
  const void* operands[TN_LINK_LIMIT + 1];
  char wanted[BYTES], found[BYTES + 64];
  uint8_t links[TN_LINK_LIMIT];
  const size_t size = tn_dtype_byte_size(dtype), shift = next_random() % 4 * size;
  fill(dtype, arrays[0] + shift, count);
  operands[0] = arrays[0] + shift;
  memcpy(wanted, operands[0], count * size);
  size_t operand_count = 1;
  for (size_t k = 0; k < link_count; ++k) {
    links[k] = (uint8_t)(next_random() % TN_LINK_COUNT);
    const char* operand = NULL;
    if (tn__link_has_operand(links[k])) {
      if (next_random() & 1) links[k] += TN_LINK_ONE;
      operand = arrays[operand_count] + shift;
      fill(dtype, arrays[operand_count] + shift, count);
      operands[operand_count++] = operand;
    }
    apply(dtype, links[k], wanted, operand, count);
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
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64};
  for (int isa = 0; isa < TN_ISA_COUNT; ++isa) {
    for (size_t d = 0; d < 2; ++d) {
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
  for (int turn = 0; turn < 4000; ++turn)
    check(tn__chain_loop(TN_DTYPE_F32), TN_DTYPE_F32, 1, 67, false);
}

static void other_dtypes_have_no_chains(void** state) {
  (void)state;
  assert_null(tn__chain_loop(TN_DTYPE_F16));
  assert_null(tn__chain_loop(TN_DTYPE_S32));
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
