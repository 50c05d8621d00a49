// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inputs and outputs by the names that a program's author gave them.
#include "program/names.h"

#include <stdio.h>

#include "base/spelling.h"
#include "program/dynamic.h"

enum { LONGEST_NAME = TN_LONGEST_INPUT_NAME };

// That of the function's results; none where they are not what the function of the module returns.
static tn_string_view_t label_of(const tn_function_t* function, size_t index) {
  return tn__attr_get_string(&function->result_attrs[index], "jax.result_info");
}

tn_status_t tn__program_name_results(tn_program_t* program) {
  const tn_function_t* function = tn__program_function(program);
  const size_t count = tn_program_output_count(program);
  bool has_names = false;
  if (program->origins || function->result_count != count) return TN_OK;
  for (size_t i = 0; i < count; ++i) has_names |= label_of(function, i).length > 0;
  if (!has_names) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, count, &program->output_names));
  for (size_t i = 0; i < count; ++i) {
    const tn_string_view_t label = label_of(function, i);
    void* memory = NULL;
    TN_RETURN_IF_ERROR(tn__arena_allocate(&program->arena, label.length + 1, &memory));
    tn__input_name(label, memory);
    program->output_names[i] = memory;
  }
  return TN_OK;
}

const char* tn_program_output_name(const tn_program_t* program, size_t index) {
  if (!program->output_names || index >= tn_program_output_count(program)) return "";
  return program->output_names[index];
}

// --- look-up

typedef struct names {
  const char* kind;      // "input", for messages
  const char* fallback;  // "arg"
  size_t count;
  const char* (*name)(const tn_program_t* program, size_t index);
} names_t;

static void name_at(const tn_program_t* program, const names_t* names, size_t index,
                    char name[LONGEST_NAME]) {
  const char* given = names->name(program, index);
  if (*given) {
    snprintf(name, LONGEST_NAME, "%s", given);
  } else {
    snprintf(name, LONGEST_NAME, "%s%zu", names->fallback, index);
  }
}

static names_t inputs_of(const tn_program_t* program) {
  return (names_t){"input", "arg", tn_program_input_count(program), tn_program_input_name};
}

void tn__program_input_name_at(const tn_program_t* program, size_t index, char name[LONGEST_NAME]) {
  const names_t names = inputs_of(program);
  name_at(program, &names, index, name);
}

void tn__program_spell_name(const char* name, char out[LONGEST_NAME]) {
  *out = 0;
  if (strlen(name) < LONGEST_NAME && !tn__input_name(tn__sv(name), out)) {
    snprintf(out, LONGEST_NAME, "%s", name);
  }
}

// "x, y, ..." as far as there is room.
static void list_names(const tn_program_t* program, const names_t* names, size_t capacity,
                       char* list) {
  char name[LONGEST_NAME];
  size_t length = 0;
  list[0] = 0;
  for (size_t i = 0; i < names->count; ++i) {
    name_at(program, names, i, name);
    if (length + strlen(name) + sizeof ", , ..." > capacity) {
      snprintf(list + length, capacity - length, "%s...", i ? ", " : "");
      return;
    }
    length += (size_t)snprintf(list + length, capacity - length, "%s%s", i ? ", " : "", name);
  }
}

static tn_status_t find(const tn_program_t* program, const names_t* names, const char* wanted,
                        size_t* out_index) {
  char word[LONGEST_NAME], known[LONGEST_NAME], nearest[LONGEST_NAME], list[200];
  size_t found = 0;
  tn__program_spell_name(wanted, word);
  tn_spelling_t near = {.word = tn__sv(word)};
  for (size_t i = 0; i < names->count; ++i) {
    name_at(program, names, i, known);
    if (tn__spelling_consider(&near, tn__sv(known))) {
      snprintf(nearest, sizeof nearest, "%s", known);
      near.nearest = tn__sv(nearest);
    }
    if (strcmp(known, word) != 0) continue;
    *out_index = i;
    ++found;
  }
  if (found == 1) return TN_OK;
  *out_index = 0;
  if (found) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%zu %ss of the program are called '%s'",
                            found, names->kind, wanted);
  }
  list_names(program, names, sizeof list, list);
  return tn__spelling_note(
      &near, "",
      tn_status_create(TN_CODE_NOT_FOUND, "the program has no %s '%s'; its %ss are: %s",
                       names->kind, wanted, names->kind, names->count ? list : "none"));
}

tn_status_t tn_program_find_input(const tn_program_t* program, const char* name,
                                  size_t* out_index) {
  TN_RETURN_IF_NULL(program);
  TN_RETURN_IF_NULL(name);
  const names_t names = inputs_of(program);
  return find(program, &names, name, out_index);
}

tn_status_t tn_program_find_output(const tn_program_t* program, const char* name,
                                   size_t* out_index) {
  TN_RETURN_IF_NULL(program);
  TN_RETURN_IF_NULL(name);
  const names_t names = {"output", "result", tn_program_output_count(program),
                         tn_program_output_name};
  return find(program, &names, name, out_index);
}
