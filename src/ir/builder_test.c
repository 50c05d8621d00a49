// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/builder.h"

#include "base/testing.h"

static tn_builder_t* b;
static const tn_type_t *scalar, *vector, *integer;
static tn_value_t *x, *y;

static int begin(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_builder_create(NULL, "test", &b));
  scalar = tn_builder_tensor_type(b, TN_DTYPE_F32, 0, NULL);
  vector = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, (int64_t[]){4});
  integer = tn_builder_tensor_type(b, TN_DTYPE_S32, 0, NULL);
  x = tn_builder_parameter(b, 0, vector, "x");
  y = tn_builder_parameter(b, 1, vector, "y");
  return 0;
}

static int end(void** state) {
  (void)state;
  tn_builder_destroy(b);
  b = NULL;
  return 0;
}

typedef struct text {
  char bytes[16384];
  size_t length;
} text_t;

static tn_status_t append(void* user, const char* bytes, size_t length) {
  text_t* text = user;
  assert_true(text->length + length < sizeof text->bytes);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
  return TN_OK;
}

// Builds, prints, reads what was printed and prints that: both texts are the same.
static const char* built(size_t count, tn_value_t* const* results) {
  static text_t first, second;
  tn_module_t *module = NULL, *again = NULL;
  first.length = second.length = 0;
  TN_ASSERT_OK(tn_builder_build(b, count, results, &module));
  TN_ASSERT_OK(tn_module_print(module, append, &first));
  TN_ASSERT_OK(tn_module_parse(NULL, "printed.mlir", first.bytes, first.length, &again));
  TN_ASSERT_OK(tn_module_print(again, append, &second));
  assert_string_equal(first.bytes, second.bytes);
  tn_module_release(module);
  tn_module_release(again);
  return first.bytes;
}

static void expect_text(const char* wanted, tn_value_t* result) {
  const char* text = built(1, &result);
  if (!strstr(text, wanted)) fail_msg("wanted \"%s\" in:\n%s", wanted, text);
}

static tn_status_t build(tn_value_t* result) {
  tn_module_t* module = NULL;
  tn_status_t status = tn_builder_build(b, 1, &result, &module);
  tn_module_release(module);
  return status;
}

// --- what is built

static void module_has_names_and_types(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  tn_value_t* sum = tn_builder_add(b, x, y);
  TN_ASSERT_OK(tn_builder_build(b, 1, &sum, &module));
  assert_int_equal(tn_module_function_count(module), 1);
  assert_string_equal(tn_module_function_name(module, 0), "main");
  assert_null(tn_module_function_name(module, 1));
  assert_int_equal(tn_module_find(module, "main"), 0);
  assert_int_equal(tn_module_find(module, NULL), 0);
  assert_true(tn_module_find(module, "other") == SIZE_MAX);
  assert_int_equal(tn_module_input_count(module, 0), 2);
  assert_string_equal(tn_module_input_name(module, 0, 1), "y");
  assert_string_equal(tn_module_input_name(module, 0, 2), "");
  assert_true(tn_type_equal(tn_module_input_type(module, 0, 0), vector));
  assert_null(tn_module_input_type(module, 0, 2));
  assert_int_equal(tn_module_output_count(module, 0), 1);
  assert_true(tn_type_equal(tn_module_output_type(module, 0, 0), vector));
  assert_null(tn_module_output_type(module, 1, 0));
  tn_module_release(module);
}

static void types_are_inferred(void** state) {
  (void)state;
  tn_value_t* p = tn_builder_compare(b, x, y, "LT");
  assert_int_equal(tn_type_dtype(tn_value_type(p)), TN_DTYPE_PRED);
  tn_value_t* m = tn_builder_broadcast_in_dim(b, x, 2, (int64_t[]){3, 4}, (int64_t[]){1});
  tn_value_t* t = tn_builder_transpose(b, m, (int64_t[]){1, 0});
  assert_int_equal(tn_type_dims(tn_value_type(t))[0], 4);
  tn_value_t* product = tn_builder_dot(b, m, t);
  assert_int_equal(tn_type_rank(tn_value_type(product)), 2);
  assert_int_equal(tn_type_dims(tn_value_type(product))[1], 3);
  expect_text("stablehlo.dot_general", product);
}

