// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/testing_random.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum dtype { F32, S32, PRED } dtype_t;

typedef struct shape_type {
  dtype_t dtype;
  const char* shape;  // as inside of tensor<...>, before the dtype
  int rank, size;
  int dims[2];
} shape_type_t;

#define ALL_DTYPES(shape, ...)                            \
  {F32, shape, __VA_ARGS__}, {S32, shape, __VA_ARGS__}, { \
    PRED, shape, __VA_ARGS__                              \
  }

// Three neighbours have one shape: see with_dtype.
static const shape_type_t types[] = {
    ALL_DTYPES("", 0, 1, {0, 0}),      ALL_DTYPES("4x", 1, 4, {4, 0}),
    ALL_DTYPES("3x4x", 2, 12, {3, 4}), ALL_DTYPES("4x3x", 2, 12, {4, 3}),
    ALL_DTYPES("12x", 1, 12, {12, 0}), ALL_DTYPES("0x4x", 2, 0, {0, 4}),
};
enum { TYPE_COUNT = sizeof types / sizeof *types, SCALAR_S32 = S32, SCALAR_PRED = PRED };

enum { VALUE_LIMIT = 4096, SIGNATURE_LIMIT = 6, FUNCTION_LIMIT = 16, CARRY_LIMIT = 5 };

typedef struct value {
  int number;  // %vN
  int type;    // index into types
} value_t;

typedef struct function {
  int argument_count, result_count;
  int arguments[SIGNATURE_LIMIT], results[SIGNATURE_LIMIT];
} function_t;

typedef struct generator {
  uint64_t state;
  char* text;
  size_t length, capacity;
  bool has_failed;
  int next_number;
  value_t values[VALUE_LIMIT];  // in scope
  int value_count;
  size_t budget;  // operations left
  size_t region_depth;
  int function_count;
  function_t functions[FUNCTION_LIMIT];
} generator_t;

static uint64_t next_random(generator_t* g) {
  uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static int below(generator_t* g, int limit) {
  return (int)(next_random(g) % (uint64_t)limit);
}

static void put(generator_t* g, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char piece[512];
  int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof piece) g->has_failed = true;
  while (!g->has_failed && g->length + (size_t)length + 1 > g->capacity) {
    size_t capacity = g->capacity ? g->capacity * 2 : 4096;
    char* grown = realloc(g->text, capacity);
    if (!grown) {
      g->has_failed = true;
      return;
    }
    g->text = grown;
    g->capacity = capacity;
  }
  if (g->has_failed) return;
  memcpy(g->text + g->length, piece, (size_t)length + 1);
  g->length += (size_t)length;
}

// --- types and values

typedef struct name {
  char text[48];
} name_t;

static name_t tensor(int type) {
  static const char* const dtypes[] = {"f32", "i32", "i1"};
  name_t name;
  snprintf(name.text, sizeof name.text, "tensor<%s%s>", types[type].shape,
           dtypes[types[type].dtype]);
  return name;
}
#define TENSOR(type) tensor(type).text

static int with_dtype(int type, dtype_t dtype) {
  return type / 3 * 3 + (int)dtype;
}

static int add_value(generator_t* g, int type) {
  int number = g->next_number++;
  if (g->value_count < VALUE_LIMIT) g->values[g->value_count++] = (value_t){number, type};
  return number;
}

static const char* literal(generator_t* g, dtype_t dtype) {
  static const char* const floats[] = {"0.0",    "-0.0",   "1.0",  "-1.5",       "3.25",
                                       "1.0e10", "1.0e-3", "-7.0", "0x7F800000", "0x7FC00000"};
  static const char* const integers[] = {"0", "1", "-1", "2", "3", "7", "-5", "2147483647"};
  switch (dtype) {
    case F32: return floats[below(g, 10)];
    case S32: return integers[below(g, 8)];
    case PRED: return below(g, 2) ? "true" : "false";
  }
  return "";
}

