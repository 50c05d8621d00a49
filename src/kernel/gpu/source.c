#include "kernel/gpu/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tn__gpu_begin(tn_gpu_source_t* source, int64_t item_count) {
  source->functions.length = source->body.length = 0;
  source->functions.bytes[0] = source->body.bytes[0] = '\0';
  source->number_count = source->address_count = 0;
  source->has_failed = false;
  tn__gpu_add_number(source, item_count);
}

void tn__gpu_add(tn_gpu_text_t* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t room = sizeof text->bytes - text->length;
  const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
  va_end(arguments);
  text->length += length >= 0 && (size_t)length < room ? (size_t)length : room;
}

void tn__gpu_add_address(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                         const char* type) {
  if (source->address_count == TN_GPU_MOST_ADDRESSES) {
    source->has_failed = true;
    return;
  }
  source->places[source->address_count] = place;
  source->byte_offsets[source->address_count] = byte_offset;
  source->parameters[source->address_count++] = type;
}

size_t tn__gpu_add_number(tn_gpu_source_t* source, int64_t value) {
  if (source->number_count == TN_GPU_MOST_NUMBERS) {
    source->has_failed = true;
    return 0;
  }
  source->numbers[source->number_count] = value;
  return source->number_count++;
}

void tn__gpu_add_coordinates(tn_gpu_source_t* source, size_t rank, const int64_t* dims) {
  tn_gpu_text_t* body = &source->body;
  if (rank > 1) tn__gpu_add(body, "  long rest = i;\n");
  for (size_t d = rank; d-- > 1;) {
    const size_t n = tn__gpu_add_number(source, dims[d]);
    tn__gpu_add(body, "  const long c%zu = rest %% n(%zu);\n  rest /= n(%zu);\n", d, n, n);
  }
  if (rank) tn__gpu_add(body, "  const long c0 = %s;\n", rank > 1 ? "rest" : "i");
}

void tn__gpu_add_words(tn_gpu_source_t* source, tn_dtype_t dtype) {
  const tn_gpu_dtype_t* words = tn__gpu_dtype(dtype);
  tn__gpu_add(&source->functions,
              "#define T %s\n#define UNSIGNED %s\n#define SIGNED %s\n#define BITS %d\n",
              words->value, words->unsigned_value, words->signed_value, words->bits);
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

static void assemble(tn_gpu_text_t* text, const tn_gpu_source_t* source) {
  const size_t last = source->address_count - 1;
  text->length = 0;
  tn__gpu_add(text, "typedef struct { long n[%zu]; } tn_numbers_t;\n#define n(k) numbers.n[k]\n",
              source->number_count);
  tn__gpu_add(text, "%s", source->functions.bytes);
  tn__gpu_add(text, "TN_KERNEL void %s(", TN_ENTRY);
  for (size_t k = 0; k < last; ++k) {
    tn__gpu_add(text, "TN_GLOBAL const %s* x%zu, ", source->parameters[k], k);
  }
  tn__gpu_add(text, "TN_GLOBAL %s* y, tn_numbers_t numbers) {\n", source->parameters[last]);
  tn__gpu_add(text, "  const long i = tn_item(0);\n  if (i >= n(0)) return;\n%s}\n",
              source->body.bytes);
}

tn_status_t tn__gpu_finish(tn_kernel_site_t* site, tn_gpu_state_t* state, size_t number,
                           const tn_gpu_source_t* source) {
  tn_gpu_launch_t* launch = &state->launches[number];
  tn_gpu_text_t text;
  tn_string_view_t kept;
  assemble(&text, source);
  if (source->has_failed || text.length == sizeof text.bytes ||
      source->functions.length == sizeof text.bytes || source->body.length == sizeof text.bytes) {
    return tn_status_create(TN_CODE_INTERNAL, "the kernel of %s is too long", site->use->op->name);
  }
  TN_RETURN_IF_ERROR(
      tn__arena_copy_string(site->arena, (tn_string_view_t){text.bytes, text.length}, &kept));
  launch->code = (tn_device_code_t){.text = kept.data, .operation = site->use->op->name};
  launch->number_count = source->number_count;
  launch->address_count = source->address_count;
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(site->arena, source->number_count, source->numbers, &launch->numbers));
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(site->arena, source->address_count, source->places, &launch->places));
  return TN_ARENA_COPY(site->arena, source->address_count, source->byte_offsets,
                       &launch->byte_offsets);
}

static tn_status_t run(const tn_kernel_call_t* call, const tn_gpu_launch_t* launch) {
  enum { GROUP_SIZE = 256 };
  tn_launch_argument_t arguments[TN_GPU_MOST_ADDRESSES + 1];
  tn_encoder_t* encoder = call->context->encoder;
  for (size_t k = 0; k < launch->address_count; ++k) {
    const int32_t place = launch->places[k];
    void* base = place == TN_GPU_RESULT    ? call->results[0]
                 : place == TN_GPU_SCRATCH ? call->scratch
                                           : (void*)call->operands[place];
    arguments[k] = (tn_launch_argument_t){.address = (char*)base + launch->byte_offsets[k]};
  }
  arguments[launch->address_count] = (tn_launch_argument_t){
      .bytes = launch->numbers, .byte_size = launch->number_count * sizeof(int64_t)};
  const size_t item_count = (size_t)launch->numbers[0];
  return encoder->dispatch(
      encoder, &(tn_dispatch_t){.code = &launch->code,
                                .group_count = {(item_count + GROUP_SIZE - 1) / GROUP_SIZE, 1, 1},
                                .group_size = {GROUP_SIZE, 1, 1},
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
