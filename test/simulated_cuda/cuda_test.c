// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What devices of CUDA promise beyond every device, on the driver that is simulated.
#include <dlfcn.h>

#include "base/testing.h"
#include "device/device.h"
#include "kernel/common/half.h"
#include "kernel/encoder.h"
#include "kernel/kernel.h"

enum { ITEMS = 256 };

static tn_device_t* device;
static tn_queue_t* queue;

static int setup(void** state) {
  (void)state;
  tn_status_release(tn_device_create("cuda", NULL, &device));
  if (!device) return -1;
  tn_status_t status = device->vtable->queue_create(device, &queue);
  tn_status_release(status);
  return status ? -1 : 0;
}

static int teardown(void** state) {
  (void)state;
  device->vtable->queue_destroy(queue);
  tn_device_release(device);
  return 0;
}

// --- launches

static tn_status_t run(const tn_kernel_call_t* call) {
  tn_encoder_t* encoder = call->context->encoder;
  return encoder->dispatch(encoder, call->state);
}

static tn_status_t launch(const tn_dispatch_t* dispatch) {
  static const tn_kernel_t kernel = {.op = "test", .name = "test", .run = run};
  const tn_kernel_context_t context = {.pool = device->pool};
  const tn_kernel_call_t call = {.state = dispatch, .context = &context};
  return device->vtable->launch(queue, &(tn_launch_t){.kernel = &kernel, .call = &call});
}

// One group of the entry, with one address.
static tn_status_t launch_text(tn_device_code_t* code, const char* text, void* address) {
  const tn_launch_argument_t argument = {.address = address};
  *code = (tn_device_code_t){.text = text, .operation = "test"};
  return launch(&(tn_dispatch_t){.code = code,
                                 .group_count = {1, 1, 1},
                                 .group_size = {ITEMS, 1, 1},
                                 .argument_count = 1,
                                 .arguments = &argument});
}

static tn_status_t finish(void) {
  uint32_t tag = 0;
  return device->vtable->finish(queue, &tag);
}

static tn_memory_t allocate(size_t byte_size) {
  tn_memory_t memory;
  TN_ASSERT_OK(device->vtable->allocate(device, byte_size, 0, &memory));
  return memory;
}

static void items_of_a_group_wait_for_each_other(void** state) {
  tn_device_code_t code;
  int32_t numbers[ITEMS];
  tn_memory_t memory = allocate(sizeof numbers);
  (void)state;
  for (int32_t i = 0; i < ITEMS; ++i) numbers[i] = i * i;
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, memory, numbers, sizeof numbers));
  TN_ASSERT_OK(launch_text(&code,
                           "TN_KERNEL void tn_entry(TN_GLOBAL int* y) {\n"
                           "  TN_SHARED int all[256];\n"
                           "  const long i = tn_item(0);\n"
                           "  for (int k = 0; k < 3; ++k) {\n"
                           "    all[i] = y[i];\n"
                           "    tn_barrier();\n"
                           "    y[i] = all[255 - i] + 1;\n"
                           "    tn_barrier();\n"
                           "  }\n"
                           "}\n",
                           tn__memory_address(memory)));
  TN_ASSERT_OK(finish());
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, numbers, memory, sizeof numbers));
  for (int32_t i = 0; i < ITEMS; ++i) {
    assert_int_equal(numbers[i], (255 - i) * (255 - i) + 3);
  }
  device->vtable->free(device, memory);
}

static void two_kernels_of_one_source_are_two(void** state) {
  static const char text[] =
      "TN_KERNEL void one(TN_GLOBAL int* y) { y[tn_item(0)] = 1; }\n"
      "TN_KERNEL void two(TN_GLOBAL int* y) { y[tn_item(0)] += 2; }\n";
  const tn_device_code_t codes[] = {{.text = text, .entry = "one", .operation = "test"},
                                    {.text = text, .entry = "two", .operation = "test"}};
  int32_t numbers[ITEMS];
  tn_memory_t memory = allocate(sizeof numbers);
  const tn_launch_argument_t argument = {.address = tn__memory_address(memory)};
  (void)state;
  for (size_t i = 0; i < 2; ++i) {
    TN_ASSERT_OK(launch(&(tn_dispatch_t){.code = &codes[i],
                                         .group_count = {2, 2, 1},
                                         .group_size = {ITEMS / 2, 1, 1},
                                         .argument_count = 1,
                                         .arguments = &argument}));
  }
  TN_ASSERT_OK(finish());
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, numbers, memory, sizeof numbers));
  assert_int_equal(numbers[0], 1 + 2 + 2);
  device->vtable->free(device, memory);
}

