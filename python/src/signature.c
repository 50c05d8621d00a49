// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Signatures in Python: texts to parameters.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "function.h"

// A part of a signature: "name", "name=default", "*name", "*" or "/".
typedef struct part {
  const char* text;
  size_t length;       // of all
  size_t name_length;  // without the default
} part_t;

// The next part, and *text behind it. Commas in brackets and quotes do not end it.
static bool next_part(const char** text, part_t* out_part) {
  const char* at = *text;
  while (*at == ' ' || *at == ',') ++at;
  *out_part = (part_t){.text = at};
  for (int depth = 0; *at && (depth || *at != ','); ++at) {
    depth += *at == '(' || *at == '[';
    depth -= *at == ')' || *at == ']';
    if (*at == '=' && !out_part->name_length) out_part->name_length = (size_t)(at - out_part->text);
  }
  out_part->length = (size_t)(at - out_part->text);
  if (!out_part->name_length) out_part->name_length = out_part->length;
  *text = at;
  return out_part->length != 0;
}

static bool is_part(const part_t* part, const char* name) {
  return part->name_length == strlen(name) && strncmp(part->text, name, part->name_length) == 0;
}

// Adds a parameter; false with an exception.
static bool add(core_function_t* function, const part_t* part, bool* is_positional) {
  const bool is_rest = *part->text == '*';
  if (is_rest) {
    function->rest = function->count;
    *is_positional = false;
  }
  if (function->count == CORE_MAX_PARAMETERS) abort();
  PyObject* name =
      PyUnicode_FromStringAndSize(part->text + is_rest, (Py_ssize_t)(part->name_length - is_rest));
  if (!name) return false;
  PyUnicode_InternInPlace(&name);
  function->names[function->count] = name;
  function->is_optional[function->count] = is_rest || part->name_length < part->length;
  ++function->count;
  function->positional_count += *is_positional;
  return true;
}

bool core_signature_parse(core_function_t* function, const char* text) {
  bool is_positional = true;
  part_t part;
  function->rest = CORE_MAX_PARAMETERS;
  while (next_part(&text, &part)) {
    if (is_part(&part, "/")) continue;
    if (is_part(&part, "*")) {
      is_positional = false;
    } else if (is_part(&part, "device") && !is_positional) {
      function->has_device = true;
    } else if (is_part(&part, "stream")) {
      function->has_stream_position = is_positional;
    } else if (!add(function, &part, &is_positional)) {
      return false;
    }
  }
  return true;
}

// Whether the default is the name of a dtype: inspect.signature reads literals only, and None
// stands for the same.
static bool is_named(const part_t* part) {
  const char* value = part->text + part->name_length + 1;
  return part->name_length < part->length && islower((unsigned char)*value);
}

size_t core_signature_write(const char* signature, bool is_method, char* out_text, size_t size) {
  size_t length = 0;
  part_t part;
  bool is_first = true;
  while (next_part(&signature, &part)) {
    const char* separator = is_first ? "" : ", ";
    if (is_first && is_method) {
      length += (size_t)snprintf(out_text + length, size - length, "$self, /");
    } else if (is_part(&part, "/") && is_method) {
      continue;
    } else {
      const int shown = (int)(is_named(&part) ? part.name_length : part.length);
      length += (size_t)snprintf(out_text + length, size - length, "%s%.*s%s", separator, shown,
                                 part.text, is_named(&part) ? "=None" : "");
    }
    is_first = false;
    if (length >= size) abort();
  }
  return length;
}
