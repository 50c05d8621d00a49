// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "cli.h"

int tn_command_show(const arguments_t* arguments) {
  int stage = cli_word(arguments, OPTION_STAGE, "ir");
  int format =
      cli_word(arguments, OPTION_FORMAT, cli_has(arguments, OPTION_JSON) ? "json" : "text");
  if (stage < 0 || format < 0) return EXIT_USAGE;
  if (cli_has(arguments, OPTION_JSON) && format != TN_FORMAT_JSON) {
    return cli_refuse(arguments->command, "--json and --format contradict each other");
  }
  bool is_plain =
      stage == TN_STAGE_IR && format == TN_FORMAT_TEXT && !cli_has(arguments, OPTION_INPUT);
  session_t session;
  tn_status_t status = cli_open(arguments, &session);
  if (status) return cli_report(status);
  if (is_plain) {  // shown whether it compiles or not
    status = cli_load_module(arguments->values[0], &session);
    if (!status) status = tn_module_print(session.module, tn_write_to_file, stdout);
  } else {
    status = cli_load_program(arguments, &session);
    if (!status && cli_has(arguments, OPTION_INPUT)) {
      const int code = cli_fix_sizes(arguments, &session);
      if (code != EXIT_FINE) {
        cli_close(&session);
        return code;
      }
    }
    if (!status) {
      status = tn_program_print(session.program, (tn_program_stage_t)stage,
                                (tn_program_format_t)format, tn_write_to_file, stdout);
    }
  }
  cli_close(&session);
  return status ? cli_report(status) : EXIT_FINE;
}
