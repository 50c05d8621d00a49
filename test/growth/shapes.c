// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "shapes.h"

#define F4 "tensor<4xf32>"
#define F0 "tensor<f32>"

// What the format gives for each i below n, with ", " between.
#define LIST(file, n, ...)        \
  for (int i = 0; i < (n); ++i) { \
    fputs(i ? ", " : "", file);   \
    fprintf(file, __VA_ARGS__);   \
  }

static void repeat(FILE* file, int n, const char* text) {
  for (int i = 0; i < n; ++i) fprintf(file, "%s%s", i ? ", " : "", text);
}

static void branches_of_case(FILE* file, int n) {
  fprintf(file, "func.func @main(%%i: tensor<i32>, %%x: " F4 ") -> " F4
                " {\n"
                "%%0 = \"stablehlo.case\"(%%i) (");
  repeat(file, n, "{ stablehlo.return %x : " F4 " }\n");
  fputs(") : (tensor<i32>) -> " F4 "\nreturn %0 : " F4 "\n}\n", file);
}

static void attributes_of_operation(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0 = stablehlo.add %x, %x {", file);
  LIST(file, n, "a%d = %d : i32", i, i)
  fputs("} : " F4 "\nreturn %0 : " F4 "\n}\n", file);
}

static void attributes_of_call(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0 = stablehlo.custom_call @Sharding(%x) {",
        file);
  LIST(file, n, "a%d = %d : i32", i, i)
  fputs("} : (" F4 ") -> " F4 "\nreturn %0 : " F4 "\n}\n", file);
}

static void attributes_of_function(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " attributes {", file);
  LIST(file, n, "a%d = %d : i32", i, i)
  fputs("} {\nreturn %x : " F4 "\n}\n", file);
}

