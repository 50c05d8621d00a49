// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon convert: between text and portable artifacts.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { FORM_TEXT, FORM_ARTIFACT };  // as --to lists them

static bool ends_in(const char* path, const char* suffix) {
  const size_t length = strlen(path), end = strlen(suffix);
  return length > end && strcmp(path + length - end, suffix) == 0;
}

// What --to says, else the name of the file; an exit code below 0 when neither does.
static int form_of(const arguments_t* arguments) {
  const char* path = arguments->values[1];
  if (cli_has(arguments, OPTION_TO)) return cli_word(arguments, OPTION_TO, "mlir");
  if (ends_in(path, ".mlirbc")) return FORM_ARTIFACT;
  if (ends_in(path, ".mlir")) return FORM_TEXT;
  cli_refuse(arguments->command,
             "'%s' ends in neither .mlir nor .mlirbc; expected --to mlir or --to mlirbc", path);
  return -1;
}

static tn_status_t write_module(const arguments_t* arguments, const tn_module_t* module, int form,
                                FILE* file) {
  const tn_serialize_options_t options = {
      .struct_size = sizeof options,
      .version = cli_value(arguments, OPTION_TARGET_VERSION, NULL),
  };
  if (form == FORM_TEXT) return tn_module_print(module, tn_write_to_file, file);
  return tn_module_serialize(module, &options, tn_write_to_file, file);
}

static tn_status_t write_file(const char* path, const char* data, size_t length) {
  tn_file_writer_t* writer = NULL;
  if (strcmp(path, "-") == 0) {
    tn_status_t status = tn_write_to_file(stdout, data, length);
    if (status || fflush(stdout) == 0) return status;
    return tn_status_create(TN_CODE_DATA_LOSS, "the output could not be written");
  }
  tn_status_t status = tn_file_writer_create(path, &writer);
  if (status) return status;
  status = tn_file_writer_write(writer, data, length);
  if (!status) return tn_file_writer_commit(writer);
  tn_file_writer_discard(writer);
  return status;
}

// The file is written when there is no error left but its own.
static tn_status_t convert(const arguments_t* arguments, const tn_module_t* module, int form) {
  char* data = NULL;
  size_t length = 0;
  FILE* memory = open_memstream(&data, &length);
  if (!memory) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  tn_status_t status = write_module(arguments, module, form, memory);
  const bool is_done = fclose(memory) == 0;
  if (!status && !is_done) status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  if (!status) status = write_file(arguments->values[1], data, length);
  free(data);
  return status;
}

int tn_command_convert(const arguments_t* arguments) {
  const int form = form_of(arguments);
  session_t session = {0};
  if (form < 0) return EXIT_USAGE;
  if (form == FORM_TEXT && cli_has(arguments, OPTION_TARGET_VERSION)) {
    return cli_refuse(arguments->command, "--target-version is for artifacts; text has no version");
  }
  tn_status_t status = cli_load_module(arguments->values[0], &session);
  if (!status) status = convert(arguments, session.module, form);
  cli_close(&session);
  return status ? cli_report(status) : EXIT_FINE;
}
