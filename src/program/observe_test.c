// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an observer is told of a run.
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"

enum { MOST = 64 };
typedef struct seen {
  size_t count;
  tn_run_event_t events[MOST];
  char targets[MOST][32];
  char files[MOST][32], types[MOST][64];
} seen_t;

static void see(void* user, const tn_run_event_t* event) {
  seen_t* seen = user;
  assert_true(seen->count < MOST);
  assert_true(event->struct_size == sizeof *event && event->begin_ns <= event->end_ns);
  snprintf(seen->targets[seen->count], 32, "%.*s", (int)event->target_length, event->target);
  snprintf(seen->files[seen->count], 32, "%s", event->file);
  snprintf(seen->types[seen->count], 64, "%s", event->types);
  seen->events[seen->count++] = *event;
}

static tn_status_t run(tn_program_t* program, seen_t* seen, size_t result_count) {
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *results[2] = {NULL};
  const tn_run_options_t options = {.struct_size = sizeof options,
                                    .run_id = 7,
                                    .observe = seen ? see : NULL,
                                    .observe_user = seen};
  tn_status_t status = tn_program_run(program, 1, &argument, &options, result_count, results);
  if (!status)
    status = tn_buffer_ready_event(results[0])
                 ? tn_event_wait(tn_buffer_ready_event(results[0]), -1)
                 : TN_OK;
  tn_buffer_release(results[0]);
  tn_buffer_release(results[1]);
  tn_buffer_release(argument);
  return status;
}

static void observe(const char* text, seen_t* seen) {
  tn_program_t* program = tn__testing_program(text, true);
  *seen = (seen_t){0};
  TN_ASSERT_OK(run(program, seen, tn_program_output_count(program)));
  tn_program_release(program);
}

static const tn_run_event_t* find(const seen_t* seen, const char* operation, size_t nth) {
  for (size_t i = 0; i < seen->count; ++i) {
    if (strcmp(seen->events[i].operation, operation) == 0 && nth-- == 0) return &seen->events[i];
  }
  return NULL;
}

// --- tests

static void an_instruction_is_reported_with_its_place_and_bytes(void** state) {
  (void)state;
  seen_t seen;
  observe(MAIN("%x: " F4, F4, "%y = stablehlo.add %x, %x : " F4 "\nreturn %y : " F4), &seen);
  const tn_run_event_t* add = find(&seen, "add", 0);
  assert_int_equal(seen.count, 1);
  if (!add) fail();
  assert_true(add->run_id == 7 && add->depth == 0 && !add->is_asynchronous);
  assert_true(add->line == 2 && add->column > 0 && add->target_length == 0);
  assert_true(add->read_byte_size == 32 && add->written_byte_size == 16);
  assert_non_null(strstr(add->kernel, ".add"));
  assert_string_equal(seen.types[0], "(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)");
  assert_string_equal(seen.files[0], "test.mlir");
}

static uint64_t operations_of(const char* body, const char* result) {
  char text[2000];
  seen_t seen;
  uint64_t sum = 0;
  snprintf(text, sizeof text, MAIN("%%x: " F4, "%s", "%s\nreturn %%r : %s"), result, body, result);
  observe(text, &seen);
  for (size_t i = 0; i < seen.count; ++i) sum += seen.events[i].operation_count;
  return sum;
}

#define BROADCAST(name, type) \
  "%" name " = stablehlo.broadcast_in_dim %x, dims = [1] : (" F4 ") -> " type "\n"

