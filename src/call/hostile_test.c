// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers, libraries and programs that are written by mistake or with intent only.
#include <limits.h>

#include "call/abi.h"
#include "call/attributes.h"
#include "call/testing_call.h"

#define HOSTILE TESTING_LIBRARIES "/testing_library_hostile.so"

static const float four[] = {1, 2, 3, 4};
#define FOUR                   \
  (tn_testing_array_t) {       \
    TN_DTYPE_F32, 1, {4}, four \
  }
#define BEFORE \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call @"
#define AFTER "} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
#define CALL(name, config) BEFORE name "(%a) {" config AFTER
#define TYPED "mhlo.backend_config = {}"

// --- one handler of many faces

typedef tn_status_t (*body_fn)(tn_ffi_call_frame_t* frame);
static body_fn body;
static void (*lie)(tn_ffi_metadata_t* metadata, tn_ffi_call_frame_t* frame);

static tn_status_t handler(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return body(frame);
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 1;
  if (lie) lie(metadata, frame);
  return TN_OK;
}

// In the place of the one that a test before registered.
static tn_status_t put_hostile(tn_target_function_t function, tn_api_version_t version) {
  tn_status_release(tn_target_unregister("hostile", "Host"));
  return tn_target_register("hostile", "Host", function, version);
}

static void add_handler(body_fn this_body) {
  body = this_body;
  lie = NULL;
  TN_ASSERT_OK(put_hostile((tn_target_function_t)handler, TN_API_VERSION_TYPED_FFI));
}

static tn_status_t run(body_fn this_body) {
  float y[4];
  add_handler(this_body);
  return tn__testing_call(CALL("hostile", TYPED), 1, &FOUR, 1, (void*[]){y});
}

static tn_status_t refuse(tn_ffi_call_frame_t* frame, const char* message) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, TN_FFI_ABORTED};
  return frame->api->error_create(&create);
}

static tn_status_t copy(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  memcpy(y->data, x->data, sizeof four);
  return TN_OK;
}

// --- metadata

static struct { int32_t major, minor; } said;
static void say_version(tn_ffi_metadata_t* metadata, tn_ffi_call_frame_t* frame) {
  (void)frame;
  metadata->api_version.major = said.major;
  metadata->api_version.minor = said.minor;
}
static void spoil_sizes(tn_ffi_metadata_t* metadata, tn_ffi_call_frame_t* frame) {
  metadata->struct_size = SIZE_MAX;
  metadata->api_version.struct_size = 0;
  metadata->api_version.extension_start = (tn_ffi_extension_t*)(uintptr_t)0xDEAD0;
  metadata->traits = UINT32_MAX;
  metadata->state_type_id.id = INT64_MIN;
  frame->extension_start->struct_size = 0;
  frame->extension_start->type = INT_MIN;
  frame->extension_start->next = frame->extension_start;
  frame->struct_size = 0;
  frame->api = NULL;
  frame->stage = INT_MAX;
  frame->args.count = INT64_MIN;
  frame->rets.values = (void**)(uintptr_t)0xDEAD0;
}
static void leave_future(tn_ffi_metadata_t* metadata, tn_ffi_call_frame_t* frame) {
  (void)metadata;
  frame->future = (tn_ffi_future_t*)(uintptr_t)0xDEAD0;
}

static tn_status_t add_liar(void (*this_lie)(tn_ffi_metadata_t*, tn_ffi_call_frame_t*)) {
  lie = this_lie;
  body = copy;
  return put_hostile((tn_target_function_t)handler, TN_API_VERSION_TYPED_FFI);
}

static void versions_that_are_none_are_refused(void** state) {
  (void)state;
  static const int32_t versions[][2] = {{1, 0},       {1, 1},  {-1, 1},      {0, 0},
                                        {0, -1},      {0, 4},  {0, INT_MAX}, {INT_MAX, INT_MAX},
                                        {0, INT_MIN}, {2, -1}, {INT_MIN, 1}};
  for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
    char text[96];
    said.major = versions[i][0];
    said.minor = versions[i][1];
    snprintf(text, sizeof text, "custom call @hostile: the handler is built for version %d.%d",
             said.major, said.minor);
    TN_ASSERT_REPORT(text, add_liar(say_version));
  }
  said.major = -1;
  said.minor = -1;  // as if it had not answered
  TN_ASSERT_REPORT("the function does not report its version", add_liar(say_version));
}

