// Functions of arrays as modules, and steps as text.
#include <stdio.h>

#include "lazy/eval.h"
#include "lazy/graph.h"
#include "lazy/rules/rules.h"
#include "lazy/tape.h"

static tn_status_t trace(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                         tn_array_t* const* inputs, tn_array_t** stand_ins, size_t output_count,
                         tn_array_t** outputs, tn_module_t** out_module) {
  tn_graph_t graph;
  for (size_t i = 0; i < input_count; ++i) {
    stand_ins[i] = tn__abstract(scope, inputs[i]->dtype, inputs[i]->rank, inputs[i]->dims);
    TN_RETURN_IF_ERROR(tn_array_status(stand_ins[i]));
  }
  TN_RETURN_IF_ERROR(tn__closure_call("tn_export_function", function, scope, input_count, stand_ins,
                                      output_count, outputs));
  tn__graph_init(&graph, tn__scope_evaluator(scope));
  tn_status_t status = tn__graph_collect_whole(&graph, output_count, outputs);
  if (!status) {
    status =
        tn__graph_export(&graph, true, input_count, stand_ins, output_count, outputs, out_module);
  }
  tn__graph_forget(&graph);
  tn__graph_deinit(&graph);
  return status;
}

tn_status_t tn_export_function(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count,
                               tn_module_t** out_module) {
  tn_scope_t* inner = NULL;
  void* memory = NULL;
  *out_module = NULL;
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_export_function", input_count, inputs));
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  const size_t count = input_count + output_count;
  TN_RETURN_IF_ERROR(tn_scope_nest(scope, &inner));
  atomic_fetch_add(&tn__scope_evaluator(scope)->transform_count, 1);
  tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory);
  tn_array_t** arrays = memory;
  if (!status) {
    status = trace(inner, function, input_count, inputs, arrays, output_count, arrays + input_count,
                   out_module);
  }
  atomic_fetch_sub(&tn__scope_evaluator(scope)->transform_count, 1);
  tn__free(allocator, arrays, count * sizeof *arrays);
  tn_scope_destroy(inner);
  return status;
}

// The functions, each in a module of its own, as those of one.
static tn_status_t join(tn_scope_t* scope, size_t count, const tn_export_t* exports,
                        tn_module_t* module) {
  for (size_t i = 0; i < count; ++i) {
    const tn_export_t* one = &exports[i];
    tn_module_t* own = NULL;
    if (!one->name || !*one->name || !one->function.call) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "tn_export_functions: function %zu has no %s", i,
                              one->function.call ? "name" : "call");
    }
    tn_status_t status = tn_export_function(scope, &one->function, one->input_count, one->inputs,
                                            one->output_count, &own);
    if (!status) {
      status = tn__module_copy_function(module, tn__module_entry(own), tn__sv(one->name));
    }
    tn_module_release(own);
    if (status) return tn_status_prefix(status, "@%s", one->name);
  }
  return tn__module_verify(module);
}

tn_status_t tn_export_functions(tn_scope_t* scope, size_t count, const tn_export_t* exports,
                                tn_module_t** out_module) {
  tn_module_t* module = NULL;
  *out_module = NULL;
  if (count == 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_export_functions: no functions");
  }
  TN_RETURN_IF_ERROR(tn__module_create(tn__scope_evaluator(scope)->allocator, &module));
  tn_status_t status = join(scope, count, exports, module);
  if (status) {
    tn_module_release(module);
    return status;
  }
  *out_module = module;
  return TN_OK;
}

// --- one step

static tn_rule_t rule_of(const tn_step_t* step) {
  return tn__step_rule(step, NULL, step->operands, step->result_types);
}

size_t tn_array_describe(const tn_array_t* array, char* buffer, size_t capacity) {
  const tn_step_t* step = array ? array->step : NULL;
  if (capacity) buffer[0] = 0;
  if (!step) return 0;
  const tn_rule_t rule = rule_of(step);
  if (rule.op && rule.op->print) return rule.op->print(&rule, buffer, capacity);
  const char* name = tn__step_name(step);
  const char* dot = strrchr(name, '.');
  const int length = snprintf(buffer, capacity, "%s", dot && !step->target ? dot + 1 : name);
  return length > 0 ? (size_t)length : 0;
}

bool tn_array_is_equivalent(const tn_array_t* a, const tn_array_t* b) {
  if (a == b) return true;
  const tn_step_t *x = a ? a->step : NULL, *y = b ? b->step : NULL;
  if (!x || !y || x->op != y->op || x->target != y->target || x->excerpt != y->excerpt ||
      a->index != b->index || x->operand_count != y->operand_count ||
      x->body.kind != y->body.kind || x->body.op != y->body.op ||
      x->body.region != y->body.region || a->dtype != b->dtype || a->rank != b->rank) {
    return false;
  }
  for (size_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  for (uint32_t i = 0; i < x->operand_count; ++i) {
    if (x->operands[i] != y->operands[i]) return false;
  }
  const tn_rule_t first = rule_of(x), second = rule_of(y);
  if (first.op && first.op->equal) return first.op->equal(&first, &second);
  return tn__attributes_equal(x->attributes, y->attributes);
}