static void products_and_convolutions_count_their_operations(void** state) {
  (void)state;
  assert_int_equal(operations_of("%r = stablehlo.add %x, %x : " F4, F4), 0);
  assert_int_equal(
      operations_of("%r = stablehlo.dot %x, %x : (" F4 ", " F4 ") -> tensor<f32>", "tensor<f32>"),
      2 * 4);
  assert_int_equal(
      operations_of(
          BROADCAST("a", "tensor<3x4x5xf32>") BROADCAST(
              "b",
              "tensor<3x4x7xf32>") "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], "
                                   "contracting_dims = [1] x [1] : (tensor<3x4x5xf32>, "
                                   "tensor<3x4x7xf32>) -> "
                                   "tensor<3x5x7xf32>",
          "tensor<3x5x7xf32>"),
      2 * 3 * 5 * 7 * 4);
  // Without batches.
  assert_int_equal(
      operations_of(
          "%r = \"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = "
          "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : "
          "(" F4 ", " F4 ") -> tensor<f32>",
          "tensor<f32>"),
      2 * 4);
  // Two features in each of two groups, to three; windows of two.
  assert_int_equal(
      operations_of(
          BROADCAST("a",
                    "tensor<5x4x9xf32>") "%w = stablehlo.constant dense<1.0> : tensor<6x2x2xf32>\n"
                                         "%r = stablehlo.convolution(%a, %w) dim_numbers = [b, f, "
                                         "0]x[o, i, 0]->[b, "
                                         "f, 0], window = {} {batch_group_count = 1 : i64, "
                                         "feature_group_count = 2 "
                                         ": i64} : (tensor<5x4x9xf32>, tensor<6x2x2xf32>) -> "
                                         "tensor<5x6x8xf32>",
          "tensor<5x6x8xf32>"),
      2 * 5 * 6 * 8 * (2 * 2));
}

static void members_of_row_blocks_count_together(void** state) {
  (void)state;
  // On the CPU the first product and what follows are row blocks.
  assert_int_equal(
      operations_of(
          BROADCAST("a",
                    "tensor<1024x4xf32>") "%p = stablehlo.dot_general %a, %a, contracting_dims = "
                                          "[1] x [1] : "
                                          "(tensor<1024x4xf32>, tensor<1024x4xf32>) -> "
                                          "tensor<1024x1024xf32>\n"
                                          "%t = stablehlo.exponential %p : tensor<1024x1024xf32>\n"
                                          "%e = stablehlo.add %t, %p : tensor<1024x1024xf32>\n"
                                          "%r = stablehlo.dot_general %e, %a, contracting_dims = "
                                          "[1] x [0] : "
                                          "(tensor<1024x1024xf32>, tensor<1024x4xf32>) -> "
                                          "tensor<1024x4xf32>",
          "tensor<1024x4xf32>"),
      2 * 2 * 1024 * 1024 * 4);
}

static void a_result_that_is_an_argument_is_a_copy(void** state) {
  (void)state;
  seen_t seen;
  observe(MAIN("%x: " F4, F4, "return %x : " F4), &seen);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.events[0].line, 0);
  assert_int_equal(seen.events[0].written_byte_size, 16);
  assert_string_equal(seen.types[0], "");
}

static void each_iteration_is_reported_inside_its_loop(void** state) {
  (void)state;
  seen_t seen;
  observe(
      MAIN("%x: " F4, F4,
           "%z = stablehlo.constant dense<0> : tensor<i32>\n"
           "%n = stablehlo.constant dense<3> : tensor<i32>\n"
           "%k = stablehlo.constant dense<1> : tensor<i32>\n"
           "%r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, " F4 "\n"
           "cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "  stablehlo.return %c : tensor<i1> }\n"
           "do { %j = stablehlo.add %i, %k : tensor<i32>\n"
           "  %b = stablehlo.negate %a : " F4 "\n"
           "  stablehlo.return %j, %b : tensor<i32>, " F4 " }\nreturn %r#1 : " F4),
      &seen);
  const tn_run_event_t *loop = find(&seen, "while", 0), *last = find(&seen, "negate", 2);
  if (!loop || !last) fail();
  assert_true(!find(&seen, "negate", 3) && find(&seen, "compare", 3));
  assert_true(loop->depth == 0 && last->depth == 1 && last < loop);
  assert_true(loop->begin_ns <= last->begin_ns && last->end_ns <= loop->end_ns);
}

static void regions_of_kernels_are_their_kernels_time(void** state) {
  (void)state;
  seen_t seen;
  observe(MAIN("%x: " F4, "tensor<f32>",
               "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
               "%r = \"stablehlo.reduce\"(%x, %z) ({\n"
               "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
               "  %c = stablehlo.cosine %a : tensor<f32>\n"
               "  %d = stablehlo.atan2 %c, %b : tensor<f32>\n"
               "  stablehlo.return %d : tensor<f32>\n"
               "}) {dimensions = array<i64: 0>} : (" F4 ", tensor<f32>) -> tensor<f32>\n"
               "return %r : tensor<f32>"),
          &seen);
  assert_true(find(&seen, "reduce", 0) && !find(&seen, "cosine", 0) && !find(&seen, "atan2", 0));
}

