// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon bench --profile: where the time of a run goes.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { DEEPEST = 256 };  // of loops, branches and calls inside each other

typedef struct row {
  uint32_t instruction, line;
  uint64_t calls, bytes, operations;
  int64_t own_ns;  // without the instructions inside
  char name[120];  // "custom_call @rms_norm"
  char kernel[48];
} row_t;

struct profile {
  size_t row_count, capacity;
  row_t* rows;
  bool is_incomplete;  // there was no memory for all rows
  int64_t inner_ns[DEEPEST + 1];
};

const char* cli_event_name(const tn_run_event_t* event, char out[120]) {
  const int length = event->target_length < 80 ? (int)event->target_length : 80;
  snprintf(out, 120, length ? "%.30s @%.*s" : "%.30s", event->operation, length, event->target);
  return out;
}

static row_t* row_of(profile_t* profile, const tn_run_event_t* event) {
  for (size_t i = 0; i < profile->row_count; ++i) {
    if (profile->rows[i].instruction == event->instruction) return &profile->rows[i];
  }
  if (profile->row_count == profile->capacity) {
    const size_t capacity = profile->capacity ? 2 * profile->capacity : 64;
    row_t* rows = realloc(profile->rows, capacity * sizeof *rows);
    if (!rows) return NULL;
    profile->rows = rows;
    profile->capacity = capacity;
  }
  row_t* row = &profile->rows[profile->row_count++];
  *row = (row_t){.instruction = event->instruction, .line = event->line};
  cli_event_name(event, row->name);
  snprintf(row->kernel, sizeof row->kernel, "%s", event->kernel);
  return row;
}

void cli_profile_observe(void* user, const tn_run_event_t* event) {
  profile_t* profile = user;
  const int64_t ns = event->end_ns - event->begin_ns;
  int64_t inner_ns = 0;
  if (!event->is_asynchronous && event->depth < DEEPEST) {
    inner_ns = profile->inner_ns[event->depth + 1];
    profile->inner_ns[event->depth + 1] = 0;
    profile->inner_ns[event->depth] += ns;
  }
  row_t* row = row_of(profile, event);
  if (!row) {
    profile->is_incomplete = true;
    return;
  }
  ++row->calls;
  row->own_ns += ns - inner_ns;
  row->bytes += event->read_byte_size + event->written_byte_size;
  row->operations += event->operation_count;
}

tn_status_t cli_profile_create(profile_t** out_profile) {
  *out_profile = calloc(1, sizeof **out_profile);
  return *out_profile ? TN_OK : tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
}

void cli_profile_destroy(profile_t* profile) {
  if (profile) free(profile->rows);
  free(profile);
}

static int compare_rows(const void* a, const void* b) {
  const row_t *x = a, *y = b;
  if (x->own_ns != y->own_ns) return x->own_ns < y->own_ns ? 1 : -1;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

// What is printed of a row, for one run.
typedef struct figures {
  double ms, share, calls, bytes, gb_per_s, gflop_per_s, of_limit;
} figures_t;

static double part(double value, double limit) {
  return limit > 0 ? value / limit : 0;
}

static figures_t figures_of(const row_t* row, size_t run_count, int64_t total_ns,
                            profile_limits_t limits) {
  const double runs = (double)run_count, ns = (double)row->own_ns;
  const double gb_per_s = part((double)row->bytes, ns);
  const double gflop_per_s = part((double)row->operations, ns);
  const double of_memory = part(gb_per_s, limits.gb_per_s);
  const double of_products = part(gflop_per_s, limits.gflop_per_s);
  return (figures_t){
      .ms = ns / 1e6 / runs,
      .share = total_ns > 0 ? ns / (double)total_ns : 0,
      .calls = (double)row->calls / runs,
      .bytes = (double)row->bytes / runs,
      .gb_per_s = gb_per_s,
      .gflop_per_s = gflop_per_s,
      .of_limit = of_memory > of_products ? of_memory : of_products,
  };
}

static void print_json(const row_t* row, const figures_t* figures) {
  printf("{\"instruction\": %u, \"operation\": ", row->instruction);
  cli_print_json_string(stdout, row->name);
  printf(", \"kernel\": ");
  cli_print_json_string(stdout, row->kernel);
  if (row->line) printf(", \"line\": %u", row->line);
  printf(
      ", \"ms\": %.6g, \"share\": %.6g, \"calls\": %.6g, \"bytes\": %.17g, \"gb_per_s\": %.6g, "
      "\"gflop_per_s\": %.6g, \"of_limit\": %.6g}",
      figures->ms, figures->share, figures->calls, figures->bytes, figures->gb_per_s,
      figures->gflop_per_s, figures->of_limit);
}

static bool is_above(const figures_t* figures) {
  return figures->of_limit >= 1.005;
}

static void print_text(const row_t* row, const figures_t* figures) {
  char bytes[32], rate[32] = "", share[32];
  if (row->operations) snprintf(rate, sizeof rate, "%.4g", figures->gflop_per_s);
  snprintf(share, sizeof share, is_above(figures) ? ">100%%" : "%.3g%%", 100 * figures->of_limit);
  printf("%10.6f  %5.1f%%  %8.6g  %11s  %8.4g  %8s  %8s  %4u  %s", figures->ms,
         100 * figures->share, figures->calls, cli_bytes_text(figures->bytes, bytes),
         figures->gb_per_s, rate, share, row->instruction, row->name);
  if (row->line) printf("  line %u", row->line);
  printf("%s%s%s\n", *row->kernel ? "  (" : "", row->kernel, *row->kernel ? ")" : "");
}

profile_limits_t cli_profile_limits(const profile_t* profile, tn_device_t* device) {
  uint64_t operations = 0;
  for (size_t i = 0; i < profile->row_count; ++i) operations += profile->rows[i].operations;
  return (profile_limits_t){
      .gb_per_s = cli_measure_bandwidth(device),
      .gflop_per_s = operations ? cli_measure_products(device) : 0,
  };
}

static void print_limits(profile_limits_t limits, bool has_above) {
  if (limits.gb_per_s <= 0) {
    printf("the limit is not known: memory could not be measured\n");
    return;
  }
  printf("the limit is memory: %.4g GB/s, read and written", limits.gb_per_s);
  if (limits.gflop_per_s > 0) printf("; or products of f32: %.4g GFLOP/s", limits.gflop_per_s);
  printf("\n");
  if (has_above) printf(">100%%: the data are in a cache, or the products are not of f32\n");
}

void cli_profile_print(profile_t* profile, size_t run_count, profile_limits_t limits,
                       bool is_json) {
  int64_t total_ns = 0;
  bool has_above = false;
  qsort(profile->rows, profile->row_count, sizeof *profile->rows, compare_rows);
  for (size_t i = 0; i < profile->row_count; ++i) total_ns += profile->rows[i].own_ns;
  if (!is_json) {
    printf("\n%10s  %6s  %8s  %11s  %8s  %8s  %8s  %4s  operation\n", "ms", "share", "calls",
           "bytes", "GB/s", "GFLOP/s", "of limit", "no.");
  }
  for (size_t i = 0; i < profile->row_count; ++i) {
    const figures_t figures = figures_of(&profile->rows[i], run_count, total_ns, limits);
    has_above |= is_above(&figures);
    if (is_json && i) printf(", ");
    if (is_json) {
      print_json(&profile->rows[i], &figures);
    } else {
      print_text(&profile->rows[i], &figures);
    }
  }
  if (!is_json) print_limits(limits, has_above);
  if (profile->is_incomplete && !is_json) printf("... (there was no memory for the rest)\n");
}
