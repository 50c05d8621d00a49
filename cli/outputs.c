#include <stdlib.h>
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
    archive_t archive;
    if (file && cli_needs_key(file)) {
      return cli_refuse(arguments->command,
                        "--output %s: the name of the array is missing; expected %s:NAME", file,
                        file);
    }
    if (file && !cli_is_archive(file, &archive) &&
        (length < 5 || strcmp(file + length - 4, ".npy") != 0)) {
      return cli_refuse(arguments->command,
                        "--output %s is not one of x.npy, x.npz:KEY, x.safetensors:NAME and -",
                        file);
    }
  }
  return EXIT_FINE;
}

// All results that go to one archive, once.
static tn_status_t save_archive(const arguments_t* arguments, size_t first,
                                const archive_t* archive, tn_buffer_t* const* results) {
  const size_t given = arguments->option_counts[OPTION_OUTPUT];
  size_t count = 0;
  const char** keys = calloc(given, sizeof *keys);
  tn_buffer_t** buffers = calloc(given, sizeof *buffers);
  tn_status_t status = TN_OK;
  if (!keys || !buffers) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
    goto done;
  }
  for (size_t i = 0; i < given; ++i) {
    const char* file = file_of(arguments, i);
    archive_t other;
    if (!file || !results[i] || !cli_is_archive(file, &other)) continue;
    if (strcmp(other.path, archive->path) != 0) continue;
    if (i < first) goto done;  // it has been written
    keys[count] = other.key;
    buffers[count++] = results[i];
  }
  status = archive->write(archive->path, count, keys, buffers);
done:
  free(keys);
  free(buffers);
  return status;
}

// Results without a file are left.
static tn_status_t save(const arguments_t* arguments, size_t index, tn_buffer_t* const* results) {
  const char* file = file_of(arguments, index);
  archive_t archive;
  if (!file || !results[index]) return TN_OK;
  if (cli_is_archive(file, &archive)) return save_archive(arguments, index, &archive, results);
  return tn_npy_write(file, results[index]);
}

static tn_status_t print(const session_t* session, size_t index, tn_buffer_t* result) {
  if (tn_program_result_count(session->program) > 1) {
    char type[160];
    tn_type_format(tn_program_result_type(session->program, index), type, sizeof type);
    printf("%sresult %zu: %s%s\n", cli_colour(stdout, "2"), index, type, cli_colour(stdout, NULL));
  }
  if (!result) return TN_OK;  // a token
  tn_status_t status = tn_buffer_print(result, tn_write_to_file, stdout);
  putchar('\n');
  return status;
}

tn_status_t cli_write_outputs(const arguments_t* arguments, const session_t* session,
                              tn_buffer_t* const* results) {
  size_t count = tn_program_result_count(session->program);
  for (size_t i = 0; i < count; ++i) {
    const bool is_saved = file_of(arguments, i) && results[i];
    tn_status_t status = is_saved ? save(arguments, i, results) : print(session, i, results[i]);
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
    status = tn_buffer_print_json(result, tn_write_to_file, stdout);
  }
  printf("}");
  return status;
}

tn_status_t cli_write_json_outputs(const arguments_t* arguments, const session_t* session,
                                   tn_buffer_t* const* results) {
  size_t count = tn_program_result_count(session->program);
  // Files first: what fails then has printed nothing.
  for (size_t i = 0; i < count; ++i) {
    tn_status_t status = save(arguments, i, results);
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
