// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One line on a terminal's standard error that says how far a command has come.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

// What is over sooner says nothing; after that the line changes at most ten times a second.
static const double usual_quiet_ms = 300, usual_interval_ms = 100;

static double first_ms, shown_ms;
static bool is_shown;

double cli_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static bool is_terminal(void) {
  static int answer = -1;
  const char* terminal = getenv("TERM");
  if (answer < 0) answer = terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(stderr));
  return answer;
}

// How long a command says nothing: TENON_PROGRESS_AFTER, in seconds.
static double read_quiet_ms(void) {
  const char* text = getenv("TENON_PROGRESS_AFTER");
  if (!text || !*text) return usual_quiet_ms;
  char* end;
  double seconds = strtod(text, &end);
  if (!*end && seconds >= 0) return seconds * 1e3;
  cli_warn(tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "TENON_PROGRESS_AFTER: expected a number of seconds that is not "
                            "negative; found '%s'",
                            text));
  return usual_quiet_ms;
}

void cli_progress(const char* format, ...) {
  static double quiet_ms = -1;
  va_list arguments;
  if (!is_terminal()) return;
  if (quiet_ms < 0) quiet_ms = read_quiet_ms();
  // Without a delay every step is shown.
  const double interval_ms = quiet_ms > 0 ? usual_interval_ms : 0;
  double now = cli_now_ms();
  if (first_ms == 0) first_ms = now;
  if (now - first_ms < quiet_ms || now - shown_ms < interval_ms) return;
  shown_ms = now;
  is_shown = true;
  fflush(stdout);
  char line[79];  // of a narrow terminal: a second row would stay
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
}

void cli_progress_end(void) {
  if (!is_shown) return;
  is_shown = false;
  fprintf(stderr, "\r\033[K");
  fflush(stderr);
}
