// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/writer.h"

#include "text/printer.h"

// --- operations

void tn__put_operands(tn_printer_t* printer, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_value(printer, tn__value_resolve(node->operands[i]));
  }
}

static bool is_among(tn_string_view_t name, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (tn__sv_is(name, names[i])) return true;
  }
  return false;
}

void tn__put_other_attrs(tn_printer_t* printer, const tn_node_t* node, const char* const* used,
                         size_t used_count) {
  bool first = true;
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const tn_named_attr_t* entry = &node->attrs.entries[i];
    if (is_among(entry->name, used, used_count)) continue;
    tn__put_text(printer, first ? " {" : ", ");
    first = false;
    tn__put_entry(printer, entry);
  }
  if (!first) tn__put(printer, "}", 1);
}

static bool is_inherent(const tn_op_t* op, tn_string_view_t name) {
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (tn__sv_is(name, spec->name)) return true;
  }
  return false;
}

// The attributes that the operation specifies, or the others.
static void put_attrs_of_kind(tn_printer_t* printer, const tn_node_t* node, bool inherent,
                              const char* open, const char* close) {
  bool first = true;
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const tn_named_attr_t* entry = &node->attrs.entries[i];
    if (is_inherent(tn__op_written(node->op), entry->name) != inherent) continue;
    tn__put_text(printer, first ? open : ", ");
    first = false;
    tn__put_entry(printer, entry);
  }
  if (!first) tn__put_text(printer, close);
}

static void put_generic(tn_printer_t* printer, const tn_node_t* node) {
  tn__put_string(printer, tn__sv(tn__op_written(node->op)->name));
  tn__put(printer, "(", 1);
  tn__put_operands(printer, node);
  tn__put(printer, ")", 1);
  put_attrs_of_kind(printer, node, true, " <{", "}>");
  if (node->region_count) {
    tn__put(printer, " ", 1);
    tn__put_region_list(printer, node);
  }
  put_attrs_of_kind(printer, node, false, " {", "}");
  tn__put(printer, " : ", 3);
  tn__put_function_type(printer, node);
}

static void put_result_names(tn_printer_t* printer, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->result_count;) {
    const tn_value_t* head = &node->results[i];
    uint32_t count = tn__printer_group_size(printer, head);
    if (i) tn__put(printer, ", ", 2);
    tn__put_group(printer, head);
    i += count ? count : 1;
  }
  if (node->result_count) tn__put(printer, " = ", 3);
}

static void put_node(tn_printer_t* printer, const tn_node_t* node) {
  tn__put_line(printer);
  // The results are not in scope in the operation's own regions, but their names are taken: the
  // scopes there begin with them.
  tn__printer_name_results(printer, node);
  put_result_names(printer, node);
  if (!tn__put_pretty(printer, node) && !tn__put_form(printer, node)) put_generic(printer, node);
}

// --- regions

static void put_nodes(tn_printer_t* printer, const tn_region_t* region) {
  ++printer->indent;
  TN_FOR_EACH_NODE (node, region) {
    if (printer->status) break;
    put_node(printer, node);
  }
  --printer->indent;
  tn__put_line(printer);
}

void tn__put_region(tn_printer_t* printer, const tn_region_t* region) {
  bool outer = printer->in_region;
  printer->in_region = true;
  tn__put(printer, "{", 1);
  put_nodes(printer, region);
  tn__put(printer, "}", 1);
  printer->in_region = outer;
}

void tn__put_labelled_region(tn_printer_t* printer, const tn_region_t* region) {
  tn_name_scope_t scope = tn__printer_enter(printer);
  bool outer = printer->in_region;
  printer->in_region = true;
  tn__put(printer, "{", 1);
  if (region->argument_count) {
    tn__put_line(printer);
    tn__put_text(printer, "^bb0(");
    for (uint32_t i = 0; i < region->argument_count; ++i) {
      const tn_value_t* argument = &region->arguments[i];
      tn__printer_name(printer, argument, "arg");
      if (i) tn__put(printer, ", ", 2);
      tn__put_value(printer, argument);
      tn__put(printer, ": ", 2);
      tn__put_type(printer, argument->type);
    }
    tn__put_text(printer, "):");
  }
  put_nodes(printer, region);
  tn__put(printer, "}", 1);
  printer->in_region = outer;
  tn__printer_leave(printer, scope);
}