static int constant(generator_t* g, int type) {
  int number = add_value(g, type);
  put(g, "%%v%d = stablehlo.constant dense<", number);
  if (types[type].size == 0 || below(g, 2)) {
    put(g, "%s", types[type].size ? literal(g, types[type].dtype) : "");
  } else {
    int rows = types[type].rank == 2 ? types[type].dims[0] : 1;
    int columns = types[type].size / rows;
    if (types[type].rank == 2) put(g, "[");
    for (int r = 0; r < rows; ++r) {
      if (types[type].rank) put(g, r ? ", [" : "[");
      for (int c = 0; c < columns; ++c) {
        put(g, "%s%s", c ? ", " : "", literal(g, types[type].dtype));
      }
      if (types[type].rank) put(g, "]");
    }
    if (types[type].rank == 2) put(g, "]");
  }
  put(g, "> : %s\n", TENSOR(type));
  return number;
}

// A value of the type that is in scope, the latest ones rather; else a constant.
static int pick(generator_t* g, int type) {
  int found = -1, seen = 0;
  for (int i = 0; i < g->value_count; ++i) {
    if (g->values[i].type != type) continue;
    if (found < 0 || below(g, ++seen < 4 ? 2 : 4) == 0) found = g->values[i].number;
  }
  return found < 0 || below(g, 12) == 0 ? constant(g, type) : found;
}

static int any_type(generator_t* g) {
  return g->value_count && below(g, 4) ? g->values[below(g, g->value_count)].type
                                       : below(g, TYPE_COUNT);
}

// --- operations

static void unary(generator_t* g) {
  static const char* const names[][5] = {{"negate", "abs", "floor", "tanh", "sign"},
                                         {"negate", "abs", "not", "sign", "popcnt"},
                                         {"not", "not", "not", "not", "not"}};
  int type = any_type(g), x = pick(g, type);
  const char* name = names[types[type].dtype][below(g, 5)];
  put(g, "%%v%d = stablehlo.%s %%v%d : %s\n", add_value(g, type), name, x, TENSOR(type));
}

static void binary(generator_t* g) {
  static const char* const names[][6] = {
      {"add", "subtract", "multiply", "maximum", "minimum", "divide"},
      {"add", "subtract", "multiply", "maximum", "xor", "and"},
      {"and", "or", "xor", "and", "or", "xor"}};
  int type = any_type(g), a = pick(g, type), b = pick(g, type);
  const char* name = names[types[type].dtype][below(g, 6)];
  put(g, "%%v%d = stablehlo.%s %%v%d, %%v%d : %s\n", add_value(g, type), name, a, b, TENSOR(type));
}

static void compare(generator_t* g) {
  static const char* const directions[] = {"EQ", "NE", "LT", "GE"};
  int type = any_type(g), a = pick(g, type), b = pick(g, type);
  int result = with_dtype(type, PRED);
  put(g, "%%v%d = stablehlo.compare %s, %%v%d, %%v%d : (%s, %s) -> %s\n", add_value(g, result),
      directions[below(g, 4)], a, b, TENSOR(type), TENSOR(type), TENSOR(result));
}

static void choose(generator_t* g) {
  int type = any_type(g), predicate_type = below(g, 2) ? SCALAR_PRED : with_dtype(type, PRED);
  int p = pick(g, predicate_type), a = pick(g, type), b = pick(g, type);
  put(g, "%%v%d = stablehlo.select %%v%d, %%v%d, %%v%d : %s, %s\n", add_value(g, type), p, a, b,
      TENSOR(predicate_type), TENSOR(type));
}

static void convert(generator_t* g) {
  int type = any_type(g), x = pick(g, type), result = with_dtype(type, (dtype_t)below(g, 3));
  put(g, "%%v%d = stablehlo.convert %%v%d : (%s) -> %s\n", add_value(g, result), x, TENSOR(type),
      TENSOR(result));
}

static void reshape(generator_t* g) {
  int type = any_type(g), x = pick(g, type), result = type;
  for (int i = 0; i < 4; ++i) {
    int other = with_dtype(below(g, TYPE_COUNT), types[type].dtype);
    if (types[other].size == types[type].size) result = other;
  }
  put(g, "%%v%d = stablehlo.reshape %%v%d : (%s) -> %s\n", add_value(g, result), x, TENSOR(type),
      TENSOR(result));
}

