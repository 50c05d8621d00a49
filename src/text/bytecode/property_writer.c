// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an operation's attributes become: properties, with all that their absence says spelt out,
// and a dictionary of the others.
#include "text/bytecode/artifact.h"
#include "text/bytecode/codes.h"
#include "text/bytecode/defaults.h"

// --- which version of the operation

static void read_properties(tn_artifact_t* artifact, tn_artifact_op_t* op) {
  const char* const* names = op->vhlo->properties;
  void* memory = NULL;
  while (names[op->property_count]) ++op->property_count;
  tn__artifact_keep(artifact, tn__arena_allocate_array(&artifact->arena, op->property_count,
                                                       sizeof *op->properties, &memory));
  op->properties = memory;
  if (!memory) op->property_count = 0;
  for (size_t i = 0; i < op->property_count; ++i) {
    tn_artifact_property_t* property = &op->properties[i];
    (void)tn__vhlo_property_place(op->vhlo->op, names[i], &property->spec, &property->field);
  }
}

static tn_artifact_op_t* version_of(tn_artifact_t* artifact, const tn_vhlo_op_t* vhlo) {
  tn_artifact_op_t* op = &artifact->ops[vhlo - tn__vhlo_op_at(0)];
  if (!op->vhlo) {
    op->vhlo = vhlo;
    read_properties(artifact, op);
  }
  return op;
}

// The next younger version; NULL when there is none.
static const tn_vhlo_op_t* younger(const tn_vhlo_op_t* vhlo) {
  const bool is_last = vhlo == tn__vhlo_op_at(tn__vhlo_op_count() - 1);
  return !is_last && vhlo[1].op == vhlo->op ? vhlo + 1 : NULL;
}

static bool has_place(const tn_artifact_op_t* op, const tn_attr_spec_t* spec,
                      const tn_attr_spec_t* field) {
  for (size_t i = 0; i < op->property_count; ++i) {
    if (op->properties[i].spec == spec && op->properties[i].field == field) return true;
  }
  return false;
}

static const tn_attr_spec_t* find_spec(const tn_attr_spec_t* specs, tn_string_view_t name) {
  for (; specs && specs->name; ++specs) {
    if (tn__sv_is(name, specs->name)) return specs;
  }
  return NULL;
}

// Whether a version of the operation says what this attribute says.
static bool holds_attr(const tn_artifact_op_t* op, const tn_attr_spec_t* spec,
                       const tn_attr_t* attr) {
  if (has_place(op, spec, NULL) || tn__vhlo_is_default(spec, attr)) return true;
  if (spec->type != TN_ATTR_TYPE_STRUCT) return false;
  const tn_attr_spec_t* fields = tn__struct_fields(tn__sv(spec->of));
  for (size_t i = 0; i < attr->dictionary.count; ++i) {
    const tn_named_attr_t* entry = &attr->dictionary.entries[i];
    const tn_attr_spec_t* field = find_spec(fields, entry->name);
    if (!has_place(op, spec, field) && !tn__vhlo_is_default_field(spec, entry->attr)) return false;
  }
  return true;
}

// Whether any version has a property for the attribute, or for a field of it; else it is one of the
// dictionary.
static bool is_property(tn_artifact_t* artifact, const tn_artifact_op_t* op,
                        const tn_attr_spec_t* spec) {
  const tn_vhlo_op_t* newest = op->vhlo;
  while (younger(newest)) newest = younger(newest);
  const tn_artifact_op_t* latest = version_of(artifact, newest);
  for (size_t i = 0; i < latest->property_count; ++i) {
    if (latest->properties[i].spec == spec) return true;
  }
  return false;
}

static bool holds(tn_artifact_t* artifact, const tn_artifact_op_t* op, const tn_node_t* node) {
  switch (op->vhlo->uses) {
    case TN_VHLO_ONE_OPERAND:
      if (node->operand_count != 1) return false;
      break;
    case TN_VHLO_NO_REGIONS:
      if (node->region_count) return false;
      break;
    case TN_VHLO_ANY: break;
  }
  if (!younger(op->vhlo)) return true;
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const tn_named_attr_t* entry = &node->attrs.entries[i];
    const tn_attr_spec_t* spec = find_spec(op->vhlo->op->attrs, entry->name);
    if (!spec || !is_property(artifact, op, spec)) continue;
    if (!holds_attr(op, spec, entry->attr)) return false;
  }
  return true;
}

tn_artifact_op_t* tn__artifact_choose_op(tn_artifact_t* artifact, const tn_node_t* node) {
  const tn_op_t* written = tn__op_written(node->op);
  // One return ends functions and regions alike.
  if (written == TN__OP_OF(func, return )) written = TN__OP(return );
  const bool is_listed = written >= tn__ops && written < tn__ops + TN_OP_ID_COUNT;
  const tn_vhlo_op_t* vhlo = is_listed ? artifact->first_versions[written - tn__ops] : NULL;
  if (!vhlo) {
    tn__artifact_fail(artifact, "not an operation of StableHLO itself; no artifact can hold it");
    return NULL;
  }
  while (younger(vhlo) && younger(vhlo)->since <= artifact->version) vhlo = younger(vhlo);
  while (younger(vhlo) && !holds(artifact, version_of(artifact, vhlo), node)) vhlo = younger(vhlo);
  const bool is_first = vhlo == artifact->first_versions[written - tn__ops];
  tn__artifact_need(artifact, vhlo->since, is_first ? "the operation" : "this use of it");
  return version_of(artifact, vhlo);
}

