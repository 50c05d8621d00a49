// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Two contexts in one process: what one of them registers, sets and counts, the other does not see.
#include <pthread.h>
#include <tenon/arrays.h>
#include <tenon/custom.h>
#include <tenon/detail/ops.h>
#include <tenon/tenon.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

#define TABLE TESTING_LIBRARIES "/testing_library_table.so"
#define REGISTER TESTING_LIBRARIES "/testing_library_register.so"
#define F4 "tensor<4xf32>"
#define CALL(target, attributes)                                                   \
  "func.func @main(%x: " F4 ") -> " F4 " {\n  %0 = stablehlo.custom_call @" target \
  "(%x) {" attributes "} : (" F4 ") -> " F4 "\n  return %0 : " F4 "\n}\n"
#define TYPED "api_version = 4 : i32, backend_config = {}"

enum { TEXT_CAPACITY = 4096 };

static const float four[] = {1, 2, 3, 4};

// A context and a device of it.
typedef struct world {
  tn_context_t* context;
  tn_device_t* device;
} world_t;

static world_t create_world(const char* const* environment) {
  const tn_context_options_t options = {.struct_size = sizeof options, .environment = environment};
  tn_device_options_t own = {.struct_size = sizeof own};
  world_t world = {0};
  TN_ASSERT_OK(tn_context_create(&options, &world.context));
  own.context = world.context;
  TN_ASSERT_OK(tn_device_create("cpu", &own, &world.device));
  return world;
}

static void destroy_world(world_t* world) {
  tn_device_release(world->device);
  tn_context_release(world->context);
}

static tn_status_t compile(const world_t* world, const char* text, tn_program_t** out_program) {
  tn_module_t* module = NULL;
  TN_RETURN_IF_ERROR(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  tn_status_t status = tn_program_compile(world->device, module, NULL, out_program);
  tn_module_release(module);
  return status;
}

static tn_buffer_t* create_buffer(tn_device_t* device) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4}, four,
                                          sizeof four, &buffer));
  return buffer;
}

static tn_status_t run(const world_t* world, tn_program_t* program, float* out) {
  tn_buffer_t *argument = create_buffer(world->device), *result = NULL;
  tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
  if (!status) status = tn_buffer_to_host(result, out, sizeof four);
  tn_buffer_release(argument);
  tn_buffer_release(result);
  return status;
}

// Compiles and runs: what the first element becomes.
static float call(const world_t* world, const char* text) {
  float y[4] = {0};
  tn_program_t* program = NULL;
  TN_ASSERT_OK(compile(world, text, &program));
  TN_ASSERT_OK(run(world, program, y));
  tn_program_release(program);
  return y[0];
}

static void add_one(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + 1;
}
static void add_two(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + 2;
}

static bool count_target(void* user, const tn_target_info_t* info) {
  (void)info;
  ++*(int*)user;
  return true;
}

static int count_targets(tn_context_t* context) {
  int count = 0;
  TN_ASSERT_OK(tn_context_enumerate_targets(context, count_target, &count));
  return count;
}

static void one_name_is_two_operations(void** state) {
  (void)state;
  world_t a = create_world(NULL), b = create_world(NULL), c = create_world(NULL);
  const tn_api_version_t version = TN_API_VERSION_ORIGINAL;
  tn_program_t *kept = NULL, *none = NULL;
  float y[4] = {0};
  TN_ASSERT_OK(tn_context_register_target(a.context, "bump", "Host", (tn_target_function_t)add_one,
                                          version));
  TN_ASSERT_OK(tn_context_register_target(b.context, "bump", "Host", (tn_target_function_t)add_two,
                                          version));
  assert_true(call(&a, CALL("bump", "")) == 2);
  assert_true(call(&b, CALL("bump", "")) == 3);
  TN_ASSERT_REPORT("custom call @bump: nothing is registered",
                   compile(&c, CALL("bump", ""), &none));
  assert_int_equal(count_targets(a.context), 1);
  assert_int_equal(count_targets(c.context), 0);
  TN_ASSERT_OK(compile(&a, CALL("bump", ""), &kept));
  TN_ASSERT_OK(tn_context_unregister_target(a.context, "bump", "Host"));
  TN_ASSERT_CODE(NOT_FOUND, tn_context_unregister_target(a.context, "bump", "Host"));
  TN_ASSERT_CODE(NOT_FOUND, tn_target_unregister("bump", "Host"));
  TN_ASSERT_CODE(NOT_FOUND, compile(&a, CALL("bump", ""), &none));
  assert_true(call(&b, CALL("bump", "")) == 3);
  // The program has what it found, also when its context is gone for everybody else.
  tn_context_release(a.context);
  tn_device_t* device = tn_device_retain(a.device);
  TN_ASSERT_OK(run(&a, kept, y));
  assert_true(y[0] == 2);
  tn_device_release(a.device);
  tn_program_release(kept);
  tn_device_release(device);
  destroy_world(&c);
  destroy_world(&b);
}

