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
          cli_bytes_text((double)statistics.plan_byte_length, peak),
          cli_bytes_text((double)statistics.lower_bound_byte_length, bound));
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
      session->read_ms, session->compile_ms, run_ms, statistics.plan_byte_length,
      statistics.lower_bound_byte_length);
  return TN_OK;
}

static int run(const arguments_t* arguments, session_t* session) {
  tn_buffer_t** inputs = NULL;
  tn_buffer_t** results = NULL;
  int code = cli_check_outputs(arguments, session);
  if (code == EXIT_FINE) code = cli_make_inputs(arguments, session, NULL, &inputs);
  if (code != EXIT_FINE) return code;
  size_t input_count = tn_program_argument_count(session->program);
  size_t result_count = tn_program_result_count(session->program);
  tn_status_t status = TN_OK;
  results = calloc(result_count + 1, sizeof *results);
  if (!results) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
    goto done;
  }
  tn_run_options_t options;
  status = cli_run_options(arguments, &options);
  if (status) goto done;
  double start = cli_now_ms();
  status = tn_program_run(session->program, &options, input_count, inputs, result_count, results);
  if (status) {
    status = cli_explain(arguments, session, status);
    goto done;
  }
  double run_ms = cli_now_ms() - start;
  if (cli_has(arguments, OPTION_JSON)) {
    status = write_json(arguments, session, results, run_ms);
  } else {
    status = cli_write_outputs(arguments, session, results);
  }
  if (!status && cli_has(arguments, OPTION_TIME)) print_time(session, run_ms);
done:
  cli_release_buffers(inputs, input_count);
  cli_release_buffers(results, result_count);
  return status ? cli_report(status) : EXIT_FINE;
}

int tn_command_run(const arguments_t* arguments) {
  session_t session;
  tn_status_t status = cli_open(arguments, &session);
  if (!status) status = cli_load_program(arguments, &session);
  int code = status ? cli_report(status) : run(arguments, &session);
  cli_close(&session);
  return code;
}
