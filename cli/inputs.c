// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length > end_length && strcmp(text + length - end_length, end) == 0;
}

// FILL_NONE when `spec` is none; -1 as the exit code of a seed that is no number.
static bool read_fill(const char* spec, fill_t* out_fill, uint64_t* out_seed) {
  *out_seed = 0;
  *out_fill = strcmp(spec, "zeros") == 0                                        ? FILL_ZEROS
              : strcmp(spec, "ones") == 0                                       ? FILL_ONES
              : strcmp(spec, "iota") == 0                                       ? FILL_IOTA
              : strcmp(spec, "random") == 0 || strncmp(spec, "random:", 7) == 0 ? FILL_RANDOM
                                                                                : FILL_NONE;
  if (*out_fill != FILL_RANDOM || !spec[6]) return true;
  char* end = NULL;
  errno = 0;
  *out_seed = strtoull(spec + 7, &end, 0);
  return end != spec + 7 && !*end && !errno && spec[7] != '-';
}

typedef struct input {
  const char* option;  // "--input"
  size_t index;        // of the input or output
  const tn_type_t* type;
  const char* spec;
  const char* fallback;  // fills a type without elements; NULL: that is a mistake
} input_t;

static tn_status_t make(const session_t* session, const input_t* input, fill_t fill, uint64_t seed,
                        tn_buffer_t** out_buffer) {
  const char* spec = input->spec;
  if (fill != FILL_NONE) {
    return cli_fill(session->device, input->type, fill, seed, input->index, out_buffer);
  }
  if (cli_is_literal(spec)) {
    const char* elements = cli_literal_elements(spec);
    if (!elements) elements = input->fallback;
    if (read_fill(elements, &fill, &seed) && fill != FILL_NONE) {
      return cli_fill_literal(session->device, spec, input->type, fill, seed, input->index,
                              out_buffer);
    }
    return cli_read_literal(session->device, spec, input->type, out_buffer);
  }
  archive_t archive;
  if (!cli_is_archive(spec, &archive)) {
    return tn_npy_read(session->device, spec, input->type, out_buffer);
  }
  return archive.read(session->device, archive.path, archive.key, input->type, out_buffer);
}

// "input 1 (%x)"
static const char* input_text(const session_t* session, size_t index, char out[128]) {
  const char* name = tn_program_input_name(session->program, index);
  if (*name) {
    snprintf(out, 128, "input %zu (%s%.80s)", index, *name == '%' ? "" : "%", name);
  } else {
    snprintf(out, 128, "input %zu", index);
  }
  return out;
}

static const char* target_text(const session_t* session, const input_t* input, char out[128]) {
  if (strcmp(input->option, "--input") == 0) return input_text(session, input->index, out);
  snprintf(out, 128, "--expect of output %zu", input->index);
  return out;
}

// "2x3xf32=1": how a value for all elements is written for an input of `type`.
static const char* example_text(const tn_type_t* type, char out[160]) {
  static const char before[] = "tensor<";
  size_t length = tn_type_format(type, out, 150);
  if (length < 150 && strncmp(out, before, sizeof before - 1) == 0 && out[length - 1] == '>') {
    length -= sizeof before;
    memmove(out, out + sizeof before - 1, length);
    const char* comma = memchr(out, ',', length);  // bounds follow
    if (comma) length = (size_t)(comma - out);
    snprintf(out + length, 160 - length, "=1");
    for (char* c = out; *c; ++c) *c = *c == '?' ? '2' : *c;  // any size will do
  } else {
    snprintf(out, 160, "2x3xf32=1");
  }
  return out;
}

static int make_input(const arguments_t* arguments, const session_t* session, const input_t* input,
                      tn_buffer_t** out_buffer) {
  fill_t fill;
  uint64_t seed;
  const char *option = input->option, *spec = input->spec;
  if (!read_fill(spec, &fill, &seed)) {
    return cli_refuse(arguments->command, "%s %s: the seed is not an integer", option, spec);
  }
  archive_t archive;
  if (cli_is_literal(spec) && !cli_literal_elements(spec) && !input->fallback) {
    return cli_refuse(arguments->command, "%s %s has no elements; did you mean '%s=random'?",
                      option, spec, spec);
  }
  if (fill == FILL_NONE && !cli_is_literal(spec) && !ends_with(spec, ".npy") &&
      !cli_is_archive(spec, &archive)) {
    static const char* const words[] = {"random", "zeros", "ones", "iota"};
    const char* near = tn_nearest_name(spec, 4, words);
    if (cli_needs_key(spec)) {
      return cli_refuse(arguments->command, "%s %s: which array of it? Write %s:KEY", option, spec,
                        spec);
    }
    if (near) {
      return cli_refuse(arguments->command, "%s %s is nothing known; did you mean '%s'?", option,
                        spec, near);
    }
    char example[160];
    example_text(input->type, example);
    if (strspn(spec, "0123456789+-.,eEj ") == strlen(spec)) {
      return cli_refuse(arguments->command, "%s %s has no type; did you mean '%.*s%s'?", option,
                        spec, (int)strlen(example) - 1, example, spec);
    }
    return cli_refuse(arguments->command,
                      "%s %s is not one of x.npy, x.npz:KEY, x.safetensors:NAME, random[:SEED], "
                      "zeros, ones, iota or a literal such as %s",
                      option, spec, example);
  }
  tn_status_t status = make(session, input, fill, seed, out_buffer);
  char name[128];
  if (!status) return EXIT_FINE;
  const bool is_usage = cli_is_literal(spec) && tn_status_code(status) == TN_CODE_INVALID_ARGUMENT;
  const bool is_archive = cli_is_archive(spec, &archive);
  const char* file = is_archive ? archive.path : ends_with(spec, ".npy") ? spec : NULL;
  const int code =
      cli_report_of_file(tn_status_prefix(status, "%s", target_text(session, input, name)), file);
  return is_usage ? EXIT_USAGE : code;
}