static void every_unary_operation_is_there(void** state) {
  (void)state;
  tn_value_t* z = tn_builder_complex(b, x, y);
  tn_value_t* n = tn_builder_iota(b, tn_builder_tensor_type(b, TN_DTYPE_S32, 1, (int64_t[]){4}), 0);
  tn_value_t* values[64];
  size_t count = 0;
#define TRY(name)                                                                        \
  {                                                                                      \
    tn_value_t* operand = strcmp(#name, "real") == 0 || strcmp(#name, "imag") == 0 ? z   \
                          : strcmp(#name, "not") == 0 || strcmp(#name, "popcnt") == 0 || \
                                  strcmp(#name, "count_leading_zeros") == 0              \
                              ? n                                                        \
                              : x;                                                       \
    values[count++] = tn_builder_##name(b, operand);                                     \
  }
  TN_BUILDER_UNARY_OPERATIONS(TRY)
#undef TRY
  built(count, values);
}

static void every_binary_operation_is_there(void** state) {
  (void)state;
  tn_value_t* n = tn_builder_iota(b, tn_builder_tensor_type(b, TN_DTYPE_S32, 1, (int64_t[]){4}), 0);
  tn_value_t* values[64];
  size_t count = 0;
#define TRY(name)                                                                           \
  {                                                                                         \
    bool wants_integers = strncmp(#name, "shift", 5) == 0 || strcmp(#name, "and") == 0 ||   \
                          strcmp(#name, "or") == 0 || strcmp(#name, "xor") == 0;            \
    values[count++] = tn_builder_##name(b, wants_integers ? n : x, wants_integers ? n : y); \
  }
  TN_BUILDER_BINARY_OPERATIONS(TRY)
#undef TRY
  built(count, values);
}

static void every_other_operation_is_there(void** state) {
  (void)state;
  const int64_t zero = 0, one = 1, two = 2, four = 4;
  tn_value_t* i = tn_builder_scalar_s32(b, 1);
  tn_value_t* values[] = {
      tn_builder_select(b, tn_builder_compare(b, x, y, "GE"), x, y),
      tn_builder_clamp(b, tn_builder_scalar_f32(b, 0), x, tn_builder_scalar_f32(b, 1)),
      tn_builder_convert(b, x, TN_DTYPE_BF16),
      tn_builder_bitcast_convert(b, x, tn_builder_tensor_type(b, TN_DTYPE_S32, 1, &four)),
      tn_builder_reshape(b, x, 2, (int64_t[]){2, 2}),
      tn_builder_reverse(b, x, 1, &zero),
      tn_builder_slice(b, x, &one, &four, NULL),
      tn_builder_slice(b, x, &zero, &four, &two),
      tn_builder_dynamic_slice(b, x, &i, &two),
      tn_builder_dynamic_update_slice(b, x, tn_builder_slice(b, y, &zero, &two, NULL), &i),
      tn_builder_concatenate(b, 2, (tn_value_t*[]){x, y}, 0),
      tn_builder_pad(b, x, tn_builder_scalar_f32(b, 0), &one, &two, &zero),
      tn_builder_splat(b, vector, &(float){2.5f}),
      tn_builder_constant(b, vector, (float[]){1, 2, 3, 4}),
      tn_builder_get_tuple_element(b, tn_builder_tuple(b, 2, (tn_value_t*[]){x, i}), 1),
      tn_builder_tuple(b, 0, NULL),
  };
  built(sizeof values / sizeof *values, values);
}

static void regions_are_built(void** state) {
  (void)state;
  tn_value_t *zero = tn_builder_scalar_f32(b, 0), *sum = NULL, *arguments[2], *results[2];
  tn_builder_reduce(b, 1, &x, &zero, tn_builder_binary_computation(b, "add", TN_DTYPE_F32), 1,
                    (int64_t[]){0}, &sum);
  const tn_type_t* types[] = {integer, vector};
  tn_computation_t* condition = tn_computation_begin(b, 2, types, arguments);
  tn_value_t* go = tn_builder_compare(b, arguments[0], tn_builder_scalar_s32(b, 10), "LT");
  tn_computation_end(b, condition, 1, &go);
  tn_computation_t* body = tn_computation_begin(b, 2, types, arguments);
  tn_value_t* next[] = {tn_builder_add(b, arguments[0], tn_builder_scalar_s32(b, 1)),
                        tn_builder_add(b, arguments[1], y)};
  tn_computation_end(b, body, 2, next);
  tn_value_t* start[] = {tn_builder_scalar_s32(b, 0), x};
  tn_builder_while(b, condition, body, 2, start, results);
  tn_value_t *predicate = tn_builder_compare(b, sum, zero, "GT"), *chosen = NULL;
  tn_computation_t* yes = tn_computation_begin(b, 0, NULL, NULL);
  tn_computation_end(b, yes, 1, &results[1]);
  tn_computation_t* no = tn_computation_begin(b, 0, NULL, NULL);
  tn_computation_end(b, no, 1, &x);
  tn_builder_if(b, predicate, yes, no, 1, &chosen);
  expect_text("stablehlo.while", chosen);
}

static void any_operation_can_be_named(void** state) {
  (void)state;
  const tn_attribute_t direction = {
      .name = "comparison_direction", .kind = TN_ATTRIBUTE_STRING, .data = "NE", .count = 2};
  tn_value_t *operands[] = {x, y}, *result = NULL;
  const tn_operation_t operation = {.struct_size = sizeof operation,
                                    .name = "stablehlo.compare",
                                    .operand_count = 2,
                                    .operands = operands,
                                    .attribute_count = 1,
                                    .attributes = &direction};
  tn_builder_operation(b, &operation, 1, &result);
  expect_text("stablehlo.compare NE", result);
}

static void custom_call_has_all_that_it_was_given(void** state) {
  (void)state;
  const int64_t layout = 0;
  const int64_t* layouts[] = {&layout, NULL};
  const tn_output_operand_alias_t alias = {.operand = 1};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .opaque = "a\0b\"",
      .opaque_length = 4,
      .has_side_effect = true,
      .alias_count = 1,
      .aliases = &alias,
      .literal_type = scalar,
      .literal_data = &(float){1.5f},
      .schedule = TN_SCHEDULE_EARLIEST,
      .api_version = TN_API_VERSION_STATUS_RETURNING,
      .called_computation_count = 1,
      .called_computations = (const char*[]){"main"},
      .operand_layouts = layouts,
      .result_layouts = layouts,
  };
  tn_value_t* operands[] = {x, y};
  tn_value_t* result =
      tn_builder_custom_call(b, "my target \"quoted\"", 2, operands, vector, &options);
  const char* text = built(1, &result);
  static const char* const parts[] = {
      "my target",      "api_version = 2", "has_side_effect = true", "operand_index = 1",
      "tenon.schedule", "tenon.literal",   "called_computations",    "operand_layouts"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!strstr(text, parts[i])) fail_msg("wanted %s in:\n%s", parts[i], text);
  }
}

static void custom_call_without_options_is_an_untyped_one(void** state) {
  (void)state;
  expect_text("api_version = 1", tn_builder_custom_call(b, "f", 1, &x, vector, NULL));
}

static void typed_call_has_a_dictionary(void** state) {
  (void)state;
  const tn_attribute_t inner[] = {{.name = "flag", .kind = TN_ATTRIBUTE_BOOL, .integer = 1},
                                  {.name = "list",
                                   .kind = TN_ATTRIBUTE_ARRAY,
                                   .dtype = TN_DTYPE_S64,
                                   .data = (int64_t[]){1, 2},
                                   .count = 2}};
  const tn_attribute_t attributes[] = {
      tn_attribute_float("eps", TN_DTYPE_F32, 0.5),
      tn_attribute_integer("n", TN_DTYPE_S32, -3),
      tn_attribute_string("name", "text", 4),
      {.name = "more", .kind = TN_ATTRIBUTE_DICTIONARY, .entries = inner, .count = 2}};
  const tn_custom_call_options_t options = {.struct_size = sizeof options,
                                            .api_version = TN_API_VERSION_TYPED_FFI,
                                            .attribute_count = 4,
                                            .attributes = attributes};
  expect_text("n = -3 : i32", tn_builder_custom_call(b, "f", 1, &x, vector, &options));
}

static void names_of_any_kind_can_be_printed_and_read(void** state) {
  (void)state;
  static const char* const names[] = {"with space", "\"quoted\"", "%percent", "1",
                                      "x",          "é",          "a\nb",     ""};
  tn_value_t* values[8];
  for (size_t i = 0; i < 8; ++i)
    values[i] = tn_builder_parameter(b, 2 + (int64_t)i, vector, names[i]);
  built(8, values);
}

static void types_may_come_from_elsewhere(void** state) {
  (void)state;
  tn_builder_t* other = NULL;
  TN_ASSERT_OK(tn_builder_create(NULL, "other", &other));
  const tn_type_t* type = tn_builder_tensor_type(other, TN_DTYPE_F32, 1, (int64_t[]){4});
  const tn_type_t* pair = tn_builder_tuple_type(b, 2, (const tn_type_t*[]){type, tn_type_token()});
  tn_value_t* z = tn_builder_parameter(b, 2, type, "z");
  tn_value_t* t = tn_builder_parameter(b, 3, pair, "t");
  tn_value_t* called = tn_builder_custom_call(b, "f", 1, &z, type, NULL);
  tn_value_t* constant = tn_builder_constant(b, type, (float[]){1, 2, 3, 4});
  tn_value_t* argument = NULL;
  tn_computation_t* body = tn_computation_begin(b, 1, &type, &argument);
  tn_computation_end(b, body, 1, &argument);
  tn_builder_destroy(other);
  tn_value_t* values[] = {z, t, called, constant};
  built(4, values);
}

static void what_was_not_built_is_freed(void** state) {
  (void)state;
  tn_builder_add(b, x, y);
}

static void nothing_may_be_created_and_destroyed(void** state) {
  (void)state;
  tn_builder_t* empty = NULL;
  tn_module_t* module = NULL;
  tn_builder_destroy(NULL);
  TN_ASSERT_OK(tn_builder_create(NULL, NULL, &empty));
  TN_ASSERT_OK(tn_builder_build(empty, 0, NULL, &module));
  assert_int_equal(tn_module_input_count(module, 0), 0);
  tn_builder_destroy(empty);
  tn_module_release(module);
}

// --- errors: one test each, with the message

static void missing_operand_is_reported(void** state) {
  (void)state;
  tn_value_t* sum = tn_builder_add(b, x, NULL);
  assert_null(sum);
  TN_ASSERT_REPORT("add: operand 1 is NULL", build(sum));
}

static void first_mistake_is_the_one_reported(void** state) {
  (void)state;
  tn_builder_negate(b, x);
  tn_value_t* bad = tn_builder_subtract(b, NULL, y);
  assert_null(tn_builder_tanh(b, bad));
  assert_null(tn_builder_parameter(b, 0, vector, "again"));
  TN_ASSERT_REPORT("in operation 1 (subtract) of the builder", build(bad));
}

static void value_of_another_builder_is_reported(void** state) {
  (void)state;
  tn_builder_t* other = NULL;
  TN_ASSERT_OK(tn_builder_create(NULL, "other", &other));
  tn_value_t* stranger = tn_builder_parameter(
      other, 0, tn_builder_tensor_type(other, TN_DTYPE_F32, 1, (int64_t[]){4}), NULL);
  TN_ASSERT_REPORT("multiply: operand 1 is a value of another builder",
                   build(tn_builder_multiply(b, x, stranger)));
  tn_builder_destroy(other);
}

static void computation_of_another_builder_is_reported(void** state) {
  (void)state;
  tn_builder_t* other = NULL;
  TN_ASSERT_OK(tn_builder_create(NULL, "other", &other));
  tn_computation_t* stranger = tn_builder_binary_computation(other, "add", TN_DTYPE_F32);
  tn_value_t *zero = tn_builder_scalar_f32(b, 0), *sum = NULL;
  tn_builder_reduce(b, 1, &x, &zero, stranger, 1, (int64_t[]){0}, &sum);
  TN_ASSERT_REPORT("reduce: computation 0 belongs to another builder", build(sum));
  tn_builder_destroy(other);
}

static void second_parameter_0_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_parameter(b, 0, vector, "z"));
  TN_ASSERT_REPORT("parameter 0 is given twice", build(x));
}

static void gap_between_parameters_is_reported(void** state) {
  (void)state;
  tn_builder_parameter(b, 4, vector, "e");
  TN_ASSERT_REPORT("parameter 2 is missing; there are parameters up to 4", build(x));
}

static void parameter_number_that_is_none_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_parameter(b, -1, vector, NULL));
  TN_ASSERT_REPORT("parameter -1: numbers go from 0", build(x));
}

