#include "ir/ir.h"

typedef struct verifier {
  tn_function_t* function;
  tn_value_t** visible;  // by id: the value when it is defined and in scope here
  tn_arena_t scratch;    // of one node
} verifier_t;

static tn_status_t refuse(const tn_node_t* node, tn_status_t status) {
  return tn__node_locate(node, status);
}

static tn_status_t check_operands(const verifier_t* verifier, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* value = node->operands[i];
    if (!value) {
      return refuse(node, tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %u is missing",
                                           tn__op_short_name(node->op), i));
    }
    if (value->id >= verifier->function->value_count || verifier->visible[value->id] != value) {
      return refuse(node,
                    tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                     "%s: operand %u (%%%.*s) is not defined before this place, or "
                                     "belongs to another region or function",
                                     tn__op_short_name(node->op), i, TN_SV(value->name)));
    }
  }
  return TN_OK;
}

// A node that names a function in an attribute (the callee of a call, the decomposition of a
// composite) has that function's types.
static tn_status_t check_callee(const tn_node_t* node, const char* attr_name) {
  const char* name = tn__op_short_name(node->op);
  tn_string_view_t callee = tn__attr_get_string(&node->attrs, attr_name);
  const tn_module_t* module = node->region->function->module;
  const tn_function_t* function = tn__module_find_function(module, callee);
  if (!function) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: there is no function @%.*s", name,
                            TN_SV(callee));
  }
  if (node->operand_count != function->argument_count ||
      node->result_count != function->result_count) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        "%s: @%.*s takes %u arguments and gives %u results; found %u operands and %u results", name,
        TN_SV(callee), function->argument_count, function->result_count, node->operand_count,
        node->result_count);
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn_type_equal(node->operands[i]->type, function->argument_types[i])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %u is %s; @%.*s expects %s",
                              name, i, TN_TYPE_TEXT(node->operands[i]->type), TN_SV(callee),
                              TN_TYPE_TEXT(function->argument_types[i]));
    }
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (!tn_type_equal(node->results[i].type, function->result_types[i])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: result %u is %s; @%.*s gives %s", name,
                              i, TN_TYPE_TEXT(node->results[i].type), TN_SV(callee),
                              TN_TYPE_TEXT(function->result_types[i]));
    }
  }
  return TN_OK;
}

static tn_status_t check_node(verifier_t* verifier, const tn_node_t* node) {
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__node_use(node, &verifier->scratch, &use));
  TN_RETURN_IF_ERROR(tn__op_check(&use));
  if (node->op == TN__OP_OF(func, call)) return check_callee(node, "callee");
  if (node->op == TN__OP(composite)) return check_callee(node, "decomposition");
  return TN_OK;
}

static tn_status_t check_return(const tn_function_t* function, const tn_node_t* last) {
  if (!last || !tn__op_has(last->op, TN_TERMINATOR)) {
    tn_status_t status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "function @%.*s does not end in a return", TN_SV(function->name));
    return last ? refuse(last, status) : tn__function_locate(function, status);
  }
  if (last->operand_count != function->result_count) {
    return refuse(
        last, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                               "return: @%.*s gives %u results; found %u operands",
                               TN_SV(function->name), function->result_count, last->operand_count));
  }
  for (uint32_t i = 0; i < last->operand_count; ++i) {
    if (!tn_type_equal(last->operands[i]->type, function->result_types[i])) {
      return refuse(
          last, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                 "return: operand %u is %s; result %u of @%.*s is %s", i,
                                 TN_TYPE_TEXT(last->operands[i]->type), i, TN_SV(function->name),
                                 TN_TYPE_TEXT(function->result_types[i])));
    }
  }
  return TN_OK;
}

static tn_status_t check_region(verifier_t* verifier, const tn_region_t* region, size_t depth) {
  if (depth > TN_MAX_REGION_DEPTH) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "regions nest deeper than %d levels",
                            TN_MAX_REGION_DEPTH);
  }
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    verifier->visible[region->arguments[i].id] = &region->arguments[i];
  }
  TN_FOR_EACH_NODE (node, region) {
    TN_RETURN_IF_ERROR(check_operands(verifier, node));
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(check_region(verifier, node->regions[i], depth + 1));
      const tn_node_t* last = node->regions[i]->last;
      if (!last || !tn__op_has(last->op, TN_TERMINATOR)) {
        return refuse(last ? last : node, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                                           "%s: region %u does not end in a return",
                                                           tn__op_short_name(node->op), i));
      }
    }
    tn_status_t status = check_node(verifier, node);
    tn__arena_reset(&verifier->scratch);
    if (status) return refuse(node, status);
    if (tn__op_has(node->op, TN_TERMINATOR) && node->next) {
      return refuse(node->next,
                    tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: stands behind the return",
                                     tn__op_short_name(node->next->op)));
    }
    for (uint32_t i = 0; i < node->result_count; ++i) {
      verifier->visible[node->results[i].id] = &node->results[i];
    }
  }
  // What was defined here is not visible outside.
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    verifier->visible[region->arguments[i].id] = NULL;
  }
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->result_count; ++i) verifier->visible[node->results[i].id] = NULL;
  }
  return TN_OK;
}

static tn_status_t check_function(tn_function_t* function) {
  tn_status_t status = TN_OK;
  void* visible = NULL;
  const tn_allocator_t* allocator = function->module->allocator;
  tn__function_number(function);
  if (!function->body) return TN_OK;
  size_t count = function->value_count;
  verifier_t verifier = {.function = function};
  tn__arena_init(&verifier.scratch, allocator);
  TN_DONE_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_value_t*), &visible));
  verifier.visible = visible;
  TN_DONE_IF_ERROR(check_region(&verifier, function->body, 1));
  TN_DONE_IF_ERROR(check_return(function, function->body->last));
done:
  tn__free(allocator, visible, count * sizeof(tn_value_t*));
  tn__arena_deinit(&verifier.scratch);
  return status;
}

tn_status_t tn__module_verify(tn_module_t* module) {
  for (tn_function_t* f = module->first_function; f; f = f->next) {
    TN_RETURN_IF_ERROR(check_function(f));
  }
  return TN_OK;
}