static void what_a_handler_spoils_when_it_is_asked_matters_to_nobody(void** state) {
  (void)state;
  float y[4] = {0};
  TN_ASSERT_OK(add_liar(spoil_sizes));
  TN_ASSERT_OK(tn__testing_call(CALL("hostile", TYPED), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_REPORT("a future that the frame's own table did not make", add_liar(leave_future));
}

// A handler of one stage in the place of another says so itself.
static tn_status_t only_prepare(tn_ffi_call_frame_t* frame) {
  return frame->stage == TN_FFI_PREPARE ? TN_OK : refuse(frame, "wanted stage prepare");
}

static void a_handler_of_another_stage_refuses_for_itself(void** state) {
  (void)state;
  TN_ASSERT_REPORT("custom call @hostile: ABORTED: wanted stage prepare", run(only_prepare));
}

// --- frames

// Refuses other dimensions, then changes them, and fails.
static tn_status_t change_dims_and_fail(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t* x = frame->args.values[0];
  if (x->dims[0] != 4) return refuse(frame, "wanted 4 elements");
  x->dims[0] = 2;
  frame->args.count = 0;
  return refuse(frame, "the first reason");
}

static void a_frame_that_a_failing_handler_changed_is_made_anew(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4];
  add_handler(change_dims_and_fail);
  TN_ASSERT_OK(tn__testing_compile(CALL("hostile", TYPED), &program));
  for (int i = 0; i < 3; ++i) {
    TN_ASSERT_REPORT("the first reason", tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  }
  body = copy;
  TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  tn_program_release(program);
}

// Refuses other dimensions, dtypes and counts, and succeeds after it has changed them all.
static tn_status_t change_values_and_succeed(tn_ffi_call_frame_t* frame) {
  tn_ffi_buffer_t* x = frame->args.values[0];
  if (frame->args.count != 1 || x->rank != 1 || x->dtype != TN_FFI_F32 || x->dims[0] != 4) {
    return refuse(frame, "wanted 4 elements");
  }
  tn_status_t status = copy(frame);
  x->dims[0] = 2;
  x->dims = NULL;
  x->rank = 0;
  x->dtype = TN_FFI_S32;
  frame->args.count = 0;
  return status;
}

static void a_run_gets_a_frame_that_no_earlier_run_changed(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4] = {0};
  add_handler(change_values_and_succeed);
  TN_ASSERT_OK(tn__testing_compile(CALL("hostile", TYPED), &program));
  for (int i = 0; i < 3; ++i) {
    memset(y, 0, sizeof y);
    TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
    assert_true(y[0] == 1 && y[3] == 4);
  }
  tn_program_release(program);
}

// Equal calls of a run share a frame.
static void a_failure_after_a_change_of_the_frame_says_so(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = stablehlo.custom_call @hostile(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> "
      "tensor<4xf32>\n"
      "  %z = stablehlo.custom_call @hostile(%y) {api_version = 4 : i32} : (tensor<4xf32>) -> "
      "tensor<4xf32>\n"
      "  return %z : tensor<4xf32>\n}\n";
  tn_program_t* program = NULL;
  float y[4];
  add_handler(change_values_and_succeed);
  TN_ASSERT_OK(tn__testing_compile(text, &program));
  TN_ASSERT_REPORT("note: the handler changed the counts, dtypes or shapes in its call frame",
                   tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  tn_program_release(program);
}

// Frames live on from call to call.
static tn_status_t copy_and_spoil(tn_ffi_call_frame_t* frame) {
  tn_status_t status = copy(frame);
  frame->struct_size = 0;
  frame->extension_start = (tn_ffi_extension_t*)(uintptr_t)0xDEAD0;
  frame->attrs = (tn_ffi_attrs_t){0};
  frame->args.count = INT64_MAX;
  frame->rets.struct_size = SIZE_MAX;
  frame->context = NULL;
  frame->stage = 99;
  return status;
}

static tn_status_t spoiled_handler(tn_ffi_call_frame_t* frame) {
  // The runtime does not mend what a handler writes into its frame, and does not read it either.
  bool is_question = frame->struct_size && frame->extension_start;
  return is_question ? handler(frame) : copy_and_spoil(frame);
}

static void a_frame_that_its_handler_spoils_harms_no_run(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4] = {0};
  lie = NULL;
  TN_ASSERT_OK(put_hostile((tn_target_function_t)spoiled_handler, TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn__testing_compile(CALL("hostile", TYPED), &program));
  for (int i = 0; i < 3; ++i) {
    memset(y, 0, sizeof y);
    TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
    assert_true(y[0] == 1 && y[3] == 4);
  }
  tn_program_release(program);
}

// --- errors and futures

static tn_status_t make_future(tn_ffi_call_frame_t* frame, tn_ffi_future_t** out_future) {
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  tn_status_t error = frame->api->future_create(&create);
  *out_future = create.future;
  return error;
}
static tn_status_t fail_future(tn_ffi_call_frame_t* frame, tn_ffi_future_t* future,
                               tn_status_t error) {
  tn_ffi_future_fail_t request = {TN_FFI_FUTURE_FAIL_SIZE, NULL, future, error};
  return frame->api->future_fail(&request);
}

static tn_status_t fail_future_twice(tn_ffi_call_frame_t* frame) {
  tn_status_t error = make_future(frame, &frame->future);
  if (!error) error = fail_future(frame, frame->future, refuse(frame, "first"));
  return error ? error : fail_future(frame, frame->future, refuse(frame, "second"));
}
static tn_status_t give_one_error_twice(tn_ffi_call_frame_t* frame) {
  tn_ffi_future_t* other = NULL;
  tn_status_t once = refuse(frame, "once");
  tn_status_t error = make_future(frame, &frame->future);
  if (!error) error = make_future(frame, &other);
  if (!error) error = fail_future(frame, frame->future, once);
  if (error) return error;
  error = fail_future(frame, other, once);  // not the handler's any more
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, other};
  tn_status_t ended = frame->api->future_finish(&finish);
  frame->future = other;
  return ended ? ended : error;
}
static tn_status_t fail_with_stranger(tn_ffi_call_frame_t* frame) {
  tn_status_t error = make_future(frame, &frame->future);
  return error ? error : fail_future(frame, frame->future, (tn_status_t)(uintptr_t)0xDEAD0);
}
static tn_status_t fail_no_future(tn_ffi_call_frame_t* frame) {
  return fail_future(frame, (tn_ffi_future_t*)(uintptr_t)0xDEAD0, refuse(frame, "nowhere"));
}
static tn_status_t return_destroyed_error(tn_ffi_call_frame_t* frame) {
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, refuse(frame, "gone")};
  frame->api->error_destroy(&destroy);
  frame->api->error_destroy(&destroy);
  return destroy.error;
}
static tn_status_t return_error_beside_future(tn_ffi_call_frame_t* frame) {
  tn_status_t error = make_future(frame, &frame->future);
  return error ? error : refuse(frame, "both");
}
static tn_status_t return_part_of_the_frame(tn_ffi_call_frame_t* frame) {
  return (tn_status_t)(void*)&frame->attrs;
}

static void errors_and_futures_are_settled_once(void** state) {
  (void)state;
  TN_ASSERT_REPORT("FAILED_PRECONDITION: the future is complete already", run(fail_future_twice));
  TN_ASSERT_REPORT("the future's error was not made by the frame's own table",
                   run(give_one_error_twice));
  TN_ASSERT_REPORT("the future's error was not made by the frame's own table",
                   run(fail_with_stranger));
  TN_ASSERT_REPORT("this is not a future", run(fail_no_future));
  TN_ASSERT_REPORT("or that was destroyed or returned before", run(return_destroyed_error));
  TN_ASSERT_REPORT("ABORTED: both", run(return_error_beside_future));
  TN_ASSERT_REPORT("an error object that the frame's own table did not make",
                   run(return_part_of_the_frame));
}

static tn_status_t fail_at_length(tn_ffi_call_frame_t* frame) {
  enum { LENGTH = 1 << 24 };
  char* text = malloc(LENGTH + 1);
  if (!text) return refuse(frame, "no memory");
  memset(text, 'x', LENGTH);
  text[LENGTH] = 0;
  tn_status_t error = refuse(frame, text);
  free(text);
  return error;
}
static tn_status_t fail_with_formats(tn_ffi_call_frame_t* frame) {
  return refuse(frame, "%s%n%n\xFF\x1B[31m");
}

static void messages_may_be_long_or_odd(void** state) {
  (void)state;
  TN_ASSERT_REPORT("ABORTED: xxxxxxxx", run(fail_at_length));
  TN_ASSERT_REPORT("ABORTED: %s%n%n\xFF\x1B[31m", run(fail_with_formats));
}

// --- while it runs

static tn_status_t vanish(tn_ffi_call_frame_t* frame) {
  tn_status_release(tn_target_unregister("hostile", "Host"));
  tn_status_release(tn_target_unregister("hostile", "Host"));
  return copy(frame);
}
static tn_status_t replace(tn_ffi_call_frame_t* frame) {
  tn_status_release(put_hostile((tn_target_function_t)spoiled_handler, TN_API_VERSION_TYPED_FFI));
  return copy(frame);
}
static tn_status_t compile_another(tn_ffi_call_frame_t* frame) {
  tn_program_t* program = NULL;
  tn_status_t status = tn__testing_compile(CALL("hostile", TYPED), &program);
  tn_program_release(program);
  if (!status) return copy(frame);
  tn_status_release(status);
  return refuse(frame, "it did not compile");
}
static void vanish_untyped(void* out, const void** in) {
  tn_status_release(tn_target_unregister("hostile", "Host"));
  memcpy(out, in[0], sizeof four);
}

static void a_handler_may_change_the_registry_while_it_runs(void** state) {
  (void)state;
  static const body_fn bodies[] = {vanish, replace, compile_another};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
    tn_program_t* program = NULL;
    float y[4] = {0};
    add_handler(bodies[i]);
    TN_ASSERT_OK(tn__testing_compile(CALL("hostile", TYPED), &program));
    for (int k = 0; k < 2; ++k) {
      TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
      assert_true(y[3] == 4);
    }
    tn_program_release(program);
  }
  float y[4] = {0};
  TN_ASSERT_OK(put_hostile((tn_target_function_t)vanish_untyped, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_OK(tn__testing_call(CALL("hostile", ""), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_CODE(NOT_FOUND, tn_target_unregister("hostile", "Host"));
}

// --- large, deep and odd programs

enum { OPAQUE_SIZE = 100 * 1000 * 1000 };

static size_t opaque_size;
static bool is_opaque_good;
static void measure_opaque(void* out, const void** in, const char* opaque, size_t size,
                           void* status) {
  (void)status;
  opaque_size = size;
  is_opaque_good = true;
  for (size_t i = 0; i < size; i += 4096) is_opaque_good &= opaque[i] == 'o';
  memcpy(out, in[0], sizeof four);
}

static void opaque_bytes_may_be_many(void** state) {
  (void)state;
  static const char before[] = BEFORE "hostile(%a) {api_version = 3 : i32, backend_config = \"";
  static const char after[] = "\"" AFTER;
  float y[4] = {0};
  char* text = malloc(sizeof before + OPAQUE_SIZE + sizeof after);
  assert_non_null(text);
  memcpy(text, before, sizeof before - 1);
  memset(text + sizeof before - 1, 'o', OPAQUE_SIZE);
  memcpy(text + sizeof before - 1 + OPAQUE_SIZE, after, sizeof after);
  TN_ASSERT_OK(
      put_hostile((tn_target_function_t)measure_opaque, TN_API_VERSION_STATUS_RETURNING_UNIFIED));
  TN_ASSERT_OK(tn__testing_call(text, 1, &FOUR, 1, (void*[]){y}));
  assert_int_equal(opaque_size, OPAQUE_SIZE);
  assert_true(is_opaque_good && y[3] == 4);
  free(text);
}

static int64_t depth_seen;
static tn_status_t measure_depth(tn_ffi_call_frame_t* frame) {
  const tn_ffi_attrs_t* attrs = &frame->attrs;
  for (depth_seen = 0; attrs->count == 1 && attrs->types[0] == TN_FFI_DICTIONARY; ++depth_seen) {
    attrs = attrs->values[0];
  }
  return copy(frame);
}

// {a = {a = ... {}}}, `depth` dictionaries inside the first.
static char* nest(const char* before, size_t depth, const char* after) {
  size_t length = 0, capacity = strlen(before) + 6 * (depth + 1) + strlen(after) + 1;
  char* text = malloc(capacity);
  assert_non_null(text);
  length += (size_t)snprintf(text, capacity, "%s{", before);
  for (size_t i = 0; i < depth; ++i) {
    length += (size_t)snprintf(text + length, capacity - length, "a={");
  }
  for (size_t i = 0; i < depth + 1; ++i) text[length++] = '}';
  snprintf(text + length, capacity - length, "%s", after);
  return text;
}

static tn_status_t run_nested(size_t depth, bool is_string) {
  float y[4];
  char* text = nest(is_string ? BEFORE "hostile(%a) {api_version = 4 : i32, backend_config = \""
                              : BEFORE "hostile(%a) {mhlo.backend_config = ",
                    depth, is_string ? "\"" AFTER : AFTER);
  tn_status_t status = tn__testing_call(text, 1, &FOUR, 1, (void*[]){y});
  free(text);
  return status;
}

static void attributes_may_nest_as_deep_as_handlers_can_walk(void** state) {
  (void)state;
  add_handler(measure_depth);
  for (int is_string = 0; is_string < 2; ++is_string) {
    TN_ASSERT_OK(run_nested(60, is_string));
    assert_int_equal(depth_seen, 60);
    TN_ASSERT_REPORT("dictionaries nest deeper than 64", run_nested(100, is_string));
    TN_ASSERT_REPORT("nested deeper than 256 levels", run_nested(1000, is_string));
    TN_ASSERT_REPORT("nested deeper than 256 levels", run_nested(1000000, is_string));
  }
}

// {l = #a, r = #a} of {l = #b, r = #b} of ..., which stand for half a million dictionaries.
static const tn_attr_t* build_tower(tn_arena_t* arena) {
  enum { LEVELS = 18 };
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_S32, 7, &attr));
  for (int i = 0; i < LEVELS; ++i) {
    const tn_named_attr_t entries[] = {{tn__sv("l"), attr}, {tn__sv("r"), attr}};
    TN_ASSERT_OK(
        tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 2, entries, &attr));
  }
  return attr;
}

static void frames_share_what_attributes_share(void** state) {
  (void)state;
  enum { CALLS = 20 };
  tn_arena_t from, to;
  tn_built_attributes_t built = {0};
  tn__arena_init(&from, tn_allocator_system());
  tn__arena_init(&to, tn_allocator_system());
  tn__names_init(&built.large, tn_allocator_system());
  const tn_named_attr_t entry = {tn__sv("a"), build_tower(&from)};
  const tn_attr_dictionary_t dictionary = {1, &entry};
  for (int i = 0; i < CALLS; ++i) {
    tn_ffi_attrs_t attrs;
    TN_ASSERT_OK(tn__attributes_build(&to, &built, &dictionary, &attrs));
    const tn_ffi_attrs_t* level = attrs.values[0];
    assert_int_equal(level->count, 2);
    assert_ptr_equal(level->values[0], level->values[1]);
  }
  assert_true(to.byte_size < 64 << 10);
  tn__names_deinit(&built.large);
  tn__arena_deinit(&to);
  tn__arena_deinit(&from);
}

// A few letters stand for 21 GB.
static void an_attribute_of_one_element_is_not_written_out_without_end(void** state) {
  (void)state;
  static const char text[] = BEFORE
      "hostile(%a) {api_version = 4 : i32, "
      "backend_config = {e = dense<1.0> : tensor<2x2666666666xf32>}" AFTER;
  float y[4];
  add_handler(copy);
  TN_ASSERT_REPORT("handlers get arrays in full, and this one has 21333333328 bytes",
                   tn__testing_call(text, 1, &FOUR, 1, (void*[]){y}));
}

static void arrays_of_one_element_are_limited_together(void** state) {
  (void)state;
  static const char text[] = BEFORE
      "hostile(%a) {api_version = 4 : i32, backend_config = {"
      "e = dense<1.0> : tensor<10000000xf32>, f = dense<1.0> : tensor<10000000xf32>}" AFTER;
  float y[4];
  add_handler(copy);
  TN_ASSERT_REPORT(
      "expected at most 67108864 for all those of a program, of which 27108864 are left",
      tn__testing_call(text, 1, &FOUR, 1, (void*[]){y}));
}

static tn_status_t check_names(tn_ffi_call_frame_t* frame) {
  static const struct {
    const char* bytes;
    size_t size;
  } names[] = {{"", 0}, {"\0", 1}, {"a\0b", 3}, {"\xC3\xA9", 2}, {"\xFF\xFE", 2}};
  const tn_ffi_attrs_t* attrs = &frame->attrs;
  if (attrs->count != 4) return refuse(frame, "there are not four attributes");
  for (int64_t i = 0; i < 4; ++i) {
    const tn_ffi_bytes_t* name = attrs->names[i];
    if (name->size != names[i + 1].size ||
        memcmp(name->data, names[i + 1].bytes, name->size) != 0) {
      return refuse(frame, "a name is another, or in another place");
    }
  }
  return copy(frame);
}

static void names_may_be_any_bytes(void** state) {
  (void)state;
  float y[4];
  tn_program_t* program = NULL;
  add_handler(check_names);
  TN_ASSERT_OK(
      tn__testing_call(CALL("hostile",
                            "mhlo.backend_config = {\"\\FF\\FE\" = 1 : i32, \"a\\00b\" = 2 : i32, "
                            "\"\\C3\\A9\" = 3 : i32, \"\\00\" = 4 : i32}"),
                       1, &FOUR, 1, (void*[]){y}));
  TN_ASSERT_REPORT("custom call @host\\00\\01ile: nothing is registered",
                   tn__testing_compile(CALL("\"host\\00\\01ile\"", TYPED), &program));
  TN_ASSERT_OK(tn_target_register("h\xC3\xA4sslich\xFF", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  body = copy;
  TN_ASSERT_OK(tn__testing_call(CALL("\"h\\C3\\A4sslich\\FF\"", TYPED), 1, &FOUR, 1, (void*[]){y}));
}

// --- libraries

typedef struct seen {
  size_t refused, good;
  bool has_odd_name;
} seen_t;

static bool see(void* user, const tn_target_info_t* info) {
  seen_t* seen = user;
  if (!info->library || !strstr(info->library, "hostile")) return true;
  ++*(info->unusable_reason ? &seen->refused : &seen->good);
  seen->has_odd_name |= info->name_length == 11 && !memcmp(info->name, "hostile\0\xC3\xA9\xFF", 11);
  return true;
}

static void what_an_initialiser_registers_in_vain_harms_nothing_else(void** state) {
  (void)state;
  float y[4];
  seen_t seen = {0};
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn_library_load(HOSTILE));
  TN_ASSERT_OK(tn_target_enumerate(see, &seen));
  assert_int_equal(seen.good, 2);
  assert_int_equal(seen.refused, 3);  // no handler, no platform, too new
  assert_true(seen.has_odd_name);
  TN_ASSERT_OK(tn__testing_call(CALL("hostile_good", TYPED), 1, &FOUR, 1, (void*[]){y}));
  TN_ASSERT_OK(
      tn__testing_call(CALL("\"hostile\\00\\C3\\A9\\FF\"", TYPED), 1, &FOUR, 1, (void*[]){y}));
  TN_ASSERT_REPORT("there is no execute stage",
                   tn__testing_compile(CALL("hostile_no_handler", TYPED), &program));
  TN_ASSERT_REPORT("built for version 0.77 of XLA's FFI",
                   tn__testing_compile(CALL("hostile_too_new", TYPED), &program));
  TN_ASSERT_REPORT("nothing is registered for platform Host",
                   tn__testing_compile(CALL("hostile_small", TYPED), &program));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_that_are_none_are_refused),
      cmocka_unit_test(what_a_handler_spoils_when_it_is_asked_matters_to_nobody),
      cmocka_unit_test(a_handler_of_another_stage_refuses_for_itself),
      cmocka_unit_test(a_frame_that_its_handler_spoils_harms_no_run),
      cmocka_unit_test(a_frame_that_a_failing_handler_changed_is_made_anew),
      cmocka_unit_test(a_run_gets_a_frame_that_no_earlier_run_changed),
      cmocka_unit_test(a_failure_after_a_change_of_the_frame_says_so),
      cmocka_unit_test(errors_and_futures_are_settled_once),
      cmocka_unit_test(messages_may_be_long_or_odd),
      cmocka_unit_test(a_handler_may_change_the_registry_while_it_runs),
      cmocka_unit_test(opaque_bytes_may_be_many),
      cmocka_unit_test(attributes_may_nest_as_deep_as_handlers_can_walk),
      cmocka_unit_test(frames_share_what_attributes_share),
      cmocka_unit_test(arrays_of_one_element_are_limited_together),
      cmocka_unit_test(an_attribute_of_one_element_is_not_written_out_without_end),
      cmocka_unit_test(names_may_be_any_bytes),
      cmocka_unit_test(what_an_initialiser_registers_in_vain_harms_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
