// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon bench: how long a run takes, and how much memory.
#include <errno.h>
#include <stdlib.h>

#include "cli.h"

enum { WARM_UP_RUNS = 3, FEWEST_RUNS = 5, MOST_RUNS = 1 << 20 };
static const double budget_ms = 2000;

typedef struct bench {
  const session_t* session;
  tn_buffer_t** inputs;
  tn_buffer_t** results;
  size_t input_count, result_count;
  tn_stream_t* stream;
  tn_run_options_t options;
  double* times_ms;
  size_t run_count;
  profile_t* profile;  // NULL: none is wanted
} bench_t;

// From the call to the last result. Results are given back outside the time.
static tn_status_t run_once(const bench_t* bench, double* out_ms) {
  tn_run_options_t options = bench->options;
  options.stream = bench->stream;
  double start = cli_now_ms();
  tn_status_t status = tn_program_run(bench->session->program, bench->input_count, bench->inputs,
                                      &options, bench->result_count, bench->results);
  if (!status) status = tn_stream_synchronize(bench->stream);
  *out_ms = cli_now_ms() - start;
  for (size_t i = 0; bench->results && i < bench->result_count; ++i) {
    tn_buffer_release(bench->results[i]);
    bench->results[i] = NULL;
  }
  return status;
}

// `wanted` runs; 0: as many as fit in the budget.
static tn_status_t measure(bench_t* bench, size_t wanted) {
  double ms = 0, total_ms = 0, fastest_ms = 0;
  for (int i = 0; i < WARM_UP_RUNS; ++i) {
    cli_progress("warming up: run %d of %d", i + 1, WARM_UP_RUNS);
    tn_status_t status = run_once(bench, &ms);
    if (status) return status;
    if (i == 0 || ms < fastest_ms) fastest_ms = ms;  // a busy machine slows single runs down
  }
  size_t capacity = wanted ? wanted : MOST_RUNS;
  if (!wanted && fastest_ms > 0 && budget_ms / fastest_ms < MOST_RUNS) {
    capacity = (size_t)(budget_ms / fastest_ms) + FEWEST_RUNS;
  }
  bench->times_ms = malloc(capacity * sizeof *bench->times_ms);
  if (!bench->times_ms) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  while (bench->run_count < capacity) {
    if (!wanted && total_ms > budget_ms && bench->run_count >= FEWEST_RUNS) break;
    tn_status_t status = run_once(bench, &ms);
    if (status) return status;
    bench->times_ms[bench->run_count++] = ms;
    total_ms += ms;
    if (wanted) {
      cli_progress("run %zu of %zu, the last took %.4g ms", bench->run_count, wanted, ms);
    } else {
      cli_progress("%zu runs, %.1f of %.0f s, the last took %.4g ms", bench->run_count,
                   total_ms / 1e3, budget_ms / 1e3, ms);
    }
  }
  return TN_OK;
}

// The same number of runs again, observed: the times above are not those of observers.
static tn_status_t observe(bench_t* bench) {
  double ms = 0;
  tn_status_t status = TN_OK;
  bench->options.observe = cli_profile_observe;
  bench->options.observe_user = bench->profile;
  for (size_t i = 0; !status && i < bench->run_count; ++i) {
    cli_progress("observed run %zu of %zu", i + 1, bench->run_count);
    status = run_once(bench, &ms);
  }
  return status;
}