// --- absent attributes

static size_t list_length(const tn_attr_t* list) {
  if (!list) return 0;
  switch (list->kind) {
    case TN_ATTR_DENSE_ARRAY: return (size_t)list->dense_array.count;
    case TN_ATTR_ELEMENTS: return (size_t)tn__type_size(list->elements.type);
    case TN_ATTR_ARRAY: return list->array.count;
    default: return 0;
  }
}

// How many dimensions the windows of a node have.
static size_t window_rank(const tn_node_t* node) {
  const tn_attr_t* window = tn__attr_find(&node->attrs, "window_dimensions");
  if (window) return list_length(window);
  const tn_attr_t* numbers = tn__attr_find(&node->attrs, "dimension_numbers");
  if (!numbers || numbers->kind != TN_ATTR_STRUCT) return 0;
  return list_length(tn__attr_find(&numbers->dictionary, "input_spatial_dimensions"));
}

static uint64_t default_list(tn_artifact_t* artifact, const tn_node_t* node,
                             const tn_attr_spec_t* spec) {
  const tn_dtype_t dtype = spec->type == TN_ATTR_TYPE_BOOL_LIST ? TN_DTYPE_PRED : TN_DTYPE_S64;
  const bool is_window = tn__vhlo_is_window_list(spec->name);
  const size_t columns = is_window && spec->type == TN_ATTR_TYPE_I64_PAIRS ? 2 : 0;
  return tn__artifact_splat(artifact, dtype, is_window ? window_rank(node) : 0, columns,
                            tn__vhlo_default_number(spec->name));
}

// One for each of the two operands of a product.
static uint64_t default_precision(tn_artifact_t* artifact) {
  const size_t mark = tn__artifact_mark(artifact);
  const uint64_t item = tn__artifact_code(artifact, TN_VHLO_PRECISION, TN_ENUM_precision_DEFAULT);
  tn__artifact_push(artifact, item);
  tn__artifact_push(artifact, item);
  return tn__artifact_list(artifact, mark);
}

// A typed custom call has a dictionary, others a string.
static uint64_t default_any(tn_artifact_t* artifact, const tn_node_t* node,
                            const tn_attr_spec_t* spec) {
  enum { TYPED = 4 };
  static const tn_attr_dictionary_t empty = {0};
  if (strcmp(spec->name, "backend_config") != 0) {
    return tn__artifact_list(artifact, tn__artifact_mark(artifact));
  }
  if (tn__attr_get_integer(&node->attrs, "api_version", 1) == TYPED) {
    return tn__artifact_attrs(artifact, &empty);
  }
  return tn__artifact_text(artifact, TN_SV_LITERAL(""));
}

static uint64_t default_value(tn_artifact_t* artifact, const tn_node_t* node,
                              const tn_attr_spec_t* spec) {
  static const tn_attr_dictionary_t empty = {0};
  const int64_t number = tn__vhlo_default_number(spec->name);
  switch (spec->type) {
    case TN_ATTR_TYPE_BOOL:
    case TN_ATTR_TYPE_UNIT: return tn__artifact_code(artifact, TN_VHLO_BOOLEAN, false);
    case TN_ATTR_TYPE_I32: return tn__artifact_integer(artifact, TN_DTYPE_S32, number);
    case TN_ATTR_TYPE_I64: return tn__artifact_integer(artifact, TN_DTYPE_S64, number);
    case TN_ATTR_TYPE_STRING: return tn__artifact_text(artifact, TN_SV_LITERAL(""));
    case TN_ATTR_TYPE_I64_LIST:
    case TN_ATTR_TYPE_BOOL_LIST:
    case TN_ATTR_TYPE_I64_PAIRS: return default_list(artifact, node, spec);
    case TN_ATTR_TYPE_ENUM:
      return tn__artifact_code(artifact, tn__vhlo_enumeration_code(tn__sv(spec->of)), 0);
    case TN_ATTR_TYPE_ENUM_LIST: return default_precision(artifact);
    case TN_ATTR_TYPE_DICTIONARY: return tn__artifact_attrs(artifact, &empty);
    case TN_ATTR_TYPE_STRUCT: return tn__artifact_accuracy(artifact, &empty);
    case TN_ATTR_TYPE_ANY: return default_any(artifact, node, spec);
    case TN_ATTR_TYPE_SYMBOL_LIST:
    case TN_ATTR_TYPE_LAYOUT_LIST:
    case TN_ATTR_TYPE_STRUCT_LIST: return tn__artifact_list(artifact, tn__artifact_mark(artifact));
    default: break;  // these are never absent
  }
  tn__artifact_fail(artifact, "attribute \"%s\" is missing", spec->name);
  return 0;
}