static void huge_parameter_number_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_parameter(b, INT64_MAX, vector, NULL));
  TN_ASSERT_REPORT("numbers go from 0", build(x));
}

static void parameter_without_a_type_is_reported(void** state) {
  (void)state;
  tn_builder_parameter(b, 2, NULL, NULL);
  TN_ASSERT_REPORT("parameter 2: its type is NULL", build(x));
}

static void parameter_inside_a_computation_is_reported(void** state) {
  (void)state;
  tn_value_t* argument = NULL;
  tn_computation_begin(b, 1, &scalar, &argument);
  tn_builder_parameter(b, 2, vector, NULL);
  TN_ASSERT_REPORT("parameter 2: a computation is open", build(x));
}

static void wrong_dtype_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("and", build(tn_builder_and(b, x, y)));
}

static void operands_of_different_types_are_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("add", build(tn_builder_add(b, x, tn_builder_scalar_f32(b, 1))));
}

static void shape_that_is_none_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_tensor_type(b, TN_DTYPE_F32, 2, (int64_t[]){3, -1}));
  TN_ASSERT_CODE(INVALID_ARGUMENT, build(x));
}

static void dtype_that_is_none_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_tensor_type(b, (tn_dtype_t)77, 0, NULL));
  TN_ASSERT_CODE(INVALID_ARGUMENT, build(x));
}

