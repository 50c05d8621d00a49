// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as the calls that a program with lazy arrays makes: operations on arrays that there
// are, transforms of functions that do the same, evaluation, and giving back, in any order and with
// any arguments. What is wrong is an error; nothing else may happen, and nothing is left behind.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/detail/transform.h>

#include "array/testing_operations.h"
#include "array/testing_weight.h"
#include "base/testing_allocator.h"
#include "base/testing_fuzz.h"

enum {
  MOST_ELEMENTS = 1 << 12,  // of everything that one evaluation computes
  REGISTERS = 12,
  MOST_DEPTH = 4,        // of transforms
  MOST_OPERATIONS = 48,  // of one input
  MOST_FUNCTIONS = 64,
  FUNCTION_INPUTS = 2,
};

typedef struct machine machine_t;

// A function to transform: how many operations it reads from the bytes.
typedef struct function {
  machine_t* m;
  int operation_count;
} function_t;

// What an input is read as. Operations inside of functions come from the same bytes.
struct machine {
  const uint8_t *next, *end;
  int depth, operation_count;
  size_t function_count;
  function_t functions[MOST_FUNCTIONS];  // rules may want them as long as there are arrays
  int custom_count;                      // functions that will be destroyed
  tn_scope_t*
      scopes[3];  // the second is nested in the first, the third has nothing to do with them
  tn_stream_t* stream;
  tn_array_t* held[REGISTERS];  // retained; NULL: none
};

static uint8_t take(machine_t* m) {
  return m->next < m->end ? *m->next++ : 0;
}

static void drop(tn_status_t status) {
  char report[1024];
  if (status) tn_status_format(status, report, sizeof report);
  tn_status_release(status);
}

static int64_t take_integer(machine_t* m) {
  static const int64_t odd[] = {INT64_MAX,  INT64_MIN, INT64_MIN + 1, INT32_MAX,       INT32_MIN,
                                UINT32_MAX, 1LL << 32, 1LL << 62,     (1LL << 62) + 1, -(1LL << 62),
                                65,         64,        1000,          -1000,           1 << 16,
                                -65};
  const uint8_t byte = take(m);
  if (byte >= 240) return odd[byte - 240];
  return byte < 200 ? byte % 7 - 2 : byte - 200;
}

static double take_real(machine_t* m) {
  static const double odd[] = {0,        1,         -1,    0.5,    2,      NAN,
                               INFINITY, -INFINITY, 1e300, -1e300, 1e-320, 3};
  return odd[take(m) % (sizeof odd / sizeof *odd)];
}

// All that there are, and some that there are not.
static tn_dtype_t take_dtype(machine_t* m) {
  const uint8_t byte = take(m);
  return byte < 160 ? TN_DTYPE_F32 : (tn_dtype_t)(byte % 40 + (byte % 3 ? 0 : 70));
}

// --- operands

static tn_array_t* make_array(machine_t* m, tn_scope_t* scope) {
  int64_t dims[TN_MAX_RANK + 8];
  _Alignas(16) unsigned char data[4096];
  const tn_dtype_t dtype = take_dtype(m);
  size_t rank = take(m);
  rank = rank < 250 ? rank % 4 : TN_MAX_RANK - 1 + rank % 4;
  uint64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = rank > 8 ? 1 : take_integer(m);
    if (dims[i] > 8 || dims[i] < 0)
      count = sizeof data + 1;
    else if (count <= sizeof data)
      count *= (uint64_t)dims[i];
  }
  const size_t size = tn_dtype_byte_size(dtype);
  const uint8_t seed = take(m);
  const bool is_wide = size > 1;
  for (size_t i = 0; i < sizeof data; ++i) {
    data[i] = is_wide ? (unsigned char)(seed * (i * 37 + 11) >> 2) : (i ^ seed) & 1;
  }
  if (seed % 2) {
    for (size_t i = 0; size && i < sizeof data / size; ++i) {
      tn_dtype_store(dtype, (double)(i % 3), data + i * size);
    }
  }
  const size_t length = count * size > sizeof data ? sizeof data : (size_t)count * size;
  return tn_array_from_host(scope, dtype, rank, dims, data, length + (seed == 255));
}

// Arrays are those that are held, the function's inputs before them.
static tn_array_t* take_array(machine_t* m, tn_scope_t* scope, size_t count,
                              tn_array_t* const* inputs) {
  const uint8_t byte = take(m);
  if (byte == 255) return NULL;
  if (byte == 254) return tn_array_error(scope, tn_status_create(TN_CODE_ABORTED, "on purpose"));
  if (byte == 253) return tn_array_scalar(scope, take_dtype(m), take_real(m));
  if (byte >= 245) return make_array(m, scope);
  if (count && byte % 2) return inputs[byte / 2 % count];
  tn_array_t* array = m->held[byte / 2 % REGISTERS];
  // The scope holds it, in case that the register does not for long.
  return array ? tn_scope_adopt(scope, tn_array_retain(array))
               : tn_array_scalar(scope, TN_DTYPE_F32, 2);
}

