// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fused programs give the bits that their operations give one by one: random graphs of element-wise
// operations, over many dtypes, with broadcasts, other shapes and reductions in between.
#include "kernel/fusion/fusion.h"
#include "program/program.h"
#include "program/testing_run.h"

static uint64_t seed;

static int name_last_seed(void** state) {
  (void)state;
  print_message("last seed: %llu\n", (unsigned long long)seed);
  return 0;
}

static uint64_t next_random(void) {
  static uint64_t state;
  static uint64_t of_seed;
  if (of_seed != seed) state = of_seed = seed;
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static size_t below(size_t limit) {
  return (size_t)(next_random() % limit);
}

// --- programs

enum {
  VALUE_LIMIT = 1024,
  OPERATION_COUNT = 40,
  ARGUMENT_COUNT = 6,
  KIND_FLOATS = 5,
  SHAPE_LIMIT = 32
};

static const char* const dtypes[] = {"f32", "bf16", "f16",  "f64",          "f8E4M3FN",
                                     "i32", "ui8",  "i4",   "i64",          "i1",
                                     "i16", "ui2",  "ui64", "complex<f32>", "complex<f64>"};
enum {
  DTYPE_COUNT = sizeof dtypes / sizeof *dtypes,
  I32 = 5,
  I64 = 8,
  I1 = 9,
  UI64 = 12,
  COMPLEX = 13
};

typedef struct shape {
  size_t rank;
  int64_t dims[4];
} shape_t;

typedef struct value {
  size_t dtype, shape;
} value_t;

typedef struct writer {
  char* text;
  size_t length, capacity;
  size_t value_count;
  value_t values[VALUE_LIMIT];
  size_t shape_count;
  shape_t shapes[SHAPE_LIMIT];
} writer_t;

static void put(writer_t* writer, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(writer->text + writer->length, writer->capacity - writer->length,
                               format, arguments);
  va_end(arguments);
  assert_true(length >= 0 && writer->length + (size_t)length < writer->capacity);
  writer->length += (size_t)length;
}

static void put_type(writer_t* writer, value_t value) {
  const shape_t* shape = &writer->shapes[value.shape];
  put(writer, "tensor<");
  for (size_t d = 0; d < shape->rank; ++d) put(writer, "%lldx", (long long)shape->dims[d]);
  put(writer, "%s>", dtypes[value.dtype]);
}

// Of some shapes the others are broadcasts: 0 is the largest.
static void make_shapes(writer_t* writer) {
  static const int64_t sizes[] = {1, 2, 3, 5, 7, 16, 33, 64, 130, 300, 2000, 9000};
  const int64_t least = below(4) ? 300 : 1;
  const int64_t most = below(8) ? 20000 : 300000;  // the largest are folded in groups
  shape_t largest = {.rank = 1 + below(3)};
  for (;;) {
    int64_t size = 1;
    for (size_t d = 0; d < largest.rank; ++d) {
      size *= largest.dims[d] = sizes[below(sizeof sizes / sizeof *sizes)];
    }
    if (least <= size && size <= most) break;
  }
  writer->shapes[writer->shape_count++] = largest;
  writer->shapes[writer->shape_count++] = (shape_t){0};
  while (writer->shape_count < 4) {
    shape_t part = {0};
    for (size_t d = 0; d < largest.rank; ++d) {
      if (below(2)) part.dims[part.rank++] = below(4) ? largest.dims[d] : 1;
    }
    writer->shapes[writer->shape_count++] = part;
  }
}

static size_t add_value(writer_t* writer, size_t dtype, size_t shape) {
  assert_true(writer->value_count < VALUE_LIMIT);
  writer->values[writer->value_count] = (value_t){dtype, shape};
  return writer->value_count++;
}

// One that is there, of this kind; the latest ones more often. `VALUE_LIMIT`: there is none.
static size_t find(const writer_t* writer, size_t dtype, size_t shape) {
  size_t found = VALUE_LIMIT;
  for (size_t i = 0; i < writer->value_count; ++i) {
    const value_t* value = &writer->values[i];
    if (value->dtype == dtype && value->shape == shape && (found == VALUE_LIMIT || below(2))) {
      found = i;
    }
  }
  return found;
}

static void put_broadcast(writer_t* writer, size_t from, size_t to_shape) {
  const shape_t* small = &writer->shapes[writer->values[from].shape];
  const shape_t* large = &writer->shapes[to_shape];
  size_t dims[4] = {0}, d = 0;
  for (size_t i = 0; i < small->rank; ++i, ++d) {
    while (d < large->rank && small->dims[i] != 1 && small->dims[i] != large->dims[d]) ++d;
    // What does not fit behind each other is not broadcast.
    if (d >= large->rank) return;
    dims[i] = d;
  }
  const value_t source = writer->values[from];
  const size_t result = add_value(writer, source.dtype, to_shape);
  put(writer, "%%v%zu = stablehlo.broadcast_in_dim %%v%zu, dims = [", result, from);
  for (size_t i = 0; i < small->rank; ++i) put(writer, "%s%zu", i ? ", " : "", dims[i]);
  put(writer, "] : (");
  put_type(writer, source);
  put(writer, ") -> ");
  put_type(writer, writer->values[result]);
  put(writer, "\n");
}

static void put_operation(writer_t* writer, const char* name, size_t count, const size_t* operands,
                          value_t type, const char* attributes) {
  const size_t result = add_value(writer, type.dtype, type.shape);
  put(writer, "%%v%zu = \"stablehlo.%s\"(", result, name);
  for (size_t i = 0; i < count; ++i) put(writer, "%s%%v%zu", i ? ", " : "", operands[i]);
  put(writer, ")%s : (", attributes);
  for (size_t i = 0; i < count; ++i) {
    put(writer, i ? ", " : "");
    put_type(writer, writer->values[operands[i]]);
  }
  put(writer, ") -> ");
  put_type(writer, type);
  put(writer, "\n");
}

// As long as there is room for another shape.
static size_t find_shape(writer_t* writer, const shape_t* shape) {
  size_t i = 0;
  while (i < writer->shape_count &&
         (writer->shapes[i].rank != shape->rank ||
          memcmp(writer->shapes[i].dims, shape->dims, shape->rank * sizeof *shape->dims) != 0)) {
    ++i;
  }
  if (i == writer->shape_count && i < SHAPE_LIMIT) writer->shapes[writer->shape_count++] = *shape;
  return i;
}

static const char* monoid_of(size_t dtype) {
  static const char* const names[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  if (dtype >= COMPLEX) return names[below(2)];
  return names[dtype < KIND_FLOATS ? below(4) : below(7)];
}

static size_t put_fold_of(writer_t* writer, size_t from, const bool* is_folded) {
  const value_t source = writer->values[from];
  const shape_t shape = writer->shapes[source.shape];
  shape_t kept = {0};
  for (size_t d = 0; d < shape.rank; ++d) {
    if (!is_folded[d]) kept.dims[kept.rank++] = shape.dims[d];
  }
  const size_t kept_shape = find_shape(writer, &kept);
  if (kept_shape == SHAPE_LIMIT) return VALUE_LIMIT;
  const size_t initial = add_value(writer, source.dtype, 1);
  const size_t result = add_value(writer, source.dtype, kept_shape);
  const char* one = source.dtype >= COMPLEX      ? "(1.0, 2.0)"
                    : source.dtype < KIND_FLOATS ? "1.0"
                    : source.dtype == I1         ? "true"
                                                 : "1";
  put(writer, "%%v%zu = stablehlo.constant dense<%s> : tensor<%s>\n", initial, one,
      dtypes[source.dtype]);
  put(writer,
      "%%v%zu = stablehlo.reduce(%%v%zu init: %%v%zu) applies stablehlo.%s across dimensions = [",
      result, from, initial, monoid_of(source.dtype));
  const char* comma = "";
  for (size_t d = 0; d < shape.rank; ++d) {
    if (is_folded[d]) put(writer, "%s%zu", comma, d);
    if (is_folded[d]) comma = ", ";
  }
  put(writer, "] : (");
  put_type(writer, source);
  put(writer, ", tensor<%s>) -> ", dtypes[source.dtype]);
  put_type(writer, writer->values[result]);
  put(writer, "\n");
  return result;
}

// Any dimensions; what is folded is mostly large, so that it is fused.
static void put_reduction(writer_t* writer, size_t from) {
  bool is_folded[4] = {false};
  for (size_t d = 0; d < 4; ++d) is_folded[d] = below(2);
  put_fold_of(writer, from, is_folded);
}

static const char* binary_of(size_t dtype) {
  static const char* const of_numbers[] = {"add",     "multiply",  "subtract",
                                           "maximum", "remainder", "minimum"};
  static const char* const of_bits[] = {"and", "xor", "maximum", "minimum"};
  if (dtype >= COMPLEX) return of_numbers[below(3)];
  if (dtype < KIND_FLOATS) return of_numbers[below(6)];
  if (dtype == I1) return of_bits[below(4)];
  return below(2) ? of_numbers[below(6)] : below(4) ? of_bits[below(2)] : "shift_left";
}

// Rows are folded, and what that gives is read again by operations over all elements, as a softmax
// or a norm does.
static void put_rows(writer_t* writer, size_t from) {
  const value_t source = writer->values[from];
  const shape_t shape = writer->shapes[source.shape];
  if (shape.rank == 0) return;
  const size_t first = below(shape.rank);
  bool is_folded[4] = {false};
  for (size_t d = first; d < shape.rank; ++d) is_folded[d] = true;
  size_t folded = put_fold_of(writer, from, is_folded);
  if (folded == VALUE_LIMIT) return;
  const value_t type = writer->values[folded];
  if (below(2)) {
    put_operation(writer, binary_of(type.dtype), 2, (size_t[]){folded, folded}, type, "");
    folded = writer->value_count - 1;
  }
  put_broadcast(writer, folded, source.shape);
  const size_t repeated = writer->value_count - 1;
  if (writer->values[repeated].shape != source.shape) return;
  put_operation(writer, binary_of(source.dtype), 2, (size_t[]){from, repeated}, source, "");
}

// A number that all elements are, as an array.
static size_t put_splat(writer_t* writer, value_t type, unsigned number) {
  const size_t scalar = add_value(writer, type.dtype, 1);
  put(writer, "%%v%zu = stablehlo.constant dense<%u> : tensor<%s>\n", scalar, number,
      dtypes[type.dtype]);
  put_broadcast(writer, scalar, type.shape);
  return writer->value_count - 1;
}

// Both shifts of a rotation, or of what is none.
static size_t put_rotation(writer_t* writer, size_t from, value_t type) {
  static const char* const names[] = {"shift_left", "shift_right_logical"};
  size_t parts[2];
  for (size_t i = 0; i < 2; ++i) {
    const size_t amount = put_splat(writer, type, (unsigned)below(70));
    put_operation(writer, names[i], 2, (size_t[]){from, amount}, type, "");
    parts[i] = writer->value_count - 1;
  }
  const bool is_swapped = below(2);
  put_operation(writer, "or", 2, (size_t[]){parts[is_swapped], parts[!is_swapped]}, type, "");
  return writer->value_count - 1;
}

// Operations that go on with each other's results, which nothing else reads, over arrays, rows,
// lines and single elements.
static void put_chain(writer_t* writer, size_t from) {
  static const char* const of_floats[] = {"add",     "subtract", "multiply", "divide",
                                          "maximum", "minimum",  "negate",   "abs"};
  static const char* const of_integers[] = {"add", "subtract", "multiply", "and",
                                            "or",  "xor",      "negate",   "xor"};
  const value_t type = writer->values[from];
  const bool is_float = type.dtype < KIND_FLOATS;
  for (size_t left = 2 + below(8); left > 0 && writer->value_count + 8 < VALUE_LIMIT; --left) {
    const char* name = (is_float ? of_floats : of_integers)[below(8)];
    const bool is_unary = strcmp(name, "negate") == 0 || strcmp(name, "abs") == 0;
    const size_t part = find(writer, type.dtype, below(writer->shape_count));
    size_t other = below(4) ? find(writer, type.dtype, type.shape) : from;
    if (!is_float && below(3) == 0) {
      from = put_rotation(writer, from, type);
      continue;
    }
    if (part != VALUE_LIMIT && writer->values[part].shape != type.shape && below(2)) {
      put_broadcast(writer, part, type.shape);
      const size_t last = writer->value_count - 1;
      if (writer->values[last].shape == type.shape && writer->values[last].dtype == type.dtype) {
        other = last;
      }
    }
    const bool is_second = below(3) == 0;
    const size_t operands[] = {is_second ? other : from, is_second ? from : other};
    put_operation(writer, name, is_unary ? 1 : 2, is_unary ? &from : operands, type, "");
    from = writer->value_count - 1;
  }
}

// The same bits as elements of another type; not from floats, whose NaNs are of any bits.
static bool put_bitcast(writer_t* writer, size_t from) {
  static const size_t pairs[][2] = {{5, 0}, {10, 1}, {10, 2}, {8, 3}, {8, 12}, {12, 8}};
  const value_t type = writer->values[from];
  const size_t* pair = pairs[below(6)];
  if (pair[0] != type.dtype) return false;
  put_operation(writer, "bitcast_convert", 1, (size_t[]){from}, (value_t){pair[1], type.shape}, "");
  return true;
}

static void put_random_operation(writer_t* writer) {
  static const char* const unary[] = {"tanh", "abs", "negate", "floor", "exponential"};
  const size_t from = below(writer->value_count);
  const value_t type = writer->values[from];
  const bool is_float = type.dtype < KIND_FLOATS, is_complex = type.dtype >= COMPLEX;
  const size_t other = find(writer, type.dtype, type.shape);
  const size_t scalar = find(writer, type.dtype, 1);
  const size_t choice = find(writer, I1, below(4) ? type.shape : 1);
  const size_t to = below(DTYPE_COUNT);
  switch (below(12)) {
    case 0: put_broadcast(writer, from, below(3) ? 0 : below(writer->shape_count)); return;
    case 1:
      if (is_complex) break;
      put_operation(writer, "compare", 2, (size_t[]){from, other}, (value_t){I1, type.shape},
                    " {comparison_direction = #stablehlo<comparison_direction LT>}");
      return;
    case 2:
      if (choice == VALUE_LIMIT) break;
      put_operation(writer, "select", 3, (size_t[]){choice, from, other}, type, "");
      return;
    case 3:
      if (is_complex != (to >= COMPLEX)) break;
      put_operation(writer, "convert", 1, (size_t[]){from}, (value_t){to, type.shape}, "");
      return;
    case 4:
      if (scalar == VALUE_LIMIT || is_complex || type.dtype == I1) break;
      put_operation(writer, "clamp", 3, (size_t[]){scalar, from, scalar}, type, "");
      return;
    case 5: put_reduction(writer, from); return;
    case 7: put_rows(writer, from); return;
    case 8:
      if (!is_float && type.dtype != I32 && type.dtype != I64 && type.dtype != UI64) break;
      put_chain(writer, from);
      return;
    case 9:
      if (!put_bitcast(writer, from)) break;
      return;
    case 6:
      if (!is_float) break;
      put_operation(writer, unary[below(5)], 1, (size_t[]){from}, type, "");
      return;
    default: break;
  }
  put_operation(writer, binary_of(type.dtype), 2, (size_t[]){from, other}, type, "");
}

static void put_types(writer_t* writer, size_t count, const size_t* values) {
  for (size_t i = 0; i < count; ++i) {
    put(writer, i ? ", " : "");
    put_type(writer, writer->values[values[i]]);
  }
}

// A text of operations first: what it returns is known when they are there.
static char* random_program(void) {
  enum { RESULT_COUNT = 4, TEXT_LENGTH = 1 << 18 };
  writer_t body = {.capacity = TEXT_LENGTH, .text = calloc(1, TEXT_LENGTH)};
  assert_non_null(body.text);
  make_shapes(&body);
  // Half of the programs have f32.
  const size_t used[] = {below(DTYPE_COUNT), below(DTYPE_COUNT), below(2) ? 0 : below(KIND_FLOATS)};
  for (size_t i = 0; i < ARGUMENT_COUNT; ++i) {
    add_value(&body, used[below(3)], i < 2 ? i : below(body.shape_count));
  }
  for (size_t i = 0; i < OPERATION_COUNT; ++i) put_random_operation(&body);
  // What no other operation reads is never stored.
  const size_t last = body.value_count - 1;
  if (body.values[last].shape != 1) put_reduction(&body, last);
  size_t results[RESULT_COUNT] = {body.value_count - 1};
  for (size_t i = 1; i < RESULT_COUNT; ++i) {
    results[i] = ARGUMENT_COUNT + below(body.value_count - ARGUMENT_COUNT);
  }
  writer_t whole = body;
  whole.text = calloc(1, TEXT_LENGTH);
  assert_non_null(whole.text);
  whole.length = 0;
  put(&whole, "func.func @main(");
  for (size_t i = 0; i < ARGUMENT_COUNT; ++i) {
    put(&whole, "%s%%v%zu: ", i ? ", " : "", i);
    put_type(&whole, whole.values[i]);
  }
  put(&whole, ") -> (");
  put_types(&whole, RESULT_COUNT, results);
  put(&whole, ") {\n%sreturn ", body.text);
  for (size_t i = 0; i < RESULT_COUNT; ++i) put(&whole, "%s%%v%zu", i ? ", " : "", results[i]);
  put(&whole, " : ");
  put_types(&whole, RESULT_COUNT, results);
  put(&whole, "\n}\n");
  free(body.text);
  return whole.text;
}

// --- runs

// Any bits, NaNs among them; of numbers below a byte, 0 and 1.
static void make_arguments(const tn_program_t* program, tn_testing_buffers_t* out) {
  out->count = tn_program_input_count(program);
  for (size_t i = 0; i < out->count; ++i) {
    const tn_type_t* type = tn_program_input_type(program, i);
    void* data = NULL;
    TN_ASSERT_OK(tn_buffer_create(tn__testing_device(), tn_type_dtype(type), tn_type_rank(type),
                                  tn_type_dims(type), &data, &out->list[i]));
    const size_t length = tn_buffer_byte_size(out->list[i]);
    const bool is_narrow = tn_dtype_bit_width(tn_type_dtype(type)) < 8;
    for (size_t k = 0; k < length; ++k) {
      const uint64_t random = next_random();
      ((unsigned char*)data)[k] = (unsigned char)(is_narrow ? random & 1 : random);
    }
  }
}

typedef struct counts {
  size_t fusions, reductions;  // that are fused
  size_t several;              // reductions in one fusion
} counts_t;

static void count_fusions(const tn_program_t* program, counts_t* counts) {
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    const tn_fusion_spec_t* spec = tn__fusion_spec(instruction->kernel, instruction->state);
    if (!spec) continue;
    ++counts->fusions;
    counts->reductions += spec->last || spec->has_rows;
    size_t folds = 0;
    for (size_t k = 0; k < spec->step_count; ++k) folds += spec->steps[k].kind == TN_FUSION_FOLD;
    counts->several += folds > 1;
  }
}

static void check_program(const char* text, counts_t* counts) {
  tn_program_t* plain = tn__testing_program(text, true);
  tn_program_t* fused = tn__testing_program(text, false);
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t wanted, found;
  make_arguments(plain, &arguments);
  TN_ASSERT_OK(tn__testing_run_bytes(plain, NULL, &arguments, &wanted));
  tn__testing_unify_nans(plain, &wanted);
  for (int turn = 0; turn < 2; ++turn) {
    tn__testing_poison(fused, (unsigned char)(0xA5 + turn));
    TN_ASSERT_OK(tn__testing_run_bytes(fused, NULL, &arguments, &found));
    tn__testing_unify_nans(fused, &found);
    if (!tn__testing_bytes_equal(&found, &wanted)) fail_msg("other bits of\n%s", text);
    free(found.bytes);
  }
  count_fusions(fused, counts);
  tn__testing_buffers_release(&arguments);
  free(wanted.bytes);
  tn_program_release(fused);
  tn_program_release(plain);
}

static void random_graphs_give_the_bits_of_their_operations(void** state) {
  (void)state;
  counts_t counts = {0};
  const uint64_t count = getenv("TENON_LONG_TESTS") ? 20000 : 1200;
  for (seed = 1; seed <= count; ++seed) {
    char* text = random_program();
    check_program(text, &counts);
    free(text);
  }
  assert_true(counts.fusions > count);
  assert_true(counts.reductions > count / 2);
  print_message("%zu fusions with several reductions\n", counts.several);
  assert_true(counts.several > count / 20);
}

int main(void) {
  setenv("TENON_FUSION", "0", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(random_graphs_give_the_bits_of_their_operations, name_last_seed),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
