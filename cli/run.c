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

static tn_status_t write_json(const arguments_t* arguments, const session_t* session,
                              tn_buffer_t* const* results, double run_ms) {
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_program_statistics(session->program, &statistics);
  tn_status_t status = cli_write_json_outputs(arguments, session, results);
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
                           tn_buffer_t* const* inputs, tn_buffer_t** results, double* out_ms) {
  const char* path = cli_value(arguments, OPTION_TRACE, NULL);
  trace_t* trace = NULL;
  tn_run_options_t options;
  tn_status_t status = cli_run_options(arguments, &options);
  if (!status && path) status = cli_trace_create(path, &trace);
  if (status) return status;
  if (trace) options.observe = cli_trace_observe;
  options.observe_user = trace;
  const double start = cli_now_ms();
  status = tn_program_run(session->program, tn_program_argument_count(session->program), inputs,
                          &options, tn_program_result_count(session->program), results);
  const double end = cli_now_ms();
  *out_ms = end - start;
  tn_status_t trace_status = trace ? cli_trace_close(trace, start, end) : TN_OK;
  if (!status) return trace_status;
  tn_status_release(trace_status);
  return cli_explain(arguments, session, status);
}

// The results, and what is expected of each, in lists that have room for all.
static tn_status_t run_once(const arguments_t* arguments, const session_t* session,
                            tn_buffer_t* const* inputs, tn_buffer_t** results,
                            tn_buffer_t* const* expected) {
  double run_ms = 0;
  tn_status_t status = compute(arguments, session, inputs, results, &run_ms);
  if (status) return status;
  status = cli_has(arguments, OPTION_JSON) ? write_json(arguments, session, results, run_ms)
                                           : cli_write_outputs(arguments, session, results);
  if (status) return status;
  if (cli_has(arguments, OPTION_TIME)) print_time(session, run_ms);
  return cli_compare_expected(arguments, session, results, expected);
}

static int run(const arguments_t* arguments, session_t* session) {
  const size_t input_count = tn_program_argument_count(session->program);
  const size_t result_count = tn_program_result_count(session->program);
  tn_buffer_t** inputs = NULL;
  tn_buffer_t** results = calloc(result_count + 1, sizeof *results);
  tn_buffer_t** expected = calloc(result_count + 1, sizeof *expected);
  int code = results && expected
                 ? cli_check_outputs(arguments, session)
                 : cli_report(tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory"));
  if (code == EXIT_FINE) code = cli_make_expected(arguments, session, expected);
  if (code == EXIT_FINE) code = cli_make_inputs(arguments, session, NULL, &inputs);
  if (code == EXIT_FINE) {
    tn_status_t status = run_once(arguments, session, inputs, results, expected);
    if (status) code = cli_report(status);
  }
  cli_release_buffers(inputs, input_count);
  cli_release_buffers(expected, result_count);
  cli_release_buffers(results, result_count);
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