// --- operations

static void change_list(machine_t* m, const tn_case_operation_t* operation, tn_case_t* it) {
  const size_t index = take(m) % (it->list_count ? it->list_count : 1);
  tn_case_list_t* list = &it->lists[index];
  const uint8_t how = take(m);
  list->values = list->numbers;
  if (how % 4 == 0) list->count = how / 4 % (TN_MAX_RANK + 2);
  for (int i = 0; i < 1 + how % 3; ++i) {
    const uint8_t place = take(m);
    list->numbers[place % (list->count ? list->count : 1)] = take_integer(m);
  }
  if (how >= 250 && tn_case_list_is_optional(operation, index)) list->values = NULL;
  if (how == 254) list->count = 0;
}

static tn_array_t* run_operation(machine_t* m, tn_scope_t* scope, size_t input_count,
                                 tn_array_t* const* inputs) {
  static size_t operation_count;
  static tn_case_t it;
  tn_array_t* results[TN_CASE_LIMIT];
  if (!operation_count) {
    do ++operation_count;
    while (tn_case_operation_at(operation_count));
  }
  if (++m->operation_count > MOST_OPERATIONS) return NULL;
  const tn_case_operation_t* operation = tn_case_operation_at(take(m) % operation_count);
  (void)tn_case_example(operation, scope, &it);
  const uint8_t changes = take(m);
  for (size_t i = 0; i < it.array_count; ++i) {
    if (changes >> i & 1) it.arrays[i] = take_array(m, scope, input_count, inputs);
  }
  if (changes & 32) change_list(m, operation, &it);
  if (changes & 64) change_list(m, operation, &it);
  if (changes & 128) it.reals[take(m) % 4] = take_real(m);
  tn_case_keep_within(operation, &it);
  tn_case_run(operation, scope, &it);
  memcpy(results, it.results, sizeof results);
  tn_array_t* result = results[changes % 3] ? results[changes % 3] : results[0];
  // Operations never return NULL; but of no parts there is none.
  const bool may_be_none = strcmp(operation->name, "split") == 0 ||
                           strcmp(operation->name, "unstack") == 0 ||
                           strcmp(operation->name, "depends") == 0;
  if (!result && !may_be_none) abort();
  return result;
}

// --- transforms

static void transform(machine_t* m, tn_scope_t* scope, size_t input_count,
                      tn_array_t* const* inputs);

static tn_status_t call(void* user, tn_scope_t* scope, size_t input_count,
                        tn_array_t* const* inputs, size_t output_count, tn_array_t** out_outputs) {
  function_t* function = user;
  machine_t* m = function->m;
  tn_array_t* last = inputs[0];
  for (int i = 0; i < function->operation_count; ++i) {
    tn_array_t* known[4] = {last, inputs[0], inputs[input_count - 1], last};
    const uint8_t byte = take(m);
    if (byte >= 248 && m->depth < MOST_DEPTH) {
      transform(m, scope, 3, known);
      continue;
    }
    if (byte == 247) drop(tn_array_eval(1, &last));
    tn_array_t* next = run_operation(m, scope, 4, known);
    if (next && (byte % 4 || !tn_array_dtype(next))) last = next;
    if (byte % 32 == 5) {
      tn_array_t** place = &m->held[take(m) % REGISTERS];
      tn_array_release(*place);
      *place = tn_array_retain(last);
    }
  }
  if (take(m) < 220 && tn_array_rank(last) > 0) last = tn_array_sum(scope, last, 0, NULL, false);
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = i % 2 ? inputs[0] : last;
  if (!tn__testing_is_light(output_count, out_outputs, MOST_ELEMENTS)) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "more work than is worth it");
  }
  const uint8_t end = take(m);
  if (end == 255) out_outputs[0] = NULL;
  return end == 254 ? tn_status_create(TN_CODE_ABORTED, "on purpose") : TN_OK;
}

static tn_status_t zero_jvp(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, tn_array_t* const* tangents,
                            size_t output_count, tn_array_t** out_tangents) {
  (void)user, (void)scope, (void)input_count, (void)inputs;
  for (size_t i = 0; i < output_count; ++i) out_tangents[i] = tangents[0];
  return TN_OK;
}

