// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The executor of devices that are not the host: the calling thread gives the device kernels to run
// one after the other, does itself what the host does, and reads the predicates of control flow.
//
// Copies are launched like kernels. It waits for the device where it needs bytes of it: behind a
// copy to the host, before a predicate, and at the end; before the host writes where a copy may
// still read; and behind a kernel with a region, which runs in the host's memory while the kernel
// does. What else it does itself works in memory that the device does not see, so nothing else
// needs an order.
//
// A run reports its first error in the order of the program. For this it also waits where a call
// becomes pending: what the device is at was then always launched behind every pending call, and
// before the instruction that is encoded.
#include "base/writer.h"
#include "call/operation.h"
#include "device/event.h"
#include "program/observe.h"
#include "program/pending.h"

typedef struct encoder {
  tn_activation_t* activation;
  tn_device_t* device;
} encoder_t;

static tn_status_t encode_block(encoder_t* encoder, uint32_t index);

static const tn_instruction_t* instruction_at(const encoder_t* encoder, uint32_t index) {
  return &encoder->activation->program->instructions[index];
}

// The devices that do not know which launch it was blame foreign code first.
static tn_status_t blame(const encoder_t* encoder, tn_status_t status, uint32_t tag,
                         uint32_t suspect_count) {
  const tn_activation_t* activation = encoder->activation;
  const bool is_known = tag != TN_LAUNCH_UNKNOWN;
  if (is_known || !suspect_count) {
    return tn__instruction_locate(instruction_at(encoder, is_known ? tag : activation->last_launch),
                                  status);
  }
  const tn_instruction_t* suspect = instruction_at(encoder, activation->first_suspect);
  status = tn_status_prefix(status, "custom call @%s",
                            TN_NAME_TEXT(tn__op_called_name(suspect->step->node->op)));
  if (suspect_count > 1) {
    status = tn_status_note(status,
                            "or a custom call that was launched behind it; guarded calls "
                            "(--guard) are waited for one by one");
  }
  return tn__instruction_locate(suspect, status);
}

// The error has the place of the operation that failed.
static tn_status_t finish(encoder_t* encoder) {
  tn_activation_t* activation = encoder->activation;
  uint32_t index = 0;
  if (!activation->is_behind) return TN_OK;
  const uint32_t suspect_count = activation->suspect_count;
  activation->is_behind = activation->is_reading_host = false;
  activation->suspect_count = 0;
  tn_status_t status = encoder->device->vtable->finish(activation->queue, &index);
  return status ? blame(encoder, status, index, suspect_count) : TN_OK;
}

// `status` is an error of the instruction that is encoded. Takes it.
static tn_status_t finish_before(encoder_t* encoder, tn_status_t status) {
  tn_status_t earlier = finish(encoder);
  if (!earlier) return status;
  tn_status_release(status);
  return earlier;
}

// `status` is an error of a pending call. Returns it.
static tn_status_t finish_behind(encoder_t* encoder, tn_status_t status) {
  tn_status_release(finish(encoder));
  return status;
}

static tn_memory_t device_memory(const encoder_t* encoder, uint32_t pointer) {
  return (tn_memory_t){encoder->activation->pointers[pointer], 0};
}

static tn_status_t read(encoder_t* encoder, uint32_t pointer, size_t byte_size, void* out_bytes) {
  tn_activation_t* activation = encoder->activation;
  activation->is_behind = true;
  TN_RETURN_IF_ERROR(encoder->device->vtable->queue_copy_to_host(
      activation->queue, activation->host_word, device_memory(encoder, pointer), byte_size));
  TN_RETURN_IF_ERROR(finish(encoder));
  memcpy(out_bytes, activation->host_word, byte_size);
  return TN_OK;
}

// --- instructions

static bool is_call(const tn_instruction_t* instruction) {
  const tn_node_t* node = instruction->step->node;
  return node && tn__op_registered(node->op);
}

static void suspect(tn_activation_t* activation, uint32_t index) {
  if (!activation->suspect_count++) activation->first_suspect = index;
}