static int refuse_missing(const arguments_t* arguments, const session_t* session, size_t index) {
  char text[160], name[128], example[160];
  const tn_type_t* type = tn_program_input_type(session->program, index);
  tn_type_format(type, text, sizeof text);
  return cli_refuse(arguments->command, "%s of type %s has no --input, such as %s or %s",
                    input_text(session, index, name), text, strchr(text, '?') ? "x.npy" : "random",
                    example_text(type, example));
}

// Files that have arrays for all inputs by their names, and none of their own.
static int read_archives(const arguments_t* arguments, const session_t* session,
                         tn_buffer_t** inputs) {
  for (size_t i = 0; i < arguments->option_counts[OPTION_INPUT]; ++i) {
    const char* path = arguments->option_values[OPTION_INPUT][i];
    if (!cli_needs_key(path) || path[strcspn(path, "=/")] == '=') continue;  // NAME=SPEC
    tn_status_t status = tn_program_read_inputs(session->program, path,
                                                tn_program_input_count(session->program), inputs);
    if (status) return cli_report_of_file(status, path);
  }
  return EXIT_FINE;
}

// Those that have a spec and no buffer.
static int make_all(const arguments_t* arguments, const session_t* session, const char* fallback,
                    const char* const* specs, tn_buffer_t** inputs) {
  int code = EXIT_FINE;
  for (size_t i = 0; i < tn_program_input_count(session->program) && code == EXIT_FINE; ++i) {
    const input_t input = {.option = "--input",
                           .index = i,
                           .type = tn_program_input_type(session->program, i),
                           .spec = specs[i],
                           .fallback = fallback};
    if (specs[i] && !inputs[i]) code = make_input(arguments, session, &input, &inputs[i]);
  }
  return code;
}

static int fill_missing(const arguments_t* arguments, const session_t* session,
                        const char* fallback, const char** specs, tn_buffer_t* const* inputs) {
  for (size_t i = 0; i < tn_program_input_count(session->program); ++i) {
    const tn_type_t* type = tn_program_input_type(session->program, i);
    if (specs[i] || inputs[i] || tn_type_kind(type) == TN_TYPE_TOKEN) continue;
    specs[i] = fallback;
    if (!fallback) return refuse_missing(arguments, session, i);
  }
  return EXIT_FINE;
}

// What is named comes first, then files of many inputs, then the rest in order.
int cli_make_inputs(const arguments_t* arguments, const session_t* session, const char* fallback,
                    tn_buffer_t*** out_inputs) {
  const tn_program_t* program = session->program;
  const size_t count = tn_program_input_count(program);
  *out_inputs = NULL;
  const char** specs = calloc(count + 1, sizeof *specs);
  tn_buffer_t** inputs = calloc(count + 1, sizeof *inputs);
  int code = specs && inputs
                 ? cli_assign_named(arguments, program, OPTION_INPUT, specs)
                 : cli_report(tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory"));
  if (code == EXIT_FINE) code = make_all(arguments, session, fallback, specs, inputs);
  if (code == EXIT_FINE) code = read_archives(arguments, session, inputs);
  if (code == EXIT_FINE) {
    code = cli_assign_unnamed(arguments, program, OPTION_INPUT, inputs, specs);
  }
  if (code == EXIT_FINE) code = fill_missing(arguments, session, fallback, specs, inputs);
  if (code == EXIT_FINE) code = make_all(arguments, session, fallback, specs, inputs);
  free(specs);
  if (code == EXIT_FINE) {
    *out_inputs = inputs;
  } else {
    cli_release_buffers(inputs, count);
  }
  return code;
}

int cli_make_expected_output(const arguments_t* arguments, const session_t* session, size_t index,
                             const char* spec, tn_buffer_t** out_buffer) {
  const input_t input = {.option = "--expect",
                         .index = index,
                         .type = tn_program_output_type(session->program, index),
                         .spec = spec};
  *out_buffer = NULL;
  return make_input(arguments, session, &input, out_buffer);
}

int cli_fix_sizes(const arguments_t* arguments, session_t* session) {
  const size_t count = tn_program_input_count(session->program);
  tn_buffer_t** inputs = NULL;
  tn_program_t* sized = NULL;
  int code = cli_make_inputs(arguments, session, "zeros", &inputs);
  if (code != EXIT_FINE) return code;
  tn_status_t status = tn_program_specialise(session->program, count, inputs, &sized);
  if (status) {
    code = cli_report(status);
  } else {
    tn_program_release(session->program);
    session->program = sized;
  }
  cli_release_buffers(inputs, count);
  return code;
}
