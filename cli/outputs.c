// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int check_file(const arguments_t* arguments, const char* file) {
  const size_t length = strlen(file);
  archive_t archive;
  if (cli_needs_key(file)) {
    return cli_refuse(arguments->command,
                      "--output %s: the name of the array is missing; expected %s:NAME", file,
                      file);
  }
  if (!cli_is_archive(file, &archive) && (length < 5 || strcmp(file + length - 4, ".npy") != 0)) {
    return cli_refuse(arguments->command,
                      "--output %s is not one of x.npy, x.npz:KEY, x.safetensors:NAME and -", file);
  }
  return EXIT_FINE;
}

int cli_check_outputs(const arguments_t* arguments, const session_t* session,
                      const char*** out_files) {
  const size_t count = tn_program_output_count(session->program);
  int code = cli_assign_specs(arguments, session->program, OPTION_OUTPUT, out_files);
  const char** files = *out_files;
  for (size_t i = 0; i < count && code == EXIT_FINE; ++i) {
    if (files[i] && strcmp(files[i], "-") == 0) files[i] = NULL;
    if (files[i]) code = check_file(arguments, files[i]);
  }
  return code;
}

// All outputs that go to one archive, once.
static tn_status_t save_archive(const outputs_t* outputs, size_t first, const archive_t* archive) {
  size_t count = 0;
  const char** keys = calloc(outputs->count, sizeof *keys);
  tn_buffer_t** buffers = calloc(outputs->count, sizeof *buffers);
  tn_status_t status = TN_OK;
  if (!keys || !buffers) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
    goto done;
  }
  for (size_t i = 0; i < outputs->count; ++i) {
    archive_t other;
    if (!outputs->files[i] || !cli_is_archive(outputs->files[i], &other)) continue;
    if (strcmp(other.path, archive->path) != 0) continue;
    if (i < first) goto done;  // it has been written
    keys[count] = other.key;
    buffers[count++] = outputs->buffers[i];
  }
  status = archive->write(archive->path, count, keys, buffers);
done:
  free(keys);
  free(buffers);
  return status;
}

// Outputs without a file are left.
static tn_status_t save(const outputs_t* outputs, size_t index) {
  const char* file = outputs->files[index];
  archive_t archive;
  if (!file) return TN_OK;
  if (cli_is_archive(file, &archive)) return save_archive(outputs, index, &archive);
  return tn_npy_write(file, outputs->buffers[index]);
}

static tn_status_t print(const session_t* session, size_t index, tn_buffer_t* output) {
  if (tn_program_output_count(session->program) > 1) {
    char type[160];
    tn_type_format(tn_program_output_type(session->program, index), type, sizeof type);
    printf("%soutput %zu: %s%s\n", cli_colour(stdout, "2"), index, type, cli_colour(stdout, NULL));
  }
  if (!output) return TN_OK;  // a token
  tn_status_t status = tn_buffer_print(output, tn_write_to_file, stdout);
  putchar('\n');
  return status;
}

tn_status_t cli_write_outputs(const session_t* session, const outputs_t* outputs) {
  for (size_t i = 0; i < outputs->count; ++i) {
    tn_status_t status =
        outputs->files[i] ? save(outputs, i) : print(session, i, outputs->buffers[i]);
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
                              tn_buffer_t* output) {
  tn_status_t status = TN_OK;
  print_json_type(tn_program_output_type(session->program, index));
  if (output && file) {
    printf(", \"file\": ");
    cli_print_json_string(stdout, file);
  } else if (output) {
    printf(", \"data\": ");
    status = tn_buffer_print_json(output, tn_write_to_file, stdout);
  }
  printf("}");
  return status;
}

tn_status_t cli_write_json_outputs(const session_t* session, const outputs_t* outputs) {
  // Files first: what fails then has printed nothing.
  for (size_t i = 0; i < outputs->count; ++i) {
    tn_status_t status = save(outputs, i);
    if (status) return status;
  }
  printf("{\"outputs\": [");
  for (size_t i = 0; i < outputs->count; ++i) {
    if (i) printf(", ");
    tn_status_t status = print_json(session, i, outputs->files[i], outputs->buffers[i]);
    if (status) return status;
  }
  printf("]");
  return TN_OK;
}