enum { MATRIX = 6, TRANSPOSED = 9, ROW = 3, FLAT = 12 };  // first of their shapes: 3x4, 4x3, 4, 12

static void move(generator_t* g) {
  int d = below(g, 3), x, result;
  switch (below(g, 9)) {
    case 0:
      x = pick(g, MATRIX + d);
      result = TRANSPOSED + d;
      put(g, "%%v%d = stablehlo.transpose %%v%d, dims = [1, 0] : (%s) -> %s\n",
          add_value(g, result), x, TENSOR(MATRIX + d), TENSOR(result));
      return;
    case 1:
      x = pick(g, ROW + d);
      result = MATRIX + d;
      put(g, "%%v%d = stablehlo.broadcast_in_dim %%v%d, dims = [1] : (%s) -> %s\n",
          add_value(g, result), x, TENSOR(ROW + d), TENSOR(result));
      return;
    case 2:
      x = pick(g, d);
      result = with_dtype(below(g, TYPE_COUNT), (dtype_t)d);
      put(g, "%%v%d = stablehlo.broadcast_in_dim %%v%d, dims = [] : (%s) -> %s\n",
          add_value(g, result), x, TENSOR(d), TENSOR(result));
      return;
    case 3:
      x = pick(g, FLAT + d);
      put(g, "%%v%d = stablehlo.slice %%v%d [1:%d:%d] : (%s) -> %s\n", add_value(g, ROW + d), x, 12,
          3, TENSOR(FLAT + d), TENSOR(ROW + d));
      return;
    case 4: {
      int a = pick(g, ROW + d), b = pick(g, ROW + d), c = pick(g, ROW + d);
      put(g, "%%v%d = stablehlo.concatenate %%v%d, %%v%d, %%v%d, dim = 0 : (%s, %s, %s) -> %s\n",
          add_value(g, FLAT + d), a, b, c, TENSOR(ROW + d), TENSOR(ROW + d), TENSOR(ROW + d),
          TENSOR(FLAT + d));
      return;
    }
    case 5:
      x = pick(g, MATRIX + d);
      put(g, "%%v%d = stablehlo.reverse %%v%d, dims = [%d] : %s\n", add_value(g, MATRIX + d), x,
          below(g, 2), TENSOR(MATRIX + d));
      return;
    case 6: {
      int p = pick(g, d);
      x = pick(g, ROW + d);
      put(g,
          "%%v%d = stablehlo.pad %%v%d, %%v%d, low = [3], high = [-1], interior = [2] : (%s, %s) "
          "-> %s\n",
          add_value(g, FLAT + d), x, p, TENSOR(ROW + d), TENSOR(d), TENSOR(FLAT + d));
      return;
    }
    case 7: {
      int i = pick(g, SCALAR_S32);
      x = pick(g, FLAT + d);
      put(g,
          "%%v%d = stablehlo.dynamic_slice %%v%d, %%v%d, sizes = [4] : (%s, tensor<i32>) -> %s\n",
          add_value(g, ROW + d), x, i, TENSOR(FLAT + d), TENSOR(ROW + d));
      return;
    }
    default: {
      int i = pick(g, SCALAR_S32), update = pick(g, ROW + d);
      x = pick(g, FLAT + d);
      put(g,
          "%%v%d = stablehlo.dynamic_update_slice %%v%d, %%v%d, %%v%d : (%s, %s, tensor<i32>) -> "
          "%s\n",
          add_value(g, FLAT + d), x, update, i, TENSOR(FLAT + d), TENSOR(ROW + d),
          TENSOR(FLAT + d));
    }
  }
}

static void iota(generator_t* g) {
  int type = with_dtype(ROW + below(g, TYPE_COUNT - ROW), (dtype_t)below(g, 2));
  put(g, "%%v%d = stablehlo.iota dim = 0 : %s\n", add_value(g, type), TENSOR(type));
}

