// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels that read views give the bits that they give of dense operands: every view before every
// reader, and once more behind a barrier, which has it stored.
#include "program/program.h"
#include "program/testing_run.h"

typedef struct part {
  const char* arguments;  // of a view: %x
  const char* text;       // of a view: %x to %v : 8x6; of a reader: %w, which is that, to %r
  const char* result;     // of a reader
} part_t;

#define T "tensor<8x6xf32>"

static const part_t views[] = {
    {"tensor<6x8xf32>", "%v = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> " T "\n",
     NULL},
    {"tensor<10x9xf32>", "%v = stablehlo.slice %x [1:9, 2:8] : (tensor<10x9xf32>) -> " T "\n",
     NULL},
    {"tensor<10x6xf32>", "%v = stablehlo.slice %x [1:9, 0:6] : (tensor<10x6xf32>) -> " T "\n",
     NULL},
    {"tensor<16x12xf32>",
     "%v = stablehlo.slice %x [0:16:2, 1:12:2] : (tensor<16x12xf32>) -> " T "\n", NULL},
    {T, "%v = stablehlo.reverse %x, dims = [0] : " T "\n", NULL},
    {T, "%v = stablehlo.reverse %x, dims = [0, 1] : " T "\n", NULL},
    {"tensor<6xf32>", "%v = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<6xf32>) -> " T "\n",
     NULL},
    {"tensor<8x1xf32>",
     "%v = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<8x1xf32>) -> " T "\n", NULL},
    {"tensor<f32>", "%v = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> " T "\n",
     NULL},
    {"tensor<2x6x4xf32>",
     "%a = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>\n"
     "%v = stablehlo.reshape %a : (tensor<2x4x6xf32>) -> " T "\n",
     NULL},
    {"tensor<9x8xf32>",
     "%a = stablehlo.slice %x [0:9, 0:8] : (tensor<9x8xf32>) -> tensor<9x8xf32>\n"
     "%b = stablehlo.reverse %a, dims = [1] : tensor<9x8xf32>\n"
     "%c = stablehlo.slice %b [3:9, 0:8] : (tensor<9x8xf32>) -> tensor<6x8xf32>\n"
     "%v = stablehlo.transpose %c, dims = [1, 0] : (tensor<6x8xf32>) -> " T "\n",
     NULL},
};

#define INDICES                                      \
  "%i = stablehlo.constant dense<1> : tensor<i32>\n" \
  "%j = stablehlo.constant dense<2> : tensor<i32>\n"
#define SUM                                       \
  "({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" \
  "%s = stablehlo.add %p, %q : tensor<f32>\n"     \
  "stablehlo.return %s : tensor<f32>\n})"

static const part_t readers[] = {
    {NULL, "%r = stablehlo.add %w, %y : " T "\n", T},
    {NULL, "%a1 = stablehlo.multiply %w, %y : " T "\n%r = stablehlo.subtract %a1, %w : " T "\n", T},
    {NULL, "%r = stablehlo.transpose %w, dims = [1, 0] : (" T ") -> tensor<6x8xf32>\n",
     "tensor<6x8xf32>"},
    {NULL, "%r = stablehlo.concatenate %y, %w, dim = 1 : (" T ", " T ") -> tensor<8x12xf32>\n",
     "tensor<8x12xf32>"},
    {NULL,
     "%z = stablehlo.constant dense<3.0> : tensor<f32>\n"
     "%r = stablehlo.pad %w, %z, low = [1, -2], high = [0, 3], interior = [2, 1] : (" T
     ", tensor<f32>) -> tensor<23x12xf32>\n",
     "tensor<23x12xf32>"},
    {NULL,
     INDICES "%r = stablehlo.dynamic_slice %w, %i, %j, sizes = [5, 3] : (" T
             ", tensor<i32>, tensor<i32>) -> tensor<5x3xf32>\n",
     "tensor<5x3xf32>"},
    {NULL,
     INDICES "%k = stablehlo.pad %y, %o, low = [3, 0], high = [0, 3], interior = [0, 0] : (" T
             ", tensor<f32>) -> tensor<11x9xf32>\n"
             "%r = stablehlo.dynamic_update_slice %k, %w, %i, %j : (tensor<11x9xf32>, " T
             ", tensor<i32>, tensor<i32>) -> tensor<11x9xf32>\n",
     "tensor<11x9xf32>"},
    {NULL,
     "%r = stablehlo.dot_general %w, %y, contracting_dims = [0] x [0] : (" T ", " T
     ") -> tensor<6x6xf32>\n",
     "tensor<6x6xf32>"},
    {NULL,
     "%r = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (" T ", " T
     ") -> tensor<8x8xf32>\n",
     "tensor<8x8xf32>"},
    {NULL,
     "%r = stablehlo.dot_general %w, %w, batching_dims = [0] x [0], contracting_dims = [] x [] : "
     "(" T ", " T ") -> tensor<8x6x6xf32>\n",
     "tensor<8x6x6xf32>"},
    {NULL,
     "%h = stablehlo.convert %w : (" T ") -> tensor<8x6xbf16>\n"
     "%r = stablehlo.dot_general %h, %w, contracting_dims = [1] x [1] : (tensor<8x6xbf16>, " T
     ") -> tensor<8x8xf32>\n",
     "tensor<8x8xf32>"},
    {NULL,
     "%r = \"stablehlo.reduce\"(%w, %o) " SUM " {dimensions = array<i64: 1>} : (" T
     ", tensor<f32>) -> tensor<8xf32>\n",
     "tensor<8xf32>"},
    {NULL,
     "%r = \"stablehlo.reduce\"(%w, %o) " SUM " {dimensions = array<i64: 0>} : (" T
     ", tensor<f32>) -> tensor<6xf32>\n",
     "tensor<6xf32>"},
};