static void calls_of_functions_have_their_names(void** state) {
  (void)state;
  seen_t seen;
  observe("func.func private @twice(%x: " F4 ") -> " F4
          " {\n"
          "  %y = stablehlo.add %x, %x : " F4 "\n  return %y : " F4 "\n}\n" MAIN(
              "%x: " F4, F4, "%y = func.call @twice(%x) : (" F4 ") -> " F4 "\nreturn %y : " F4),
          &seen);
  const tn_run_event_t *call = find(&seen, "call", 0), *add = find(&seen, "add", 0);
  assert_true(call && add && add->depth == 1 && call->depth == 0);
  assert_string_equal(seen.targets[call - seen.events], "twice");
  assert_string_equal(call->kernel, "");
}

static void views_count_the_elements_that_are_read(void** state) {
  (void)state;
  seen_t seen;
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, "tensor<2xf32>",
           "%a = stablehlo.slice %x [1:3] : (" F4 ") -> tensor<2xf32>\n"
           "%b = stablehlo.negate %a : tensor<2xf32>\nreturn %b : tensor<2xf32>"),
      false);
  seen = (seen_t){0};
  TN_ASSERT_OK(run(program, &seen, 1));
  tn_program_release(program);
  const tn_run_event_t* negate = &seen.events[seen.count - 1];
  assert_true(seen.count >= 1 && negate->read_byte_size == 8 && negate->written_byte_size == 8);
}

static void a_run_without_an_observer_tells_no_one(void** state) {
  (void)state;
  seen_t seen = {0};
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4, "%y = stablehlo.add %x, %x : " F4 "\nreturn %y : " F4), true);
  TN_ASSERT_OK(run(program, &seen, 1));
  TN_ASSERT_OK(run(program, NULL, 1));  // with the same activation
  assert_int_equal(seen.count, 1);
  tn_program_release(program);
}

static void an_instruction_that_fails_is_reported(void** state) {
  (void)state;
  seen_t seen = {0};
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4,
           "%y = stablehlo.add %x, %x : " F4 "\ncheck.expect_eq %x, %y : " F4 "\nreturn %y : " F4),
      true);
  TN_ASSERT_CODE(FAILED_PRECONDITION, run(program, &seen, 1));
  assert_non_null(find(&seen, "add", 0));
  assert_int_equal(seen.events[seen.count - 1].line, 3);
  tn_program_release(program);
}

static void a_context_has_an_observer_for_runs_without_one(void** state) {
  (void)state;
  seen_t seen = {0}, own = {0};
  const tn_run_observer_t observer = {.observe = see, .user = &seen};
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4, "%y = stablehlo.add %x, %x : " F4 "\nreturn %y : " F4), true);
  tn_context_set_run_observer(NULL, &observer);
  TN_ASSERT_OK(run(program, NULL, 1));
  TN_ASSERT_OK(run(program, &own, 1));
  tn_context_set_run_observer(NULL, NULL);
  TN_ASSERT_OK(run(program, NULL, 1));
  assert_true(seen.count == 1 && own.count == 1);
  tn_program_release(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_instruction_is_reported_with_its_place_and_bytes),
      cmocka_unit_test(products_and_convolutions_count_their_operations),
      cmocka_unit_test(members_of_row_blocks_count_together),
      cmocka_unit_test(a_result_that_is_an_argument_is_a_copy),
      cmocka_unit_test(each_iteration_is_reported_inside_its_loop),
      cmocka_unit_test(regions_of_kernels_are_their_kernels_time),
      cmocka_unit_test(calls_of_functions_have_their_names),
      cmocka_unit_test(views_count_the_elements_that_are_read),
      cmocka_unit_test(a_run_without_an_observer_tells_no_one),
      cmocka_unit_test(an_instruction_that_fails_is_reported),
      cmocka_unit_test(a_context_has_an_observer_for_runs_without_one),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