static int compare_times(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print(const arguments_t* arguments, const bench_t* bench) {
  const session_t* session = bench->session;
  tn_program_statistics_t program = {.struct_size = sizeof program};
  tn_memory_statistics_t memory = {.struct_size = sizeof memory};
  char plan[32], bound[32], peak[32];
  tn_program_statistics(session->program, &program);
  tn_device_memory_statistics(session->device, &memory);
  profile_limits_t limits = {0};
  if (bench->profile) limits = cli_profile_limits(bench->profile, session->device);
  qsort(bench->times_ms, bench->run_count, sizeof *bench->times_ms, compare_times);
  size_t half = bench->run_count / 2;
  double median = bench->times_ms[half];
  if (bench->run_count % 2 == 0) median = (median + bench->times_ms[half - 1]) / 2;
  if (cli_has(arguments, OPTION_JSON)) {
    printf(
        "{\"median_ms\": %.6g, \"min_ms\": %.6g, \"runs\": %zu, \"compile_ms\": %.6g, "
        "\"plan_bytes\": %zu, \"plan_lower_bound_bytes\": %zu, \"peak_bytes\": %llu",
        median, bench->times_ms[0], bench->run_count, session->compile_ms, program.plan_byte_size,
        program.lower_bound_byte_size, (unsigned long long)memory.peak_byte_size);
    if (bench->profile) {
      printf(", \"limit_gb_per_s\": %.6g, \"limit_gflop_per_s\": %.6g, \"profile\": [",
             limits.gb_per_s, limits.gflop_per_s);
      cli_profile_print(bench->profile, bench->run_count, limits, true);
      printf("]");
    }
    printf("}\n");
    return;
  }
  printf(
      "median   %.6g ms (%zu runs)\n"
      "fastest  %.6g ms\n"
      "compile  %.6g ms\n"
      "plan     %s, lower bound %s\n"
      "peak     %s of device memory\n",
      median, bench->run_count, bench->times_ms[0], session->compile_ms,
      cli_bytes_text((double)program.plan_byte_size, plan),
      cli_bytes_text((double)program.lower_bound_byte_size, bound),
      cli_bytes_text((double)memory.peak_byte_size, peak));
  if (bench->profile) cli_profile_print(bench->profile, bench->run_count, limits, false);
}

// The plan is that of the inputs' sizes.
static tn_status_t take_sizes(session_t* session, const bench_t* bench) {
  tn_program_t* sized = NULL;
  const double start = cli_now_ms();
  tn_status_t status =
      tn_program_specialise(session->program, bench->input_count, bench->inputs, &sized);
  if (status) return status;
  if (sized != session->program) session->compile_ms += cli_now_ms() - start;
  tn_program_release(session->program);
  session->program = sized;
  return TN_OK;
}

static int bench_program(const arguments_t* arguments, session_t* session, size_t wanted) {
  bench_t bench = {.session = session};
  int code = cli_make_inputs(arguments, session, "random", &bench.inputs);
  if (code != EXIT_FINE) return code;
  bench.input_count = tn_program_input_count(session->program);
  bench.result_count = tn_program_output_count(session->program);
  bench.results = calloc(bench.result_count + 1, sizeof *bench.results);
  tn_status_t status = bench.results
                           ? tn_stream_create(session->device, &bench.stream)
                           : tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  if (!status) status = take_sizes(session, &bench);
  if (!status) status = cli_run_options(arguments, &bench.options);
  if (!status && cli_has(arguments, OPTION_PROFILE)) status = cli_profile_create(&bench.profile);
  if (!status) status = cli_explain(arguments, session, measure(&bench, wanted));
  if (!status && bench.profile) status = observe(&bench);
  cli_progress_end();
  if (!status) print(arguments, &bench);
  free(bench.times_ms);
  cli_profile_destroy(bench.profile);
  cli_release_buffers(bench.inputs, bench.input_count);
  cli_release_buffers(bench.results, bench.result_count);
  tn_stream_release(bench.stream);
  return status ? cli_report(status) : EXIT_FINE;
}

int tn_command_bench(const arguments_t* arguments) {
  const char* runs = cli_value(arguments, OPTION_RUNS, NULL);
  unsigned long long wanted = 0;
  if (runs) {
    char* end = NULL;
    errno = 0;
    wanted = strtoull(runs, &end, 10);
    if (errno || *end || end == runs || wanted == 0 || wanted > MOST_RUNS || *runs == '-') {
      return cli_refuse(arguments->command, "--runs %s is not a number from 1 to %d", runs,
                        MOST_RUNS);
    }
  }
  session_t session;
  tn_status_t status = cli_open(arguments, &session);
  if (!status) status = cli_load_program(arguments, &session);
  int code = status ? cli_report(status) : bench_program(arguments, &session, (size_t)wanted);
  cli_close(&session);
  return code;
}
