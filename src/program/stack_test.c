// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The deepest programs that are accepted live on a small stack: each step fits in
// TN_LIMIT_STACK_BYTES, and a run in TN_LIMIT_RUN_STACK_BYTES.
#include <pthread.h>
#include <sys/mman.h>
#include <tenon/tenon.h>

#include "base/limits.h"
#include "base/testing.h"
#include "text/bytecode/testing_bytecode.h"

// Frames are larger without optimisation, under sanitizers, and where what runs is counted.
#if defined(TN_SANITIZED) || defined(TN_COUNTED) || !defined(__OPTIMIZE__)
enum { FACTOR = 16 };
#else
enum { FACTOR = 1 };
#endif

static tn_device_t* device;

enum { TEXT_CAPACITY = 1 << 22, PAINT = 0xA5, MOST_LEVELS = 2000 };

// --- a thread whose use of its stack is known

typedef struct step {
  tn_status_t (*call)(void* context);
  void* context;
  tn_status_t status;
} step_t;

static void* step_main(void* user) {
  step_t* step = user;
  step->status = step->call(step->context);
  return NULL;
}

// Runs a step on a new thread. All of its stack counts, with what the system keeps there.
static tn_status_t measure(tn_status_t (*call)(void* context), void* context, size_t* out_used) {
  enum { SPACE = 2 * FACTOR * TN_LIMIT_RUN_STACK_BYTES };
  step_t step = {call, context, NULL};
  pthread_attr_t attributes;
  pthread_t thread;
  unsigned char* stack =
      mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(stack != MAP_FAILED);
  memset(stack, PAINT, SPACE);
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, SPACE), 0);
  assert_int_equal(pthread_create(&thread, &attributes, step_main, &step), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  size_t untouched = 0;
  while (untouched < SPACE && stack[untouched] == PAINT) ++untouched;
  *out_used = SPACE - untouched;
  munmap(stack, SPACE);
  return step.status;
}

// --- the life of a program

typedef struct life {
  const char* source;
  size_t length;
  tn_module_t* module;
  tn_program_t* program;
  size_t argument_count, result_count;
  tn_buffer_t *arguments[4], *results[4];
} life_t;

static tn_status_t drop_text(void* user, const char* text, size_t length) {
  (void)user, (void)text, (void)length;
  return TN_OK;
}

static tn_status_t read_module(void* context) {
  life_t* life = context;
  return tn_module_parse(NULL, "deep.mlir", life->source, life->length, &life->module);
}

static tn_status_t print_module(void* context) {
  return tn_module_print(((life_t*)context)->module, drop_text, NULL);
}

static tn_status_t compile_module(void* context) {
  life_t* life = context;
  return tn_program_compile(device, life->module, NULL, &life->program);
}

static tn_status_t print_program(void* context) {
  for (tn_program_stage_t stage = TN_STAGE_IR; stage <= TN_STAGE_PROGRAM; ++stage) {
    for (tn_program_format_t format = TN_FORMAT_TEXT; format <= TN_FORMAT_SVG; ++format) {
      tn_status_t status =
          tn_program_print(((life_t*)context)->program, stage, format, drop_text, NULL);
      bool is_no_pair = tn_status_code(status) == TN_CODE_UNIMPLEMENTED;
      if (status && !is_no_pair) return status;
      tn_status_release(status);
    }
  }
  return TN_OK;
}

static tn_status_t run_program(void* context) {
  life_t* life = context;
  return tn_program_run(life->program, life->argument_count, life->arguments, NULL,
                        life->result_count, life->results);
}

static tn_status_t release_all(void* context) {
  life_t* life = context;
  for (size_t i = 0; i < life->argument_count; ++i) tn_buffer_release(life->arguments[i]);
  for (size_t i = 0; i < life->result_count; ++i) tn_buffer_release(life->results[i]);
  tn_program_release(life->program);
  tn_module_release(life->module);
  return TN_OK;
}