static void entries_of_dictionary(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0 = stablehlo.add %x, %x {d = {", file);
  LIST(file, n, "a%d = %d : i32", i, i)
  fputs("}} : " F4 "\nreturn %0 : " F4 "\n}\n", file);
}

static void items_of_list(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0 = stablehlo.add %x, %x {d = [", file);
  LIST(file, n, "\"a%d\"", i)
  fputs("]} : " F4 "\nreturn %0 : " F4 "\n}\n", file);
}

// All with the same operand, so that only the insides of the lists tell them apart.
static void lists_that_differ_inside(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.negate %%x {a = [[\"same\", %d : i32]]} : " F4 "\n", i, i);
  }
  fputs("return %s0 : " F4 "\n}\n", file);
}

// Lists in lists by aliases, written twice, so that one tower equals the other and is not it. All
// operations mention one of the two.
static void towers_of_aliases(FILE* file, int n) {
  enum { LEVELS = 12 };
  for (int tower = 0; tower < 2; ++tower) {
    fprintf(file, "#t%d_0 = [1 : i32]\n", tower);
    for (int i = 1; i <= LEVELS; ++i) {
      fprintf(file, "#t%d_%d = [#t%d_%d, #t%d_%d]\n", tower, i, tower, i - 1, tower, i - 1);
    }
  }
  fputs("func.func @main(%s0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.negate %%s%d {a = #t%d_%d} : " F4 "\n", i + 1, i, i % 2,
            LEVELS);
  }
  fprintf(file, "return %%s%d : " F4 "\n}\n", n);
}

static void mentions_of_large_tuples(FILE* file, int n) {
  enum { LEVELS = 10 };
  fputs("!t0 = tensor<f32>\n", file);
  for (int i = 1; i <= LEVELS; ++i) fprintf(file, "!t%d = tuple<!t%d, !t%d>\n", i, i - 1, i - 1);
  fprintf(file, "func.func @main(%%s0: !t%d) -> !t%d {\n", LEVELS, LEVELS);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.optimization_barrier %%s%d : !t%d\n", i + 1, i, LEVELS);
  }
  fprintf(file, "return %%s%d : !t%d\n}\n", n, LEVELS);
}

static void operands_of_sort(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0:", file);
  fprintf(file, "%d = \"stablehlo.sort\"(", n);
  repeat(file, n, "%x");
  fputs(") ({\n^bb0(", file);
  LIST(file, 2 * n, "%%a%d: " F0, i)
  fputs("):\n%c = stablehlo.compare GT, %a0, %a1 : (" F0 ", " F0
        ") -> tensor<i1>\n"
        "stablehlo.return %c : tensor<i1>\n}) {dimension = 0 : i64} : (",
        file);
  repeat(file, n, F4);
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(")\nreturn %0#0 : " F4 "\n}\n", file);
}

static void slices_of_concatenate(FILE* file, int n) {
  fputs("func.func @main(%x: tensor<64xf32>) -> ", file);
  fprintf(file, "tensor<%dxf32> {\n", n);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.slice %%x [%d:%d] : (tensor<64xf32>) -> tensor<1xf32>\n", i,
            i % 64, i % 64 + 1);
  }
  fputs("%0 = stablehlo.concatenate ", file);
  LIST(file, n, "%%s%d", i)
  fputs(", dim = 0 : (", file);
  repeat(file, n, "tensor<1xf32>");
  fprintf(file, ") -> tensor<%dxf32>\nreturn %%0 : tensor<%dxf32>\n}\n", n, n);
}

static void operands_of_concatenate(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> ", file);
  fprintf(file, "tensor<%dxf32> {\n%%0 = stablehlo.concatenate ", 4 * n);
  repeat(file, n, "%x");
  fputs(", dim = 0 : (", file);
  repeat(file, n, F4);
  fprintf(file, ") -> tensor<%dxf32>\nreturn %%0 : tensor<%dxf32>\n}\n", 4 * n, 4 * n);
}

// The values named `name` and a number below n.
static void values(FILE* file, int n, const char* name) {
  LIST(file, n, "%%%s%d", name, i)
}

// One value for each operand.
static void begin_negated(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n", file);
  fputs("%y0 = stablehlo.negate %x : " F4 "\n", file);
  for (int i = 1; i < n; ++i) {
    fprintf(file, "%%y%d = stablehlo.negate %%y%d : " F4 "\n", i, i - 1);
  }
}

static void operands_of_custom_call(FILE* file, int n) {
  begin_negated(file, n);
  fprintf(file, "%%0:%d = \"stablehlo.custom_call\"(", n);
  values(file, n, "y");
  fputs(") {call_target_name = \"growth\"} : (", file);
  repeat(file, n, F4);
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(")\nreturn %0#0 : " F4 "\n}\n", file);
}

static void operand_aliases(FILE* file, int n) {
  begin_negated(file, n);
  fprintf(file, "%%0:%d = \"stablehlo.custom_call\"(", n);
  values(file, n, "y");
  fputs(") {call_target_name = \"growth\", output_operand_aliases = [", file);
  LIST(file, n,
       "#stablehlo.output_operand_alias<output_tuple_indices = [%d], operand_index = %d, "
       "operand_tuple_indices = []>",
       i, i)
  fputs("]} : (", file);
  repeat(file, n, F4);
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(")\nreturn %0#0 : " F4 "\n}\n", file);
}

// The body of a reduction of n arrays: the sums of its arguments a and b.
static void body_of_sums(FILE* file, int n) {
  fputs("({\n^bb0(", file);
  LIST(file, n, "%%a%d: " F0, i)
  fputs(", ", file);
  LIST(file, n, "%%b%d: " F0, i)
  fputs("):\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.add %%a%d, %%b%d : " F0 "\n", i, i, i);
  }
  fputs("stablehlo.return ", file);
  values(file, n, "s");
  fputs(" : ", file);
  repeat(file, n, F0);
  fputs("\n})", file);
}

