// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions with rules of their own: a step that hands on what the function computed, and has the
// rules. Its operands are the outputs of the function, then the inputs, to which the rules lead.
#include <tenon/detail/transform.h>

#include "array/rule.h"
#include "base/options.h"
#include "base/type.h"
#include "call/operation.h"
#include "transform/custom.h"
#include "transform/rules/rules.h"
#include "transform/tape.h"

typedef struct custom {
  tn_custom_function_t function;
  bool is_checkpoint;
} custom_t;

static const custom_t* custom_of(const tn_rule_t* rule) {
  return rule->op->user;
}

static void destroy_custom(void* user) {
  custom_t* custom = user;
  if (custom->function.destroy) custom->function.destroy(custom->function.function.user);
  tn__free(tn_allocator_system(), custom, sizeof *custom);
}

static bool has_derivative(const custom_t* custom) {
  return custom->function.jvp || custom->function.vjp;
}

static tn_status_t missing(const char* rule) {
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "the function has derivative rules of its own, but no %s", rule);
}

// What the operations inside make of it.
static tn_status_t jvp_of_outputs(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] < rule->result_count) {
      call->out_tangents[call->argnums[i]] = call->tangents[i];
    }
  }
  return TN_OK;
}

static tn_status_t jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const custom_t* custom = custom_of(rule);
  const size_t output_count = rule->result_count, input_count = rule->operand_count - output_count;
  void* memory = NULL;
  if (!custom->function.jvp) {
    return has_derivative(custom) ? missing("jvp") : jvp_of_outputs(rule, call);
  }
  const tn_allocator_t* allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** tangents = memory;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] >= output_count) {
      tangents[call->argnums[i] - output_count] = call->tangents[i];
    }
  }
  tn_status_t status = custom->function.jvp(custom->function.function.user, rule->scope,
                                            input_count, rule->operands + output_count, tangents,
                                            output_count, call->out_tangents);
  tn__free(allocator, tangents, input_count * sizeof *tangents);
  return status;
}

// The function again, from inputs that the compiler cannot tell from others.
static tn_status_t recompute(const custom_t* custom, const tn_rule_t* rule,
                             const tn_vjp_call_t* call, size_t input_count,
                             tn_array_t** out_gradients) {
  const size_t output_count = rule->result_count;
  const tn_allocator_t* allocator = tn_allocator_system();
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** inputs = memory;
  for (size_t i = 0; i < input_count; ++i) {
    tn_array_t* x = rule->operands[output_count + i];
    inputs[i] =
        tn__apply(rule->scope, TN__OP(optimization_barrier), 1, &x, x->dtype, x->rank, x->dims);
  }
  tn_status_t status = tn_vjp(rule->scope, &custom->function.function, input_count, inputs,
                              output_count, call->cotangents, NULL, out_gradients);
  tn__free(allocator, inputs, input_count * sizeof *inputs);
  return status;
}

// Here operands are counted otherwise than the inputs are, which the message is to speak of.
tn_status_t tn__custom_check_gradient(size_t index, const tn_array_t* gradient,
                                      const tn_array_t* input) {
  const bool is_fine = !gradient || gradient->dtype == TN_DTYPE_INVALID ||
                       (gradient->dtype == input->dtype && gradient->rank == input->rank &&
                        (input->rank == 0 || memcmp(gradient->dims, input->dims,
                                                    input->rank * sizeof *input->dims) == 0));
  if (is_fine) return TN_OK;
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "the vjp of a custom function gave %s of shape %s for input %zu; expected %s of shape %s",
      tn_dtype_name(gradient->dtype), TN_SHAPE_TEXT(gradient->rank, gradient->dims), index,
      tn_dtype_name(input->dtype), TN_SHAPE_TEXT(input->rank, input->dims));
}

static tn_status_t vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const custom_t* custom = custom_of(rule);
  const size_t output_count = rule->result_count, input_count = rule->operand_count - output_count;
  const bool has_rule = custom->function.vjp || custom->is_checkpoint;
  void* memory = NULL;
  if (!has_rule && has_derivative(custom)) return missing("vjp");
  const tn_allocator_t* allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** gradients = memory;
  tn_status_t status = TN_OK;
  if (custom->is_checkpoint) {
    status = recompute(custom, rule, call, input_count, gradients);
  } else if (has_rule) {
    status = custom->function.vjp(custom->function.function.user, rule->scope, input_count,
                                  rule->operands + output_count, output_count, call->cotangents,
                                  call->outputs, gradients);
  }
  for (size_t i = 0; i < call->argnum_count; ++i) {
    const size_t argnum = call->argnums[i];
    if (argnum >= output_count) {
      tn_array_t* gradient = gradients[argnum - output_count];
      call->out_cotangents[i] = gradient;
      if (!status) {
        status = tn__custom_check_gradient(argnum - output_count, gradient, rule->operands[argnum]);
      }
    } else {
      call->out_cotangents[i] = has_rule ? NULL : call->cotangents[argnum];
    }
  }
  tn__free(allocator, gradients, input_count * sizeof *gradients);
  return status;
}