static tn_status_t launch(encoder_t* encoder, uint32_t index) {
  const tn_instruction_t* instruction = instruction_at(encoder, index);
  tn_activation_t* activation = encoder->activation;
  const tn_launch_t launch = {
      .kernel = instruction->kernel,
      .call = &activation->calls[index],
      .operand_count = instruction->operand_count,
      .result_count = instruction->result_count,
      .tag = index,
  };
  const bool is_foreign = is_call(instruction);
  const bool is_waited_for = is_foreign && activation->program->guarded[0].guards_calls;
  if (is_waited_for) TN_RETURN_IF_ERROR(finish(encoder));
  activation->is_behind = true;
  tn_status_t status = encoder->device->vtable->launch(activation->queue, &launch);
  // One that returns an error may have noticed that of another.
  if (is_foreign && (!status || !activation->suspect_count)) suspect(activation, index);
  activation->last_launch = index;
  if (status) return status;
  return instruction->block_count || is_waited_for ? finish(encoder) : TN_OK;
}

// The leaves of one value.
static tn_status_t copy_leaves(encoder_t* encoder, const tn_instruction_t* instruction) {
  tn_activation_t* activation = encoder->activation;
  const tn_program_t* program = activation->program;
  const tn_device_vtable_t* vtable = encoder->device->vtable;
  const bool is_to_host = instruction->kind == TN_COPY_TO_HOST;
  activation->is_behind = true;
  if (!is_to_host) activation->is_reading_host = true;
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    const uint32_t from = instruction->first_operand + i, to = instruction->first_result + i;
    const tn_program_unit_t* unit = NULL;
    const tn_plan_buffer_t* buffer =
        tn__program_buffer(program, program->pointer_buffers[to], &unit);
    void* const* pointers = activation->pointers;
    TN_RETURN_IF_ERROR(
        is_to_host ? vtable->queue_copy_to_host(activation->queue, pointers[to],
                                                device_memory(encoder, from), buffer->byte_size)
                   : vtable->queue_copy_from_host(activation->queue, device_memory(encoder, to),
                                                  pointers[from], buffer->byte_size));
  }
  return is_to_host ? finish(encoder) : TN_OK;
}

static tn_status_t run_on_host(encoder_t* encoder, uint32_t index) {
  tn_activation_t* activation = encoder->activation;
  if (activation->is_reading_host) TN_RETURN_IF_ERROR(finish(encoder));
  return instruction_at(encoder, index)->kernel->run(&activation->calls[index]);
}

static tn_status_t encode_while(encoder_t* encoder, const tn_instruction_t* instruction) {
  const uint32_t condition = instruction->first_block, body = condition + 1;
  const tn_program_block_t* blocks = encoder->activation->program->blocks;
  for (;;) {
    uint8_t go_on = 0;
    TN_RETURN_IF_ERROR(encode_block(encoder, condition));
    TN_RETURN_IF_ERROR(read(encoder, blocks[condition].first_result, sizeof go_on, &go_on));
    if (!go_on) return TN_OK;
    TN_RETURN_IF_ERROR(encode_block(encoder, body));
  }
}

// An index outside the branches takes the last one.
static tn_status_t encode_branch(encoder_t* encoder, const tn_instruction_t* instruction) {
  const uint32_t last = instruction->block_count - 1;
  uint32_t branch = 0;
  if (instruction->step->node->op == TN__OP(if)) {
    uint8_t predicate = 0;
    TN_RETURN_IF_ERROR(read(encoder, instruction->first_operand, sizeof predicate, &predicate));
    branch = predicate ? 0 : 1;
  } else {
    int32_t index = 0;
    TN_RETURN_IF_ERROR(read(encoder, instruction->first_operand, sizeof index, &index));
    branch = index < 0 || (uint32_t)index > last ? last : (uint32_t)index;
  }
  return encode_block(encoder, instruction->first_block + branch);
}

static tn_status_t encode(encoder_t* encoder, uint32_t index) {
  const tn_instruction_t* instruction = instruction_at(encoder, index);
  tn_activation_t* activation = encoder->activation;
  switch (instruction->kind) {
    case TN_LAUNCH_KERNEL: return launch(encoder, index);
    case TN_RUN_KERNEL: return run_on_host(encoder, index);
    case TN_COPY_TO_HOST:
    case TN_COPY_TO_DEVICE: return copy_leaves(encoder, instruction);
    case TN_RUN_UNIT:
      tn__activation_bind_unit(activation, instruction);
      return encode_block(encoder, activation->program->units[instruction->unit].block);
    case TN_RUN_CONTROL:
      return instruction->step->node->op == TN__OP(while) ? encode_while(encoder, instruction)
                                                          : encode_branch(encoder, instruction);
  }
  return TN_OK;
}

