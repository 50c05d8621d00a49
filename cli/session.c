// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

// A function without an API version may be a handler, so it is probed as well.
static bool probe(void* user, const tn_target_info_t* info) {
  tn_status_t* status = user;
  bool may_be_handler = info->api_version == 4 || info->api_version == 0;
  if (!may_be_handler || info->unusable_reason || strlen(info->name) != info->name_length)
    return true;
  *status = tn_target_probe(NULL, info->name, info->platform);
  if (*status && info->api_version == 0) {
    tn_status_release(*status);
    *status = TN_OK;
  }
  return *status == TN_OK;
}

tn_status_t cli_probe_targets(void) {
  tn_status_t probed = TN_OK;
  tn_status_t status = tn_target_enumerate(probe, &probed);
  if (!status) return probed;
  tn_status_release(probed);
  return status;
}

tn_status_t cli_load_libraries(const arguments_t* arguments) {
  for (size_t i = 0; i < arguments->option_counts[OPTION_LOAD]; ++i) {
    tn_status_t status = tn_library_load(arguments->option_values[OPTION_LOAD][i]);
    if (status) return status;
  }
  return cli_has(arguments, OPTION_PROBE) ? cli_probe_targets() : TN_OK;
}

static const char* device_name(const arguments_t* arguments) {
  const char* name = getenv("TENON_DEVICE");
  return cli_value(arguments, OPTION_DEVICE, name && *name ? name : "cpu");
}

tn_status_t cli_open(const arguments_t* arguments, session_t* session) {
  *session = (session_t){0};
  tn_status_t status = cli_load_libraries(arguments);
  if (status) return status;
  const tn_device_options_t options = cli_device_options(arguments);
  return tn_device_create(device_name(arguments), &options, &session->device);
}

static bool is_regular(FILE* file) {
  struct stat status;
  return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
}

tn_status_t cli_read_file(const char* path, char** out_text, size_t* out_length) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE* file = is_stdin ? stdin : fopen(path, "rb");
  tn_status_t status = TN_OK;
  char* text = NULL;
  size_t length = 0, capacity = 0;
  *out_text = NULL;
  if (!file) {
    return tn_status_create(errno == ENOENT ? TN_CODE_NOT_FOUND : TN_CODE_PERMISSION_DENIED,
                            "%s: %s", path, strerror(errno));
  }
  do {
    if (capacity - length < 2) {
      capacity = capacity ? capacity * 2 : 1 << 16;
      char* larger = realloc(text, capacity);
      if (!larger) {
        status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s: out of memory", path);
        goto done;
      }
      text = larger;
    }
    length += fread(text + length, 1, capacity - length - 1, file);
    if (length > TN_MAX_STREAM_BYTES && !is_regular(file)) {
      status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                "%s: it is not a regular file, and delivers more than %d bytes",
                                path, TN_MAX_STREAM_BYTES);
      goto done;
    }
  } while (!feof(file) && !ferror(file));
  if (ferror(file)) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s: %s", path, strerror(errno));
    goto done;
  }
  text[length] = 0;
  *out_text = text;
  *out_length = length;
  text = NULL;
done:
  free(text);
  if (!is_stdin) fclose(file);
  return status;
}

tn_status_t cli_load_module(const char* path, session_t* session) {
  double start = cli_now_ms();
  char* text = NULL;
  size_t length = 0;
  tn_status_t status = cli_read_file(path, &text, &length);
  if (!status) {
    const char* name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    status = tn_module_parse(NULL, name, text, length, &session->module);
  }
  free(text);
  session->read_ms = cli_now_ms() - start;
  return status;
}

tn_status_t cli_load_program(const arguments_t* arguments, session_t* session) {
  tn_status_t status = cli_load_module(arguments->values[0], session);
  if (status) return status;
  tn_compile_options_t options = cli_compile_options(arguments);
  options.guard_calls = cli_has(arguments, OPTION_GUARD);
  double start = cli_now_ms();
  status = tn_program_compile(session->device, session->module, &options, &session->program);
  session->compile_ms = cli_now_ms() - start;
  tn_status_t warning = TN_OK;
  for (size_t i = 0; !status && tn_program_warning(session->program, i, &warning); ++i) {
    cli_warn(warning);
  }
  return status;
}

tn_status_t cli_explain(const arguments_t* arguments, const session_t* session,
                        tn_status_t status) {
  const tn_compile_options_t options = cli_compile_options(arguments);
  if (tn_status_code(status) != TN_CODE_INVALID_ARGUMENT) return status;
  if (!strstr(tn_status_message(status), "custom call @")) return status;
  tn_program_t* program = NULL;
  tn_status_t reason = cli_probe_targets();
  if (reason) {
    tn_status_release(reason);
    return status;
  }
  reason = tn_program_compile(session->device, session->module, &options, &program);
  tn_program_release(program);
  if (!reason) return status;
  reason = tn_status_note(reason, "when it ran: %s", tn_status_message(status));
  tn_status_release(status);
  return reason;
}

void cli_close(session_t* session) {
  tn_program_release(session->program);
  tn_module_release(session->module);
  tn_device_release(session->device);
  *session = (session_t){0};
}
