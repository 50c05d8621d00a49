#include "kernel/ref/elementwise.h"

#include "kernel/ref/element.h"

typedef struct convert_state {
  tn_conversion_t conversion;
  int64_t count;
} convert_state_t;

bool tn__k_convert_supports(const tn_op_use_t* use) {
  return use->operand_count == 1 && use->result_count == 1 &&
         tn__type_is_static(use->operand_types[0]) && tn__type_is_static(use->result_types[0]);
}

tn_status_t tn__k_convert_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__arena_allocate(site->arena, sizeof(convert_state_t), &memory));
  convert_state_t* state = memory;
  const tn_type_t* from = site->use->operand_types[0];
  const tn_type_t* to = site->use->result_types[0];
  state->conversion = tn__conversion(from->dtype, to->dtype);
  state->count = tn__type_size(to);
  site->state = state;
  return TN_OK;
}

tn_status_t tn__k_convert_run(const tn_kernel_call_t* call) {
  const convert_state_t* state = call->state;
  state->conversion.run(&state->conversion, call->operands[0], call->results[0],
                        (size_t)state->count);
  return TN_OK;
}