static void halves_are_converted_as_on_the_cpu(void** state) {
  enum { COUNT = 1 << 16 };
  tn_device_code_t code = {
      .text =
          "TN_KERNEL void tn_entry(TN_GLOBAL const half* x, TN_GLOBAL float* y,\n"
          "                        TN_GLOBAL const float* v, TN_GLOBAL half* z) {\n"
          "  const long i = tn_item(0);\n"
          "  y[i] = LOAD_F16(x, i);\n"
          "  STORE_F16(z, i, v[i]);\n"
          "}\n",
      .operation = "test"};
  uint16_t* halves = malloc(COUNT * sizeof *halves);
  uint16_t* wanted_halves = malloc(COUNT * sizeof *halves);
  float* floats = malloc(COUNT * sizeof *floats);
  float* wanted_floats = malloc(COUNT * sizeof *floats);
  const tn_memory_t x = allocate(COUNT * 2), y = allocate(COUNT * 4), v = allocate(COUNT * 4),
                    z = allocate(COUNT * 2);
  (void)state;
  for (uint32_t i = 0; i < COUNT; ++i) {
    halves[i] = (uint16_t)i;
    floats[i] = tn__bits_float(i << 16 | (i * 40503u & 0xffff));  // of every size, ties among them
    if (i % 4 == 0) floats[i] = tn__bits_float(tn__float_bits(floats[i]) & 0xfffff000);
  }
  tn__half_loops()->decode_f16(halves, wanted_floats, COUNT);
  tn__half_loops()->encode_f16(floats, wanted_halves, COUNT);
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, x, halves, COUNT * 2));
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, v, floats, COUNT * 4));
  const tn_launch_argument_t arguments[] = {
      {.address = x.handle}, {.address = y.handle}, {.address = v.handle}, {.address = z.handle}};
  TN_ASSERT_OK(launch(&(tn_dispatch_t){.code = &code,
                                       .group_count = {COUNT / ITEMS, 1, 1},
                                       .group_size = {ITEMS, 1, 1},
                                       .argument_count = 4,
                                       .arguments = arguments}));
  TN_ASSERT_OK(finish());
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, floats, y, COUNT * 4));
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, halves, z, COUNT * 2));
  for (uint32_t i = 0; i < COUNT; ++i) {
    const bool is_nan = wanted_floats[i] != wanted_floats[i];
    if (is_nan ? floats[i] == floats[i]
               : tn__float_bits(floats[i]) != tn__float_bits(wanted_floats[i])) {
      fail_msg("%04x becomes %a, wanted %a", i, floats[i], wanted_floats[i]);
    }
    if (halves[i] != wanted_halves[i]) {
      fail_msg("number %u becomes %04x, wanted %04x", i, halves[i], wanted_halves[i]);
    }
  }
  const tn_memory_t all[] = {x, y, v, z};
  for (size_t i = 0; i < 4; ++i) device->vtable->free(device, all[i]);
  free(halves);
  free(wanted_halves);
  free(floats);
  free(wanted_floats);
}

// --- memory of the host

static tn_status_t refuse(tn_device_t* given, size_t byte_size, void** out_data) {
  (void)given, (void)byte_size, (void)out_data;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "there is enough of it");
}

static void pinned_memory_has_a_limit_beyond_which_any_will_do(void** state) {
  const tn_device_vtable_t* vtable = device->vtable;
  tn_device_vtable_t refusing = *vtable;
  tn_host_block_t pinned, other;
  void* data = NULL;
  (void)state;
  TN_ASSERT_REPORT("the limit is 268435456",
                   vtable->host_allocate(device, ((size_t)256 << 20) + 1, &data));
  TN_ASSERT_OK(tn__device_take_host(device, device->allocator, 100, &pinned));
  refusing.host_allocate = refuse;
  device->vtable = &refusing;
  TN_ASSERT_OK(tn__device_take_host(device, device->allocator, 100, &other));
  device->vtable = vtable;
  assert_true(pinned.is_pinned);
  assert_false(other.is_pinned);
  for (int i = 0; i < 100; ++i) assert_int_equal(((char*)pinned.data)[i], 0);
  tn__device_give_host(device, device->allocator, pinned);
  tn__device_give_host(device, device->allocator, other);
}

// --- errors

static void a_kernel_that_does_not_compile_has_the_compilers_log(void** state) {
  tn_device_code_t code;
  (void)state;
  TN_ASSERT_REPORT(
      "test:2:10: error:",
      launch_text(&code, "TN_KERNEL void tn_entry(TN_GLOBAL int* y) {\n  y[0] = what;\n}\n", NULL));
}