static void shape_that_overflows_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_tensor_type(b, TN_DTYPE_F32, 2, (int64_t[]){INT64_MAX / 2, 16}));
  TN_ASSERT_CODE(INVALID_ARGUMENT, build(x));
}

static void missing_tuple_element_is_reported(void** state) {
  (void)state;
  assert_null(tn_builder_tuple_type(b, 2, (const tn_type_t*[]){scalar, NULL}));
  TN_ASSERT_REPORT("tuple type: element 1 is NULL", build(x));
}

static void tuple_index_out_of_range_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("get_tuple_element",
                   build(tn_builder_get_tuple_element(b, tn_builder_tuple(b, 1, &x), 1)));
}

static void constant_without_data_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("constant: needs a tensor type and its elements",
                   build(tn_builder_constant(b, vector, NULL)));
}

static void unknown_operation_is_reported_with_a_suggestion(void** state) {
  (void)state;
  const tn_operation_t operation = {.struct_size = sizeof operation,
                                    .name = "stablehlo.tanhh",
                                    .operand_count = 1,
                                    .operands = &x};
  tn_value_t* result = NULL;
  tn_builder_operation(b, &operation, 1, &result);
  TN_ASSERT_REPORT("did you mean \"stablehlo.tanh\"?", build(x));
}