static void operands_of_reduce(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ", %z: " F0 ") -> " F0 " {\n%0:", file);
  fprintf(file, "%d = \"stablehlo.reduce\"(", n);
  repeat(file, n, "%x");
  fputs(", ", file);
  repeat(file, n, "%z");
  fputs(") ", file);
  body_of_sums(file, n);
  fputs(" {dimensions = array<i64: 0>} : (", file);
  repeat(file, n, F4);
  fputs(", ", file);
  repeat(file, n, F0);
  fputs(") -> (", file);
  repeat(file, n, F0);
  fputs(")\nreturn %0#0 : " F0 "\n}\n", file);
}

static void operands_of_reduce_window(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ", %z: " F0 ") -> " F4 " {\n%0:", file);
  fprintf(file, "%d = \"stablehlo.reduce_window\"(", n);
  repeat(file, n, "%x");
  fputs(", ", file);
  repeat(file, n, "%z");
  fputs(") ", file);
  body_of_sums(file, n);
  fputs(" {window_dimensions = array<i64: 1>} : (", file);
  repeat(file, n, F4);
  fputs(", ", file);
  repeat(file, n, F0);
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(")\nreturn %0#0 : " F4 "\n}\n", file);
}

static void operands_of_scatter(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ", %i: tensor<1xi32>, %u: " F0 ") -> " F4 " {\n%0:", file);
  fprintf(file, "%d = \"stablehlo.scatter\"(", n);
  repeat(file, n, "%x");
  fputs(", %i, ", file);
  repeat(file, n, "%u");
  fputs(") ", file);
  body_of_sums(file, n);
  fputs(
      " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0]>} : (",
      file);
  repeat(file, n, F4);
  fputs(", tensor<1xi32>, ", file);
  repeat(file, n, F0);
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(")\nreturn %0#0 : " F4 "\n}\n", file);
}

static void arguments_with(FILE* file, int n, const char* attribute) {
  fputs("func.func @main(", file);
  LIST(file, n, "%%x%d: " F4 " %s", i, attribute)
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(") {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%y%d = stablehlo.negate %%x%d : " F4 "\n", i, i);
  }
  fputs("return ", file);
  LIST(file, n, "%%y%d", i)
  fputs(" : ", file);
  repeat(file, n, F4);
  fputs("\n}\n", file);
}

static void plain_arguments(FILE* file, int n) {
  arguments_with(file, n, "");
}

static void donated_arguments(FILE* file, int n) {
  arguments_with(file, n, "{jax.buffer_donor = true}");
}

// All arguments are read after all results were made, so that none is in time to give its memory.
static void donated_arguments_that_fit_nothing(FILE* file, int n) {
  fputs("func.func @main(", file);
  LIST(file, n, "%%x%d: " F4 " {jax.buffer_donor = true}", i)
  fputs(") -> (", file);
  repeat(file, n, F4);
  fprintf(file, ", tensor<%dxf32>) {\n", 4 * n);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%y%d = stablehlo.negate %%x%d : " F4 "\n", i, i);
  }
  fputs("%all = \"stablehlo.concatenate\"(", file);
  values(file, n, "x");
  fputs(") {dimension = 0 : i64} : (", file);
  repeat(file, n, F4);
  fprintf(file, ") -> tensor<%dxf32>\nreturn ", 4 * n);
  values(file, n, "y");
  fputs(", %all : ", file);
  repeat(file, n, F4);
  fprintf(file, ", tensor<%dxf32>\n}\n", 4 * n);
}

static void aliased_arguments(FILE* file, int n) {
  fputs("func.func @main(", file);
  LIST(file, n, "%%x%d: " F4 " {tf.aliasing_output = %d : i32}", i, i)
  fputs(") -> (", file);
  repeat(file, n, F4);
  fputs(") {\nreturn ", file);
  LIST(file, n, "%%x%d", i)
  fputs(" : ", file);
  repeat(file, n, F4);
  fputs("\n}\n", file);
}

