// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon inspect: the custom calls of libraries, with all that can be found out about them.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { LOAD_LIMIT_MS = 10000 };

// A library that says nothing of itself may export handlers all the same. Takes the error.
static tn_status_t load_exported(const char* path, tn_status_t error) {
  size_t count = 0;
  tn_status_t status = tn_library_load_exported(NULL, path, &count);
  bool is_loaded = !status && count;
  tn_status_release(status);
  if (!is_loaded) return error;
  tn_status_release(error);
  return TN_OK;
}

static tn_status_t load_all(const arguments_t* arguments) {
  for (size_t i = 0; i < arguments->count; ++i) {
    const char* spec = arguments->values[i];
    tn_status_t status = tn_library_load(spec);
    bool has_names = strchr(spec, '=') != NULL;
    if (status && !has_names && tn_status_code(status) == TN_CODE_INVALID_ARGUMENT) {
      status = load_exported(spec, status);
    }
    if (status) return status;
  }
  return TN_OK;
}

// Whether the child came to its end in time; otherwise kills it. *out_state is what waitpid tells.
static bool wait_for(pid_t child, int* out_state) {
  const struct timespec pause = {0, 500000};
  double deadline = cli_now_ms() + LOAD_LIMIT_MS;
  for (;;) {
    pid_t ended = waitpid(child, out_state, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (cli_now_ms() > deadline) break;
    nanosleep(&pause, NULL);
  }
  (void)kill(child, SIGKILL);
  (void)waitpid(child, out_state, 0);
  return false;
}

// Initialisers are the libraries' own code, and may end the process: they are run in a child first.
static tn_status_t try_to_load(const arguments_t* arguments) {
  int ends[2], state = 0;
  char sign = 0;
  if (pipe(ends)) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s", strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no child process: %s", strerror(errno));
  }
  if (child == 0) {
    // What is wrong with the file itself, the parent says.
    tn_status_release(load_all(arguments));
    _exit(write(ends[1], "!", 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  bool is_over = wait_for(child, &state);
  bool is_loaded = is_over && read(ends[0], &sign, 1) == 1;
  close(ends[0]);
  if (is_loaded) return TN_OK;
  char end[128];
  if (!is_over) {
    snprintf(end, sizeof end, "did not end within %d s", LOAD_LIMIT_MS / 1000);
  } else if (WIFSIGNALED(state)) {
    snprintf(end, sizeof end, "ended the process (%s)", strsignal(WTERMSIG(state)));
  } else {
    snprintf(end, sizeof end, "ended the process with code %d", WEXITSTATUS(state));
  }
  const char* which = arguments->count == 1 ? arguments->values[0] : "one of these libraries";
  return tn_status_create(TN_CODE_FAILED_PRECONDITION, "%s: its initialiser %s", which, end);
}

typedef struct listing {
  bool is_json;
  size_t count;
} listing_t;

static bool show(void* user, const tn_target_info_t* info) {
  listing_t* listing = user;
  if (listing->is_json) {
    printf("%s", listing->count ? ",\n " : "");
    cli_print_target_json(info);
  } else {
    printf("%s", listing->count ? "\n" : "");
    cli_print_target(info);
  }
  ++listing->count;
  return true;
}

int tn_command_inspect(const arguments_t* arguments) {
  listing_t listing = {.is_json = cli_has(arguments, OPTION_JSON)};
  tn_status_t status = try_to_load(arguments);
  if (!status) status = load_all(arguments);
  if (!status) status = cli_probe_targets();
  if (status) return cli_report(status);
  if (listing.is_json) printf("[");
  status = tn_target_enumerate(show, &listing);
  if (listing.is_json) printf("]\n");
  if (!status && !listing.count) {
    status =
        tn_status_create(TN_CODE_NOT_FOUND, "%s: no handlers were found", arguments->values[0]);
  }
  return status ? cli_report(status) : EXIT_FINE;
}