// Every argument is full of ones.
static void make_arguments(life_t* life) {
  life->argument_count = tn_program_input_count(life->program);
  life->result_count = tn_program_output_count(life->program);
  for (size_t i = 0; i < life->argument_count; ++i) {
    const tn_type_t* type = tn_program_input_type(life->program, i);
    const int32_t one = 1;
    const float real = 1;
    void* data = NULL;
    TN_ASSERT_OK(tn_buffer_create(device, tn_type_dtype(type), tn_type_rank(type),
                                  tn_type_dims(type), &data, &life->arguments[i]));
    size_t size = tn_dtype_byte_size(tn_type_dtype(type));
    size_t length = tn_buffer_byte_size(life->arguments[i]);
    const void* element = tn_type_dtype(type) == TN_DTYPE_F32 ? (const void*)&real : &one;
    for (size_t at = 0; at < length; at += size) memcpy((char*)data + at, element, size);
  }
}

static void expect_small_stack(const char* name, const char* step,
                               tn_status_t (*call)(void* context), life_t* life) {
  const size_t limit = FACTOR * (call == run_program ? (size_t)TN_LIMIT_RUN_STACK_BYTES
                                                     : (size_t)TN_LIMIT_STACK_BYTES);
  size_t used = 0;
  tn_status_t status = measure(call, life, &used);
  print_message("%-24s %-14s %4zu KB of stack\n", name, step, used / 1024);
  TN_ASSERT_OK(status);
  if (used > limit) {
    fail_msg("%s: %s takes %zu bytes of stack; expected at most %zu", name, step, used, limit);
  }
}

static void live(const char* name, life_t* life) {
  expect_small_stack(name, "print", print_module, life);
  expect_small_stack(name, "compile", compile_module, life);
  expect_small_stack(name, "print program", print_program, life);
  make_arguments(life);
  expect_small_stack(name, "run", run_program, life);
  expect_small_stack(name, "release", release_all, life);
}

// --- texts

// `open` and `close` are written once for each level, with its number for $ and the number below
// for
// ~; levels open from the highest down, unless `rises`, and close the other way.
typedef struct form {
  const char *name, *head, *open, *middle, *close, *tail;
  bool rises;
} form_t;

