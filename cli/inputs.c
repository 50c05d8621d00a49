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
  size_t index;        // of the argument or result
  const tn_type_t* type;
  const char* spec;
} input_t;

static tn_status_t make(const session_t* session, const input_t* input, fill_t fill, uint64_t seed,
                        tn_buffer_t** out_buffer) {
  const char* spec = input->spec;
  if (fill != FILL_NONE) {
    return cli_fill(session->device, input->type, fill, seed, input->index, out_buffer);
  }
  if (cli_is_literal(spec)) {
    return cli_read_literal(session->device, spec, input->type, out_buffer);
  }
  archive_t archive;
  if (!cli_is_archive(spec, &archive)) {
    return tn_npy_read(session->device, spec, input->type, out_buffer);
  }
  return archive.read(session->device, archive.path, archive.key, input->type, out_buffer);
}

// "argument 1 (%x)"
static const char* argument_text(const session_t* session, size_t index, char out[128]) {
  const char* name = tn_program_argument_name(session->program, index);
  if (*name) {
    snprintf(out, 128, "argument %zu (%s%.80s)", index, *name == '%' ? "" : "%", name);
  } else {
    snprintf(out, 128, "argument %zu", index);
  }
  return out;
}

static const char* target_text(const session_t* session, const input_t* input, char out[128]) {
  if (strcmp(input->option, "--input") == 0) return argument_text(session, input->index, out);
  snprintf(out, 128, "result %zu", input->index);
  return out;
}

// "2x3xf32=1": how a value for all elements is written for an argument of `type`.
static const char* example_text(const tn_type_t* type, char out[160]) {
  static const char before[] = "tensor<";
  size_t length = tn_type_format(type, out, 150);
  if (length < 150 && strncmp(out, before, sizeof before - 1) == 0 && out[length - 1] == '>') {
    length -= sizeof before;
    memmove(out, out + sizeof before - 1, length);
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
  if (fill == FILL_NONE && !cli_is_literal(spec) && !ends_with(spec, ".npy") &&
      !cli_is_archive(spec, &archive)) {
    static const char* const words[] = {"random", "zeros", "ones", "iota"};
    const char* near = cli_nearest(spec, words, 4);
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
  const int code =
      cli_report(tn_status_prefix(status, "%s of %s", option, target_text(session, input, name)));
  return is_usage ? EXIT_USAGE : code;
}

static bool is_token(const tn_type_t* type) {
  return tn_type_kind(type) == TN_TYPE_TOKEN;
}

// NAME=SPEC, or NAME=@SPEC; what begins as a literal or a path does is none. `*out_spec` is left at
// the whole where there is no name.
static bool has_name(const char* text, char out_name[512], const char** out_spec) {
  const size_t length = strcspn(text, "=/");
  *out_spec = text;
  if (text[length] != '=' || !length || length >= 512 || cli_is_literal(text)) return false;
  snprintf(out_name, 512, "%.*s", (int)length, text);
  *out_spec = text + length + 1;
  if (**out_spec == '@') ++*out_spec;
  return true;
}

// Those with a name go to that argument.
static int take_named(const arguments_t* arguments, const session_t* session, const char** specs) {
  for (size_t i = 0; i < arguments->option_counts[OPTION_INPUT]; ++i) {
    char name[512];
    size_t index = 0;
    const char *text = arguments->option_values[OPTION_INPUT][i], *spec = NULL;
    if (!has_name(text, name, &spec)) continue;
    tn_status_t status = tn_program_find_input(session->program, name, &index);
    if (status) return cli_report(tn_status_prefix(status, "--input %s", text));
    if (specs[index]) {
      return cli_refuse(arguments->command, "--input %s: '%s' is given twice", text, name);
    }
    specs[index] = spec;
  }
  return EXIT_FINE;
}

// The others go to the rest of the arguments, in order.
static int take_unnamed(const arguments_t* arguments, const session_t* session,
                        const char** specs) {
  const size_t given = arguments->option_counts[OPTION_INPUT];
  const size_t count = tn_program_argument_count(session->program);
  size_t next = 0, wanted = 0;
  for (size_t i = 0; i < count; ++i) {
    wanted += !is_token(tn_program_argument_type(session->program, i));
  }
  for (size_t i = 0; i < given; ++i) {
    char name[512];
    const char *text = arguments->option_values[OPTION_INPUT][i], *spec = NULL;
    if (has_name(text, name, &spec)) continue;
    while (next < count &&
           (specs[next] || is_token(tn_program_argument_type(session->program, next)))) {
      ++next;
    }
    if (next == count) {
      return cli_refuse(arguments->command, "%zu inputs are given; the program takes %zu", given,
                        wanted);
    }
    specs[next++] = spec;
  }
  return EXIT_FINE;
}

static int refuse_missing(const arguments_t* arguments, const session_t* session, size_t index) {
  char text[160], name[128], example[160];
  const tn_type_t* type = tn_program_argument_type(session->program, index);
  tn_type_format(type, text, sizeof text);
  return cli_refuse(arguments->command, "%s of type %s has no --input, such as %s or %s",
                    argument_text(session, index, name), text,
                    strchr(text, '?') ? "x.npy" : "random", example_text(type, example));
}

int cli_make_inputs(const arguments_t* arguments, const session_t* session, const char* fallback,
                    tn_buffer_t*** out_inputs) {
  const size_t count = tn_program_argument_count(session->program);
  const char** specs = calloc(count + 1, sizeof *specs);
  tn_buffer_t** inputs = calloc(count + 1, sizeof *inputs);
  *out_inputs = NULL;
  if (!specs || !inputs) {
    free(specs);
    free(inputs);
    return cli_report(tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory"));
  }
  int code = take_named(arguments, session, specs);
  if (code == EXIT_FINE) code = take_unnamed(arguments, session, specs);
  for (size_t i = 0; i < count && code == EXIT_FINE; ++i) {
    if (specs[i] || is_token(tn_program_argument_type(session->program, i))) continue;
    specs[i] = fallback;
    if (!fallback) code = refuse_missing(arguments, session, i);
  }
  for (size_t i = 0; i < count && code == EXIT_FINE; ++i) {
    const input_t input = {.option = "--input",
                           .index = i,
                           .type = tn_program_argument_type(session->program, i),
                           .spec = specs[i]};
    if (input.spec) code = make_input(arguments, session, &input, &inputs[i]);
  }
  free(specs);
  if (code == EXIT_FINE) {
    *out_inputs = inputs;
  } else {
    cli_release_buffers(inputs, count);
  }
  return code;
}

int cli_make_result(const arguments_t* arguments, const session_t* session, size_t index,
                    const char* spec, tn_buffer_t** out_buffer) {
  const input_t input = {.option = "--expect",
                         .index = index,
                         .type = tn_program_result_type(session->program, index),
                         .spec = spec};
  *out_buffer = NULL;
  return make_input(arguments, session, &input, out_buffer);
}
