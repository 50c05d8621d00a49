// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gpu/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/target.h"

enum {
  FIRST_CAPACITY = 1024,
  // Elements of an item of lanes: so many loads are under way as memory needs to be busy.
  MOST_ELEMENTS = 4,
};

void tn__gpu_begin(tn_gpu_source_t* source, tn_arena_t* arena, int64_t item_count) {
  source->functions = source->body = (tn_gpu_text_t){.arena = arena};
  source->number_count = source->address_count = source->read_count = source->function_count = 0;
  source->words = TN_DTYPE_INVALID;
  source->helpers = 0;
  source->has_failed = source->is_grouped = source->is_elementwise = false;
  tn__gpu_add_number(source, item_count);
}

static bool has_room(tn_gpu_text_t* text, size_t length) {
  void* memory = NULL;
  size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
  if (text->has_failed) return false;
  if (text->length + length < text->capacity) return true;
  while (capacity <= text->length + length) capacity *= 2;
  tn_status_t status = tn__arena_take(text->arena, capacity, &memory);
  if (status) {
    tn_status_release(status);
    text->has_failed = true;
    return false;
  }
  if (text->length) memcpy(memory, text->bytes, text->length);
  text->bytes = memory;
  text->bytes[text->length] = '\0';
  text->capacity = capacity;
  return true;
}

void tn__gpu_add(tn_gpu_text_t* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0 || !has_room(text, (size_t)length)) return;
  va_start(arguments, format);
  vsnprintf(text->bytes + text->length, text->capacity - text->length, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

static void add_address(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                        const char* type, bool is_written) {
  if (source->address_count == TN_GPU_MOST_ADDRESSES) {
    source->has_failed = true;
    return;
  }
  source->places[source->address_count] = place;
  source->byte_offsets[source->address_count] = byte_offset;
  source->is_written[source->address_count] = is_written;
  source->parameters[source->address_count++] = type;
}

size_t tn__gpu_add_address(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                           const char* type) {
  for (size_t i = 0, read = 0; i < source->address_count; ++i) {
    if (source->is_written[i]) continue;
    if (source->places[i] == place && source->byte_offsets[i] == byte_offset &&
        strcmp(source->parameters[i], type) == 0) {
      return read;
    }
    ++read;
  }
  add_address(source, place, byte_offset, type, false);
  return source->read_count++;
}

size_t tn__gpu_add_output(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                          const char* type) {
  add_address(source, place, byte_offset, type, true);
  return source->address_count - 1 - source->read_count;
}

size_t tn__gpu_add_number(tn_gpu_source_t* source, int64_t value) {
  if (source->number_count == TN_GPU_NUMBER_LIMIT) {
    source->has_failed = true;
    return 0;
  }
  source->numbers[source->number_count] = value;
  return source->number_count++;
}

const char* tn__gpu_index_type(size_t rank, const int64_t* dims) {
  int64_t size = 1;
  for (size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(size, dims[d], &size) || size > UINT32_MAX) return "long";
  }
  return "uint";
}

void tn__gpu_add_coordinates(tn_gpu_source_t* source, const char* index, size_t rank,
                             const int64_t* dims) {
  tn_gpu_text_t* body = &source->body;
  const char* type = tn__gpu_index_type(rank, dims);
  if (rank > 1) tn__gpu_add(body, "  %s rest = (%s)%s;\n", type, type, index);
  for (size_t d = rank; d-- > 1;) {
    const size_t n = tn__gpu_add_number(source, dims[d]);
    tn__gpu_add(body, "  const long c%zu = rest %% (%s)n(%zu);\n  rest /= (%s)n(%zu);\n", d, type,
                n, type, n);
  }
  if (rank) tn__gpu_add(body, "  const long c0 = %s;\n", rank > 1 ? "rest" : index);
}

void tn__gpu_add_words(tn_gpu_source_t* source, tn_dtype_t dtype) {
  const tn_gpu_dtype_t* words = tn__gpu_dtype(dtype);
  tn_gpu_text_t* functions = &source->functions;
  if (source->words == dtype) return;
  if (source->words != TN_DTYPE_INVALID) {
    tn__gpu_add(functions, "#undef T\n#undef UNSIGNED\n#undef SIGNED\n#undef BITS\n");
  }
  source->words = dtype;
  tn__gpu_add(functions, "#define T %s\n#define UNSIGNED %s\n#define SIGNED %s\n#define BITS %d\n",
              words->value, words->unsigned_value, words->signed_value, words->bits);
}

static bool is_same_function(const tn_gpu_function_t* a, const tn_gpu_function_t* b) {
  if (a->words != b->words || a->result != b->result || a->operand_count != b->operand_count ||
      strcmp(a->expression, b->expression) != 0) {
    return false;
  }
  for (size_t k = 0; k < a->operand_count; ++k) {
    if (a->operands[k] != b->operands[k]) return false;
  }
  return true;
}