// After an error of the device that of the call is not reported.
static tn_status_t defer(encoder_t* encoder, tn_pending_block_t pending, uint32_t index,
                         int64_t begin_ns) {
  const tn_kernel_pending_t left = encoder->activation->left;
  tn_status_t status = finish(encoder);
  if (status) {
    tn_status_release(left.finish(left.user));
  } else {
    tn__pending_add(pending, index, begin_ns);
  }
  return status;
}

static tn_status_t encode_next(encoder_t* encoder, tn_pending_block_t pending, uint32_t index) {
  TN_RETURN_IF_ERROR(tn__interrupt_check(encoder->activation->environment.interrupt));
  tn_status_t status = tn__pending_await(pending, index);
  if (status) return finish_behind(encoder, status);
  const tn_observation_t observation = tn__observe_begin(encoder->activation, index);
  status = encode(encoder, index);
  // To be measured one by one, kernels run one by one.
  if (!status && observation.observer) status = finish(encoder);
  if (status == tn__status_pending()) {
    status = defer(encoder, pending, index, observation.begin_ns);
  } else {
    tn__observe_report(encoder->activation, index, observation, false);
  }
  tn__observe_end(encoder->activation, observation);
  return status;
}

static tn_status_t encode_block(encoder_t* encoder, uint32_t index) {
  const tn_program_block_t* block = &encoder->activation->program->blocks[index];
  const tn_pending_block_t pending = tn__pending_begin(encoder->activation);
  tn_status_t status = tn__interrupt_check(encoder->activation->environment.interrupt);
  for (uint32_t i = 0; !status && i < block->instruction_count; ++i) {
    const uint32_t instruction = block->first_instruction + i;
    status = encode_next(encoder, pending, instruction);
    // One that has a place, of an operation inside, keeps it.
    if (status) status = tn__instruction_locate(instruction_at(encoder, instruction), status);
  }
  if (status) status = finish_before(encoder, status);
  status = tn__pending_end(pending, status);
  return status ? finish_behind(encoder, status) : TN_OK;
}

// Streams that wait for the results go on with a mark, and need not know of an error yet. Without
// one they wait for the end of the run.
static void mark_results(const encoder_t* encoder) {
  tn_activation_t* activation = encoder->activation;
  void* mark = NULL;
  if (!activation->ready || !activation->is_behind) return;
  tn_status_release(encoder->device->vtable->queue_record(activation->queue, &mark));
  if (mark) tn__event_set_mark(activation->ready, mark);
}

tn_status_t tn__activation_wait(tn_activation_t* activation, tn_event_t* event,
                                bool* out_is_launched) {
  const tn_device_t* device = activation->program->device;
  tn_failure_t* failure = NULL;
  void* mark = tn__event_device(event) == device ? tn__event_await_mark(event) : NULL;
  *out_is_launched = mark;
  if (mark) {
    activation->is_behind = true;
    return device->vtable->queue_wait(activation->queue, mark);
  }
  (void)tn__event_await(event, INT64_MAX, &failure);
  return tn_status_retain(tn__failure_status(failure));
}

tn_status_t tn__activation_finish(tn_activation_t* activation) {
  encoder_t encoder = {.activation = activation, .device = activation->program->device};
  return finish(&encoder);
}

// What breaks a capture is found again without one, as the run's error.
static tn_status_t encode_captured(encoder_t* encoder, uint32_t block) {
  tn_activation_t* activation = encoder->activation;
  const bool was_behind = activation->is_behind;
  if (!tn__graph_begin(activation)) return encode_block(encoder, block);
  tn_status_t status = encode_block(encoder, block);
  if (tn__graph_end(activation, status)) return tn__graph_launch(activation);
  activation->is_behind = was_behind;
  return encode_block(encoder, block);
}

static tn_status_t encode_unit(encoder_t* encoder, uint32_t block) {
  switch (tn__graph_choose(encoder->activation)) {
    case TN_GRAPH_NONE: break;
    case TN_GRAPH_CAPTURE: return encode_captured(encoder, block);
    case TN_GRAPH_LAUNCH: {
      tn_status_t status = tn__graph_launch(encoder->activation);
      return status ? finish_before(encoder, status) : TN_OK;
    }
  }
  return encode_block(encoder, block);
}

tn_status_t tn__activation_encode(tn_activation_t* activation, uint32_t unit) {
  encoder_t encoder = {.activation = activation, .device = activation->program->device};
  TN_RETURN_IF_ERROR(encode_unit(&encoder, activation->program->units[unit].block));
  mark_results(&encoder);
  return finish(&encoder);
}