static tn_status_t odd_vjp(void* user, tn_scope_t* scope, size_t input_count,
                           tn_array_t* const* inputs, size_t output_count,
                           tn_array_t* const* cotangents, tn_array_t* const* outputs,
                           tn_array_t** out_gradients) {
  (void)user, (void)scope, (void)inputs, (void)output_count, (void)outputs;
  for (size_t i = 0; i < input_count; ++i) out_gradients[i] = i ? NULL : cotangents[0];
  return TN_OK;
}

static void function_destroy(void* user) {
  --((function_t*)user)->m->custom_count;
}

static void keep(machine_t* m, tn_array_t* array) {
  tn_array_t** place = &m->held[take(m) % REGISTERS];
  tn_array_retain(array);
  tn_array_release(*place);
  *place = array;
}

static void transform(machine_t* m, tn_scope_t* scope, size_t input_count,
                      tn_array_t* const* inputs) {
  enum { OUTPUTS = 2 };
  const uint8_t kind = take(m), shape = take(m);
  if (m->function_count == MOST_FUNCTIONS) return;
  function_t* function = &m->functions[m->function_count++];
  *function = (function_t){.m = m, .operation_count = 1 + shape % 4};
  const tn_closure_t closure = {call, function};
  tn_array_t *arguments[FUNCTION_INPUTS], *others[FUNCTION_INPUTS], *outputs[OUTPUTS] = {0},
                                                                    *more[OUTPUTS] = {0};
  int64_t in_axes[FUNCTION_INPUTS], out_axes[OUTPUTS];
  size_t argnums[] = {0, 1};
  const size_t count = 1 + shape / 4 % FUNCTION_INPUTS;
  const size_t output_count = 1 + shape / 16 % OUTPUTS;
  tn_status_t status = TN_OK;
  ++m->depth;
  for (size_t i = 0; i < count; ++i) arguments[i] = take_array(m, scope, input_count, inputs);
  for (size_t i = 0; i < FUNCTION_INPUTS; ++i) {
    others[i] = shape & 64 ? take_array(m, scope, input_count, inputs) : NULL;
    in_axes[i] = shape & 128 ? take_integer(m) : 0;
    out_axes[i] = shape & 128 ? take_integer(m) : 0;
  }
  if (kind >= 250) argnums[1] = kind - 250;
  switch (kind % 9) {
    case 0: status = tn_grad(scope, &closure, count, arguments, 1, NULL, outputs); break;
    case 1:
      status = tn_value_and_grad(scope, &closure, count, arguments, count, argnums, output_count,
                                 outputs, more);
      break;
    case 2:
      status = tn_vmap(scope, &closure, count, arguments, shape & 128 ? in_axes : NULL,
                       output_count, shape & 128 ? out_axes : NULL, outputs);
      break;
    case 3:
      status = tn_jvp(scope, &closure, count, arguments, others, output_count, outputs, more);
      break;
    case 4:
      status = tn_vjp(scope, &closure, count, arguments, output_count, others, outputs, more);
      break;
    case 5: {
      const tn_custom_function_t custom = {.struct_size = sizeof custom,
                                           .function = closure,
                                           .jvp = shape & 64 ? zero_jvp : NULL,
                                           .vjp = shape & 128 ? odd_vjp : NULL,
                                           .destroy = function_destroy};
      ++m->custom_count;
      status = tn_custom_function_call(scope, &custom, count, arguments, output_count, outputs);
      break;
    }
    case 6: {
      tn_compiled_t* compiled = NULL;
      status = tn_closure_compile(scope, &closure, NULL, &compiled);
      const uint8_t* begin = m->next;
      for (int i = 0; i < 2 && !status; ++i) {
        m->next = begin;  // the same function
        status = tn_compiled_call(compiled, scope, count, arguments, output_count, outputs);
      }
      tn_compiled_release(compiled);
      break;
    }
    case 7: {
      tn_module_t* module = NULL;
      status = tn_export_function(scope, &closure, count, arguments, output_count, &module);
      tn_module_release(module);
      break;
    }
    default: status = tn_checkpoint(scope, &closure, count, arguments, output_count, outputs);
  }
  drop(status);
  --m->depth;
  for (size_t i = 0; i < OUTPUTS; ++i) {
    if (outputs[i]) keep(m, outputs[i]);
    if (more[i]) keep(m, more[i]);
  }
}

// --- waiting and giving back

static tn_status_t count_text(void* user, const char* text, size_t length) {
  size_t* total = user;
  if (length && !text) abort();
  *total += length;
  return TN_OK;
}

