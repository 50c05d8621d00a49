// Attributes of the IR as those that callers of <tenon/builder.h> write down: the way back of
// ir/builder_attr.c.
#include "ir/builder.h"

static tn_status_t convert(const tn_attr_spec_t* spec, const tn_attr_t* attr, tn_arena_t* arena,
                           tn_attribute_t* out, bool* out_is_complete);

// A view with a NUL behind it.
static tn_status_t copy_name(tn_arena_t* arena, tn_string_view_t name, const char** out_name) {
  tn_string_view_t copy;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, name, &copy));
  *out_name = copy.length ? copy.data : "";
  return TN_OK;
}

static const tn_attr_spec_t* find_spec(const tn_attr_spec_t* spec, tn_string_view_t name) {
  for (; spec && spec->name; ++spec) {
    if (tn__sv_equal(name, tn__sv(spec->name))) return spec;
  }
  return NULL;
}

static tn_status_t convert_entries(const tn_attr_spec_t* specs, const tn_attr_dictionary_t* entries,
                                   tn_arena_t* arena, tn_attribute_t** out, bool* out_is_complete) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, entries->count, out));
  for (size_t i = 0; i < entries->count && *out_is_complete; ++i) {
    const tn_named_attr_t* entry = &entries->entries[i];
    TN_RETURN_IF_ERROR(
        convert(find_spec(specs, entry->name), entry->attr, arena, &(*out)[i], out_is_complete));
    TN_RETURN_IF_ERROR(copy_name(arena, entry->name, &(*out)[i].name));
  }
  return TN_OK;
}

// Elements of a list, whichever way it is written; a splat is written out.
static tn_status_t convert_elements(const tn_attr_t* attr, tn_arena_t* arena, tn_attribute_t* out) {
  const tn_type_t* type = attr->elements.type;
  const size_t size = tn_dtype_size(type->dtype);
  void* memory = NULL;
  size_t count = 1;
  for (size_t i = 0; i < type->rank; ++i) count *= (size_t)type->dims[i];
  out->kind = TN_ATTRIBUTE_ARRAY;
  out->dtype = type->dtype;
  out->count = count;
  out->data = attr->elements.data;
  if (!attr->elements.splat) return TN_OK;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, size, &memory));
  for (size_t i = 0; i < count; ++i) memcpy((char*)memory + i * size, attr->elements.data, size);
  out->data = memory;
  return TN_OK;
}

static tn_status_t convert(const tn_attr_spec_t* spec, const tn_attr_t* attr, tn_arena_t* arena,
                           tn_attribute_t* out, bool* out_is_complete) {
  tn_attribute_t* entries = NULL;
  const tn_attr_spec_t* fields = NULL;
  *out = (tn_attribute_t){.dtype = attr->dtype};
  switch (attr->kind) {
    case TN_ATTR_BOOL:
      out->kind = TN_ATTRIBUTE_BOOL;
      out->integer = attr->boolean;
      return TN_OK;
    case TN_ATTR_INTEGER:
      out->kind = TN_ATTRIBUTE_INTEGER;
      out->integer = attr->integer;
      return TN_OK;
    case TN_ATTR_FLOAT:
      out->kind = TN_ATTRIBUTE_FLOAT;
      out->real = attr->real;
      return TN_OK;
    case TN_ATTR_STRING:
    case TN_ATTR_ENUM:
      out->kind = TN_ATTRIBUTE_STRING;
      out->data = attr->string.data;
      out->count = attr->string.length;
      return TN_OK;
    case TN_ATTR_DENSE_ARRAY:
      out->kind = TN_ATTRIBUTE_ARRAY;
      out->data = attr->dense_array.data;
      out->count = (size_t)attr->dense_array.count;
      return TN_OK;
    case TN_ATTR_ELEMENTS:
      // A typed call tells a tensor from a list; an operation's own lists are either.
      if (spec) return convert_elements(attr, arena, out);
      break;
    case TN_ATTR_STRUCT: fields = spec && spec->of ? tn__struct_fields(tn__sv(spec->of)) : NULL;
    // fall through
    case TN_ATTR_DICTIONARY:
      if (attr->kind == TN_ATTR_STRUCT && !fields) break;
      TN_RETURN_IF_ERROR(
          convert_entries(fields, &attr->dictionary, arena, &entries, out_is_complete));
      out->kind = TN_ATTRIBUTE_DICTIONARY;
      out->count = attr->dictionary.count;
      out->entries = entries;
      return TN_OK;
    default: break;
  }
  *out_is_complete = false;
  return TN_OK;
}

// Says how, not what.
static bool is_hint(tn_string_view_t name) {
  return tn__sv_equal(name, TN_SV_LITERAL("precision_config")) ||
         tn__sv_equal(name, TN_SV_LITERAL("result_accuracy"));
}

tn_status_t tn__node_attribute_list(const tn_node_t* node, tn_arena_t* arena, size_t* out_count,
                                    tn_attribute_t** out_attributes, bool* out_is_complete) {
  *out_count = 0;
  *out_is_complete = true;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, node->attrs.count, out_attributes));
  for (size_t i = 0; i < node->attrs.count && *out_is_complete; ++i) {
    const tn_named_attr_t* entry = &node->attrs.entries[i];
    const tn_attr_spec_t* spec = find_spec(node->op->attrs, entry->name);
    if (!spec || is_hint(entry->name)) continue;
    tn_attribute_t* next = &(*out_attributes)[(*out_count)++];
    TN_RETURN_IF_ERROR(convert(spec, entry->attr, arena, next, out_is_complete));
    next->name = spec->name;
  }
  return TN_OK;
}

tn_status_t tn__attribute_list(const tn_attr_dictionary_t* dictionary, tn_arena_t* arena,
                               tn_attribute_t** out_attributes, bool* out_is_complete) {
  *out_is_complete = true;
  return convert_entries(NULL, dictionary, arena, out_attributes, out_is_complete);
}
