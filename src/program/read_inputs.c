// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inputs of a program from a file of named arrays.
#include <stdio.h>
#include <tenon/npy.h>

#include "base/names.h"
#include "base/writer.h"
#include "program/names.h"
#include "program/program.h"

static const uint32_t ambiguous = UINT32_MAX;

// From the names of inputs to their indices. The names are in the arena.
typedef struct index {
  tn_arena_t arena;
  tn_names_t names;
} index_t;

static tn_status_t add_input(index_t* index, const tn_program_t* program, uint32_t i) {
  char text[TN_LONGEST_INPUT_NAME];
  tn_string_view_t name = {0};
  tn__program_input_name_at(program, i, text);
  tn_name_entry_t* known = tn__names_find(&index->names, tn__sv(text));
  if (known) {
    known->number = ambiguous;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__arena_copy_string(&index->arena, tn__sv(text), &name));
  return tn__names_add(&index->names, name, i, NULL);
}

static tn_status_t check_inputs(const tn_program_t* program, const char* path, size_t input_count,
                                tn_buffer_t* const* inputs) {
  const size_t count = tn_program_input_count(program);
  if (input_count != count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the program takes %zu input%s; found %zu", path, count,
                            count == 1 ? "" : "s", input_count);
  }
  if (count) TN_RETURN_IF_NULL(inputs);
  return TN_OK;
}

static tn_status_t read_entry(const index_t* index, const tn_program_t* program,
                              tn_archive_t* archive, size_t entry, tn_buffer_t** inputs,
                              size_t* matched) {
  char text[TN_LONGEST_INPUT_NAME];
  const char* name = tn_archive_name(archive, entry);
  tn__program_spell_name(name, text);
  const tn_name_entry_t* found = tn__names_find(&index->names, tn__sv(text));
  if (!found) return TN_OK;
  if (found->number == ambiguous) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "several inputs of the program are called '%s'",
                            TN_NAME_TEXT(tn__sv(name)));
  }
  ++*matched;
  if (inputs[found->number]) return TN_OK;
  return tn_status_prefix(
      tn_archive_read(archive, entry, program->device,
                      tn_program_input_type(program, found->number), &inputs[found->number]),
      "input %u (%s)", found->number, TN_NAME_TEXT(found->name));
}

static tn_status_t refuse_strangers(const index_t* index, const char* path,
                                    const tn_archive_t* archive) {
  const char* entry = tn_archive_name(archive, 0);
  const tn_name_text_t input =
      tn__name_text(index->names.count ? index->names.entries[0].name : tn__sv("none"));
  return tn_status_create(
      TN_CODE_NOT_FOUND,
      "%s: no array has the name of an input; the program has %s%s, and the file has %s%s", path,
      input.text, index->names.count > 1 ? "..." : "", entry ? TN_NAME_TEXT(tn__sv(entry)) : "none",
      tn_archive_count(archive) > 1 ? "..." : "");
}

// Gives back what it has read when one cannot be: `before` has what there was.
tn_status_t tn_program_read_inputs(const tn_program_t* program, const char* path,
                                   size_t input_count, tn_buffer_t** inputs) {
  TN_RETURN_IF_NULL(program);
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_ERROR(check_inputs(program, path, input_count, inputs));
  tn_status_t status = TN_OK;
  index_t index;
  tn_archive_t* archive = NULL;
  tn_buffer_t** before = NULL;
  size_t matched = 0;
  tn__arena_init(&index.arena, program->allocator);
  tn__names_init(&index.names, program->allocator);
  TN_DONE_IF_ERROR(TN_ARENA_COPY(&index.arena, input_count, inputs, &before));
  TN_DONE_IF_ERROR(tn_archive_open(path, &archive));
  for (size_t i = 0; i < input_count; ++i) {
    TN_DONE_IF_ERROR(add_input(&index, program, (uint32_t)i));
  }
  for (size_t i = 0; i < tn_archive_count(archive); ++i) {
    TN_DONE_IF_ERROR(read_entry(&index, program, archive, i, inputs, &matched));
  }
  if (!matched) status = refuse_strangers(&index, path, archive);
done:
  for (size_t i = 0; status && before && i < input_count; ++i) {
    if (inputs[i] != before[i]) tn_buffer_release(inputs[i]);
    inputs[i] = before[i];
  }
  tn_archive_close(archive);
  tn__names_deinit(&index.names);
  tn__arena_deinit(&index.arena);
  return status;
}
