// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon check: modules that are read and verified, and not run.
#include "cli.h"

// With a device, the calls are compared with the signatures of what is loaded: compiling does so.
static int check_file(const arguments_t* arguments, tn_device_t* device, const char* path) {
  session_t session = {.device = device};
  tn_status_t status = cli_load_module(path, &session);
  if (!status && device) {
    const tn_compile_options_t options = cli_compile_options(arguments);
    status = tn_program_compile(device, session.module, &options, &session.program);
  }
  const int code = status ? cli_report_of_file(status, path) : EXIT_FINE;
  session.device = NULL;  // the caller's
  cli_close(&session);
  return code;
}

int tn_command_check(const arguments_t* arguments) {
  session_t session = {0};
  const bool has_calls = cli_has(arguments, OPTION_LOAD) || cli_has(arguments, OPTION_PROBE);
  tn_status_t status = has_calls ? cli_open(arguments, &session) : TN_OK;
  if (status) return cli_report(status);
  int code = EXIT_FINE;
  for (size_t i = 0; i < arguments->count; ++i) {
    const int found = check_file(arguments, session.device, arguments->values[i]);
    if (found != EXIT_FINE) code = found;
  }
  cli_close(&session);
  return code;
}