static void operation(generator_t* g);

// Operations of an inner scope; what they defined is forgotten by the caller.
static void operations(generator_t* g, int count) {
  for (int i = 0; i < count && g->budget; ++i) operation(g);
}

static void reduce(generator_t* g) {
  dtype_t dtype = (dtype_t)below(g, 2);
  int x = pick(g, MATRIX + (int)dtype), start = pick(g, (int)dtype);
  bool is_simple = below(g, 2);
  int dimension = below(g, 2), result = dimension ? -1 : ROW + (int)dtype;
  int outer = g->value_count, number = g->next_number++;
  if (result < 0) {
    put(g,
        "%%v%d = stablehlo.reduce(%%v%d init: %%v%d) applies stablehlo.maximum across dimensions = "
        "[0, 1] : (%s, %s) -> %s\n",
        number, x, start, TENSOR(MATRIX + (int)dtype), TENSOR((int)dtype), TENSOR((int)dtype));
    g->values[g->value_count < VALUE_LIMIT ? g->value_count++ : 0] = (value_t){number, (int)dtype};
    return;
  }
  if (is_simple) {
    put(g,
        "%%v%d = stablehlo.reduce(%%v%d init: %%v%d) applies stablehlo.add across dimensions = [0] "
        ": (%s, %s) -> %s\n",
        number, x, start, TENSOR(MATRIX + (int)dtype), TENSOR((int)dtype), TENSOR(result));
  } else {
    const char* t = dtype == F32 ? "tensor<f32>" : "tensor<i32>";
    put(g, "%%v%d = stablehlo.reduce(%%v%d init: %%v%d) across dimensions = [0] : (%s, %s) -> %s\n",
        number, x, start, TENSOR(MATRIX + (int)dtype), t, TENSOR(result));
    int a = add_value(g, (int)dtype), b = add_value(g, (int)dtype);
    put(g, " reducer(%%v%d: %s, %%v%d: %s) {\n", a, t, b, t);
    int c = pick(g, (int)dtype);
    int sum = add_value(g, (int)dtype), all = add_value(g, (int)dtype);
    put(g, "%%v%d = stablehlo.add %%v%d, %%v%d : %s\n", sum, a, b, t);
    put(g, "%%v%d = stablehlo.maximum %%v%d, %%v%d : %s\n", all, sum, c, t);
    put(g, "stablehlo.return %%v%d : %s\n}\n", all, t);
    g->value_count = outer;
  }
  if (g->value_count < VALUE_LIMIT) g->values[g->value_count++] = (value_t){number, result};
}

static void put_types(generator_t* g, int count, const int* list) {
  for (int i = 0; i < count; ++i) put(g, "%s%s", i ? ", " : "", TENSOR(list[i]));
}

static void give_back(generator_t* g, int count, const int* list, const char* terminator) {
  int numbers[16];
  for (int i = 0; i < count; ++i) numbers[i] = pick(g, list[i]);
  put(g, "%s", terminator);
  for (int i = 0; i < count; ++i) put(g, "%s%%v%d", i ? ", " : " ", numbers[i]);
  if (count) put(g, " : ");
  put_types(g, count, list);
  put(g, "\n");
}

// Results of several values get names of their own through optimization_barrier.
static void name_results(generator_t* g, int group, int count, const int* list) {
  for (int i = 0; i < count; ++i) {
    put(g, "%%v%d = stablehlo.optimization_barrier %%v%d#%d : %s\n", add_value(g, list[i]), group,
        i, TENSOR(list[i]));
  }
}