enum {
  VIEW_COUNT = sizeof views / sizeof *views,
  READER_COUNT = sizeof readers / sizeof *readers,
};

static void run(const part_t* view, const part_t* reader, bool is_stored, bool keeps_all,
                tn_testing_bytes_t* out) {
  char text[4096];
  tn_testing_buffers_t arguments;
  snprintf(text, sizeof text,
           "func.func @main(%%x: %s, %%y: " T
           ", %%o: tensor<f32>) -> %s {\n%s%s%s"
           "return %%r : %s\n}\n",
           view->arguments, reader->result, view->text,
           is_stored ? "%w = stablehlo.optimization_barrier %v : " T "\n"
                     : "%w = stablehlo.reshape %v : (" T ") -> " T "\n",
           reader->text, reader->result);
  tn_program_t* program = tn__testing_program(text, keeps_all);
  tn__testing_arguments(program, 7, &arguments);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, out));
  tn__testing_buffers_release(&arguments);
  tn_program_release(program);
}

// The text has STORED where %w is made of %v, of type `type`.
static void compare_with_stored(const char* text, const char* type) {
  const char* place = strstr(text, "STORED");
  tn_testing_bytes_t bytes[2];
  for (int is_stored = 0; is_stored < 2; ++is_stored) {
    char whole[4096], step[256];
    tn_testing_buffers_t arguments;
    snprintf(step, sizeof step,
             is_stored ? "stablehlo.optimization_barrier %%v : %s"
                       : "stablehlo.reshape %%v : (%s) -> %s",
             type, type);
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(place - text), text, step,
             place + strlen("STORED"));
    tn_program_t* program = tn__testing_program(whole, false);
    tn__testing_arguments(program, 11, &arguments);
    TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &bytes[is_stored]));
    tn__testing_buffers_release(&arguments);
    tn_program_release(program);
  }
  if (!tn__testing_bytes_equal(&bytes[0], &bytes[1])) fail_msg("other bits of %s", text);
  free(bytes[0].bytes);
  free(bytes[1].bytes);
}

// More lines and columns than a block has, and blocks that end in the middle.
static void transposed_operands_are_gathered_in_blocks(void** state) {
  (void)state;
  static const struct {
    const char *element, *from, *permutation, *to, *row;
    int last;
  } cases[] = {
      {"f32", "1500x130", "1, 0", "130x1500", "130", 1},
      {"f32", "300x1030", "1, 0", "1030x300", "1030", 1},
      {"bf16", "2100x150", "1, 0", "150x2100", "150", 1},
      {"f64", "3x40x75", "0, 2, 1", "3x75x40", "3x75", 2},
      {"f32", "2x1100x90", "0, 2, 1", "2x90x1100", "2x90", 2},
      {"i8", "70x5x90", "2, 0, 1", "90x70x5", "90x70", 2},
      {"complex<f64>", "130x140", "1, 0", "140x130", "140", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* e = cases[i].element;
    char text[2048], to[64], from[64], row[64];
    snprintf(to, sizeof to, "tensor<%sx%s>", cases[i].to, e);
    snprintf(from, sizeof from, "tensor<%sx%s>", cases[i].from, e);
    snprintf(row, sizeof row, "tensor<%sx%s>", cases[i].row, e);
    snprintf(text, sizeof text,
             "func.func @main(%%x: %s, %%y: %s, %%o: tensor<%s>) -> (%s, %s) {\n"
             "%%v = stablehlo.transpose %%x, dims = [%s] : (%s) -> %s\n"
             "%%w = STORED\n"
             "%%a = stablehlo.multiply %%w, %%y : %s\n"
             "%%b = stablehlo.subtract %%a, %%w : %s\n"
             "%%s = stablehlo.reduce(%%b init: %%o) applies stablehlo.add across dimensions = "
             "[%d] : (%s, tensor<%s>) -> %s\n"
             "return %%b, %%s : %s, %s\n}\n",
             from, to, e, to, row, cases[i].permutation, from, to, to, to, cases[i].last, to, e,
             row, to, row);
    compare_with_stored(text, to);
  }
}

// The order of a sum, and so its bits, does not depend on where the elements are.
static void rows_with_gaps_are_folded_like_dense_ones(void** state) {
  (void)state;
  static const struct {
    const char *from, *slice, *to, *dims, *result;
  } cases[] = {
      {"40x500", "0:40, 3:303", "40x300", "1", "40"},
      {"9x40x100", "0:9, 1:38, 7:97", "9x37x90", "2", "9x37"},
      {"9x40x100", "0:9, 1:38, 0:100", "9x37x100", "1, 2", "9"},
      {"9x40x100", "0:9, 1:38, 7:97", "9x37x90", "0, 2", "37"},
      {"6x70000", "0:6, 0:66000", "6x66000", "1", "6"},
      {"40x50", "0:40, 3:33", "40x30", "1", "40"},
      {"40x500", "0:40, 3:303", "40x300", "0", "300"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2048], to[64];
    snprintf(to, sizeof to, "tensor<%sxf32>", cases[i].to);
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%sxf32>, %%o: tensor<f32>) -> tensor<%sxf32> {\n"
             "%%v = stablehlo.slice %%x [%s] : (tensor<%sxf32>) -> %s\n"
             "%%w = STORED\n"
             "%%s = stablehlo.reduce(%%w init: %%o) applies stablehlo.add across dimensions = "
             "[%s] : (%s, tensor<f32>) -> tensor<%sxf32>\n"
             "return %%s : tensor<%sxf32>\n}\n",
             cases[i].from, cases[i].result, cases[i].slice, cases[i].from, to, cases[i].dims, to,
             cases[i].result, cases[i].result);
    compare_with_stored(text, to);
  }
}