static void begin_tuple(FILE* file, int n) {
  fputs("!t = tuple<", file);
  repeat(file, n, F4);
  fputs(">\n", file);
}

static void elements_of_tuple(FILE* file, int n) {
  begin_tuple(file, n);
  fputs("func.func @main(%t: !t) -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file,
            "%%%d = \"stablehlo.get_tuple_element\"(%%t) {index = %d : i32} : (!t) -> " F4 "\n", i,
            i);
  }
  fprintf(file, "return %%%d : " F4 "\n}\n", n - 1);
}

static void elements_of_tuple_made_here(FILE* file, int n) {
  begin_tuple(file, n);
  fputs("func.func @main(%x: " F4 ") -> !t {\n%0 = \"stablehlo.tuple\"(", file);
  repeat(file, n, "%x");
  fputs(") : (", file);
  repeat(file, n, F4);
  fputs(") -> !t\nreturn %0 : !t\n}\n", file);
}

static void chain_of_operations(FILE* file, int n) {
  fputs("func.func @main(%0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) fprintf(file, "%%%d = stablehlo.negate %%%d : " F4 "\n", i + 1, i);
  fprintf(file, "return %%%d : " F4 "\n}\n", n);
}

static void uses_of_one_value(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ", %0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) fprintf(file, "%%%d = stablehlo.add %%x, %%%d : " F4 "\n", i + 1, i);
  fprintf(file, "return %%%d : " F4 "\n}\n", n);
}

static void sums_that_stay(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%s0 = stablehlo.negate %x : " F4 "\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file,
            "%%r%d = stablehlo.reshape %%x : (" F4
            ") -> tensor<2x2xf32>\n"
            "%%d%d = stablehlo.dot %%r%d, %%r%d : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
            "tensor<2x2xf32>\n"
            "%%q%d = stablehlo.reshape %%d%d : (tensor<2x2xf32>) -> " F4 "\n",
            i, i, i, i, i, i);
  }
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.add %%s%d, %%q%d : " F4 "\n", i + 1, i, i);
  }
  fprintf(file, "return %%s%d : " F4 "\n}\n", n);
}

static void call_chain(FILE* file, int n) {
  fputs("func.func @main(%x: " F4 ") -> " F4 " {\n%0 = call @f0(%x) : (" F4 ") -> " F4
        "\nreturn %0 : " F4 "\n}\n",
        file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "func.func private @f%d(%%x: " F4 ") -> " F4 " {\n", i);
    if (i + 1 < n) {
      fprintf(file, "%%0 = call @f%d(%%x) : (" F4 ") -> " F4 "\n", i + 1);
    } else {
      fputs("%0 = stablehlo.negate %x : " F4 "\n", file);
    }
    fputs("return %0 : " F4 "\n}\n", file);
  }
}

static void calls_of_functions(FILE* file, int n) {
  for (int i = 0; i < n; ++i) {
    fprintf(file,
            "func.func private @f%d(%%x: " F4 ") -> " F4 " {\n%%0 = stablehlo.negate %%x : " F4
            "\nreturn %%0 : " F4 "\n}\n",
            i);
  }
  fputs("func.func @main(%0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%%d = call @f%d(%%%d) : (" F4 ") -> " F4 "\n", i + 1, i, i);
  }
  fprintf(file, "return %%%d : " F4 "\n}\n", n);
}

static void elements_of_constant(FILE* file, int n) {
  fprintf(file, "func.func @main() -> tensor<%dxi32> {\n%%0 = stablehlo.constant dense<[", n);
  LIST(file, n, "%d", i)
  fprintf(file, "]> : tensor<%dxi32>\nreturn %%0 : tensor<%dxi32>\n}\n", n, n);
}

static void constants(FILE* file, int n) {
  fputs("func.func @main(%s0: tensor<i32>) -> tensor<i32> {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file,
            "%%c%d = stablehlo.constant dense<%d> : tensor<i32>\n"
            "%%s%d = stablehlo.add %%s%d, %%c%d : tensor<i32>\n",
            i, i, i + 1, i, i);
  }
  fprintf(file, "return %%s%d : tensor<i32>\n}\n", n);
}