static void operation_without_struct_size_is_reported(void** state) {
  (void)state;
  tn_value_t* result = NULL;
  tn_builder_operation(b, &(tn_operation_t){.name = "add"}, 1, &result);
  assert_null(result);
  TN_ASSERT_REPORT("tn_operation_t: struct_size is 0", build(x));
}

static void missing_operation_is_reported(void** state) {
  (void)state;
  tn_builder_operation(b, NULL, 0, NULL);
  TN_ASSERT_REPORT("tn_builder_operation: name is NULL", build(x));
}

static void wrong_number_of_results_is_reported(void** state) {
  (void)state;
  const tn_operation_t operation = {
      .struct_size = sizeof operation, .name = "tanh", .operand_count = 1, .operands = &x};
  tn_value_t* results[2];
  tn_builder_operation(b, &operation, 2, results);
  TN_ASSERT_REPORT("asked for 2", build(x));
}

static void missing_lists_are_reported(void** state) {
  static const char* const wanted[] = {"slice_sizes",
                                       "dimensions",
                                       "the list of starts is NULL",
                                       "the list of operands is NULL",
                                       "the list of elements is NULL",
                                       "the list of inputs is NULL",
                                       "lhs_contracting"};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    tn_value_t* i1 = tn_builder_scalar_s32(b, 0);
    switch (i) {
      case 0: tn_builder_dynamic_slice(b, x, &i1, NULL); break;
      case 1: tn_builder_reverse(b, x, 1, NULL); break;
      case 2: tn_builder_dynamic_update_slice(b, x, y, NULL); break;
      case 3: tn_builder_concatenate(b, 2, NULL, 0); break;
      case 4: tn_builder_tuple_type(b, 2, NULL); break;
      case 5: tn_builder_reduce(b, 1, NULL, &i1, NULL, 0, NULL, (tn_value_t*[]){NULL}); break;
      default: tn_builder_dot_general(b, x, y, 0, NULL, NULL, 1, NULL, NULL);
    }
    TN_ASSERT_REPORT(wanted[i], build(x));
    end(state);
    begin(state);
  }
}

static void dot_dimension_named_twice_is_reported(void** state) {
  (void)state;
  int64_t many[TN_MAX_RANK] = {0};
  TN_ASSERT_REPORT("dot_general: dimension 0 of lhs is named twice",
                   build(tn_builder_dot_general(b, x, y, TN_MAX_RANK, many, many, 0, NULL, NULL)));
}

static void dot_dimension_out_of_range_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "dimensions 0 and 1 are outside ranks 1 and 1",
      build(tn_builder_dot_general(b, x, y, 0, NULL, NULL, 1, (int64_t[]){0}, (int64_t[]){1})));
}

static void dot_of_a_scalar_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("outside ranks 0 and 1",
                   build(tn_builder_dot(b, tn_builder_scalar_f32(b, 1), y)));
}

