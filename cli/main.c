// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon: compiles and runs StableHLO programs whose custom calls are kernels in shared libraries.
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli.h"

static int unknown_command(const char* name) {
  const char* names[32];
  size_t count = 0;
  for (; count < cli_command_count && count < 32; ++count) names[count] = cli_commands[count].name;
  const char* near = tn_nearest_name(name, count, names);
  fprintf(stderr,
          name[0] == '-' ? "tenon: '%s' is not a command; options follow the command"
                         : "tenon: unknown command '%s'",
          name);
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  fprintf(stderr, "\nTry 'tenon --help'.\n");
  return EXIT_USAGE;
}

// Before the words are parsed, so that mistakes in them are reported as they should be.
static bool wants_json(const command_t* command, int count, char** words) {
  const option_t* option = &cli_options[OPTION_JSON];
  for (int i = 0; i < count && cli_takes(command, OPTION_JSON); ++i) {
    const char* word = words[i];
    if (strcmp(word, "--") == 0) return false;
    if (word[0] != '-') continue;
    if (word[1] == '-' ? strcmp(word + 2, option->name) == 0
                       : word[1] == option->letter && !word[2]) {
      return true;
    }
  }
  return false;
}

static int run_command(const command_t* command, int count, char** words) {
  arguments_t arguments;
  if (wants_json(command, count, words)) cli_report_as_json();
  cli_check_environment();
  int code = cli_parse(command, count, words, &arguments);
  if (code == EXIT_FINE && cli_has(&arguments, OPTION_HELP)) {
    cli_print_help(command, stdout);
  } else {
    if (code == EXIT_FINE) code = cli_check_limits(&arguments);
    if (code == EXIT_FINE) code = command->run(&arguments);
    cli_end_runs();
    if (cli_was_interrupted()) code = EXIT_INTERRUPTED;
  }
  cli_free_arguments(&arguments);
  return code;
}

static int dispatch(int count, char** words) {
  if (count < 2) {
    cli_print_help(NULL, stderr);
    return EXIT_USAGE;
  }
  const char* name = words[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    const command_t* command = count > 2 ? cli_find_command(words[2]) : NULL;
    if (count > 2 && !command) return unknown_command(words[2]);
    cli_print_help(command, stdout);
    return EXIT_FINE;
  }
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
  if (strcmp(name, "--man") == 0) {
    cli_print_man(stdout);
    return EXIT_FINE;
  }
  if (strcmp(name, "--completions") == 0) {
    return cli_print_completions(count > 2 ? words[2] : "", stdout);
  }
  const command_t* command = cli_find_command(name);
  return command ? run_command(command, count - 2, words + 2) : unknown_command(name);
}

static pid_t command_process;
static bool has_finished;

static _Noreturn void end_process(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

// Registered with atexit and at_quick_exit: a library that calls exit() must not pass for a command
// that succeeded.
// A child process that inspects a library is judged by its parent.
static void check_finished(void) {
  static const char message[] =
      "a library or kernel called exit(); the command did not finish its work";
  if (has_finished || getpid() != command_process) return;
  fflush(stdout);
  cli_progress_end();
  if (cli_reports_json()) {
    cli_report_json_text(TN_CODE_ABORTED, message);
  } else {
    fprintf(stderr, "error: %s\n", message);
  }
  end_process(EXIT_FAILED);
}

// The functions that skip what is registered. The executable's come before libc's, for all
// libraries.

// NOLINTBEGIN(bugprone-*,cert-*,readability-*): the names are libc's
__attribute__((visibility("default"))) _Noreturn void _exit(int code) {
  check_finished();
  end_process(code);
}
__attribute__((visibility("default"))) _Noreturn void _Exit(int code) {
  _exit(code);
}
// NOLINTEND(bugprone-*,cert-*,readability-*)

int main(int count, char** words) {
  command_process = getpid();
  if (atexit(check_finished) != 0 || at_quick_exit(check_finished) != 0) return EXIT_FAILED;
  int code = dispatch(count, words);
  has_finished = true;
  if (fflush(stdout) != 0 || ferror(stdout)) {
    if (code == EXIT_FINE) fprintf(stderr, "error: the output could not be written\n");
    return EXIT_FAILED;
  }
  return code;
}