size_t tn__gpu_add_function(tn_gpu_source_t* source, const tn_op_use_t* use,
                            const char* expression) {
  tn_gpu_text_t* functions = &source->functions;
  tn_gpu_function_t function = {.expression = expression,
                                .words = use->operand_types[0]->dtype,
                                .result = use->result_types[0]->dtype,
                                .operand_count = use->operand_count};
  for (size_t k = 0; k < use->operand_count; ++k) {
    function.operands[k] = use->operand_types[k]->dtype;
  }
  for (size_t k = 0; k < source->function_count; ++k) {
    if (is_same_function(&source->known[k], &function)) return k;
  }
  if (source->function_count == TN_GPU_FUNCTION_LIMIT) {
    source->has_failed = true;
    return 0;
  }
  const size_t number = source->function_count++;
  const char* result = tn__gpu_dtype(function.result)->value;
  source->known[number] = function;
  tn__gpu_add_helpers(source, expression);
  tn__gpu_add_words(source, function.words);
  tn__gpu_add(functions, "TN_FN %s f%zu(", result, number);
  for (size_t k = 0; k < function.operand_count; ++k) {
    tn__gpu_add(functions, "%s%s %c", k ? ", " : "", tn__gpu_dtype(function.operands[k])->value,
                (int)('a' + k));
  }
  if (tn_dtype_kind(function.result) == TN_KIND_COMPLEX) {
    tn__gpu_add(functions, ") {\n  return %s;\n}\n", expression);
  } else {
    tn__gpu_add(functions, ") {\n  return (%s)(%s)%s;\n}\n", result, expression,
                function.result == TN_DTYPE_PRED ? " != 0" : "");
  }
  return number;
}

// --- states

tn_status_t tn__gpu_state_create(tn_kernel_site_t* site, size_t launch_count,
                                 tn_gpu_state_t** out_state) {
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, launch_count, &state->launches));
  state->launch_count = launch_count;
  site->state = *out_state = state;
  return TN_OK;
}

static size_t passed_numbers(const tn_gpu_source_t* source) {
  return source->number_count < TN_GPU_MOST_NUMBERS ? source->number_count : TN_GPU_MOST_NUMBERS;
}

static void add_numbers(tn_gpu_text_t* text, const tn_gpu_source_t* source) {
  const size_t passed = passed_numbers(source);
  tn__gpu_add(text, "typedef struct { long n[%zu]; } tn_numbers_t;\n", passed);
  if (source->number_count == passed) {
    tn__gpu_add(text, "#define n(k) numbers.n[k]\n");
    return;
  }
  tn__gpu_add(text, "#define n(k) n_##k\n");
  for (size_t k = 0; k < source->number_count; ++k) {
    if (k < passed) {
      tn__gpu_add(text, "#define n_%zu numbers.n[%zu]\n", k, k);
    } else {
      tn__gpu_add(text, "#define n_%zu %lldL\n", k, (long long)source->numbers[k]);
    }
  }
}

// The parameters of the kernel, or of the function of one element.
static void add_parameters(tn_gpu_text_t* text, const tn_gpu_source_t* source,
                           const char* restricted) {
  size_t read = 0, written = 0;
  for (size_t k = 0; k < source->address_count; ++k) {
    const bool is_written = source->is_written[k];
    tn__gpu_add(text, "TN_GLOBAL %s%s* %s%c%zu, ", is_written ? "" : "const ",
                source->parameters[k], restricted, is_written ? 'y' : 'x',
                is_written ? written++ : read++);
  }
  tn__gpu_add(text, "tn_numbers_t numbers");
}

// The elements of an item are as far apart as its group is wide. Where there are all of them no
// branch is between their loads.
static void add_elements(tn_gpu_text_t* text, const tn_gpu_source_t* source, size_t count) {
  size_t read = 0, written = 0;
  tn__gpu_add(text,
              "  const long first = tn_group(0) * %zu + tn_lane(0);\n"
              "  const int is_whole = first + %zu < n(0);\n"
              "#define ELEMENT(k) tn_element(",
              count * TN_GPU_GROUP_SIZE, (count - 1) * TN_GPU_GROUP_SIZE);
  for (size_t k = 0; k < source->address_count; ++k) {
    const bool is_written = source->is_written[k];
    tn__gpu_add(text, "%c%zu, ", is_written ? 'y' : 'x', is_written ? written++ : read++);
  }
  tn__gpu_add(text,
              "numbers, first + (k) * %d)\n"
              "  if (is_whole) {\n"
              "    UNROLL\n    for (int k = 0; k < %zu; ++k) ELEMENT(k);\n"
              "  } else {\n"
              "    for (int k = 0; first + k * %d < n(0); ++k) ELEMENT(k);\n"
              "  }\n",
              TN_GPU_GROUP_SIZE, count, TN_GPU_GROUP_SIZE);
}