// What the vmap of the function itself gives. To derivatives that have rules it is a constant.
static tn_status_t own_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call,
                            tn_array_t** out_results, int64_t* out_axes) {
  const custom_t* custom = custom_of(rule);
  const size_t output_count = rule->result_count, input_count = rule->operand_count - output_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(tn_allocator_system(), input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** inputs = memory;
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < input_count && !status; ++i) {
    tn_array_t* x = rule->operands[output_count + i];
    inputs[i] = has_derivative(custom) ? tn_array_stop_gradient(rule->scope, x) : x;
    status = tn_array_status(inputs[i]);
  }
  if (!status) {
    status = custom->function.vmap(custom->function.function.user, rule->scope, call->batch_size,
                                   input_count, inputs, call->axes + output_count, output_count,
                                   out_results, out_axes);
  }
  tn__free(tn_allocator_system(), inputs, input_count * sizeof *inputs);
  for (size_t i = 0; i < output_count && !status; ++i) {
    if (out_results[i]) status = tn_array_status(out_results[i]);
  }
  return status;
}

// Derivative rules count for each element of the batch.
static tn_status_t attach_for_each(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const custom_t* custom = custom_of(rule);
  const size_t output_count = rule->result_count, input_count = rule->operand_count - output_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(tn_allocator_system(), rule->operand_count, sizeof(int64_t), &memory));
  int64_t *axes = memory, *output_axes = axes + input_count;
  if (input_count) memcpy(axes, call->axes + output_count, input_count * sizeof *axes);
  memcpy(output_axes, call->out_axes, output_count * sizeof *axes);
  tn_status_t status = tn__custom_attach_batched(
      rule->scope, tn__rule_step(rule)->op, &custom->function, call->batch_size, input_count,
      rule->operands + output_count, output_count, call->out_results, axes);
  memcpy(call->out_axes, output_axes, output_count * sizeof *axes);
  tn__free(tn_allocator_system(), axes, rule->operand_count * sizeof *axes);
  return status;
}

static tn_status_t vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const custom_t* custom = custom_of(rule);
  for (size_t i = 0; i < rule->result_count; ++i) {
    call->out_results[i] = rule->operands[i];
    call->out_axes[i] = call->axes[i];
  }
  if (custom->function.vmap) {
    TN_RETURN_IF_ERROR(own_vmap(rule, call, call->out_results, call->out_axes));
  }
  for (size_t i = 0; i < rule->result_count; ++i) {
    if (!call->out_results[i]) return TN_OK;  // an error of the rule, which its caller reports
  }
  return has_derivative(custom) ? attach_for_each(rule, call) : TN_OK;
}

bool tn__custom_has_vmap(const tn_step_t* step) {
  const tn_op_def_t* definition = tn__step_is_called(step) ? tn__op_definition(step->op) : NULL;
  if (!definition || definition->vmap != vmap) return false;
  const custom_t* custom = definition->user;
  return custom->function.vmap != NULL;
}

// Takes the function over, whatever comes of it.
static tn_status_t create_op(const tn_scope_t* scope, const tn_custom_function_t* function,
                             bool is_checkpoint, tn_registered_op_t** out_op) {
  static const tn_handler_facts_t facts = {.minor = -1};
  void* memory = NULL;
  tn_target_t* target = NULL;
  *out_op = NULL;
  tn_status_t status = tn__allocate(tn_allocator_system(), sizeof(custom_t), &memory);
  if (status) {
    if (function->destroy) function->destroy(function->function.user);
    return status;
  }
  custom_t* custom = memory;
  *custom = (custom_t){.function = *function, .is_checkpoint = is_checkpoint};
  const tn_op_def_t definition = {.struct_size = sizeof definition,
                                  .jvp = jvp,
                                  .vjp = vjp,
                                  .vmap = vmap,
                                  .user = custom,
                                  .destroy = destroy_custom};
  const tn_target_spec_t spec = {.name = TN_SV_LITERAL("custom_function"),
                                 .definition = &definition};
  const char* platform = tn_device_platform(tn_scope_device(scope));
  status = tn__target_create(&spec, platform, &facts, NULL, &target);
  if (status) {
    destroy_custom(custom);
    return status;
  }
  status = tn__registered_op_create(1, &target, out_op);
  tn__target_release(target);
  if (!status) (*out_op)->op.traits = TN_IDENTITY;
  return status;
}