// Functions that name no context mean the default one, and it is no richer than the others.
static void the_default_context_is_one_of_them(void** state) {
  (void)state;
  world_t a = create_world(NULL), ours = {.context = NULL};
  tn_program_t* none = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &ours.device));
  TN_ASSERT_OK(
      tn_target_register("ours", "Host", (tn_target_function_t)add_one, TN_API_VERSION_ORIGINAL));
  assert_true(call(&ours, CALL("ours", "")) == 2);
  TN_ASSERT_CODE(NOT_FOUND, compile(&a, CALL("ours", ""), &none));
  TN_ASSERT_OK(tn_context_unregister_target(tn_context_default(), "ours", "Host"));
  TN_ASSERT_CODE(NOT_FOUND, compile(&ours, CALL("ours", ""), &none));
  tn_device_release(ours.device);
  destroy_world(&a);
}

static void libraries_are_loaded_for_a_context(void** state) {
  (void)state;
  world_t a = create_world(NULL), b = create_world(NULL);
  tn_program_t* none = NULL;
  TN_ASSERT_OK(tn_context_load_library(a.context, TABLE));
  assert_true(call(&a, CALL("negate", TYPED)) == -1);
  TN_ASSERT_CODE(NOT_FOUND, compile(&b, CALL("negate", TYPED), &none));
  assert_int_equal(count_targets(b.context), 0);
  TN_ASSERT_OK(tn_context_load_library(b.context, TABLE ":again=copy_four"));
  assert_int_equal(count_targets(b.context), 1);
  assert_true(call(&b, CALL("again", "")) == 1);
  destroy_world(&b);
  destroy_world(&a);
}

// The initialisers of a library run once, for the first context that loads it.
static void what_libraries_register_themselves_is_the_loaders(void** state) {
  (void)state;
  world_t a = create_world(NULL), b = create_world(NULL), c = create_world(NULL);
  const int before = count_targets(NULL);
  TN_ASSERT_OK(tn_context_load_library(a.context, REGISTER));
  assert_int_equal(count_targets(a.context), 2);
  assert_int_equal(count_targets(b.context), 0);
  assert_true(call(&a, CALL("register_zero", TYPED)) == 0);
  TN_ASSERT_OK(tn_context_load_library(b.context, REGISTER));
  TN_ASSERT_OK(tn_context_load_library(b.context, REGISTER));
  assert_int_equal(count_targets(b.context), 2);
  destroy_world(&a);
  assert_true(call(&b, CALL("register_zero", TYPED)) == 0);
  TN_ASSERT_OK(tn_context_load_library(c.context, REGISTER));
  assert_int_equal(count_targets(c.context), 2);
  assert_int_equal(count_targets(NULL), before);
  destroy_world(&b);
  destroy_world(&c);
}

// --- runs

#define RUN(ARG, ATTR, RET) ARG(x, f32, any_rank, "whatever") RET(y, f32, like(x))

TN_OP(run_number, RUN, "the number of the run") {
  int64_t id = 0;
  TN_TRY(tn_run_id(call, &id));
  for (int64_t i = 0; i < tn_size(call->y); ++i) call->y.data[i] = (float)id;
  return TN_OK;
}

