// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon check: modules that are read and verified, and not run.
#include "cli.h"

int tn_command_check(const arguments_t* arguments) {
  int code = EXIT_FINE;
  for (size_t i = 0; i < arguments->count; ++i) {
    session_t session = {0};
    tn_status_t status = cli_load_module(arguments->values[i], &session);
    if (status) code = cli_report(status);
    cli_close(&session);
  }
  return code;
}