// Outputs of the function become operands of the step, with the inputs behind them.
static tn_status_t add_step(tn_scope_t* scope, const tn_op_t* op, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** outputs) {
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  const size_t count = input_count + output_count;
  const size_t byte_size = count * sizeof(tn_array_t*) + output_count * sizeof(tn_array_type_t);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, byte_size, &memory));
  tn_array_type_t* types = memory;
  tn_array_t** operands = (tn_array_t**)(types + output_count);
  for (size_t i = 0; i < output_count; ++i) {
    operands[i] = outputs[i];
    types[i] = (tn_array_type_t){outputs[i]->dtype, outputs[i]->rank, outputs[i]->dims};
  }
  if (input_count) memcpy(operands + output_count, inputs, input_count * sizeof *inputs);
  const tn_step_spec_t spec = {
      .op = op,
      .operand_count = count,
      .operands = operands,
      .result_count = output_count,
      .result_types = types,
  };
  tn__step_add(scope, &spec, outputs);
  tn__free(allocator, memory, byte_size);
  return TN_OK;
}

tn_status_t tn__custom_attach(tn_scope_t* scope, const tn_custom_function_t* function,
                              size_t input_count, tn_array_t* const* inputs, size_t output_count,
                              tn_array_t** outputs) {
  tn_registered_op_t* op = NULL;
  tn_status_t status = create_op(scope, function, false, &op);
  if (!status) status = add_step(scope, &op->op, input_count, inputs, output_count, outputs);
  if (op) tn__op_release(&op->op);
  return status;
}

// With rules of its own the function is a constant to derivatives inside: what it is made of needs
// none.
static tn_status_t call_inside(const char* name, tn_scope_t* scope,
                               const tn_custom_function_t* function, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count,
                               tn_array_t** out_outputs) {
  const tn_allocator_t* allocator = tn_allocator_system();
  void* memory = NULL;
  if (!function->jvp && !function->vjp) {
    return tn__closure_call(name, &function->function, scope, input_count, inputs, output_count,
                            out_outputs);
  }
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** constants = memory;
  for (size_t i = 0; i < input_count; ++i) constants[i] = tn_array_stop_gradient(scope, inputs[i]);
  tn_status_t status = tn__closure_call(name, &function->function, scope, input_count, constants,
                                        output_count, out_outputs);
  tn__free(allocator, constants, input_count * sizeof *constants);
  return status;
}

static tn_status_t call_with_rules(tn_scope_t* scope, const tn_custom_function_t* function,
                                   bool is_checkpoint, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out_outputs) {
  const char* name = is_checkpoint ? "tn_checkpoint" : "tn_custom_function_call";
  tn_registered_op_t* op = NULL;
  tn_status_t status = create_op(scope, function, is_checkpoint, &op);
  if (!status) {
    status = tn__scope_check(scope, name, input_count, inputs);
  }
  if (!status) {
    status = call_inside(name, scope, function, input_count, inputs, output_count, out_outputs);
  }
  if (!status && output_count) {
    status = add_step(scope, &op->op, input_count, inputs, output_count, out_outputs);
  }
  if (op) tn__op_release(&op->op);
  for (size_t i = 0; !status && i < output_count; ++i) status = tn_array_status(out_outputs[i]);
  for (size_t i = 0; status && i < output_count; ++i) out_outputs[i] = NULL;
  return status;
}

tn_status_t tn_custom_function_call(tn_scope_t* scope, const tn_custom_function_t* function,
                                    size_t input_count, tn_array_t* const* inputs,
                                    size_t output_count, tn_array_t** out_outputs) {
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_NULL(scope);
  if (input_count) TN_RETURN_IF_NULL(inputs);
  tn_custom_function_t copy;
  tn_status_t status;
  function = TN_OPTIONS_READ(tn_custom_function_t, function, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  TN_RETURN_IF_ERROR(tn__closure_check("tn_custom_function_call", &function->function));
  return call_with_rules(scope, function, false, input_count, inputs, output_count, out_outputs);
}

tn_status_t tn_checkpoint(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                          tn_array_t* const* inputs, size_t output_count,
                          tn_array_t** out_outputs) {
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_ERROR(tn__closure_check("tn_checkpoint", function));
  const tn_custom_function_t custom = {.struct_size = sizeof custom, .function = *function};
  return call_with_rules(scope, &custom, true, input_count, inputs, output_count, out_outputs);
}