static void computation_left_open_is_reported(void** state) {
  (void)state;
  tn_value_t* argument = NULL;
  tn_computation_begin(b, 1, &scalar, &argument);
  TN_ASSERT_REPORT("a computation was begun and not ended", build(x));
}

static void open_computation_in_use_is_reported(void** state) {
  (void)state;
  tn_value_t *argument = NULL, *zero = tn_builder_scalar_f32(b, 0), *sum = NULL;
  tn_computation_t* open = tn_computation_begin(b, 1, &scalar, &argument);
  tn_builder_reduce(b, 1, &x, &zero, open, 1, (int64_t[]){0}, &sum);
  TN_ASSERT_REPORT("reduce: computation 0 was not ended", build(x));
}

static void computation_used_twice_is_reported(void** state) {
  (void)state;
  tn_value_t *zero = tn_builder_scalar_f32(b, 0), *sum = NULL;
  tn_computation_t* add = tn_builder_binary_computation(b, "add", TN_DTYPE_F32);
  tn_builder_reduce(b, 1, &x, &zero, add, 1, (int64_t[]){0}, &sum);
  tn_builder_reduce(b, 1, &x, &zero, add, 1, (int64_t[]){0}, &sum);
  TN_ASSERT_REPORT("reduce: computation 0 is already in use", build(x));
}

static void missing_computation_is_reported(void** state) {
  (void)state;
  tn_value_t *zero = tn_builder_scalar_f32(b, 0), *sum = NULL;
  tn_builder_reduce(b, 1, &x, &zero, NULL, 1, (int64_t[]){0}, &sum);
  TN_ASSERT_REPORT("reduce: computation 0 is NULL", build(x));
}

static void computations_ended_crosswise_are_reported(void** state) {
  (void)state;
  tn_value_t* argument = NULL;
  tn_computation_t* outer = tn_computation_begin(b, 1, &scalar, &argument);
  tn_computation_begin(b, 1, &scalar, &argument);
  tn_computation_end(b, outer, 1, &argument);
  TN_ASSERT_REPORT("not the one that was begun last", build(x));
}

static void computation_without_an_argument_type_is_reported(void** state) {
  (void)state;
  tn_value_t* arguments[2] = {x, x};
  assert_null(tn_computation_begin(b, 2, (const tn_type_t*[]){scalar, NULL}, arguments));
  assert_true(!arguments[0] && !arguments[1]);
  TN_ASSERT_REPORT("computation: the type of argument 1 is NULL", build(x));
}

static void computations_without_end_are_reported(void** state) {
  (void)state;
  tn_value_t* argument = NULL;
  for (int i = 0; i < 100000; ++i) tn_computation_begin(b, 1, &scalar, &argument);
  TN_ASSERT_REPORT("computations nest deeper than 256 levels", build(x));
}

static void value_from_inside_a_computation_is_not_seen_outside(void** state) {
  (void)state;
  tn_value_t* arguments[2];
  const tn_type_t* types[] = {scalar, scalar};
  tn_computation_t* body = tn_computation_begin(b, 2, types, arguments);
  tn_value_t* inside = tn_builder_add(b, arguments[0], arguments[1]);
  tn_computation_end(b, body, 1, &inside);
  TN_ASSERT_REPORT("is not defined before this operation", build(tn_builder_negate(b, inside)));
}

static void computation_of_the_wrong_shape_is_reported(void** state) {
  (void)state;
  tn_value_t *argument = NULL, *zero = tn_builder_scalar_f32(b, 0), *sum = NULL;
  tn_computation_t* body = tn_computation_begin(b, 1, &scalar, &argument);
  tn_computation_end(b, body, 1, &argument);
  tn_builder_reduce(b, 1, &x, &zero, body, 1, (int64_t[]){0}, &sum);
  TN_ASSERT_REPORT("reduce", build(sum));
}

static void missing_result_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("operand 0 is NULL", build(NULL));
}

static void missing_list_of_results_is_reported(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  TN_ASSERT_REPORT("the list of operands is NULL", tn_builder_build(b, 2, NULL, &module));
  assert_null(module);
}

static void use_after_build_is_reported(void** state) {
  (void)state;
  TN_ASSERT_OK(build(x));
  assert_null(tn_builder_add(b, x, y));
  assert_null(tn_builder_tensor_type(b, TN_DTYPE_F32, 0, NULL));
  TN_ASSERT_REPORT("the module was built already", build(x));
}

static void missing_builder_is_reported(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  assert_null(tn_builder_add(NULL, x, y));
  assert_null(tn_builder_parameter(NULL, 0, vector, NULL));
  TN_ASSERT_REPORT("the builder is NULL", tn_builder_build(NULL, 1, &x, &module));
}