static void register_op(tn_context_t* context, const tn_ffi_op_t* op) {
  TN_ASSERT_OK(tn_context_register_target(context, op->name, "Host",
                                          (tn_target_function_t)op->bundle.execute,
                                          TN_API_VERSION_TYPED_FFI));
}

static void each_context_counts_its_runs(void** state) {
  (void)state;
  world_t a = create_world(NULL), b = create_world(NULL);
  register_op(a.context, &run_number_op);
  register_op(b.context, &run_number_op);
  for (int i = 1; i <= 3; ++i) assert_true(call(&a, CALL("run_number", TYPED)) == (float)i);
  assert_true(call(&b, CALL("run_number", TYPED)) == 1);
  assert_true(call(&a, CALL("run_number", TYPED)) == 4);
  destroy_world(&b);
  destroy_world(&a);
}

static tn_future_t future;

TN_OP(later, RUN, "leaves its work for later") {
  return tn_defer(call, &future);
}

static void* finish_soon(void* user) {
  (void)user;
  nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
  tn_finish(future);
  return NULL;
}

TN_OP(soon, RUN, "is done after 30 ms") {
  pthread_t thread;
  TN_TRY(tn_defer(call, &future));
  if (pthread_create(&thread, NULL, finish_soon, NULL) == 0) pthread_detach(thread);
  return TN_OK;
}

static void each_context_has_its_time_limit(void** state) {
  (void)state;
  world_t hasty = create_world(NULL), patient = create_world(NULL);
  tn_program_t* program = NULL;
  float y[4];
  register_op(hasty.context, &later_op);
  register_op(patient.context, &soon_op);
  tn_context_set_call_timeout_ns(hasty.context, 1000000);
  TN_ASSERT_OK(compile(&hasty, CALL("later", TYPED), &program));
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, run(&hasty, program, y));
  tn_finish(future);
  tn_program_release(program);
  TN_ASSERT_OK(compile(&patient, CALL("soon", TYPED), &program));
  TN_ASSERT_OK(run(&patient, program, y));
  tn_program_release(program);
  destroy_world(&patient);
  destroy_world(&hasty);
}

// --- settings

#define MATRIX "tensor<256x256xf32>"
static const char product[] = "func.func @main(%x: " MATRIX ") -> " MATRIX
                              " {\n  %0 = stablehlo.dot_general %x, %x, "
                              "contracting_dims = [1] x [0] : (" MATRIX ", " MATRIX ") -> " MATRIX
                              "\n  return %0 : " MATRIX "\n}\n";

static tn_status_t append(void* user, const char* text, size_t length) {
  char* out = user;
  const size_t at = strlen(out);
  if (at + length < TEXT_CAPACITY) memcpy(out + at, text, length);
  return TN_OK;
}

static void show(const world_t* world, const char* text, char* out) {
  tn_program_t* program = NULL;
  memset(out, 0, TEXT_CAPACITY);
  TN_ASSERT_OK(compile(world, text, &program));
  TN_ASSERT_OK(tn_program_print(program, TN_STAGE_PROGRAM, TN_FORMAT_TEXT, append, out));
  tn_program_release(program);
}

static bool note_openblas(void* user, const tn_kernel_library_info_t* info) {
  if (strcmp(info->name, "openblas") == 0) *(bool*)user = info->is_used;
  return true;
}

static void optional_libraries_are_allowed_by_context(void** state) {
  (void)state;
  world_t without = create_world((const char*[]){"TENON_LIBRARIES=none", NULL});
  world_t with = create_world((const char*[]){"TENON_LIBRARIES=openblas", NULL});
  char text[TEXT_CAPACITY];
  bool has_openblas = false;
  tn_scope_t* scope = NULL;
  show(&without, product, text);
  assert_non_null(strstr(text, "cpu.dot_general"));
  TN_ASSERT_OK(tn_scope_create(without.device, &scope));
  tn_array_t* x = tn_array_identity(scope, TN_DTYPE_F32, 3);
  tn_array_t* outputs[2];
  tn_array_linalg_eig(scope, x, &outputs[0], &outputs[1]);  // Tenon has its own as well
  TN_ASSERT_OK(tn_array_eval(2, outputs));
  tn_kernel_library_enumerate(note_openblas, &has_openblas);
  tn_scope_destroy(scope);
  show(&with, product, text);
  assert_true(!has_openblas || strstr(text, "openblas.dot_general"));
  destroy_world(&with);
  destroy_world(&without);
}