static void carries_of_while(FILE* file, int n) {
  fputs("func.func @main(%p: tensor<i1>, %x: " F4 ") -> " F4 " {\n%0:", file);
  fprintf(file, "%d = \"stablehlo.while\"(", n + 1);
  repeat(file, n, "%x");
  fputs(", %p) ({\n^bb0(", file);
  LIST(file, n, "%%a%d: " F4, i)
  fputs(", %q: tensor<i1>):\nstablehlo.return %q : tensor<i1>\n}, {\n^bb0(", file);
  LIST(file, n, "%%b%d: " F4, i)
  fputs(", %q: tensor<i1>):\n", file);
  for (int i = 0; i < n; ++i) fprintf(file, "%%c%d = stablehlo.negate %%b%d : " F4 "\n", i, i);
  fputs("stablehlo.return ", file);
  LIST(file, n, "%%c%d", i)
  fputs(", %q : ", file);
  repeat(file, n, F4);
  fputs(", tensor<i1>\n}) : (", file);
  repeat(file, n, F4);
  fputs(", tensor<i1>) -> (", file);
  repeat(file, n, F4);
  fputs(", tensor<i1>)\nreturn %0#0 : " F4 "\n}\n", file);
}

static void aliases_of_attributes(FILE* file, int n) {
  for (int i = 0; i < n; ++i) fprintf(file, "#a%d = %d : i32\n", i, i);
  fputs("func.func @main(%s0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.negate %%s%d {a = #a%d} : " F4 "\n", i + 1, i, i);
  }
  fprintf(file, "return %%s%d : " F4 "\n}\n", n);
}

static void aliases_of_types(FILE* file, int n) {
  for (int i = 0; i < n; ++i) fprintf(file, "!t%d = tensor<%dxf32>\n", i, i + 1);
  fputs("func.func @main(", file);
  LIST(file, n, "%%x%d: !t%d", i, i)
  fputs(") -> !t0 {\nreturn %x0 : !t0\n}\n", file);
}

