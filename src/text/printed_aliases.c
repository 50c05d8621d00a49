// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Large attributes and types that a module mentions more than once are defined before it and
// mentioned by name, so that its text is no longer than what it was read from.
#include "text/printer.h"

typedef struct alias {
  const void* value;  // whose address is the name in the table
  const tn_attr_t* attr;
  const tn_type_t* type;
  uint32_t mentions;
} alias_t;

static bool type_is_large(const tn_type_t* type) {
  return type->part_count >= TN_ATTR_LARGE_PARTS;
}

// --- counting: what is inside of a value is added first, as it must be defined first

// False for a value that has not been added.
static bool mention(tn_printer_t* printer, const void* value) {
  tn_name_entry_t* entry = tn__names_find(&printer->aliases, tn__names_address(&value));
  if (entry) ++((alias_t*)entry->pointer)->mentions;
  return entry != NULL;
}

static void add(tn_printer_t* printer, const void* value, const tn_attr_t* attr,
                const tn_type_t* type) {
  void* memory = NULL;
  tn_status_t status = tn__arena_allocate(&printer->alias_arena, sizeof(alias_t), &memory);
  if (!status) {
    alias_t* alias = memory;
    *alias = (alias_t){value, attr, type, 1};
    status = tn__names_add(&printer->aliases, tn__names_address(&alias->value), 0, alias);
  }
  tn__printer_keep(printer, status);
}

static void count_type(tn_printer_t* printer, const tn_type_t* type) {
  if (!type_is_large(type) || mention(printer, type)) return;
  for (size_t i = 0; i < type->element_count; ++i) count_type(printer, type->elements[i]);
  add(printer, type, NULL, type);
}

static void count_attrs(tn_printer_t* printer, const tn_attr_dictionary_t* attrs);

static void count_attr(tn_printer_t* printer, const tn_attr_t* attr) {
  const bool is_large = tn__attr_is_large(attr);
  if (is_large && mention(printer, attr)) return;
  if (attr->kind == TN_ATTR_TYPE) count_type(printer, attr->type.type);
  if (attr->kind == TN_ATTR_ARRAY) {
    for (size_t i = 0; i < attr->array.count; ++i) count_attr(printer, attr->array.items[i]);
  }
  if (attr->kind == TN_ATTR_DICTIONARY || attr->kind == TN_ATTR_STRUCT) {
    count_attrs(printer, &attr->dictionary);
  }
  if (is_large) add(printer, attr, attr, NULL);
}

static void count_attrs(tn_printer_t* printer, const tn_attr_dictionary_t* attrs) {
  for (size_t i = 0; i < attrs->count; ++i) count_attr(printer, attrs->entries[i].attr);
}

static void count_region(tn_printer_t* printer, const tn_region_t* region) {
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    count_type(printer, region->arguments[i].type);
  }
  TN_FOR_EACH_NODE (node, region) {
    count_attrs(printer, &node->attrs);
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      count_type(printer, tn__value_resolve(node->operands[i])->type);
    }
    for (uint32_t i = 0; i < node->result_count; ++i) count_type(printer, node->results[i].type);
    for (uint32_t i = 0; i < node->region_count; ++i) count_region(printer, node->regions[i]);
  }
}

static void count_function(tn_printer_t* printer, const tn_function_t* function) {
  count_attrs(printer, &function->attrs);
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    count_type(printer, function->argument_types[i]);
    count_attrs(printer, &function->argument_attrs[i]);
  }
  for (uint32_t i = 0; i < function->result_count; ++i) {
    count_type(printer, function->result_types[i]);
    count_attrs(printer, &function->result_attrs[i]);
  }
  if (function->body) count_region(printer, function->body);
}

// --- printing

void tn__printer_define_aliases(tn_printer_t* printer, const tn_module_t* module) {
  count_attrs(printer, &module->attrs);
  for (const tn_function_t* f = module->first_function; f; f = f->next) count_function(printer, f);
  uint32_t number = 0;
  for (size_t i = 0; i < printer->aliases.count; ++i) {
    tn_name_entry_t* entry = &printer->aliases.entries[i];
    const alias_t* alias = entry->pointer;
    if (alias->mentions < 2) continue;
    tn__put_text(printer, alias->type ? "!shared" : "#shared");
    tn__put_integer(printer, ++number);
    tn__put(printer, " = ", 3);
    if (alias->type) {
      tn__put_type(printer, alias->type);
    } else {
      tn__put_attr(printer, alias->attr);
    }
    tn__put(printer, "\n", 1);
    entry->number = number;  // from here on it is mentioned
  }
}

static bool put_alias(tn_printer_t* printer, const char* sigil, const void* value) {
  const tn_name_entry_t* entry = tn__names_find(&printer->aliases, tn__names_address(&value));
  if (!entry || !entry->number) return false;
  tn__put_text(printer, sigil);
  tn__put_integer(printer, entry->number);
  return true;
}

bool tn__put_attr_alias(tn_printer_t* printer, const tn_attr_t* attr) {
  return tn__attr_is_large(attr) && put_alias(printer, "#shared", attr);
}

bool tn__put_type_alias(tn_printer_t* printer, const tn_type_t* type) {
  return type_is_large(type) && put_alias(printer, "!shared", type);
}