// Counts to a small number; the other carries do as they like, exchange of places included.
static void loop(generator_t* g) {
  int list[CARRY_LIMIT + 1], starts[CARRY_LIMIT + 1], inner[CARRY_LIMIT + 1];
  int count = 1 + below(g, CARRY_LIMIT);
  list[0] = SCALAR_S32;
  starts[0] = constant(g, SCALAR_S32);
  for (int i = 1; i <= count; ++i) {
    list[i] = i > 1 && below(g, 2) ? list[i - 1] : any_type(g);
    starts[i] = pick(g, list[i]);
  }
  ++count;
  int zero = g->next_number++, outer = g->value_count, group = g->next_number++;
  put(g, "%%v%d = stablehlo.constant dense<0> : tensor<i32>\n", zero);
  starts[0] = zero;
  put(g, "%%v%d:%d = stablehlo.while(", group, count);
  for (int i = 0; i < count; ++i) {
    inner[i] = add_value(g, list[i]);
    put(g, "%s%%v%d = %%v%d", i ? ", " : "", inner[i], starts[i]);
  }
  put(g, ") : ");
  put_types(g, count, list);
  int limit = g->next_number++, test = g->next_number++, scope = g->value_count;
  put(g, "\ncond {\n%%v%d = stablehlo.constant dense<%d> : tensor<i32>\n", limit, below(g, 4));
  operations(g, below(g, 4));
  put(g, "%%v%d = stablehlo.compare LT, %%v%d, %%v%d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n",
      test, inner[0], limit);
  put(g, "stablehlo.return %%v%d : tensor<i1>\n} do {\n", test);
  g->value_count = scope;
  operations(g, below(g, 6));
  int one = g->next_number++, next = g->next_number++;
  put(g, "%%v%d = stablehlo.constant dense<1> : tensor<i32>\n", one);
  put(g, "%%v%d = stablehlo.add %%v%d, %%v%d : tensor<i32>\n", next, inner[0], one);
  int results[CARRY_LIMIT + 1];
  results[0] = next;
  for (int i = 1; i < count; ++i) {
    int other = 1 + below(g, count - 1);
    results[i] = below(g, 3) && list[other] == list[i] ? inner[other] : pick(g, list[i]);
  }
  put(g, "stablehlo.return ");
  for (int i = 0; i < count; ++i) put(g, "%s%%v%d", i ? ", " : "", results[i]);
  put(g, " : ");
  put_types(g, count, list);
  put(g, "\n}\n");
  g->value_count = outer;
  name_results(g, group, count, list);
}

static void branches(generator_t* g) {
  int list[SIGNATURE_LIMIT], count = 1 + below(g, 3);
  bool is_case = below(g, 2);
  int branch_count = is_case ? 1 + below(g, 3) : 2;
  int selector = pick(g, is_case ? SCALAR_S32 : SCALAR_PRED);
  for (int i = 0; i < count; ++i) list[i] = any_type(g);
  int group = g->next_number++, outer = g->value_count;
  put(g, "%%v%d:%d = \"stablehlo.%s\"(%%v%d) (", group, count, is_case ? "case" : "if", selector);
  for (int b = 0; b < branch_count; ++b) {
    put(g, b ? ", {\n" : "{\n");
    operations(g, below(g, 5));
    give_back(g, count, list, "stablehlo.return");
    put(g, "}");
    g->value_count = outer;
  }
  put(g, ") : (%s) -> (", is_case ? "tensor<i32>" : "tensor<i1>");
  put_types(g, count, list);
  put(g, ")\n");
  name_results(g, group, count, list);
}

static void tuple(generator_t* g) {
  int list[3] = {0}, numbers[3], tuple_number = g->next_number++;
  for (int i = 0; i < 3; ++i) {
    list[i] = any_type(g);
    numbers[i] = pick(g, list[i]);
  }
  put(g, "%%v%d = stablehlo.tuple %%v%d, %%v%d, %%v%d : tuple<", tuple_number, numbers[0],
      numbers[1], numbers[2]);
  put_types(g, 3, list);
  put(g, ">\n");
  int index = below(g, 3);
  put(g, "%%v%d = stablehlo.get_tuple_element %%v%d[%d] : (tuple<", add_value(g, list[index]),
      tuple_number, index);
  put_types(g, 3, list);
  put(g, ">) -> %s\n", TENSOR(list[index]));
}

