// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Text on its way out: the state that the parts of the writer share. Inside of text/ only; from
// outside see writer.h.
#ifndef TENON_TEXT_PRINTER_H_
#define TENON_TEXT_PRINTER_H_

#include "base/names.h"
#include "ir/ir.h"

typedef struct tn_printed_name {
  const tn_value_t* value;  // NULL: free
  tn_string_view_t name;    // without %
  uint32_t group, offset;   // how many values share the name, and which of them this is
} tn_printed_name_t;

// After the first error nothing more is written; it is in `status` until the end.
typedef struct tn_printer {
  tn_write_fn write;
  void* user;
  tn_status_t status;
  const tn_allocator_t* allocator;
  tn_arena_t arena;  // names that are made up; of one function
  uint32_t indent;   // levels of two blanks
  bool in_region;    // of an operation, not directly in the function
  uint32_t next_number;
  tn_names_t taken;               // names in scope
  tn_printed_name_t* names;       // by value: open addressing
  size_t name_count, slot_count;  // of `names`
  tn_names_t aliases;             // of the whole module, by address
  tn_arena_t alias_arena;
  size_t used;
  char buffer[4096];
} tn_printer_t;

void tn__printer_init(tn_printer_t* printer, const tn_allocator_t* allocator, tn_write_fn write,
                      void* user);
// Writes what is left and gives the status, which the caller then owns.
TN_MUST_USE tn_status_t tn__printer_deinit(tn_printer_t* printer);

// Keeps the first error; takes the status, which may be NULL.
void tn__printer_keep(tn_printer_t* printer, tn_status_t status);

// --- printer.c

void tn__put(tn_printer_t* printer, const char* text, size_t length);
void tn__put_text(tn_printer_t* printer, const char* text);
void tn__put_view(tn_printer_t* printer, tn_string_view_t text);
void tn__put_integer(tn_printer_t* printer, int64_t value);
void tn__put_line(tn_printer_t* printer);                           // a newline and the indentation
void tn__put_string(tn_printer_t* printer, tn_string_view_t text);  // quoted
void tn__put_symbol(tn_printer_t* printer, tn_string_view_t name);  // @name
void tn__put_type(tn_printer_t* printer, const tn_type_t* type);
// (T, T) -> T
void tn__put_function_type(tn_printer_t* printer, const tn_node_t* node);
void tn__put_operand_types(tn_printer_t* printer, const tn_node_t* node);
// T, or (T, T)
void tn__put_result_types(tn_printer_t* printer, const tn_node_t* node);

// --- attr_printer.c

void tn__put_attr(tn_printer_t* printer, const tn_attr_t* attr);
// As pretty forms write it: without its type or the name of its kind.
void tn__put_natural_attr(tn_printer_t* printer, const tn_attr_t* attr);
// Whether that form says it all, for an attribute of this specification.
bool tn__attr_is_natural(const tn_attr_spec_t* spec, const tn_attr_t* attr);
void tn__put_i64_list(tn_printer_t* printer, const tn_attr_t* attr);  // [1, 2]
// k = v, k; without braces
void tn__put_entry(tn_printer_t* printer, const tn_named_attr_t* entry);
void tn__put_dictionary(tn_printer_t* printer, const tn_attr_dictionary_t* dictionary);
// The structure from its < on; of `conv`, what is between < and >.
void tn__put_struct_fields(tn_printer_t* printer, const tn_attr_t* attr);
void tn__put_convolution_numbers(tn_printer_t* printer, const tn_attr_t* attr);
// Whether the numbers can be written with letters, each dimension once.
bool tn__convolution_numbers_are_plain(const tn_attr_t* attr);

// --- printed_aliases.c

// Finds what the module mentions more than once, and defines it.
void tn__printer_define_aliases(tn_printer_t* printer, const tn_module_t* module);
// False, and nothing written, for what has no alias.
bool tn__put_attr_alias(tn_printer_t* printer, const tn_attr_t* attr);
bool tn__put_type_alias(tn_printer_t* printer, const tn_type_t* type);

// --- value_names.c

// Forgets all names.
void tn__printer_begin_function(tn_printer_t* printer);
// Gives the value a name that is not taken, from its own or a number. `fallback` NULL: a number.
void tn__printer_name(tn_printer_t* printer, const tn_value_t* value, const char* fallback);
// The same name for another value, in a scope where it is free.
void tn__printer_name_alike(tn_printer_t* printer, const tn_value_t* value, const tn_value_t* like);
// A result without a name of its own shares that of the one before it: %r:2.
void tn__printer_name_results(tn_printer_t* printer, const tn_node_t* node);
void tn__put_group(tn_printer_t* printer, const tn_value_t* head);  // %name, %name:2
uint32_t tn__printer_group_size(const tn_printer_t* printer, const tn_value_t* head);
void tn__put_value(tn_printer_t* printer, const tn_value_t* value);  // %name, %name#1
// Names of values in a region end with it.
typedef struct tn_name_scope {
  size_t taken;
  uint32_t next_number;
} tn_name_scope_t;
tn_name_scope_t tn__printer_enter(const tn_printer_t* printer);
void tn__printer_leave(tn_printer_t* printer, tn_name_scope_t scope);

// --- writer.c

void tn__put_operands(tn_printer_t* printer, const tn_node_t* node);
// {...} with the arguments of the region already named; without a label for them.
void tn__put_region(tn_printer_t* printer, const tn_region_t* region);
// The same with a label for them, which names them.
void tn__put_labelled_region(tn_printer_t* printer, const tn_region_t* region);
// ({...}, {...}), with labels where there are arguments.
void tn__put_region_list(tn_printer_t* printer, const tn_node_t* node);
// " {k = v}" of the attributes whose names are not in `used`; nothing when there are none.
void tn__put_other_attrs(tn_printer_t* printer, const tn_node_t* node, const char* const* used,
                         size_t used_count);

// --- pretty_writer.c, form_writer.c: from the operation's name on. False, and nothing written,
// when the pretty form cannot say all that the node holds.

bool tn__put_pretty(tn_printer_t* printer, const tn_node_t* node);
bool tn__put_form(tn_printer_t* printer, const tn_node_t* node);
// " : " and the types as the last word of a syntax says.
void tn__put_types(tn_printer_t* printer, const tn_node_t* node, const char* form);

#endif  // TENON_TEXT_PRINTER_H_
