// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/printer.h"

#include <stdio.h>

#include "text/lexer.h"

void tn__printer_init(tn_printer_t* printer, const tn_allocator_t* allocator, tn_write_fn write,
                      void* user) {
  // All but the buffer.
  memset(printer, 0, offsetof(tn_printer_t, buffer));
  printer->write = write;
  printer->user = user;
  printer->allocator = allocator;
  tn__arena_init(&printer->arena, allocator);
  tn__names_init(&printer->taken, allocator);
  tn__names_init(&printer->aliases, allocator);
  tn__arena_init(&printer->alias_arena, allocator);
}

static void flush(tn_printer_t* printer) {
  if (printer->used && !printer->status) {
    printer->status = printer->write(printer->user, printer->buffer, printer->used);
  }
  printer->used = 0;
}

void tn__printer_keep(tn_printer_t* printer, tn_status_t status) {
  if (printer->status) {
    tn_status_release(status);
  } else {
    printer->status = status;
  }
}

tn_status_t tn__printer_deinit(tn_printer_t* printer) {
  flush(printer);
  tn__arena_deinit(&printer->arena);
  tn__names_deinit(&printer->taken);
  tn__names_deinit(&printer->aliases);
  tn__arena_deinit(&printer->alias_arena);
  tn__free(printer->allocator, printer->names, printer->slot_count * sizeof *printer->names);
  return printer->status;
}

void tn__put(tn_printer_t* printer, const char* text, size_t length) {
  if (length > sizeof printer->buffer - printer->used) flush(printer);
  if (length > sizeof printer->buffer) {
    if (!printer->status) printer->status = printer->write(printer->user, text, length);
    return;
  }
  if (length) memcpy(printer->buffer + printer->used, text, length);
  printer->used += length;
}

void tn__put_text(tn_printer_t* printer, const char* text) {
  tn__put(printer, text, strlen(text));
}

void tn__put_view(tn_printer_t* printer, tn_string_view_t text) {
  tn__put(printer, text.data, text.length);
}

void tn__put_integer(tn_printer_t* printer, int64_t value) {
  char text[24];
  tn__put(printer, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)value));
}

void tn__put_line(tn_printer_t* printer) {
  tn__put(printer, "\n", 1);
  for (uint32_t i = 0; i < printer->indent; ++i) tn__put(printer, "  ", 2);
}

void tn__put_string(tn_printer_t* printer, tn_string_view_t text) {
  tn__put(printer, "\"", 1);
  for (size_t i = 0; i < text.length; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    char escape[4];
    if (c == '\\') {
      tn__put(printer, "\\\\", 2);
    } else if (c == '"' || c < 0x20 || c >= 0x7F) {
      tn__put(printer, escape, (size_t)snprintf(escape, sizeof escape, "\\%02X", c));
    } else {
      tn__put(printer, &text.data[i], 1);
    }
  }
  tn__put(printer, "\"", 1);
}

// a::@b is two names, as it was written.
static bool is_nested_name(tn_string_view_t name) {
  return name.length > 3 && memmem(name.data, name.length, "::@", 3) && name.data[0] != '"' &&
         name.data[0] != ':' && !memchr(name.data, ' ', name.length);
}

void tn__put_symbol(tn_printer_t* printer, tn_string_view_t name) {
  tn__put(printer, "@", 1);
  if (tn__is_bare_name(name) || is_nested_name(name)) {
    tn__put_view(printer, name);
  } else {
    tn__put_string(printer, name);
  }
}

void tn__put_type(tn_printer_t* printer, const tn_type_t* type) {
  char text[256];
  if (tn__put_type_alias(printer, type)) return;
  if (type->element_count) {  // of which some may have aliases
    tn__put_text(printer, type->kind == TN_TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
    for (size_t i = 0; i < type->element_count; ++i) {
      if (i) tn__put(printer, ", ", 2);
      tn__put_type(printer, type->elements[i]);
    }
    tn__put(printer, ">", 1);
    return;
  }
  size_t length = tn_type_format(type, text, sizeof text);
  if (length < sizeof text) {
    tn__put(printer, text, length);
    return;
  }
  void* memory = NULL;
  tn_status_t status = tn__allocate(printer->allocator, length + 1, &memory);
  if (status) {
    tn__printer_keep(printer, status);
    return;
  }
  tn_type_format(type, memory, length + 1);
  tn__put(printer, memory, length);
  tn__free(printer->allocator, memory, length + 1);
}

void tn__put_operand_types(tn_printer_t* printer, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_type(printer, tn__value_resolve(node->operands[i])->type);
  }
}

void tn__put_result_types(tn_printer_t* printer, const tn_node_t* node) {
  if (node->result_count != 1) tn__put(printer, "(", 1);
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_type(printer, node->results[i].type);
  }
  if (node->result_count != 1) tn__put(printer, ")", 1);
}

void tn__put_function_type(tn_printer_t* printer, const tn_node_t* node) {
  tn__put(printer, "(", 1);
  tn__put_operand_types(printer, node);
  tn__put(printer, ") -> ", 5);
  tn__put_result_types(printer, node);
}
