// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which SPEC of --input, --output or --expect goes to which input or output of the program.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// The inputs or the outputs of a program.
typedef struct leaves {
  size_t (*count)(const tn_program_t* program);
  const tn_type_t* (*type)(const tn_program_t* program, size_t index);
  tn_status_t (*find)(const tn_program_t* program, const char* name, size_t* out_index);
  const char *verb, *noun, *what;  // "takes", "input", "": for messages
} leaves_t;

static leaves_t leaves_of(option_id_t option) {
  if (option == OPTION_INPUT) {
    return (leaves_t){
        tn_program_input_count, tn_program_input_type, tn_program_find_input, "takes", "input", ""};
  }
  return (leaves_t){tn_program_output_count,
                    tn_program_output_type,
                    tn_program_find_output,
                    "has",
                    "output",
                    option == OPTION_OUTPUT ? "" : " expected ones"};
}

static bool is_token(const tn_type_t* type) {
  return tn_type_kind(type) == TN_TYPE_TOKEN;
}

// NAME=SPEC or NAME=@SPEC. A literal such as 3xf32=1 and a path with "=" after its first "/" have
// no name: `*out_spec` is then the whole text.
static bool has_name(const char* text, char out_name[512], const char** out_spec) {
  const size_t length = strcspn(text, "=/");
  *out_spec = text;
  if (text[length] != '=' || !length || length >= 512 || cli_is_literal(text)) return false;
  snprintf(out_name, 512, "%.*s", (int)length, text);
  *out_spec = text + length + 1;
  if (**out_spec == '@') ++*out_spec;
  return true;
}

int cli_assign_named(const arguments_t* arguments, const tn_program_t* program, option_id_t option,
                     const char** specs) {
  const leaves_t leaves = leaves_of(option);
  const char* option_name = cli_options[option].name;
  for (size_t i = 0; i < arguments->option_counts[option]; ++i) {
    char name[512];
    size_t index = 0;
    const char *text = arguments->option_values[option][i], *spec = NULL;
    if (!has_name(text, name, &spec)) continue;
    tn_status_t status = leaves.find(program, name, &index);
    if (status) return cli_report(tn_status_prefix(status, "--%s %s", option_name, text));
    if (is_token(leaves.type(program, index))) {
      return cli_refuse(arguments->command, "--%s %s: '%s' is a token, which has no elements",
                        option_name, text, name);
    }
    if (specs[index]) {
      return cli_refuse(arguments->command, "--%s %s: '%s' is given twice", option_name, text,
                        name);
    }
    specs[index] = spec;
  }
  return EXIT_FINE;
}

static int refuse_count(const arguments_t* arguments, const leaves_t* leaves, size_t expected,
                        size_t found) {
  return cli_refuse(arguments->command, "the program %s %zu %s%s; found %zu%s", leaves->verb,
                    expected, leaves->noun, expected == 1 ? "" : "s", found, leaves->what);
}

int cli_assign_unnamed(const arguments_t* arguments, const tn_program_t* program,
                       option_id_t option, tn_buffer_t* const* present, const char** specs) {
  const leaves_t leaves = leaves_of(option);
  const size_t count = leaves.count(program);
  size_t next = 0, expected = 0, taken = 0, given = 0;
  for (size_t i = 0; i < count; ++i) {
    expected += !is_token(leaves.type(program, i));
    taken += specs[i] || (present && present[i]);
  }
  for (size_t i = 0; i < arguments->option_counts[option]; ++i) {
    char name[512];
    const char *text = arguments->option_values[option][i], *spec = NULL;
    if (has_name(text, name, &spec) || (present && cli_needs_key(text))) continue;
    while (next < count &&
           (specs[next] || (present && present[next]) || is_token(leaves.type(program, next)))) {
      ++next;
    }
    ++given;
    if (next < count) specs[next++] = spec;
  }
  if (taken + given <= expected) return EXIT_FINE;
  return refuse_count(arguments, &leaves, expected, taken + given);
}

int cli_assign_specs(const arguments_t* arguments, const tn_program_t* program, option_id_t option,
                     const char*** out_specs) {
  const char** specs = calloc(leaves_of(option).count(program) + 1, sizeof *specs);
  *out_specs = NULL;
  if (!specs) return cli_report(tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory"));
  int code = cli_assign_named(arguments, program, option, specs);
  if (code == EXIT_FINE) code = cli_assign_unnamed(arguments, program, option, NULL, specs);
  if (code == EXIT_FINE) {
    *out_specs = specs;
  } else {
    free(specs);
  }
  return code;
}
