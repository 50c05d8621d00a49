// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Names of a function's inputs and outputs that come from another language, as identifiers of the
// text: params['w'][0].x becomes params.w.0.x.
#include "ir/ir.h"

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '-';
}

size_t tn__input_name(tn_string_view_t label, char* out) {
  size_t length = 0;
  for (size_t i = 0; i < label.length; ++i) {
    const char c = label.data[i];
    if (c == '\'' || c == '"' || c == ']') continue;
    const char written = is_plain(c) ? c : c == '[' || c == '.' ? '.' : '_';
    if (written != '.' || (length && out[length - 1] != '.')) out[length++] = written;
  }
  while (length && out[length - 1] == '.') --length;
  // An identifier does not begin with a digit.
  const bool is_name = length && !(out[0] >= '0' && out[0] <= '9') && out[0] != '-';
  length = is_name ? length : 0;
  out[length] = 0;
  return length;
}

tn_status_t tn__value_set_name(tn_module_t* module, tn_value_t* value, tn_string_view_t label) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(&module->arena, label.length + 1, &memory));
  char* name = memory;
  const size_t length = tn__input_name(label, name);
  if (length) value->name = (tn_string_view_t){name, length};
  return TN_OK;
}