static void use(machine_t* m, tn_scope_t* scope) {
  const uint8_t kind = take(m);
  tn_array_t* arrays[] = {m->held[take(m) % REGISTERS], m->held[take(m) % REGISTERS]};
  tn_array_t* array = arrays[0];
  _Alignas(16) char data[MOST_ELEMENTS * 16];
  char text[64];
  double value = 0;
  size_t length = 0;
  (void)scope;
  if (array && !tn__testing_is_light(1, arrays, MOST_ELEMENTS)) return;
  if (arrays[1] && !tn__testing_is_light(1, arrays + 1, MOST_ELEMENTS)) return;
  if (kind >= 240) {  // some allocation of what follows is refused
    tn__testing_refuse_allocations(1 + take(m) % 64, kind % 2);
  }
  switch (kind % 12) {
    case 0: drop(tn_array_eval(2, arrays)); break;
    case 1: drop(tn_array_async_eval(2, arrays)); break;
    case 2: drop(tn_array_item(array, &value)); break;
    case 3: drop(tn_array_to_host(array, data, tn_array_byte_size(array) + (kind == 3))); break;
    case 4: {
      tn_buffer_t* buffer = NULL;
      drop(tn_array_to_buffer(array, &buffer));
      if (buffer) keep(m, tn_array_from_buffer(scope, buffer));
      tn_buffer_release(buffer);
      break;
    }
    case 5: {
      tn_mapped_array_t view;
      tn_status_t status = tn_array_map(array, &view);
      if (!status) tn_array_unmap(array);
      drop(status);
      break;
    }
    case 6: drop(tn_array_print(array, count_text, &length)); break;
    case 7:
      (void)tn_array_describe(array, text, sizeof text);
      (void)tn_array_is_equivalent(array, arrays[1]);
      (void)tn_array_is_evaluated(array);
      drop(tn_array_status(array));
      break;
    case 8: drop(tn_scope_synchronize(scope)); break;
    case 9: drop(tn_array_eval(1, arrays)); break;
    case 10: drop(tn_array_async_eval(1, arrays)); break;
    default: drop(tn_array_eval(1, arrays + 1));
  }
  tn__testing_refuse_allocations(0, false);
}

static void arrange(machine_t* m) {
  const uint8_t kind = take(m), which = take(m);
  tn_array_t** place = &m->held[which % REGISTERS];
  switch (kind % 8) {
    case 0:
    case 1:
      tn_array_release(*place);
      *place = NULL;
      break;
    case 2: tn_scope_clear(m->scopes[which % 3]); break;
    case 3: drop(tn_scope_set_stream(m->scopes[which % 3], which & 4 ? m->stream : NULL)); break;
    case 4: tn_scope_clear_cache(m->scopes[which % 3]); break;
    case 5: {
      tn_scope_t* nested = NULL;
      drop(tn_scope_create_nested(m->scopes[which % 3], &nested));
      if (!nested) break;
      tn_scope_destroy(m->scopes[1]);
      m->scopes[1] = nested;
      break;
    }
    case 6: tn_random_seed(m->scopes[which % 3], which); break;
    default:
      if (*place) (void)tn_scope_adopt(m->scopes[which % 3], tn_array_retain(*place));
  }
}

static void run(machine_t* m) {
  while (m->next < m->end && m->operation_count < MOST_OPERATIONS) {
    const uint8_t kind = take(m);
    tn_scope_t* scope = m->scopes[kind >= 252 ? 2 : kind / 64 == 1];
    const bool refuses = kind % 64 == 63;
    switch (kind % 8) {
      case 0: keep(m, make_array(m, scope)); break;
      case 1: use(m, scope); break;
      case 2: arrange(m); break;
      case 3: transform(m, scope, 0, NULL); break;
      default:
        if (refuses) tn__testing_refuse_allocations(1 + take(m) % 32, take(m) % 2);
        tn_array_t* result = run_operation(m, scope, 0, NULL);
        tn__testing_refuse_allocations(0, false);
        if (result) keep(m, result);
    }
  }
}

// --- one input

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tn_device_t* device;
  machine_t m = {.next = data, .end = data + size};
  const tn_device_options_t options = {
      .struct_size = sizeof options, .thread_count = 1, .memory_limit_byte_size = 64 << 20};
  tn_status_t status = device ? TN_OK : tn_device_create("cpu", &options, &device);
  if (!status) status = tn_scope_create(device, &m.scopes[0]);
  if (!status) status = tn_scope_create_nested(m.scopes[0], &m.scopes[1]);
  if (!status) status = tn_scope_create(device, &m.scopes[2]);
  if (!status) status = tn_stream_create(device, &m.stream);
  if (status) abort();
  run(&m);
  for (size_t i = 0; i < REGISTERS; ++i) tn_array_release(m.held[i]);
  for (size_t i = 0; i < 3; ++i) tn_scope_destroy(m.scopes[i]);
  tn_stream_release(m.stream);
  if (m.custom_count) abort();
  return 0;
}
