// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>

#include "cli.h"

enum { WIDTH = 80, OPTION_COLUMN = 26, COMMAND_COLUMN = 18 };

void cli_print_wrapped(FILE* file, const char* text, int indent, int width) {
  int column = indent;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > width) {
      fprintf(file, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', file);
      ++column;
    }
    fprintf(file, "%.*s", length, text);
    column += length;
    text += length;
    text += strspn(text, " ");
  }
  fputc('\n', file);
}

static void print_heading(FILE* file, const char* heading) {
  fprintf(file, "\n%s%s%s\n", cli_colour(file, "1"), heading, cli_colour(file, NULL));
}

static void print_examples(FILE* file, const char* examples) {
  print_heading(file, "Examples");
  for (const char* line = examples; *line;) {
    int length = (int)strcspn(line, "\n");
    fprintf(file, "  %.*s\n", length, line);
    line += length;
    line += *line == '\n';
  }
}

static void print_option(FILE* file, const option_t* option) {
  char left[64];
  snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name,
           option->value ? " " : "", option->value ? option->value : "");
  fprintf(file, "  %-*s", OPTION_COLUMN - 2, left);
  cli_print_wrapped(file, option->help, OPTION_COLUMN, WIDTH);
}

static void print_command_help(const command_t* command, FILE* file) {
  fprintf(file, "tenon %s: %s\n\nUsage: tenon %s [OPTION]...%s%s\n\n", command->name,
          command->summary, command->name, *command->arguments ? " " : "", command->arguments);
  cli_print_wrapped(file, command->description, 0, WIDTH);
  print_heading(file, "Options");
  for (int i = 0; i < OPTION_COUNT; ++i) {
    if (cli_takes(command, (option_id_t)i)) print_option(file, &cli_options[i]);
  }
  print_examples(file, command->examples);
}

static void print_whole_help(FILE* file) {
  fprintf(file,
          "tenon %s: compiles and runs StableHLO programs with custom operations\n\n"
          "Usage: tenon COMMAND [OPTION]... [ARGUMENT]...\n",
          tn_version_string());
  print_heading(file, "Commands");
  for (size_t i = 0; i < cli_command_count; ++i) {
    const command_t* command = &cli_commands[i];
    char left[64];
    snprintf(left, sizeof left, "%s %s", command->name, command->arguments);
    fprintf(file, "  %-*s%s\n", COMMAND_COLUMN - 2, left, command->summary);
  }
  print_heading(file, "More");
  fprintf(file,
          "  tenon help COMMAND           the same as tenon COMMAND --help\n"
          "  tenon --man                  manual page, with the environment variables\n"
          "  tenon --completions SHELL    completion script for bash, zsh or fish\n"
          "  tenon --version              version\n\n"
          "Exit codes: 0 success, 1 the program or a check failed, 2 invalid usage.\n");
  print_examples(file,
                 "tenon run add.mlir --input 3xf32=1,2,3 --input ones\n"
                 "tenon show add.mlir --stage plan\n"
                 "tenon run --help");
}

void cli_print_help(const command_t* command, FILE* file) {
  if (command) {
    print_command_help(command, file);
  } else {
    print_whole_help(file);
  }
}
