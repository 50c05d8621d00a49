// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>

#include "cli.h"

static void print_time(const session_t* session, double run_ms) {
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  char peak[32], bound[32];
  tn_program_statistics(session->program, &statistics);
  fflush(stdout);
  fprintf(stderr,
          "read     %8.3f ms\n"
          "compile  %8.3f ms\n"
          "run      %8.3f ms\n"
          "plan     peak %s, lower bound %s\n",
          session->read_ms, session->compile_ms, run_ms,
          cli_bytes_text((double)statistics.plan_byte_size, peak),
          cli_bytes_text((double)statistics.lower_bound_byte_size, bound));
}

static tn_status_t write_json(const session_t* session, const outputs_t* outputs, double run_ms) {
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_program_statistics(session->program, &statistics);
  tn_status_t status = cli_write_json_outputs(session, outputs);
  if (status) return status;
  printf(
      ", \"read_ms\": %.6g, \"compile_ms\": %.6g, \"run_ms\": %.6g, \"plan_bytes\": %zu, "
      "\"plan_lower_bound_bytes\": %zu}\n",
      session->read_ms, session->compile_ms, run_ms, statistics.plan_byte_size,
      statistics.lower_bound_byte_size);
  return TN_OK;
}

// The run itself, and its trace.
static tn_status_t compute(const arguments_t* arguments, const session_t* session,
                           tn_buffer_t* const* inputs, const outputs_t* outputs, double* out_ms) {
  const char* path = cli_value(arguments, OPTION_TRACE, NULL);
  trace_t* trace = NULL;
  tn_run_options_t options;
  tn_status_t status = cli_run_options(arguments, &options);
  if (!status && path) status = cli_trace_create(path, &trace);
  if (status) return status;
  if (trace) options.observe = cli_trace_observe;
  options.observe_user = trace;
  const double start = cli_now_ms();
  status = tn_program_run(session->program, tn_program_input_count(session->program), inputs,
                          &options, outputs->count, outputs->buffers);
  const double end = cli_now_ms();
  *out_ms = end - start;
  tn_status_t trace_status = trace ? cli_trace_close(trace, start, end) : TN_OK;
  if (!status) return trace_status;
  tn_status_release(trace_status);
  return cli_explain(arguments, session, status);
}

static tn_status_t run_once(const arguments_t* arguments, const session_t* session,
                            tn_buffer_t* const* inputs, const outputs_t* outputs,
                            tn_buffer_t* const* expected) {
  double run_ms = 0;
  tn_status_t status = compute(arguments, session, inputs, outputs, &run_ms);
  if (status) return status;
  status = cli_has(arguments, OPTION_JSON) ? write_json(session, outputs, run_ms)
                                           : cli_write_outputs(session, outputs);
  if (status) return status;
  if (cli_has(arguments, OPTION_TIME)) print_time(session, run_ms);
  return cli_compare_expected(arguments, outputs->buffers, expected, outputs->count);
}

static int run(const arguments_t* arguments, session_t* session) {
  outputs_t outputs = {.count = tn_program_output_count(session->program)};
  tn_buffer_t** inputs = NULL;
  outputs.buffers = calloc(outputs.count + 1, sizeof *outputs.buffers);
  tn_buffer_t** expected = calloc(outputs.count + 1, sizeof *expected);
  int code = outputs.buffers && expected
                 ? cli_check_outputs(arguments, session, &outputs.files)
                 : cli_report(tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory"));
  if (code == EXIT_FINE) code = cli_make_expected(arguments, session, expected);
  if (code == EXIT_FINE) code = cli_make_inputs(arguments, session, NULL, &inputs);
  if (code == EXIT_FINE) {
    tn_status_t status = run_once(arguments, session, inputs, &outputs, expected);
    if (status) code = cli_report(status);
  }
  cli_release_buffers(inputs, tn_program_input_count(session->program));
  cli_release_buffers(expected, outputs.count);
  cli_release_buffers(outputs.buffers, outputs.count);
  free(outputs.files);
  return code;
}

int tn_command_run(const arguments_t* arguments) {
  session_t session;
  tn_status_t status = cli_open(arguments, &session);
  if (!status) status = cli_load_program(arguments, &session);
  int code = status ? cli_report(status) : run(arguments, &session);
  cli_close(&session);
  return code;
}