static void locations(FILE* file, int n) {
  for (int i = 0; i < n; ++i) fprintf(file, "#loc%d = loc(\"f%d\":%d:1)\n", i, i, i);
  fputs("func.func @main(%s0: " F4 ") -> " F4 " {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file, "%%s%d = stablehlo.negate %%s%d : " F4 " loc(#loc%d)\n", i + 1, i, i);
  }
  fprintf(file, "return %%s%d : " F4 "\n}\n", n);
}

// Each carries a tuple of 64 arrays and exchanges its halves.
static void loops_over_tuples(FILE* file, int n) {
  enum { LEVELS = 6 };
  fputs("!t0 = tensor<f32>\n", file);
  for (int i = 1; i <= LEVELS; ++i) fprintf(file, "!t%d = tuple<!t%d, !t%d>\n", i, i - 1, i - 1);
  fputs("func.func @main(%p: tensor<i1>, %w0: !t6) -> !t6 {\n", file);
  for (int i = 0; i < n; ++i) {
    fprintf(file,
            "%%l%d:2 = \"stablehlo.while\"(%%p, %%w%d) ({\n"
            "^bb0(%%a: tensor<i1>, %%b: !t6):\nstablehlo.return %%a : tensor<i1>\n}, {\n"
            "^bb0(%%a: tensor<i1>, %%b: !t6):\n"
            "%%x = stablehlo.get_tuple_element %%b[0] : (!t6) -> !t5\n"
            "%%y = stablehlo.get_tuple_element %%b[1] : (!t6) -> !t5\n"
            "%%z = stablehlo.tuple %%y, %%x : !t6\n"
            "stablehlo.return %%a, %%z : tensor<i1>, !t6\n"
            "}) : (tensor<i1>, !t6) -> (tensor<i1>, !t6)\n"
            "%%w%d = stablehlo.optimization_barrier %%l%d#1 : !t6\n",
            i, i, i + 1, i);
  }
  fprintf(file, "return %%w%d : !t6\n}\n", n);
}

static void modules_of_a_file(FILE* file, int n) {
  for (int i = 0; i < n; ++i) {
    fputs("func.func @main(%x: " F4 ") -> " F4 " {\nreturn %x : " F4 "\n}\n" SEPARATOR, file);
  }
}

const shape_t shapes[] = {
    {"branches_of_case", branches_of_case, 1000, WORK_ALL, 0},
    {"attributes_of_operation", attributes_of_operation, 1000, WORK_ALL, 0},
    {"attributes_of_call", attributes_of_call, 1000, WORK_ALL, 0},
    {"attributes_of_function", attributes_of_function, 1000, WORK_ALL, 0},
    {"entries_of_dictionary", entries_of_dictionary, 1000, WORK_ALL, 0},
    {"items_of_list", items_of_list, 1000, WORK_ALL, 0},
    {"lists_that_differ_inside", lists_that_differ_inside, 500, WORK_ALL, 0},
    {"towers_of_aliases", towers_of_aliases, 50, WORK_ALL, 0},
    {"mentions_of_large_tuples", mentions_of_large_tuples, 50, WORK_ALL, 1024},
    {"operands_of_reduce", operands_of_reduce, 500, WORK_ALL, 0},
    {"operands_of_sort", operands_of_sort, 500, WORK_ALL, 0},
    {"operands_of_concatenate", operands_of_concatenate, 1000, WORK_ALL, 0},
    {"slices_of_concatenate", slices_of_concatenate, 1000, WORK_ALL, 0},
    {"operands_of_reduce_window", operands_of_reduce_window, 500, WORK_ALL, 0},
    {"operands_of_scatter", operands_of_scatter, 500, WORK_ALL, 0},
    {"operands_of_custom_call", operands_of_custom_call, 1000, WORK_ALL, 0},
    {"operand_aliases", operand_aliases, 1000, WORK_ALL, 0},
    {"plain_arguments", plain_arguments, 500, WORK_ALL, 0},
    {"donated_arguments", donated_arguments, 2000, WORK_ALL, 0},
    {"donated_arguments_that_fit_nothing", donated_arguments_that_fit_nothing, 2000, WORK_ALL, 0},
    {"aliased_arguments", aliased_arguments, 1000, WORK_ALL, 0},
    {"elements_of_tuple", elements_of_tuple, 1000, WORK_ALL, 0},
    {"elements_of_tuple_made_here", elements_of_tuple_made_here, 1000, WORK_ALL, 0},
    {"chain_of_operations", chain_of_operations, 1000, WORK_ALL, 0},
    {"uses_of_one_value", uses_of_one_value, 1000, WORK_ALL, 0},
    {"sums_that_stay", sums_that_stay, 500, WORK_ALL, 0},
    {"call_chain", call_chain, 500, WORK_ALL, 0},
    {"calls_of_functions", calls_of_functions, 500, WORK_ALL, 0},
    {"elements_of_constant", elements_of_constant, 2000, WORK_ALL, 0},
    {"constants", constants, 1000, WORK_ALL, 0},
    {"carries_of_while", carries_of_while, 500, WORK_ALL, 0},
    {"aliases_of_attributes", aliases_of_attributes, 1000, WORK_ALL, 0},
    {"aliases_of_types", aliases_of_types, 1000, WORK_ALL, 0},
    {"locations", locations, 1000, WORK_ALL, 0},
    {"loops_over_tuples", loops_over_tuples, 50, WORK_ALL, 10 * 64},
    {"modules_of_a_file", modules_of_a_file, 500, WORK_PARTS, 0},
    {NULL, NULL, 0, 0, 0},
};
