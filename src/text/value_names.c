// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which value is printed under which name. Names live in scopes, as in the text; the module itself
// is not touched, since any number of threads may print it.
#include <stdio.h>

#include "text/lexer.h"
#include "text/printer.h"

void tn__printer_begin_function(tn_printer_t* printer) {
  tn__names_truncate(&printer->taken, 0);
  tn__arena_deinit(&printer->arena);
  if (printer->names) memset(printer->names, 0, printer->slot_count * sizeof *printer->names);
  printer->name_count = 0;
  printer->next_number = 0;
}

tn_name_scope_t tn__printer_enter(const tn_printer_t* printer) {
  return (tn_name_scope_t){printer->taken.count, printer->next_number};
}

void tn__printer_leave(tn_printer_t* printer, tn_name_scope_t scope) {
  tn__names_truncate(&printer->taken, scope.taken);
  printer->next_number = scope.next_number;
}

// --- by value

static size_t slot_of(const tn_printer_t* printer, const tn_value_t* value) {
  uint64_t hash = (uint64_t)(uintptr_t)value * 0x9E3779B97F4A7C15u;
  size_t slot = (size_t)(hash >> 32) & (printer->slot_count - 1);
  while (printer->names[slot].value && printer->names[slot].value != value) {
    slot = (slot + 1) & (printer->slot_count - 1);
  }
  return slot;
}

static tn_status_t grow(tn_printer_t* printer) {
  tn_printed_name_t* old = printer->names;
  size_t old_count = printer->slot_count, slot_count = old_count ? old_count * 2 : 64;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(printer->allocator, slot_count, sizeof *printer->names, &memory));
  printer->names = memory;
  printer->slot_count = slot_count;
  for (size_t i = 0; i < old_count; ++i) {
    if (old[i].value) printer->names[slot_of(printer, old[i].value)] = old[i];
  }
  tn__free(printer->allocator, old, old_count * sizeof *old);
  return TN_OK;
}

static tn_status_t set(tn_printer_t* printer, tn_printed_name_t printed) {
  if (2 * (printer->name_count + 1) > printer->slot_count) TN_RETURN_IF_ERROR(grow(printer));
  size_t slot = slot_of(printer, printed.value);
  if (!printer->names[slot].value) ++printer->name_count;
  printer->names[slot] = printed;
  return TN_OK;
}

// `name` must be free.
static tn_status_t take(tn_printer_t* printer, const tn_value_t* value, tn_string_view_t name) {
  TN_RETURN_IF_ERROR(tn__names_add(&printer->taken, name, 0, NULL));
  return set(printer, (tn_printed_name_t){.value = value, .name = name, .group = 1});
}

// The name of `head` stands for `count` values from there on.
static tn_status_t share(tn_printer_t* printer, const tn_value_t* head, uint32_t count) {
  if (printer->slot_count == 0) return TN_OK;  // naming failed before
  tn_printed_name_t printed = printer->names[slot_of(printer, head)];
  printed.group = count;
  for (uint32_t i = 0; i < count; ++i) {
    printed.value = head + i;
    printed.offset = i;
    TN_RETURN_IF_ERROR(set(printer, printed));
  }
  return TN_OK;
}

// --- choosing

static bool is_number(tn_string_view_t name) {
  for (size_t i = 0; i < name.length; ++i) {
    if (name.data[i] < '0' || name.data[i] > '9') return false;
  }
  return true;
}

static bool fits_value_name(tn_string_view_t name) {
  if (name.data[0] >= '0' && name.data[0] <= '9') return false;
  for (size_t i = 0; i < name.length; ++i) {
    if (!tn__is_identifier_character(name.data[i]) && name.data[i] != '-') return false;
  }
  return true;
}

// Whatever it was, as characters that may be in a name.
static tn_status_t clean_name(tn_printer_t* printer, tn_string_view_t name,
                              tn_string_view_t* out_name) {
  void* memory = NULL;
  *out_name = name;
  if (fits_value_name(name)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__arena_allocate(&printer->arena, name.length + 1, &memory));
  char* clean = memory;
  clean[0] = '_';
  for (size_t i = 0; i < name.length; ++i) {
    clean[i + 1] = tn__is_identifier_character(name.data[i]) ? name.data[i] : '_';
  }
  *out_name = (tn_string_view_t){clean, name.length + 1};
  return TN_OK;
}