// --- mixing

static void what_belongs_to_two_contexts_cannot_be_mixed(void** state) {
  (void)state;
#define TWO_CONTEXTS "they belong to two contexts, which share nothing"
  world_t a = create_world(NULL), b = create_world(NULL);
  tn_buffer_t *buffer = create_buffer(b.device), *result = NULL;
  tn_program_t* program = NULL;
  tn_stream_t* stream = NULL;
  tn_event_t* event = NULL;
  tn_scope_t *as = NULL, *bs = NULL;
  static const char text[] = "func.func @main(%x: " F4 ") -> " F4
                             " {\n  %0 = stablehlo.negate %x : " F4 "\n  return %0 : " F4 "\n}\n";
  TN_ASSERT_OK(compile(&a, text, &program));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_program_run(program, 1, &buffer, NULL, 1, &result));
  TN_ASSERT_OK(tn_stream_create(a.device, &stream));
  TN_ASSERT_OK(tn_event_create(b.device, &event));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_stream_wait_event(stream, event));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_stream_record_event(stream, event));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_set_default_stream(b.device, stream));
  TN_ASSERT_OK(tn_scope_create(a.device, &as));
  TN_ASSERT_OK(tn_scope_create(b.device, &bs));
  tn_array_t *x = tn_array_identity(as, TN_DTYPE_F32, 2),
             *y = tn_array_identity(bs, TN_DTYPE_F32, 2);
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_array_status(tn_array_add(as, x, y)));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_array_status(tn_array_from_buffer(as, buffer)));
  TN_ASSERT_REPORT(TWO_CONTEXTS, tn_scope_set_stream(bs, stream));
  tn_scope_destroy(bs);
  tn_scope_destroy(as);
  tn_event_release(event);
  tn_stream_release(stream);
  tn_program_release(program);
  tn_buffer_release(buffer);
  destroy_world(&b);
  destroy_world(&a);
}

// --- memory

static tn_status_t use_two(const tn_allocator_t* allocator, void* user) {
  const tn_context_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_device_options_t own = {.struct_size = sizeof own, .allocator = allocator};
  world_t worlds[2] = {{0}};
  tn_status_t status = TN_OK;
  (void)user;
  for (int i = 0; i < 2; ++i) {
    tn_program_t* program = NULL;
    TN_DONE_IF_ERROR(tn_context_create(&options, &worlds[i].context));
    own.context = worlds[i].context;
    TN_DONE_IF_ERROR(tn_device_create("cpu", &own, &worlds[i].device));
    TN_DONE_IF_ERROR(tn_context_register_target(own.context, "bump", "Host",
                                                (tn_target_function_t)(i ? add_one : add_two),
                                                TN_API_VERSION_ORIGINAL));
    TN_DONE_IF_ERROR(tn_context_load_library(own.context, TABLE));
    TN_DONE_IF_ERROR(compile(&worlds[i], CALL("bump", ""), &program));
    tn_program_release(program);
  }
done:
  for (int i = 0; i < 2; ++i) destroy_world(&worlds[i]);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  tn__testing_sweep_allocations(use_two, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_name_is_two_operations),
      cmocka_unit_test(the_default_context_is_one_of_them),
      cmocka_unit_test(libraries_are_loaded_for_a_context),
      cmocka_unit_test(what_libraries_register_themselves_is_the_loaders),
      cmocka_unit_test(each_context_counts_its_runs),
      cmocka_unit_test(each_context_has_its_time_limit),
      cmocka_unit_test(optional_libraries_are_allowed_by_context),
      cmocka_unit_test(what_belongs_to_two_contexts_cannot_be_mixed),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