// --- mistakes in custom calls

static tn_status_t build_call(const tn_custom_call_options_t* options) {
  tn_value_t* operands[] = {x, y};
  return build(tn_builder_custom_call(b, "f", 2, operands, vector, options));
}

static void call_without_a_target_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("custom_call: the target has no name",
                   build(tn_builder_custom_call(b, "", 1, &x, vector, NULL)));
}

static void call_without_a_result_type_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("custom_call: the result type is NULL",
                   build(tn_builder_custom_call(b, "f", 1, &x, NULL, NULL)));
}

static void call_options_without_struct_size_are_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("tn_custom_call_options_t: struct_size is 0",
                   build_call(&(tn_custom_call_options_t){0}));
}

#define OPTIONS(...) \
  (&(tn_custom_call_options_t){.struct_size = sizeof(tn_custom_call_options_t), __VA_ARGS__})

static void unknown_api_version_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("9 is not an api version",
                   build_call(OPTIONS(.api_version = (tn_api_version_t)9)));
}

static void unknown_schedule_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("7 is not a schedule",
                   build_call(OPTIONS(.schedule = (tn_custom_call_schedule_t)7)));
}

static void alias_to_a_missing_operand_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "alias 0 names operand 5",
      build_call(OPTIONS(.alias_count = 1, .aliases = &(tn_output_operand_alias_t){.operand = 5})));
}

static void alias_to_a_missing_result_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("the results have no element",
                   build_call(OPTIONS(.alias_count = 1, .aliases = &(tn_output_operand_alias_t){
                                                            .output_path_length = 1,
                                                            .output_path = (int64_t[]){3}})));
}

static void alias_without_its_path_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("a path of alias 0 is NULL",
                   build_call(OPTIONS(.alias_count = 1, .aliases = &(tn_output_operand_alias_t){
                                                            .output_path_length = 1})));
}

static void layouts_of_one_side_only_are_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("operand and result layouts come together",
                   build_call(OPTIONS(.operand_layouts = (const int64_t* const[]){NULL, NULL})));
}

static void attributes_of_an_untyped_call_are_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "attributes need the api version TYPED_FFI",
      build_call(OPTIONS(.attribute_count = 1,
                         .attributes = &(tn_attribute_t){.name = "n", .kind = TN_ATTRIBUTE_BOOL})));
}

static void opaque_beside_attributes_is_reported(void** state) {
  (void)state;
  const tn_attribute_t flag = {.name = "n", .kind = TN_ATTRIBUTE_BOOL};
  TN_ASSERT_REPORT(
      "either attributes or an opaque string",
      build_call(OPTIONS(.api_version = TN_API_VERSION_TYPED_FFI, .opaque = "x", .opaque_length = 1,
                         .attribute_count = 1, .attributes = &flag)));
}

static void missing_opaque_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("the opaque string is NULL; expected 3 bytes",
                   build_call(OPTIONS(.opaque_length = 3)));
}

static void literal_without_elements_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("a literal needs a tensor type and its elements",
                   build_call(OPTIONS(.literal_type = scalar)));
}

static tn_status_t build_attribute(tn_attribute_t attribute) {
  return build_call(OPTIONS(.api_version = TN_API_VERSION_TYPED_FFI, .attribute_count = 1,
                            .attributes = &attribute));
}

static void attribute_of_an_unknown_kind_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("attribute \"n\" has the unknown kind 42",
                   build_attribute((tn_attribute_t){.name = "n", .kind = (tn_attribute_kind_t)42}));
}

static void attribute_without_a_name_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("attribute 0 of \"backend_config\" has no name",
                   build_attribute((tn_attribute_t){.kind = TN_ATTRIBUTE_BOOL}));
}

static void attribute_without_data_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "attribute \"n\": its data is NULL",
      build_attribute((tn_attribute_t){.name = "n", .kind = TN_ATTRIBUTE_STRING, .count = 2}));
}

static void array_of_no_dtype_is_reported(void** state) {
  (void)state;
  TN_ASSERT_REPORT("attribute \"n\" is an array of dtype",
                   build_attribute((tn_attribute_t){.name = "n",
                                                    .kind = TN_ATTRIBUTE_ARRAY,
                                                    .dtype = (tn_dtype_t)99,
                                                    .data = "",
                                                    .count = 1}));
}