// name_0, name_1...: the entry counts how far it went, so that this stays linear.
static tn_status_t make_unique(tn_printer_t* printer, tn_string_view_t* name) {
  tn_name_entry_t* entry = tn__names_find(&printer->taken, *name);
  tn_string_view_t base = *name;
  void* memory = NULL;
  if (!entry) return TN_OK;
  TN_RETURN_IF_ERROR(tn__arena_allocate(&printer->arena, base.length + 16, &memory));
  memcpy(memory, base.data, base.length);
  do {
    int digits = snprintf((char*)memory + base.length, 16, "_%u", (unsigned)entry->number++);
    *name = (tn_string_view_t){memory, base.length + (size_t)digits};
  } while (tn__names_find(&printer->taken, *name));
  return TN_OK;
}

static tn_status_t make_number(tn_printer_t* printer, const char* prefix,
                               tn_string_view_t* out_name) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(&printer->arena, strlen(prefix) + 16, &memory));
  size_t length =
      (size_t)snprintf(memory, strlen(prefix) + 16, "%s%u", prefix, (unsigned)printer->next_number);
  *out_name = (tn_string_view_t){memory, length};
  return TN_OK;
}

static tn_status_t choose(tn_printer_t* printer, const tn_value_t* value, const char* fallback) {
  tn_string_view_t name = value->name;
  if (is_number(name)) {
    if (fallback) {
      name = tn__sv(fallback);
    } else {
      TN_RETURN_IF_ERROR(make_number(printer, "", &name));
      ++printer->next_number;
      return take(printer, value, name);
    }
  }
  TN_RETURN_IF_ERROR(clean_name(printer, name, &name));
  TN_RETURN_IF_ERROR(make_unique(printer, &name));
  return take(printer, value, name);
}

void tn__printer_name(tn_printer_t* printer, const tn_value_t* value, const char* fallback) {
  tn__printer_keep(printer, choose(printer, value, fallback));
}

static tn_string_view_t name_of(const tn_printer_t* printer, const tn_value_t* value) {
  if (printer->slot_count == 0) return (tn_string_view_t){0};
  return printer->names[slot_of(printer, value)].name;
}

void tn__printer_name_alike(tn_printer_t* printer, const tn_value_t* value,
                            const tn_value_t* like) {
  tn__printer_keep(printer, take(printer, value, name_of(printer, like)));
}

void tn__printer_name_results(tn_printer_t* printer, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->result_count;) {
    const tn_value_t* head = &node->results[i];
    uint32_t count = 1;
    while (i + count < node->result_count && head[count].name.length == 0) ++count;
    tn__printer_name(printer, head, NULL);
    if (count > 1) tn__printer_keep(printer, share(printer, head, count));
    i += count;
  }
}

uint32_t tn__printer_group_size(const tn_printer_t* printer, const tn_value_t* head) {
  return printer->slot_count ? printer->names[slot_of(printer, head)].group : 1;
}

void tn__put_group(tn_printer_t* printer, const tn_value_t* head) {
  if (printer->slot_count == 0) return;  // for want of memory
  const tn_printed_name_t* printed = &printer->names[slot_of(printer, head)];
  tn__put(printer, "%", 1);
  tn__put_view(printer, printed->name);
  if (printed->group == 1) return;
  tn__put(printer, ":", 1);
  tn__put_integer(printer, printed->group);
}

void tn__put_value(tn_printer_t* printer, const tn_value_t* value) {
  if (printer->slot_count == 0) return;
  const tn_printed_name_t* printed = &printer->names[slot_of(printer, value)];
  tn__put(printer, "%", 1);
  tn__put_view(printer, printed->name);
  if (printed->group == 1) return;
  tn__put(printer, "#", 1);
  tn__put_integer(printer, printed->offset);
}