static void call(generator_t* g) {
  if (g->function_count == 0) return;
  int index = below(g, g->function_count);
  const function_t* function = &g->functions[index];
  int numbers[SIGNATURE_LIMIT] = {0};
  for (int i = 0; i < function->argument_count; ++i) numbers[i] = pick(g, function->arguments[i]);
  int group = g->next_number++;
  put(g, "%%v%d:%d = func.call @f%d(", group, function->result_count, index);
  for (int i = 0; i < function->argument_count; ++i) put(g, "%s%%v%d", i ? ", " : "", numbers[i]);
  put(g, ") : (");
  put_types(g, function->argument_count, function->arguments);
  put(g, ") -> (");
  put_types(g, function->result_count, function->results);
  put(g, ")\n");
  name_results(g, group, function->result_count, function->results);
}

static void nested(generator_t* g, void (*make)(generator_t*)) {
  if (g->region_depth == 0) return;
  --g->region_depth;
  make(g);
  ++g->region_depth;
}

static void operation(generator_t* g) {
  --g->budget;
  int choice = below(g, 40);
  if (choice < 6) {
    unary(g);
  } else if (choice < 15) {
    binary(g);
  } else if (choice < 17) {
    compare(g);
  } else if (choice < 19) {
    choose(g);
  } else if (choice < 21) {
    convert(g);
  } else if (choice < 24) {
    reshape(g);
  } else if (choice < 29) {
    move(g);
  } else if (choice < 30) {
    iota(g);
  } else if (choice < 32) {
    reduce(g);
  } else if (choice < 33) {
    tuple(g);
  } else if (choice < 35) {
    call(g);
  } else if (choice < 38) {
    nested(g, loop);
  } else {
    nested(g, branches);
  }
}

// --- functions

// Some results are returned twice, some arguments handed through: the generator picks what it
// likes.
static void function(generator_t* g, const char* name, function_t* signature, size_t budget) {
  g->value_count = 0;
  g->budget = budget;
  signature->argument_count = 1 + below(g, SIGNATURE_LIMIT - 1);
  signature->result_count = 1 + below(g, SIGNATURE_LIMIT - 1);
  for (int i = 0; i < signature->argument_count; ++i) {
    signature->arguments[i] = below(g, TYPE_COUNT);
  }
  for (int i = 0; i < signature->result_count; ++i) signature->results[i] = below(g, TYPE_COUNT);
  put(g, "func.func %s(", name);
  for (int i = 0; i < signature->argument_count; ++i) {
    int number = add_value(g, signature->arguments[i]);
    put(g, "%s%%v%d: %s", i ? ", " : "", number, TENSOR(signature->arguments[i]));
    if (*name == '@' && below(g, 3) == 0) {
      int result = below(g, signature->result_count);
      bool is_taken = false;
      for (int k = 0; k < i; ++k) is_taken |= signature->arguments[k] == signature->results[result];
      if (!is_taken && signature->arguments[i] == signature->results[result]) {
        put(g, " {tf.aliasing_output = %d : i32}", result);
      } else if (below(g, 2)) {
        put(g, " {jax.buffer_donor = true}");
      }
    }
  }
  put(g, ") -> (");
  put_types(g, signature->result_count, signature->results);
  put(g, ") {\n");
  while (g->budget && !g->has_failed) operation(g);
  give_back(g, signature->result_count, signature->results, "return");
  put(g, "}\n");
}

char* tn__testing_random_program(const tn_testing_random_t* options) {
  generator_t* g = calloc(1, sizeof *g);
  if (!g) return NULL;
  g->state = options->seed * 0x2545f4914f6cdd1du + 1;
  g->region_depth = options->region_depth;
  put(g, "module {\n");
  for (size_t i = 0; i < options->function_count && i < FUNCTION_LIMIT; ++i) {
    char name[32];
    function_t signature;
    snprintf(name, sizeof name, "private @f%zu", i);
    function(g, name, &signature, options->operation_count / 4 + 1);
    g->functions[g->function_count++] = signature;
  }
  function_t main_signature;
  function(g, "@main", &main_signature, options->operation_count);
  put(g, "}\n");
  char* text = g->text;
  if (g->has_failed) {
    free(text);
    text = NULL;
  }
  free(g);
  return text;
}
