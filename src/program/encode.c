// The executor of devices that are not the host: the calling thread gives the device kernels to run
// one after the other, does itself what the host does, and reads the predicates of control flow.
//
// It waits for the device where it needs bytes of it: before a copy between the two memories,
// before a predicate, and at the end; and behind a kernel with a region, which runs in the host's
// memory while the kernel does. What else it does itself works in memory that the device does not
// see, so nothing else needs an order.
//
// A run reports its first error in the order of the program. For this it also waits where a call
// becomes pending: what the device is at was then always launched behind every pending call, and
// before the instruction that is encoded.
#include "program/observe.h"
#include "program/pending.h"

typedef struct encoder {
  tn_activation_t* activation;
  tn_device_t* device;
  bool is_behind;  // the device may still be at something
} encoder_t;

static tn_status_t encode_block(encoder_t* encoder, uint32_t index);

static const tn_instruction_t* instruction_at(const encoder_t* encoder, uint32_t index) {
  return &encoder->activation->program->instructions[index];
}

// The error has the place of the operation that failed.
static tn_status_t finish(encoder_t* encoder) {
  uint32_t index = 0;
  if (!encoder->is_behind) return TN_OK;
  encoder->is_behind = false;
  tn_status_t status = encoder->device->vtable->finish(encoder->activation->queue, &index);
  return status ? tn__instruction_locate(instruction_at(encoder, index), status) : TN_OK;
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
  TN_RETURN_IF_ERROR(finish(encoder));
  return encoder->device->vtable->copy_to_host(encoder->device, NULL, out_bytes,
                                               device_memory(encoder, pointer), byte_size);
}

// --- instructions

static tn_status_t launch(encoder_t* encoder, uint32_t index) {
  const tn_instruction_t* instruction = instruction_at(encoder, index);
  const tn_launch_t launch = {
      .kernel = instruction->kernel,
      .call = &encoder->activation->calls[index],
      .operand_count = instruction->operand_count,
      .result_count = instruction->result_count,
      .tag = index,
  };
  encoder->is_behind = true;
  TN_RETURN_IF_ERROR(encoder->device->vtable->launch(encoder->activation->queue, &launch));
  return instruction->block_count ? finish(encoder) : TN_OK;
}

// The leaves of one value.
static tn_status_t copy_leaves(encoder_t* encoder, const tn_instruction_t* instruction) {
  const tn_program_t* program = encoder->activation->program;
  tn_device_t* device = encoder->device;
  TN_RETURN_IF_ERROR(finish(encoder));
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    const uint32_t from = instruction->first_operand + i, to = instruction->first_result + i;
    const tn_program_unit_t* unit = NULL;
    const tn_plan_buffer_t* buffer =
        tn__program_buffer(program, program->pointer_buffers[to], &unit);
    void* const* pointers = encoder->activation->pointers;
    TN_RETURN_IF_ERROR(
        instruction->kind == TN_COPY_TO_HOST
            ? device->vtable->copy_to_host(device, NULL, pointers[to], device_memory(encoder, from),
                                           buffer->byte_size)
            : device->vtable->copy_from_host(device, NULL, device_memory(encoder, to),
                                             pointers[from], buffer->byte_size));
  }
  return TN_OK;
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
    case TN_RUN_KERNEL: return instruction->kernel->run(&activation->calls[index]);
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

tn_status_t tn__activation_encode(tn_activation_t* activation, uint32_t unit) {
  encoder_t encoder = {.activation = activation, .device = activation->program->device};
  TN_RETURN_IF_ERROR(encode_block(&encoder, activation->program->units[unit].block));
  return finish(&encoder);
}