// --- properties

static tn_artifact_form_t form_of(tn_attr_type_t type) {
  switch (type) {
    case TN_ATTR_TYPE_SYMBOL:
    case TN_ATTR_TYPE_SYMBOL_LIST: return TN_FORM_STRING;
    case TN_ATTR_TYPE_I64_LIST:
    case TN_ATTR_TYPE_BOOL_LIST: return TN_FORM_TENSOR;
    default: return TN_FORM_VHLO;
  }
}

static uint64_t given_value(tn_artifact_t* artifact, const tn_attr_spec_t* spec,
                            const tn_attr_t* attr) {
  if (spec->type == TN_ATTR_TYPE_UNIT) return tn__artifact_code(artifact, TN_VHLO_BOOLEAN, true);
  const uint64_t number = tn__artifact_attr(artifact, attr, form_of(spec->type));
  if (number != TN_ARTIFACT_NOTHING) return number;
  tn__artifact_fail(artifact, "attribute \"%s\" is of another dialect than StableHLO", spec->name);
  return 0;
}

// The version of a custom call's interface is an enumerator there.
static uint64_t api_version(tn_artifact_t* artifact, const tn_node_t* node) {
  return tn__artifact_code(artifact, TN_VHLO_API_VERSION,
                           (uint64_t)tn__attr_get_integer(&node->attrs, "api_version", 1));
}

static uint64_t property_value(tn_artifact_t* artifact, const tn_node_t* node,
                               const tn_artifact_property_t* property) {
  const tn_attr_spec_t* spec = property->spec;
  const tn_attr_t* attr = tn__attr_find(&node->attrs, spec->name);
  if (!strcmp(spec->name, "api_version")) return api_version(artifact, node);
  if (!property->field) {
    return attr ? given_value(artifact, spec, attr) : default_value(artifact, node, spec);
  }
  // All fields of an absent algorithm are the type none.
  if (!attr && !strcmp(spec->of, "dot_algorithm")) {
    return tn__artifact_type_attr(artifact, tn__artifact_plain_type(artifact, TN_VHLO_NONE));
  }
  const tn_attr_t* field = attr ? tn__attr_find(&attr->dictionary, property->field->name) : NULL;
  return field ? given_value(artifact, property->field, field)
               : default_value(artifact, node, property->field);
}

static uint64_t write_properties(tn_artifact_t* artifact, const tn_artifact_op_t* op,
                                 const tn_node_t* node) {
  const size_t mark = tn__artifact_mark(artifact);
  for (size_t i = 0; i < op->property_count && !artifact->status; ++i) {
    tn__artifact_push(artifact, property_value(artifact, node, &op->properties[i]));
  }
  tn__artifact_pop(artifact, mark, tn__artifact_begin(artifact, TN_ENCODING_VHLO));
  return tn__artifact_end(artifact, &artifact->properties);
}

static uint64_t write_dictionary(tn_artifact_t* artifact, const tn_artifact_op_t* op,
                                 const tn_node_t* node) {
  const size_t mark = tn__artifact_mark(artifact);
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const tn_named_attr_t* entry = &node->attrs.entries[i];
    const tn_attr_spec_t* spec = find_spec(op->vhlo->op->attrs, entry->name);
    if (spec && is_property(artifact, op, spec)) continue;
    tn__artifact_push_entry(artifact, TN_FORM_BUILTIN, TN_FORM_VHLO, entry);
  }
  if (tn__artifact_mark(artifact) == mark) return TN_ARTIFACT_NOTHING;
  return tn__artifact_dictionary(artifact, TN_FORM_BUILTIN, mark);
}

void tn__artifact_node_attrs(tn_artifact_t* artifact, const tn_artifact_op_t* op,
                             const tn_node_t* node, uint64_t* out_properties,
                             uint64_t* out_dictionary) {
  // Nodes may share a long list of attributes.
  enum { PROPERTIES, DICTIONARY, FORMS };
  const bool is_long = node->attrs.count >= TN_ATTR_LARGE_PARTS;
  const uint64_t form = (uint64_t)(op - artifact->ops) * FORMS;
  *out_properties = *out_dictionary = TN_ARTIFACT_NOTHING;
  if (is_long &&
      tn__artifact_recall(&artifact->known_ops, node->attrs.entries, form + PROPERTIES,
                          out_properties) &&
      tn__artifact_recall(&artifact->known_ops, node->attrs.entries, form + DICTIONARY,
                          out_dictionary)) {
    return;
  }
  if (op->property_count) *out_properties = write_properties(artifact, op, node);
  if (node->attrs.count) *out_dictionary = write_dictionary(artifact, op, node);
  if (!is_long) return;
  tn__artifact_note(artifact, &artifact->known_ops, node->attrs.entries, form + PROPERTIES,
                    *out_properties);
  tn__artifact_note(artifact, &artifact->known_ops, node->attrs.entries, form + DICTIONARY,
                    *out_dictionary);
}