void tn__put_region_list(tn_printer_t* printer, const tn_node_t* node) {
  tn__put(printer, "(", 1);
  for (uint32_t i = 0; i < node->region_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_labelled_region(printer, node->regions[i]);
  }
  tn__put(printer, ")", 1);
}

// --- functions and modules

static void put_optional_dictionary(tn_printer_t* printer, const char* before,
                                    const tn_attr_dictionary_t* dictionary) {
  if (dictionary->count == 0) return;
  tn__put_text(printer, before);
  tn__put_dictionary(printer, dictionary);
}

static void put_results(tn_printer_t* printer, const tn_function_t* function) {
  uint32_t count = function->result_count;
  bool bare = count == 1 && function->result_attrs[0].count == 0;
  if (count == 0) return;
  tn__put_text(printer, bare ? " -> " : " -> (");
  for (uint32_t i = 0; i < count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_type(printer, function->result_types[i]);
    put_optional_dictionary(printer, " ", &function->result_attrs[i]);
  }
  if (!bare) tn__put(printer, ")", 1);
}

static void put_function(tn_printer_t* printer, const tn_function_t* function) {
  tn__printer_begin_function(printer);
  tn__put_line(printer);
  tn__put_text(printer, "func.func ");
  if (function->visibility.length) {
    tn__put_view(printer, function->visibility);
    tn__put(printer, " ", 1);
  }
  tn__put_symbol(printer, function->name);
  tn__put(printer, "(", 1);
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    if (function->body) {
      const tn_value_t* argument = &function->body->arguments[i];
      tn__printer_name(printer, argument, "arg");
      tn__put_value(printer, argument);
      tn__put(printer, ": ", 2);
    }
    tn__put_type(printer, function->argument_types[i]);
    put_optional_dictionary(printer, " ", &function->argument_attrs[i]);
  }
  tn__put(printer, ")", 1);
  put_results(printer, function);
  put_optional_dictionary(printer, " attributes ", &function->attrs);
  if (!function->body) return;
  printer->in_region = false;
  tn__put(printer, " {", 2);
  put_nodes(printer, function->body);
  tn__put(printer, "}", 1);
}

static void put_preamble(tn_printer_t* printer, tn_string_view_t lines) {
  while (lines.length) {
    const char* newline = memchr(lines.data, '\n', lines.length);
    size_t length = newline ? (size_t)(newline - lines.data) : lines.length;
    tn__put_line(printer);
    tn__put(printer, lines.data, length);
    lines.data += length + 1;
    lines.length -= length + 1;
  }
}

tn_status_t tn__text_write(const tn_module_t* module, tn_write_fn write, void* user) {
  tn_printer_t printer;
  tn__printer_init(&printer, module->allocator, write, user);
  tn__printer_define_aliases(&printer, module);
  tn__put_text(&printer, "module");
  if (module->name.length) {
    tn__put(&printer, " ", 1);
    tn__put_symbol(&printer, module->name);
  }
  put_optional_dictionary(&printer, " attributes ", &module->attrs);
  tn__put(&printer, " {", 2);
  ++printer.indent;
  put_preamble(&printer, module->preamble);
  for (const tn_function_t* f = module->first_function; f; f = f->next) put_function(&printer, f);
  --printer.indent;
  tn__put_text(&printer, "\n}\n");
  return tn__printer_deinit(&printer);
}

tn_status_t tn__text_write_attribute(const tn_allocator_t* allocator, const tn_attr_t* attr,
                                     tn_write_fn write, void* user) {
  tn_printer_t printer;
  tn__printer_init(&printer, allocator, write, user);
  tn__put_attr(&printer, attr);
  return tn__printer_deinit(&printer);
}

tn_status_t tn__text_write_type(const tn_allocator_t* allocator, const tn_type_t* type,
                                tn_write_fn write, void* user) {
  tn_printer_t printer;
  tn__printer_init(&printer, allocator, write, user);
  tn__put_type(&printer, type);
  return tn__printer_deinit(&printer);
}

tn_status_t tn_module_print(const tn_module_t* module, tn_write_fn write, void* user) {
  TN_RETURN_IF_NULL(module);
  TN_RETURN_IF_NULL(write);
  return tn__text_write(module, write, user);
}