// Products large enough to convert operands as they read them: with neighbours along either
// dimension of a matrix, and along neither.
static void products_convert_what_they_read_of_views(void** state) {
  (void)state;
  static const char* const turns[] = {"1, 0, 2", "2, 0, 1", "0, 1, 2", "0, 2, 1"};
  static const char* const dtypes[] = {"bf16", "f16", "i8", "i16"};
  for (size_t t = 0; t < sizeof turns / sizeof *turns; ++t) {
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
      const bool is_integer = dtypes[d][0] == 'i';
      const int64_t sizes[] = {3, 40, 70};
      int64_t from[3];
      for (size_t i = 0; i < 3; ++i) from[turns[t][3 * i] - '0'] = sizes[i];
      char text[1024], view[64];
      snprintf(view, sizeof view, "tensor<3x40x70x%s>", dtypes[d]);
      snprintf(text, sizeof text,
               "func.func @main(%%x: tensor<%dx%dx%dx%s>, %%y: tensor<3x70x33x%s>) -> "
               "tensor<3x40x33x%s> {\n"
               "%%v = stablehlo.transpose %%x, dims = [%s] : (tensor<%dx%dx%dx%s>) -> %s\n"
               "%%w = STORED\n"
               "%%r = stablehlo.dot_general %%w, %%y, batching_dims = [0] x [0], contracting_dims "
               "= [2] x [1] : (%s, tensor<3x70x33x%s>) -> tensor<3x40x33x%s>\n"
               "return %%r : tensor<3x40x33x%s>\n}\n",
               (int)from[0], (int)from[1], (int)from[2], dtypes[d], dtypes[d],
               is_integer ? "i32" : dtypes[d], turns[t], (int)from[0], (int)from[1], (int)from[2],
               dtypes[d], view, view, dtypes[d], is_integer ? "i32" : dtypes[d],
               is_integer ? "i32" : dtypes[d]);
      compare_with_stored(text, view);
    }
  }
}

static void every_reader_reads_every_view(void** state) {
  (void)state;
  for (size_t v = 0; v < VIEW_COUNT; ++v) {
    for (size_t r = 0; r < READER_COUNT; ++r) {
      for (int keeps_all = 0; keeps_all < 2; ++keeps_all) {
        tn_testing_bytes_t read, stored;
        run(&views[v], &readers[r], false, keeps_all, &read);
        run(&views[v], &readers[r], true, keeps_all, &stored);
        if (!tn__testing_bytes_equal(&read, &stored)) {
          fail_msg("%s%sgive other bits than what is stored", views[v].text, readers[r].text);
        }
        free(read.bytes);
        free(stored.bytes);
      }
    }
  }
}

// The arrays are small.
static int setup(void** state) {
  return setenv("TENON_FUSION", "0", 1) || tn__testing_device_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_convert_what_they_read_of_views),
      cmocka_unit_test(every_reader_reads_every_view),
      cmocka_unit_test(transposed_operands_are_gathered_in_blocks),
      cmocka_unit_test(rows_with_gaps_are_folded_like_dense_ones),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, tn__testing_device_teardown);
}
