// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon run --trace: a run as JSON in the Trace Event Format, which Perfetto and chrome://tracing
// open.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

struct trace {
  FILE* file;
  tn_file_writer_t* writer;  // of the file, whose descriptor `file` has a copy of
  const char* path;
  uint64_t count;  // of slices
};

// A track of slices that nest, and one of slices that overlap.
enum { RUN_TRACK = 1, ASYNCHRONOUS_TRACK = 2 };

static void print_track(FILE* file, int track, const char* name) {
  fprintf(file,
          "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"args\": "
          "{\"name\": \"%s\"}},\n",
          track, name);
}

tn_status_t cli_trace_create(const char* path, trace_t** out_trace) {
  tn_file_writer_t* writer = NULL;
  *out_trace = NULL;
  tn_status_t status = tn_file_writer_create(path, &writer);
  if (status) return status;
  const int copy = dup(tn_file_writer_descriptor(writer));
  FILE* file = copy >= 0 ? fdopen(copy, "w") : NULL;
  trace_t* trace = file ? calloc(1, sizeof *trace) : NULL;
  if (!trace) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s: %s", path, strerror(errno));
    if (file) {
      fclose(file);
    } else if (copy >= 0) {
      close(copy);
    }
    tn_file_writer_discard(writer);
    return status;
  }
  *trace = (trace_t){.file = file, .writer = writer, .path = path};
  fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  fprintf(file,
          "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": "
          "\"tenon\"}},\n");
  print_track(file, RUN_TRACK, "run");
  print_track(file, ASYNCHRONOUS_TRACK, "asynchronous calls");
  *out_trace = trace;
  return TN_OK;
}

// Microseconds with nanoseconds behind the point.
static void print_us(FILE* file, const char* key, int64_t ns) {
  fprintf(file, ", \"%s\": %lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

// Up to what its kind of slice adds.
static void begin_slice(trace_t* trace, const tn_run_event_t* event, int track) {
  char name[120];
  fprintf(trace->file, "{\"name\": ");
  cli_print_json_string(trace->file, cli_event_name(event, name));
  fprintf(trace->file, ", \"cat\": \"%s\", \"pid\": 1, \"tid\": %d",
          strcmp(event->operation, "custom_call") == 0 ? "custom call" : "operation", track);
}

static void print_args(trace_t* trace, const tn_run_event_t* event) {
  fprintf(trace->file, ", \"args\": ");
  // What could not be written is noticed at the end.
  tn_status_release(tn_run_event_write_json(event, tn_write_to_file, trace->file));
}

void cli_trace_observe(void* user, const tn_run_event_t* event) {
  trace_t* trace = user;
  FILE* file = trace->file;
  ++trace->count;
  if (!event->is_asynchronous) {
    begin_slice(trace, event, RUN_TRACK);
    fprintf(file, ", \"ph\": \"X\"");
    print_us(file, "ts", event->begin_ns);
    print_us(file, "dur", event->end_ns - event->begin_ns);
    print_args(trace, event);
  } else {
    begin_slice(trace, event, ASYNCHRONOUS_TRACK);
    fprintf(file, ", \"ph\": \"b\", \"id\": %llu", (unsigned long long)trace->count);
    print_us(file, "ts", event->begin_ns);
    print_args(trace, event);
    fprintf(file, "},\n");
    begin_slice(trace, event, ASYNCHRONOUS_TRACK);
    fprintf(file, ", \"ph\": \"e\", \"id\": %llu", (unsigned long long)trace->count);
    print_us(file, "ts", event->end_ns);
  }
  fprintf(file, "},\n");
}

tn_status_t cli_trace_close(trace_t* trace, double begin_ms, double end_ms) {
  FILE* file = trace->file;
  fprintf(file, "{\"name\": \"run\", \"cat\": \"run\", \"pid\": 1, \"tid\": %d, \"ph\": \"X\"",
          RUN_TRACK);
  print_us(file, "ts", (int64_t)(begin_ms * 1e6));
  print_us(file, "dur", (int64_t)((end_ms - begin_ms) * 1e6));
  fprintf(file, "}\n]}\n");
  const bool has_failed = ferror(file) != 0;
  tn_status_t status = TN_OK;
  if (fclose(file) != 0 || has_failed) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s: the trace could not be written: %s",
                              trace->path, strerror(errno));
    tn_file_writer_discard(trace->writer);
  } else {
    status = tn_file_writer_commit(trace->writer);
  }
  free(trace);
  return status;
}
