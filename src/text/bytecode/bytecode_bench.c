// How fast an artifact is read: megabytes and operations a second, the best of several runs. One
// JSON object a line.
//
//   text_bytecode_bytecode_bench FILE...
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "ir/ir.h"

enum { RUNS = 7 };

static size_t count_nodes(const tn_module_t* module) {
  size_t count = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next) count += f->node_count;
  return count;
}

static char* read_file(const char* path, size_t* out_length) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char* bytes = length > 0 ? malloc((size_t)length) : NULL;
  *out_length = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
  fclose(file);
  return bytes;
}

static tn_status_t measure(const char* path, const char* bytes, size_t length) {
  int64_t best_ns = INT64_MAX;
  size_t nodes = 0, arena = 0;
  for (int run = 0; run < RUNS; ++run) {
    tn_module_t* module = NULL;
    int64_t start_ns = tn__clock_ns();
    tn_status_t status = tn_module_parse(NULL, path, bytes, length, &module);
    int64_t end_ns = tn__clock_ns();
    if (status) return status;
    nodes = count_nodes(module);
    arena = module->arena.byte_length;
    tn_module_release(module);
    if (end_ns - start_ns < best_ns) best_ns = end_ns - start_ns;
  }
  printf(
      "{\"file\": \"%s\", \"bytes\": %zu, \"operations\": %zu, \"module_bytes\": %zu, "
      "\"mb_per_s\": %.6g, \"ns_per_operation\": %.6g}\n",
      path, length, nodes, arena, (double)length * 1e3 / (double)best_ns,
      nodes ? (double)best_ns / (double)nodes : 0);
  return TN_OK;
}

int main(int count, char** paths) {
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    size_t length = 0;
    char* bytes = read_file(paths[i], &length);
    tn_status_t status = bytes ? measure(paths[i], bytes, length)
                               : tn_status_create(TN_CODE_NOT_FOUND, "cannot read %s", paths[i]);
    free(bytes);
    if (!status) continue;
    char report[1024];
    tn_status_format(status, report, sizeof report);
    fputs(report, stderr);
    tn_status_release(status);
    failed = 1;
  }
  return failed;
}
