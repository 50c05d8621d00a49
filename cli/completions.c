// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon --completions SHELL: what bash, zsh and fish offer, from the tables that --help comes from.
#include <string.h>

#include "cli.h"

static bool completes_words(const char* completes) {
  return strcmp(completes, "none") != 0 && strcmp(completes, "file") != 0;
}

// The words that complete a value. Of devices those that are always there are known.
static const char* words_of(const char* completes) {
  return strcmp(completes, "device") == 0 ? "cpu reference" : completes;
}

// A word of a shell between single quotes.
static void print_quoted(FILE* file, const char* text) {
  fputc('\'', file);
  for (; *text; ++text) {
    if (*text == '\'') {
      fputs("'\\''", file);
    } else {
      fputc(*text, file);
    }
  }
  fputc('\'', file);
}

static void print_commands(FILE* file) {
  for (size_t i = 0; i < cli_command_count; ++i) {
    fprintf(file, "%s%s", i ? " " : "", cli_commands[i].name);
  }
}

// --- bash

static void print_bash(FILE* file) {
  fputs(
      "# bash completion of tenon\n"
      "_tenon() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '",
      file);
  print_commands(file);
  fputs(
      " --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $previous in\n",
      file);
  for (int i = 0; i < OPTION_COUNT; ++i) {
    const option_t* option = &cli_options[i];
    if (!option->value) continue;
    fprintf(file, "    -%c | --%s) ", option->letter, option->name);
    if (strcmp(option->completes, "file") == 0) {
      fputs("COMPREPLY=($(compgen -f -- \"$current\")); ", file);
    } else if (completes_words(option->completes)) {
      fprintf(file, "COMPREPLY=($(compgen -W '%s' -- \"$current\")); ",
              words_of(option->completes));
    }
    fputs("return ;;\n", file);
  }
  fputs("  esac\n  case ${COMP_WORDS[1]} in\n", file);
  for (size_t i = 0; i < cli_command_count; ++i) {
    fprintf(file, "    %s) options='", cli_commands[i].name);
    for (int k = 0; k < OPTION_COUNT; ++k) {
      if (cli_takes(&cli_commands[i], (option_id_t)k)) fprintf(file, "--%s ", cli_options[k].name);
    }
    fputs("' ;;\n", file);
  }
  fputs(
      "  esac\n"
      "  case $current in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _tenon tenon\n",
      file);
}

// --- zsh

// Inside _arguments brackets and colons have a meaning.
static void print_zsh_help(FILE* file, const char* text) {
  for (; *text; ++text) {
    if (strchr("[]:\\", *text)) fputc('\\', file);
    if (*text == '\'') {
      fputs("'\\''", file);
    } else {
      fputc(*text, file);
    }
  }
}

static void print_zsh_option(FILE* file, const option_t* option) {
  const char* star = option->repeats ? "*" : "";
  for (int is_long = 0; is_long < 2; ++is_long) {
    fprintf(file, "        '%s", star);
    if (is_long) {
      fprintf(file, "--%s%s[", option->name, option->value ? "=" : "");
    } else {
      fprintf(file, "-%c%s[", option->letter, option->value ? "+" : "");
    }
    print_zsh_help(file, option->help);
    fputc(']', file);
    if (option->value) {
      fprintf(file, ":%s:", option->value);
      if (strcmp(option->completes, "file") == 0) {
        fputs("_files", file);
      } else if (completes_words(option->completes)) {
        fprintf(file, "(%s)", words_of(option->completes));
      }
    }
    fputs("' \\\n", file);
  }
}

static void print_zsh(FILE* file) {
  fputs(
      "#compdef tenon\n"
      "_tenon() {\n"
      "  local -a commands\n"
      "  commands=(\n",
      file);
  for (size_t i = 0; i < cli_command_count; ++i) {
    fprintf(file, "    '%s:%s'\n", cli_commands[i].name, cli_commands[i].summary);
  }
  fputs(
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n",
      file);
  for (size_t i = 0; i < cli_command_count; ++i) {
    const command_t* command = &cli_commands[i];
    fprintf(file, "    %s)\n      _arguments -s \\\n", command->name);
    for (int k = 0; k < OPTION_COUNT; ++k) {
      if (cli_takes(command, (option_id_t)k)) print_zsh_option(file, &cli_options[k]);
    }
    bool takes_files = strcmp(command->completes, "file") == 0;
    fprintf(file, "        '*:%s:%s' ;;\n", *command->arguments ? command->arguments : "argument",
            takes_files ? "_files" : "");
  }
  fputs("  esac\n}\n_tenon \"$@\"\n", file);
}

// --- fish

static void print_fish_option(FILE* file, const command_t* command, const option_t* option) {
  fprintf(file, "complete -c tenon -n '__fish_seen_subcommand_from %s' -s %c -l %s", command->name,
          option->letter, option->name);
  if (option->value) {
    fputs(strcmp(option->completes, "file") == 0 ? " -r -F" : " -x", file);
    if (completes_words(option->completes)) {
      fputs(" -a ", file);
      print_quoted(file, words_of(option->completes));
    }
  }
  fputs(" -d ", file);
  print_quoted(file, option->help);
  fputc('\n', file);
}

static void print_fish(FILE* file) {
  fputs(
      "# fish completion of tenon\n"
      "complete -c tenon -f\n",
      file);
  for (size_t i = 0; i < cli_command_count; ++i) {
    const command_t* command = &cli_commands[i];
    fprintf(file, "complete -c tenon -n __fish_use_subcommand -a %s -d ", command->name);
    print_quoted(file, command->summary);
    fputc('\n', file);
    if (strcmp(command->completes, "file") == 0) {
      fprintf(file, "complete -c tenon -n '__fish_seen_subcommand_from %s' -F\n", command->name);
    }
    for (int k = 0; k < OPTION_COUNT; ++k) {
      if (cli_takes(command, (option_id_t)k)) print_fish_option(file, command, &cli_options[k]);
    }
  }
}

int cli_print_completions(const char* shell, FILE* file) {
  static const struct {
    const char* name;
    void (*print)(FILE* file);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; ++i) {
    if (strcmp(shell, shells[i].name) != 0) continue;
    shells[i].print(file);
    return EXIT_FINE;
  }
  fprintf(stderr, "tenon --completions: '%s' is not one of bash, zsh, fish\n", shell);
  return EXIT_USAGE;
}