static void a_kernel_that_is_not_in_its_source_is_an_error(void** state) {
  const tn_device_code_t code = {
      .text = "TN_KERNEL void other(TN_GLOBAL int* y) {}\n", .entry = "mine", .library = "test"};
  (void)state;
  TN_ASSERT_REPORT(
      "kernel library test has no kernel \"mine\"",
      launch(&(tn_dispatch_t){.code = &code, .group_count = {1, 1, 1}, .group_size = {1, 1, 1}}));
}

static void a_launch_that_is_too_large_is_refused(void** state) {
  const tn_device_code_t code = {.text = "TN_KERNEL void tn_entry() {}\n", .operation = "test"};
  static const size_t sizes[][6] = {
      {(size_t)INT32_MAX + 1, 1, 1, 1, 1, 1}, {1, 65536, 1, 1, 1, 1}, {1, 1, 1, 32, 33, 1}};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const size_t* n = sizes[i];
    TN_ASSERT_REPORT(
        "CUDA has at most 2147483647 x 65535 x 65535 groups of 1024 items",
        launch(&(tn_dispatch_t){
            .code = &code, .group_count = {n[0], n[1], n[2]}, .group_size = {n[3], n[4], n[5]}}));
  }
}

static void memory_that_the_device_has_not_is_refused(void** state) {
  tn_memory_t memory;
  (void)state;
  tn_device_set_memory_limit(device, UINT64_C(1) << 40);
  TN_ASSERT_REPORT("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)",
                   device->vtable->allocate(device, (size_t)3 << 30, 0, &memory));
}

// The second device is as good as before.
static void an_error_that_a_context_does_not_survive_is_told_once(void** state) {
  tn_device_code_t code;
  int32_t number = 0;
  tn_memory_t memory = allocate(sizeof number);
  tn_device_t* other = NULL;
  (void)state;
  TN_ASSERT_OK(launch_text(
      &code, "TN_KERNEL void tn_entry(TN_GLOBAL int* y) { y[tn_item(0)] = 1; }\n", &number));
  TN_ASSERT_REPORT(
      "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)\nnote: a kernel failed; what the "
      "memory "
      "of device cuda:0 held is lost",
      finish());
  const char* const refusal = "device cuda:0 can do nothing more since CUDA_ERROR_ILLEGAL_ADDRESS";
  TN_ASSERT_REPORT(refusal, finish());
  TN_ASSERT_REPORT(refusal,
                   device->vtable->copy_to_host(device, NULL, &number, memory, sizeof number));
  TN_ASSERT_REPORT(refusal, launch_text(&code, "", NULL));
  device->vtable->free(device, memory);
  assert_int_equal(number, 0);
  TN_ASSERT_OK(tn_device_create("cuda:1", NULL, &other));
  TN_ASSERT_OK(other->vtable->allocate(other, sizeof number, 0, &memory));
  TN_ASSERT_OK(other->vtable->copy_from_host(other, NULL, memory, &number, sizeof number));
  other->vtable->free(other, memory);
  tn_device_release(other);
}

static void the_callers_context_stays_current(void** state) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  assert_non_null(library);
  int32_t (*retain)(void**, int32_t) = NULL, (*release_context)(int32_t) = NULL;
  int32_t (*push)(void*) = NULL, (*pop)(void**) = NULL;
  *(void**)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&release_context = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
  *(void**)&push = dlsym(library, "cuCtxPushCurrent_v2");
  *(void**)&pop = dlsym(library, "cuCtxPopCurrent_v2");
  void *mine = NULL, *current = NULL;
  int32_t number = 7;
  (void)state;
  assert_int_equal(retain(&mine, 1), 0);
  assert_int_equal(push(mine), 0);
  tn_memory_t memory = allocate(sizeof number);
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, memory, &number, sizeof number));
  device->vtable->free(device, memory);
  tn_device_trim(device, 0);
  assert_int_equal(pop(&current), 0);
  assert_ptr_equal(current, mine);
  assert_int_not_equal(pop(&current), 0);
  assert_int_equal(release_context(1), 0);
  dlclose(library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(items_of_a_group_wait_for_each_other, setup, teardown),
      cmocka_unit_test_setup_teardown(two_kernels_of_one_source_are_two, setup, teardown),
      cmocka_unit_test_setup_teardown(halves_are_converted_as_on_the_cpu, setup, teardown),
      cmocka_unit_test_setup_teardown(pinned_memory_has_a_limit_beyond_which_any_will_do, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_kernel_that_does_not_compile_has_the_compilers_log, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_kernel_that_is_not_in_its_source_is_an_error, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_launch_that_is_too_large_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(memory_that_the_device_has_not_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(an_error_that_a_context_does_not_survive_is_told_once, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(the_callers_context_stays_current, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