static void attribute_given_twice_is_reported(void** state) {
  (void)state;
  const tn_attribute_t twice[] = {{.name = "n", .kind = TN_ATTRIBUTE_BOOL},
                                  {.name = "n", .kind = TN_ATTRIBUTE_BOOL}};
  TN_ASSERT_REPORT("\"n\" is given twice",
                   build_call(OPTIONS(.api_version = TN_API_VERSION_TYPED_FFI, .attribute_count = 2,
                                      .attributes = twice)));
}

static void dictionaries_without_end_are_reported(void** state) {
  (void)state;
  tn_attribute_t levels[100];
  for (size_t i = 0; i < 100; ++i) {
    levels[i] = (tn_attribute_t){.name = "d",
                                 .kind = TN_ATTRIBUTE_DICTIONARY,
                                 .count = i < 99,
                                 .entries = &levels[(i + 1) % 100]};
  }
  TN_ASSERT_REPORT("dictionaries nest deeper than 64 levels", build_attribute(levels[0]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(module_has_names_and_types),
      TEST(types_are_inferred),
      TEST(every_unary_operation_is_there),
      TEST(every_binary_operation_is_there),
      TEST(every_other_operation_is_there),
      TEST(regions_are_built),
      TEST(any_operation_can_be_named),
      TEST(custom_call_has_all_that_it_was_given),
      TEST(custom_call_without_options_is_an_untyped_one),
      TEST(typed_call_has_a_dictionary),
      TEST(names_of_any_kind_can_be_printed_and_read),
      TEST(types_may_come_from_elsewhere),
      TEST(what_was_not_built_is_freed),
      TEST(nothing_may_be_created_and_destroyed),
      TEST(missing_operand_is_reported),
      TEST(first_mistake_is_the_one_reported),
      TEST(value_of_another_builder_is_reported),
      TEST(computation_of_another_builder_is_reported),
      TEST(second_parameter_0_is_reported),
      TEST(gap_between_parameters_is_reported),
      TEST(parameter_number_that_is_none_is_reported),
      TEST(huge_parameter_number_is_reported),
      TEST(parameter_without_a_type_is_reported),
      TEST(parameter_inside_a_computation_is_reported),
      TEST(wrong_dtype_is_reported),
      TEST(operands_of_different_types_are_reported),
      TEST(shape_that_is_none_is_reported),
      TEST(dtype_that_is_none_is_reported),
      TEST(shape_that_overflows_is_reported),
      TEST(missing_tuple_element_is_reported),
      TEST(tuple_index_out_of_range_is_reported),
      TEST(constant_without_data_is_reported),
      TEST(unknown_operation_is_reported_with_a_suggestion),
      TEST(operation_without_struct_size_is_reported),
      TEST(missing_operation_is_reported),
      TEST(wrong_number_of_results_is_reported),
      TEST(missing_lists_are_reported),
      TEST(dot_dimension_named_twice_is_reported),
      TEST(dot_dimension_out_of_range_is_reported),
      TEST(dot_of_a_scalar_is_reported),
      TEST(computation_left_open_is_reported),
      TEST(open_computation_in_use_is_reported),
      TEST(computation_used_twice_is_reported),
      TEST(missing_computation_is_reported),
      TEST(computations_ended_crosswise_are_reported),
      TEST(computation_without_an_argument_type_is_reported),
      TEST(computations_without_end_are_reported),
      TEST(value_from_inside_a_computation_is_not_seen_outside),
      TEST(computation_of_the_wrong_shape_is_reported),
      TEST(missing_result_is_reported),
      TEST(missing_list_of_results_is_reported),
      TEST(use_after_build_is_reported),
      TEST(missing_builder_is_reported),
      TEST(call_without_a_target_is_reported),
      TEST(call_without_a_result_type_is_reported),
      TEST(call_options_without_struct_size_are_reported),
      TEST(unknown_api_version_is_reported),
      TEST(unknown_schedule_is_reported),
      TEST(alias_to_a_missing_operand_is_reported),
      TEST(alias_to_a_missing_result_is_reported),
      TEST(alias_without_its_path_is_reported),
      TEST(layouts_of_one_side_only_are_reported),
      TEST(attributes_of_an_untyped_call_are_reported),
      TEST(opaque_beside_attributes_is_reported),
      TEST(missing_opaque_is_reported),
      TEST(literal_without_elements_is_reported),
      TEST(attribute_of_an_unknown_kind_is_reported),
      TEST(attribute_without_a_name_is_reported),
      TEST(attribute_without_data_is_reported),
      TEST(array_of_no_dtype_is_reported),
      TEST(attribute_given_twice_is_reported),
      TEST(dictionaries_without_end_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
