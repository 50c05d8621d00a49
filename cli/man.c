// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon --man: the manual page, from the tables that --help comes from.
#include <string.h>

#include "cli.h"

// Text with what roff would take for its own escaped.
static void print_text(FILE* file, const char* text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) fputs("\\&", file);
    if (text[i] == '\\') {
      fputs("\\e", file);
    } else if (text[i] == '-') {
      fputs("\\-", file);
    } else if (text[i] == '\'') {
      fputs("\\(aq", file);
    } else {
      fputc(text[i], file);
    }
  }
}

static void print_string(FILE* file, const char* text) {
  print_text(file, text, strlen(text));
}

static void print_option(FILE* file, const option_t* option) {
  fprintf(file, ".TP\n\\fB\\-%c\\fR, \\fB\\-\\-", option->letter);
  print_string(file, option->name);
  fputs("\\fR", file);
  if (option->value) fprintf(file, " \\fI%s\\fR", option->value);
  fputs("\n", file);
  print_string(file, option->help);
  fputs(".\n", file);
}

static void print_command(FILE* file, const command_t* command) {
  fprintf(file, ".SS tenon %s ", command->name);
  fprintf(file, "[\\fIOPTION\\fR]... %s\n", command->arguments);
  print_string(file, command->description);
  fputs("\n", file);
  fputs(".PP\nOptions:", file);
  const char* separator = " ";
  for (int i = 0; i < OPTION_COUNT; ++i) {
    if (!cli_takes(command, (option_id_t)i)) continue;
    fprintf(file, "%s\\fB\\-\\-%s\\fR", separator, cli_options[i].name);
    separator = ", ";
  }
  fputs(".\n", file);
  fputs(".PP\n.EX\n", file);
  print_string(file, command->examples);
  fputs("\n.EE\n", file);
}

void cli_print_man(FILE* file) {
  fprintf(file, ".TH TENON 1 \"\" \"Tenon %s\" \"User Commands\"\n.ad l\n.nh\n",
          tn_version_string());
  fputs(".SH NAME\ntenon \\- compiles and runs StableHLO programs with custom operations\n", file);
  fputs(".SH SYNOPSIS\n\\fBtenon\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n",
        file);
  fputs(".SH COMMANDS\n", file);
  for (size_t i = 0; i < cli_command_count; ++i) print_command(file, &cli_commands[i]);
  fputs(".SH OPTIONS\n", file);
  for (int i = 0; i < OPTION_COUNT; ++i) print_option(file, &cli_options[i]);
  fputs(".SH EXIT STATUS\n0 success, 1 the program or a check failed, 2 invalid usage.\n", file);
  fputs(".SH ENVIRONMENT\n", file);
  for (size_t i = 0; i < cli_variable_count; ++i) {
    fputs(".TP\n\\fB", file);
    print_string(file, cli_variables[i].name);
    fputs("\\fR\n", file);
    print_string(file, cli_variables[i].help);
    fputs("\n", file);
  }
}
