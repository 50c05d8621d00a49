#include <string.h>

#include "cli.h"

// NULL: the result is printed.
static const char* file_of(const arguments_t* arguments, size_t index) {
  if (index >= arguments->option_counts[OPTION_OUTPUT]) return NULL;
  const char* spec = arguments->option_values[OPTION_OUTPUT][index];
  return strcmp(spec, "-") == 0 ? NULL : spec;
}

int cli_check_outputs(const arguments_t* arguments, const session_t* session) {
  size_t given = arguments->option_counts[OPTION_OUTPUT];
  size_t count = tn_program_result_count(session->program);
  if (given > count) {
    return cli_refuse(arguments->command, "%zu outputs are given; the program has %zu", given,
                      count);
  }
  for (size_t i = 0; i < given; ++i) {
    const char* file = file_of(arguments, i);
    size_t length = file ? strlen(file) : 0;
    if (file && (length < 5 || strcmp(file + length - 4, ".npy") != 0)) {
      return cli_refuse(arguments->command, "--output %s is neither a .npy file nor -", file);
    }
  }
  return EXIT_FINE;
}

static tn_status_t print(const session_t* session, size_t index, tn_buffer_t* result) {
  if (tn_program_result_count(session->program) > 1) {
    char type[160];
    tn_type_format(tn_program_result_type(session->program, index), type, sizeof type);
    printf("%sresult %zu: %s%s\n", cli_colour(stdout, "2"), index, type, cli_colour(stdout, NULL));
  }
  if (!result) return TN_OK;  // a token
  tn_status_t status = tn_buffer_print(result, cli_write, stdout);
  putchar('\n');
  return status;
}

tn_status_t cli_write_outputs(const arguments_t* arguments, const session_t* session,
                              tn_buffer_t* const* results) {
  size_t count = tn_program_result_count(session->program);
  for (size_t i = 0; i < count; ++i) {
    const char* file = file_of(arguments, i);
    tn_status_t status =
        file && results[i] ? tn_npy_write(file, results[i]) : print(session, i, results[i]);
    if (status) return status;
  }
  return TN_OK;
}

static void print_json_type(const tn_type_t* type) {
  char text[160];
  tn_type_format(type, text, sizeof text);
  printf("{\"type\": \"%s\"", text);
  if (tn_type_kind(type) != TN_TYPE_TENSOR) return;
  printf(", \"dtype\": \"%s\", \"shape\": [", tn_dtype_numpy_name(tn_type_dtype(type)));
  for (size_t d = 0; d < tn_type_rank(type); ++d) {
    printf("%s%lld", d ? ", " : "", (long long)tn_type_dims(type)[d]);
  }
  printf("]");
}

static tn_status_t print_json(const session_t* session, size_t index, const char* file,
                              tn_buffer_t* result) {
  tn_status_t status = TN_OK;
  print_json_type(tn_program_result_type(session->program, index));
  if (result && file) {
    printf(", \"file\": ");
    cli_print_json_string(stdout, file);
  } else if (result) {
    printf(", \"data\": ");
    status = tn_buffer_print_json(result, cli_write, stdout);
  }
  printf("}");
  return status;
}

tn_status_t cli_write_json_outputs(const arguments_t* arguments, const session_t* session,
                                   tn_buffer_t* const* results) {
  size_t count = tn_program_result_count(session->program);
  // Files first: what fails then has printed nothing.
  for (size_t i = 0; i < count; ++i) {
    const char* file = file_of(arguments, i);
    tn_status_t status = file && results[i] ? tn_npy_write(file, results[i]) : TN_OK;
    if (status) return status;
  }
  printf("{\"results\": [");
  for (size_t i = 0; i < count; ++i) {
    if (i) printf(", ");
    tn_status_t status = print_json(session, i, file_of(arguments, i), results[i]);
    if (status) return status;
  }
  printf("]");
  return TN_OK;
}