static const form_t forms[] = {
    {.name = "if",
     .head = "func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.if\"(%p) ({\n",
     .middle = "%y = stablehlo.negate %x : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}, {\nstablehlo.return %x : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n"
              "stablehlo.return %r$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "case",
     .head = "func.func @main(%k: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.case\"(%k) ({\nstablehlo.return %x : tensor<f32>\n}, {\n",
     .middle = "%y = stablehlo.negate %x : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<i32>) -> tensor<f32>\nstablehlo.return %r$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "while",
     .head = "func.func @main(%one: tensor<i32>) -> tensor<i32> {\n"
             "%zero = stablehlo.constant dense<0> : tensor<i32>\n",
     .open = "%r$ = stablehlo.while(%i$ = %zero) : tensor<i32> cond {\n"
             "%c$ = stablehlo.compare LT, %i$, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
             "stablehlo.return %c$ : tensor<i1>\n} do {\n",
     .middle = "stablehlo.return %one : tensor<i32>\n",
     .close = "}\nstablehlo.return %r$ : tensor<i32>\n",
     .tail = "}\n"},
    {.name = "map",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.map\"(%x) <{dimensions = array<i64>}> ({\n"
             "^bb0(%a$: tensor<f32>):\n",
     .middle = "%y = stablehlo.negate %x : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<f32>) -> tensor<f32>\nstablehlo.return %r$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "reduce",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.reduce\"(%x, %x) <{dimensions = array<i64>}> ({\n"
             "^bb0(%a$: tensor<f32>, %b$: tensor<f32>):\n",
     .middle = "%y = stablehlo.negate %x : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
              "stablehlo.return %r$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "sort",
     .head = "func.func @main(%x: tensor<2xf32>) -> tensor<i1> {\n",
     .open = "%r$ = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
             "^bb0(%a$: tensor<f32>, %b$: tensor<f32>):\n",
     .middle =
         "%b = stablehlo.broadcast_in_dim %a1, dims = [] : (tensor<f32>) -> tensor<9999xf32>\n"
         "%s = \"stablehlo.sort\"(%b) <{dimension = 0 : i64, is_stable = true}> ({\n"
         "^bb0(%u: tensor<f32>, %v: tensor<f32>):\n"
         "%w = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
         "stablehlo.return %w : tensor<i1>\n"
         "}) : (tensor<9999xf32>) -> tensor<9999xf32>\n"
         "%f = stablehlo.slice %s [0:1] : (tensor<9999xf32>) -> tensor<1xf32>\n"
         "%g = stablehlo.reshape %f : (tensor<1xf32>) -> tensor<f32>\n"
         "%e = stablehlo.compare LT, %g, %a1 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
         "stablehlo.return %e : tensor<i1>\n",
     .close = "}) : (tensor<2xf32>) -> tensor<2xf32>\n"
              "%s$ = \"stablehlo.slice\"(%r$) <{limit_indices = array<i64: 1>, start_indices = "
              "array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>\n"
              "%t$ = stablehlo.reshape %s$ : (tensor<1xf32>) -> tensor<f32>\n"
              "%c$ = stablehlo.compare EQ, %t$, %t$ : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
              "stablehlo.return %c$ : tensor<i1>\n",
     .tail = "}\n"},
    {.name = "reduce_window",
     .head = "func.func @main(%x: tensor<1xf32>, %z: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1>}> ({\n"
             "^bb0(%a$: tensor<f32>, %b$: tensor<f32>):\n",
     .middle = "%y = stablehlo.negate %z : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>\n"
              "%t$ = stablehlo.reshape %r$ : (tensor<1xf32>) -> tensor<f32>\n"
              "stablehlo.return %t$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "scatter",
     .head = "func.func @main(%x: tensor<2xf32>, %i: tensor<1xi32>, %z: tensor<f32>) -> "
             "tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.scatter\"(%x, %i, %z) <{scatter_dimension_numbers = "
             "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, "
             "indices_are_sorted = true, unique_indices = true}> ({\n"
             "^bb0(%a$: tensor<f32>, %b$: tensor<f32>):\n",
     .middle = "%y = stablehlo.negate %z : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<2xf32>, tensor<1xi32>, tensor<f32>) -> tensor<2xf32>\n"
              "%s$ = stablehlo.slice %r$ [1:2] : (tensor<2xf32>) -> tensor<1xf32>\n"
              "%t$ = stablehlo.reshape %s$ : (tensor<1xf32>) -> tensor<f32>\n"
              "stablehlo.return %t$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "select_and_scatter",
     .head = "func.func @main(%x: tensor<1xf32>, %z: tensor<f32>) -> tensor<f32> {\n",
     .open = "%r$ = \"stablehlo.select_and_scatter\"(%x, %x, %z) <{window_dimensions = array<i64: "
             "1>}> ({\n^bb0(%a$: tensor<f32>, %b$: tensor<f32>):\n"
             "%c$ = stablehlo.compare GE, %a$, %b$ : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
             "stablehlo.return %c$ : tensor<i1>\n}, {\n"
             "^bb0(%d$: tensor<f32>, %e$: tensor<f32>):\n",
     .middle = "%y = stablehlo.negate %z : tensor<f32>\nstablehlo.return %y : tensor<f32>\n",
     .close = "}) : (tensor<1xf32>, tensor<1xf32>, tensor<f32>) -> tensor<1xf32>\n"
              "%t$ = stablehlo.reshape %r$ : (tensor<1xf32>) -> tensor<f32>\n"
              "stablehlo.return %t$ : tensor<f32>\n",
     .tail = "}\n"},
    {.name = "modules",
     .open = "module {\n",
     .close = "}\n",
     .middle = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32>\n}\n"},
    {.name = "calls",
     .head = "func.func @f0(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = stablehlo.negate %x : tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .open = "func.func @f$(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = call @f~(%x) : (tensor<f32>) -> tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .tail = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = call @f$(%x) : (tensor<f32>) -> tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .rises = true},
    {.name = "composites",
     .head = "func.func @f0(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = stablehlo.negate %x : tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .open = "func.func @f$(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = stablehlo.composite \"a.b\" %x {decomposition = @f~} : (tensor<f32>) -> "
             "tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .tail = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
             "%y = call @f$(%x) : (tensor<f32>) -> tensor<f32>\nreturn %y : tensor<f32>\n}\n",
     .rises = true},
    {.name = "dictionaries",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%y = stablehlo.negate %x ",
     .open = "{a = ",
     .middle = "1 : i32",
     .close = "}",
     .tail = " : tensor<f32>\nreturn %y : tensor<f32>\n}\n"},
    {.name = "lists",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%y = stablehlo.negate %x {a = ",
     .open = "[",
     .middle = "1 : i32",
     .close = "]",
     .tail = "} : tensor<f32>\nreturn %y : tensor<f32>\n}\n"},
    {.name = "literals",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%y = stablehlo.negate %x {a = "
             "dense<",
     .open = "[",
     .middle = "1",
     .close = "]",
     .tail = "> : tensor<1xi32>} : tensor<f32>\nreturn %y : tensor<f32>\n}\n"},
    {.name = "tuples",
     .head = "func.func @main(%x: ",
     .open = "tuple<",
     .middle = "tensor<f32>",
     .close = ">",
     .tail = ") {\nreturn\n}\n"},
    {.name = "locations",
     .head = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32> loc(",
     .open = "callsite(\"a\" at ",
     .middle = "\"a\"",
     .close = ")",
     .tail = ")\n}\n"},
};

typedef struct text {
  char* data;
  size_t length;
} text_t;

static void put(text_t* text, const char* piece, int level) {
  for (; piece && *piece; ++piece) {
    assert_true(text->length + 16 < TEXT_CAPACITY);
    char* end = text->data + text->length;
    if (*piece == '$' || *piece == '~') {
      text->length += (size_t)sprintf(end, "%d", *piece == '$' ? level : level - 1);
    } else {
      *end = *piece;
      ++text->length;
    }
  }
}

static void write_form(const form_t* form, int levels, text_t* text) {
  text->length = 0;
  put(text, form->head, 0);
  for (int i = levels; i > 0; --i) put(text, form->open, form->rises ? levels + 1 - i : i);
  put(text, form->middle, 0);
  for (int i = 1; i <= levels; ++i) put(text, form->close, i);
  put(text, form->tail, levels);
}

// Reads the text with the most levels that are accepted.
static int read_deepest(const form_t* form, text_t* text, life_t* life) {
  int accepted = 0, rejected = MOST_LEVELS + 1;
  while (rejected - accepted > 1) {
    size_t used = 0;
    int levels = (accepted + rejected) / 2;
    write_form(form, levels, text);
    *life = (life_t){.source = text->data, .length = text->length};
    tn_status_t status = measure(read_module, life, &used);
    *(status ? &rejected : &accepted) = levels;
    tn_status_release(status);
    tn_module_release(life->module);
  }
  assert_true(accepted > 0);
  write_form(form, accepted, text);
  *life = (life_t){.source = text->data, .length = text->length};
  return accepted;
}

static void deepest_texts_live_on_a_small_stack(void** state) {
  (void)state;
  text_t text = {.data = malloc(TEXT_CAPACITY)};
  assert_non_null(text.data);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    life_t life;
    char name[64];
    int levels = read_deepest(&forms[i], &text, &life);
    snprintf(name, sizeof name, "%d %s", levels, forms[i].name);
    expect_small_stack(name, "read", read_module, &life);
    live(name, &life);
  }
  free(text.data);
}

static void deepest_bytecode_lives_on_a_small_stack(void** state) {
  (void)state;
  static tn_testing_bytes_t bytes;
  tn__testing_artifact(&(tn_testing_artifact_t){.version = 6, .depth = 250}, &bytes);
  life_t life = {.source = (const char*)bytes.data, .length = bytes.length};
  expect_small_stack("bytecode", "read", read_module, &life);
  live("bytecode", &life);
}

static int set_up(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  tn_device_release(device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deepest_texts_live_on_a_small_stack),
      cmocka_unit_test(deepest_bytecode_lives_on_a_small_stack),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
