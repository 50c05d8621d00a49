#include "program/observe.h"

#include "base/linux/clock.h"
#include "plan/print.h"

static bool runs_instructions(const tn_instruction_t* instruction) {
  if (!instruction->kernel || instruction->kind == TN_RUN_CONTROL) return true;
  const tn_op_t* op = instruction->step->node->op;
  return op == TN__OP(while) || op == TN__OP(if) || op == TN__OP(case);
}

tn_observation_t tn__observe_begin(tn_activation_t* activation, uint32_t instruction) {
  tn_observer_t* observer = activation->observer;
  if (!observer) return (tn_observation_t){0};
  const uint32_t depth = observer->depth++;
  if (!runs_instructions(&activation->program->instructions[instruction])) {
    activation->observer = NULL;
  }
  return (tn_observation_t){observer, depth, tn__clock_ns()};
}

void tn__observe_end(tn_activation_t* activation, tn_observation_t observation) {
  if (!observation.observer) return;
  activation->observer = observation.observer;
  --observation.observer->depth;
}

static uint64_t leaf_bytes(const tn_program_t* program, uint32_t first, uint32_t count) {
  uint64_t sum = 0;
  const tn_program_unit_t* unit = NULL;
  for (uint32_t i = first; i < first + count; ++i) {
    sum += tn__program_buffer(program, program->pointer_buffers[i], &unit)->byte_size;
  }
  return sum;
}

// Of a view the elements that are in it.
static uint64_t operand_bytes(const tn_program_t* program, const tn_instruction_t* instruction) {
  const tn_kernel_site_t* site = &instruction->step->site;
  uint64_t sum = 0;
  if (!instruction->kernel || !site->views) {
    return leaf_bytes(program, instruction->first_operand, instruction->operand_count);
  }
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    sum += tn__type_byte_size(site->use->operand_types[i]);
  }
  return sum;
}

void tn__observe_report(const tn_activation_t* activation, uint32_t index,
                        tn_observation_t observation, bool is_asynchronous) {
  if (!observation.observer) return;
  const tn_program_t* program = activation->program;
  const tn_instruction_t* instruction = &program->instructions[index];
  const tn_node_t* node = instruction->step->node;
  const tn_source_t* source = node ? tn__module_source(node->region->function->module) : NULL;
  const tn_string_view_t target = tn__plan_step_target(instruction->step);
  const tn_run_event_t event = {
      .struct_size = sizeof event,
      .run_id = activation->environment.run_id,
      .instruction = index,
      .depth = observation.depth,
      .is_asynchronous = is_asynchronous,
      .operation = tn__plan_step_name(instruction->step),
      .target = target.length ? target.data : "",
      .target_length = target.length,
      .kernel = instruction->kernel ? instruction->kernel->name : "",
      .file = source ? source->name : "",
      .line = node ? node->location.line : 0,
      .column = node ? node->location.column : 0,
      .begin_ns = observation.begin_ns,
      .end_ns = tn__clock_ns(),
      .read_byte_size = operand_bytes(program, instruction),
      .written_byte_size =
          leaf_bytes(program, instruction->first_result, instruction->result_count),
  };
  observation.observer->observe(observation.observer->user, &event);
}