static void assemble(tn_gpu_text_t* text, const tn_gpu_source_t* source, size_t element_count) {
  const char* body = source->body.length ? source->body.bytes : "";
  const bool has_elements = element_count > 1;
  const char* restricted = has_elements ? "RESTRICT " : "";
  add_numbers(text, source);
  if (source->functions.length) tn__gpu_add(text, "%s", source->functions.bytes);
  if (has_elements) {
    tn__gpu_add(text, "TN_FN void tn_element(");
    add_parameters(text, source, restricted);
    tn__gpu_add(text, ", long i) {\n%s}\n", body);
  }
  tn__gpu_add(text, "TN_KERNEL void %s(", TN_ENTRY);
  add_parameters(text, source, restricted);
  tn__gpu_add(text, ") {\n");
  if (has_elements) {
    add_elements(text, source, element_count);
  } else {
    if (!source->is_grouped)
      tn__gpu_add(text, "  const long i = tn_item(0);\n  if (i >= n(0)) return;\n");
    tn__gpu_add(text, "%s", body);
  }
  tn__gpu_add(text, "}\n");
}

tn_status_t tn__gpu_finish(tn_kernel_site_t* site, tn_gpu_state_t* state, size_t number,
                           const tn_gpu_source_t* source) {
  tn_gpu_launch_t* launch = &state->launches[number];
  tn_gpu_text_t text = {.arena = site->arena};
  const size_t element_count =
      source->is_elementwise && site->target->has_lanes ? MOST_ELEMENTS : 1;
  assemble(&text, source, element_count);
  if (source->has_failed) {
    return tn_status_create(TN_CODE_INTERNAL, "the kernel of %s is too long", site->use->op->name);
  }
  if (text.has_failed || source->functions.has_failed || source->body.has_failed) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no memory for the kernel of %s",
                            site->use->op->name);
  }
  launch->code = (tn_device_code_t){.text = text.bytes, .operation = site->use->op->name};
  launch->group_elements = element_count * TN_GPU_GROUP_SIZE;
  launch->number_count = passed_numbers(source);
  launch->address_count = source->address_count;
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(site->arena, launch->number_count, source->numbers, &launch->numbers));
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(site->arena, source->address_count, source->places, &launch->places));
  return TN_ARENA_COPY(site->arena, source->address_count, source->byte_offsets,
                       &launch->byte_offsets);
}

tn_status_t tn__gpu_finish_copy(tn_kernel_site_t* site, tn_gpu_state_t* state, size_t number,
                                size_t operand, size_t result) {
  const int32_t places[] = {(int32_t)operand, TN_GPU_RESULT(result)};
  state->launches[number].copied_byte_size = tn__type_byte_size(site->use->result_types[result]);
  return TN_ARENA_COPY(site->arena, 2, places, &state->launches[number].places);
}

tn_status_t tn__gpu_finish_one(tn_kernel_site_t* site, const tn_gpu_source_t* source) {
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, 1, &state));
  return tn__gpu_finish(site, state, 0, source);
}

static void* address_of(const tn_kernel_call_t* call, int32_t place) {
  if (place == TN_GPU_SCRATCH) return call->scratch;
  return place < 0 ? call->results[TN_GPU_RESULT(place)] : (void*)call->operands[place];
}

static tn_status_t run(const tn_kernel_call_t* call, const tn_gpu_launch_t* launch) {
  tn_launch_argument_t arguments[TN_GPU_MOST_ADDRESSES + 1];
  tn_encoder_t* encoder = call->context->encoder;
  if (!launch->code.text) {
    if (launch->copied_byte_size == 0) return TN_OK;
    return encoder->copy(encoder, address_of(call, launch->places[1]),
                         address_of(call, launch->places[0]), launch->copied_byte_size);
  }
  for (size_t k = 0; k < launch->address_count; ++k) {
    arguments[k] = (tn_launch_argument_t){.address = (char*)address_of(call, launch->places[k]) +
                                                     launch->byte_offsets[k]};
  }
  arguments[launch->address_count] = (tn_launch_argument_t){
      .bytes = launch->numbers, .byte_size = launch->number_count * sizeof(int64_t)};
  const size_t count = (size_t)launch->numbers[0], of_group = launch->group_elements;
  return encoder->dispatch(
      encoder, &(tn_dispatch_t){.code = &launch->code,
                                .group_count = {(count + of_group - 1) / of_group, 1, 1},
                                .group_size = {TN_GPU_GROUP_SIZE, 1, 1},
                                .argument_count = launch->address_count + 1,
                                .arguments = arguments});
}

tn_status_t tn__gpu_run(const tn_kernel_call_t* call) {
  const tn_gpu_state_t* state = call->state;
  for (size_t i = 0; i < state->launch_count; ++i) {
    TN_RETURN_IF_ERROR(run(call, &state->launches[i]));
  }
  return TN_OK;
}
