// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How fast text is read and written: megabytes a second for operations, numbers and hexadecimal
// data, the best of several runs. One JSON object a line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/detail/module.h>

#include "base/linux/clock.h"

enum { RUNS = 5, OPERATIONS = 4000, FUNCTIONS = 50, ELEMENTS = 1000000 };

typedef struct text {
  char* data;
  size_t length, capacity;
} text_t;

static void put(text_t* text, const char* piece) {
  size_t length = strlen(piece);
  if (!text->data || text->length + length > text->capacity) {
    text->capacity = 2 * (text->length + length);
    text->data = realloc(text->data, text->capacity);
    if (!text->data) exit(1);
  }
  if (length) memcpy(text->data + text->length, piece, length);
  text->length += length;
}

// FUNCTIONS of OPERATIONS additions each.
static void make_operations(text_t* text) {
  char line[128];
  for (int f = 0; f < FUNCTIONS; ++f) {
    snprintf(line, sizeof line,
             "func.func private @f%d(%%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
             "  %%0 = stablehlo.add %%x, %%x : tensor<2x3xf32>\n",
             f);
    put(text, line);
    for (int i = 1; i < OPERATIONS; ++i) {
      snprintf(line, sizeof line, "  %%%d = stablehlo.add %%%d, %%x : tensor<2x3xf32>\n", i, i - 1);
      put(text, line);
    }
    snprintf(line, sizeof line, "  return %%%d : tensor<2x3xf32>\n}\n", OPERATIONS - 1);
    put(text, line);
  }
}

static void make_constant(text_t* text, bool hexadecimal) {
  char piece[128];
  snprintf(piece, sizeof piece, "tensor<%dxf32>", (int)ELEMENTS);
  put(text, "func.func @main() {\n  %0 = stablehlo.constant dense<");
  put(text, hexadecimal ? "\"0x" : "[");
  uint32_t random = 1;
  for (int i = 0; i < ELEMENTS; ++i) {
    char number[32];
    random = random * 1664525 + 1013904223;
    if (hexadecimal) {
      snprintf(number, sizeof number, "%08X", random & 0xFFFF7FFF);
    } else {
      snprintf(number, sizeof number, "%s%.6e", i ? ", " : "", random * 1e-9 - 2);
    }
    put(text, number);
  }
  put(text, hexadecimal ? "\"> : " : "]> : ");
  put(text, piece);
  put(text, "\n  return\n}\n");
}

static tn_status_t count(void* user, const char* text, size_t length) {
  (void)text;
  *(size_t*)user += length;
  return TN_OK;
}

static tn_status_t measure(const char* name, const text_t* text) {
  int64_t best_read_ns = INT64_MAX, best_write_ns = INT64_MAX;
  size_t written = 0;
  for (int run = 0; run < RUNS; ++run) {
    tn_module_t* module = NULL;
    int64_t start_ns = tn__clock_ns();
    tn_status_t status = tn_module_parse(NULL, name, text->data, text->length, &module);
    int64_t read_ns = tn__clock_ns();
    written = 0;
    if (!status) status = tn_module_print(module, count, &written);
    int64_t end_ns = tn__clock_ns();
    tn_module_release(module);
    if (status) return status;
    if (read_ns - start_ns < best_read_ns) best_read_ns = read_ns - start_ns;
    if (end_ns - read_ns < best_write_ns) best_write_ns = end_ns - read_ns;
  }
  printf(
      "{\"text\": \"%s\", \"bytes\": %zu, \"read_mb_per_s\": %.6g, \"written_bytes\": %zu, "
      "\"write_mb_per_s\": %.6g}\n",
      name, text->length, (double)text->length * 1e3 / (double)best_read_ns, written,
      (double)written * 1e3 / (double)best_write_ns);
  return TN_OK;
}

int main(void) {
  text_t texts[3] = {{0}, {0}, {0}};
  static const char* const names[3] = {"operations", "decimal constant", "hexadecimal constant"};
  make_operations(&texts[0]);
  make_constant(&texts[1], false);
  make_constant(&texts[2], true);
  int failed = 0;
  for (int i = 0; i < 3; ++i) {
    tn_status_t status = measure(names[i], &texts[i]);
    if (status) {
      char report[1024];
      tn_status_format(status, report, sizeof report);
      fputs(report, stderr);
      tn_status_release(status);
      failed = 1;
    }
    free(texts[i].data);
  }
  return failed;
}
