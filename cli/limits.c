// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What limits the runs of programs: options, and Ctrl-C.
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { THREADS_LIMIT = 1024 };

// "4G", "512M", "1000000". False: `text` is no such size.
static bool read_size(const char* text, uint64_t* out_byte_size) {
  static const char units[] = "KMGT";
  char* end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno || end == text || *text == '-' || number == 0) return false;
  unsigned shift = 0;
  if (*end) {
    const char* unit = strchr(units, *end);
    if (!unit || end[1]) return false;
    shift = 10 * (unsigned)(unit - units + 1);
  }
  *out_byte_size = (uint64_t)number << shift;
  return *out_byte_size >> shift == number;
}

// "0.5", "10". False: `text` is no time above zero that can be told in nanoseconds.
static bool read_seconds(const char* text, int64_t* out_ns) {
  char* end = NULL;
  double seconds = strtod(text, &end);
  if (end == text || *end || !isfinite(seconds) || seconds * 1e9 < 1 || seconds > 1e9) return false;
  *out_ns = (int64_t)(seconds * 1e9);
  return true;
}

static bool read_threads(const char* text, int32_t* out_count) {
  char* end = NULL;
  errno = 0;
  const long count = strtol(text, &end, 10);
  if (errno || end == text || *end || count < 1 || count > THREADS_LIMIT) return false;
  *out_count = (int32_t)count;
  return true;
}

static bool read_platform(const char* text, uint32_t* out_index) {
  char* end = NULL;
  errno = 0;
  const long index = strtol(text, &end, 10);
  if (errno || end == text || *end || index < 0 || index > INT32_MAX) return false;
  *out_index = (uint32_t)index;
  return true;
}

int cli_check_limits(const arguments_t* arguments) {
  const bool takes_two = strcmp(arguments->command->name, "diff") == 0;
  if (arguments->option_counts[OPTION_DEVICE] > 1 && !takes_two) {
    return cli_refuse(arguments->command, "option '--device' is given twice");
  }
  const char* limit = cli_value(arguments, OPTION_MEMORY_LIMIT, NULL);
  const char* timeout = cli_value(arguments, OPTION_TIMEOUT, NULL);
  const char* threads = cli_value(arguments, OPTION_THREADS, NULL);
  const char* platform = cli_value(arguments, OPTION_PLATFORM_INDEX, NULL);
  uint32_t platform_index = 0;
  uint64_t byte_size = 0;
  int64_t timeout_ns = 0;
  int32_t thread_count = 0;
  if (threads && !read_threads(threads, &thread_count)) {
    return cli_refuse(arguments->command, "--threads %s: expected a number from 1 to %d", threads,
                      THREADS_LIMIT);
  }
  if (platform && !read_platform(platform, &platform_index)) {
    return cli_refuse(
        arguments->command,
        "--platform-index %s: expected the index of a platform that the program was exported "
        "for; the first is 0",
        platform);
  }
  if (cli_word(arguments, OPTION_ARITHMETIC, "fast") < 0) return EXIT_USAGE;
  if (limit && !read_size(limit, &byte_size)) {
    return cli_refuse(arguments->command,
                      "--memory-limit %s: expected a number of bytes, such as 500M or 4G", limit);
  }
  if (timeout && !read_seconds(timeout, &timeout_ns)) {
    return cli_refuse(
        arguments->command,
        "--timeout %s: expected a number of seconds above 0 and up to 1e9, such as 0.5", timeout);
  }
  return EXIT_FINE;
}

tn_device_options_t cli_device_options(const arguments_t* arguments) {
  const char* limit = cli_value(arguments, OPTION_MEMORY_LIMIT, NULL);
  const char* threads = cli_value(arguments, OPTION_THREADS, NULL);
  tn_device_options_t options = {.struct_size = sizeof options};
  if (limit && !read_size(limit, &options.memory_limit_byte_size)) {
    options.memory_limit_byte_size = 0;
  }
  if (threads && !read_threads(threads, &options.thread_count)) options.thread_count = 0;
  return options;
}

bool cli_is_strict(const arguments_t* arguments, const char* fallback) {
  return strcmp(cli_value(arguments, OPTION_ARITHMETIC, fallback), "strict") == 0;
}

tn_compile_options_t cli_compile_options(const arguments_t* arguments) {
  const char* platform = cli_value(arguments, OPTION_PLATFORM_INDEX, NULL);
  tn_compile_options_t options = {.struct_size = sizeof options,
                                  .function = cli_value(arguments, OPTION_FUNCTION, NULL)};
  options.strict_arithmetic = cli_is_strict(arguments, "fast");
  options.has_platform_index = platform && read_platform(platform, &options.platform_index);
  return options;
}

// --- Ctrl-C

static tn_cancellation_t* cancellation;  // of all runs of the command
static atomic_bool was_interrupted;

// The second Ctrl-C ends the process, should a kernel not come to an end.
static void interrupt(int number) {
  signal(number, SIG_DFL);
  atomic_store(&was_interrupted, true);
  tn_cancellation_cancel(cancellation);  // NOLINT(bugprone-signal-handler,cert-sig30-c): it may
}

bool cli_was_interrupted(void) {
  return atomic_load(&was_interrupted);
}

tn_status_t cli_run_options(const arguments_t* arguments, tn_run_options_t* out_options) {
  const char* timeout = cli_value(arguments, OPTION_TIMEOUT, NULL);
  *out_options = (tn_run_options_t){.struct_size = sizeof *out_options};
  if (timeout && !read_seconds(timeout, &out_options->timeout_ns)) out_options->timeout_ns = 0;
  if (!cancellation) {
    tn_status_t status = tn_cancellation_create(NULL, &cancellation);
    if (status) return status;
    signal(SIGINT, interrupt);
  }
  out_options->cancellation = cancellation;
  return TN_OK;
}

void cli_end_runs(void) {
  if (!cancellation) return;
  signal(SIGINT, SIG_DFL);
  tn_cancellation_release(cancellation);
  cancellation = NULL;
}
