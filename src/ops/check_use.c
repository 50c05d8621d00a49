// The whole check of one use of an operation.
#include "ops/op.h"
#include "ops/spelling.h"

static tn_status_t check_count(const char* what, int wanted, int minimum, size_t found) {
  if (wanted == TN_VARIADIC) {
    if (found >= (size_t)minimum) return TN_OK;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "has %zu %s%s; expected at least %d", found,
                            what, found == 1 ? "" : "s", minimum);
  }
  if (found == (size_t)wanted) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "has %zu %s%s; expected %d", found, what,
                          found == 1 ? "" : "s", wanted);
}

// The specification that `name` looks like a misspelling of, among those that the use lacks.
static const tn_attr_spec_t* meant(const tn_op_use_t* use, tn_string_view_t name) {
  if (name.length && memchr(name.data, '.', name.length)) return NULL;
  for (const tn_attr_spec_t* spec = use->op->attrs; spec && spec->name; ++spec) {
    if (tn__attr_find(&use->attrs, spec->name)) continue;
    if (tn__spelling_is_near(name, tn__spelling_distance(name, tn__sv(spec->name)))) return spec;
  }
  return NULL;
}

static tn_status_t check_attrs(const tn_op_use_t* use) {
  for (size_t i = 0; i < use->attrs.count; ++i) {
    const tn_named_attr_t* entry = &use->attrs.entries[i];
    const tn_attr_spec_t* spec = use->op->attrs;
    while (spec && spec->name && !tn__sv_is(entry->name, spec->name)) ++spec;
    if (spec && spec->name) {
      TN_RETURN_IF_ERROR(tn__attr_check(spec, entry->attr));
      continue;
    }
    spec = meant(use, entry->name);
    if (spec) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "has no attribute \"%.*s\"; did you mean \"%s\"?", TN_SV(entry->name),
                              spec->name);
    }
  }
  for (const tn_attr_spec_t* spec = use->op->attrs; spec && spec->name; ++spec) {
    if (!spec->optional && !tn__attr_find(&use->attrs, spec->name)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" is missing", spec->name);
    }
  }
  return TN_OK;
}

static tn_status_t check_form(const tn_op_use_t* use) {
  const tn_op_t* op = use->op;
  TN_RETURN_IF_ERROR(
      check_count("operand", op->operands, op->minimum_operands, use->operand_count));
  TN_RETURN_IF_ERROR(check_count("region", op->regions, 0, use->region_count));
  return check_attrs(use);
}

// Whether a stated type may stand for an inferred one: equal but for dimensions that one of them
// does not know.
static bool compatible(const tn_type_t* stated, const tn_type_t* inferred) {
  if (stated->kind != inferred->kind) return false;
  if (stated->kind == TN_TYPE_TUPLE) {
    if (stated->element_count != inferred->element_count) return false;
    for (size_t i = 0; i < stated->element_count; ++i) {
      if (!compatible(stated->elements[i], inferred->elements[i])) return false;
    }
    return true;
  }
  if (stated->kind == TN_TYPE_TOKEN) return true;
  if (stated->dtype != inferred->dtype || stated->rank != inferred->rank) return false;
  for (size_t i = 0; i < stated->rank; ++i) {
    if (stated->dims[i] != inferred->dims[i] && stated->dims[i] != TN_DIM_DYNAMIC &&
        inferred->dims[i] != TN_DIM_DYNAMIC) {
      return false;
    }
  }
  return true;
}

static tn_status_t compare_results(const tn_op_use_t* use, size_t count,
                                   const tn_type_t* const* inferred) {
  if (use->result_count != count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "has %zu result%s; expected %zu",
                            use->result_count, use->result_count == 1 ? "" : "s", count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (compatible(use->result_types[i], inferred[i])) continue;
    if (count == 1) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "result has type %s; expected %s",
                              TN_TYPE_TEXT(use->result_types[0]), TN_TYPE_TEXT(inferred[0]));
    }
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "result %zu has type %s; expected %s", i,
                            TN_TYPE_TEXT(use->result_types[i]), TN_TYPE_TEXT(inferred[i]));
  }
  return TN_OK;
}

// Room for as many results as the operation can have.
static tn_status_t infer(const tn_op_use_t* use, size_t* out_count,
                         const tn_type_t* const** out_types) {
  size_t capacity = use->op->results == TN_VARIADIC ? use->operand_count + use->result_count
                                                    : (size_t)use->op->results;
  for (size_t i = 0; i < use->region_count; ++i) capacity += use->regions[i].result_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(use->arena, capacity, sizeof(const tn_type_t*), &memory));
  *out_types = memory;
  return use->op->infer(use, capacity, memory, out_count);
}

tn_status_t tn__op_check(const tn_op_use_t* use) {
  const tn_op_t* op = use->op;
  tn_status_t status = TN_OK;
  TN_DONE_IF_ERROR(check_form(use));
  TN_DONE_IF_ERROR(check_count("result", op->results, 0, use->result_count));
  if (op->infer) {
    size_t count = 0;
    const tn_type_t* const* types = NULL;
    status = infer(use, &count, &types);
    if (status) return status;  // names its operation itself
    TN_DONE_IF_ERROR(compare_results(use, count, types));
  }
  return op->verify ? op->verify(use) : TN_OK;
done:
  return tn_status_prefix(status, "%s", tn__op_short_name(op));
}

tn_status_t tn__op_infer(const tn_op_use_t* use, size_t capacity, const tn_type_t** out_types,
                         size_t* out_count) {
  *out_count = 0;
  const tn_op_t* op = use->op;
  size_t count = use->result_count;
  const tn_type_t* const* types = use->result_types;
  if (op->infer) {
    TN_RETURN_IF_ERROR(tn_status_prefix(check_form(use), "%s", tn__op_short_name(op)));
    TN_RETURN_IF_ERROR(infer(use, &count, &types));
  } else if (count == 0 && op->results != 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the result's type does not follow from the operands; state it",
                            tn__op_short_name(op));
  }
  tn_op_use_t stated = *use;
  stated.result_count = count;
  stated.result_types = types;
  TN_RETURN_IF_ERROR(tn__op_check(&stated));
  if (count > capacity) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s: %zu results; there is room for %zu",
                            tn__op_short_name(op), count, capacity);
  }
  if (count) memcpy(out_types, types, count * sizeof *types);
  *out_count = count;
  return TN_OK;
}
