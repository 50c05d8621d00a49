// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operations that cases can name: the table of array functions, and compositions.
#include <string.h>

#include "array/testing_operations.h"
#include "bindings/functions.h"

#define A(i) (it->arrays[i])
#define LIST(i) it->lists[i].count, it->lists[i].values
#define VALUES(i) (it->lists[i].values)
#define AXIS(i) (it->lists[i].values ? *it->lists[i].values : TN_ALL_AXES)
#define COUNT(i) (it->lists[i].count)
// A list of one number that must be there.
#define INTEGER(i) (it->lists[i].numbers[0])
#define BOOL(i) (it->lists[i].numbers[0] != 0)
#define DTYPE(i) ((tn_dtype_t)it->lists[i].numbers[0])

// A list of characters as a word.
typedef struct word {
  char text[TN_CASE_LIST_LIMIT + 1];
} word_t;
static word_t word_in(const tn_case_list_t* list) {
  word_t word = {.text = ""};
  for (size_t i = 0; i < list->count; ++i) word.text[i] = (char)list->numbers[i];
  return word;
}
#define WORD(i) word_in(&it->lists[i]).text

// --- functions of the table

typedef struct cursor {
  size_t array, list, real;  // the next of each
} cursor_t;

// A list that is not given stands for "none given" or the default.
static void read_list(const tn_parameter_t* parameter, const tn_case_list_t* list,
                      tn_argument_t* argument, word_t* word) {
  const bool is_given = list->values;
  switch (parameter->kind) {
    case TN_PARAMETER_AXIS: argument->integer = is_given ? list->numbers[0] : TN_ALL_AXES; break;
    case TN_PARAMETER_INTEGERS:
      argument->count = list->count;
      argument->integers = list->values;
      break;
    case TN_PARAMETER_TEXT:
      *word = word_in(list);
      argument->text = word->text;
      break;
    default:
      if (is_given) argument->integer = list->numbers[0];
  }
}

static tn_argument_t read_argument(const tn_parameter_t* parameter, const tn_case_t* it,
                                   cursor_t* next, word_t* word) {
  tn_argument_t argument = tn_argument_default(parameter);
  switch (parameter->kind) {
    case TN_PARAMETER_ARRAY: argument.array = it->arrays[next->array++]; break;
    case TN_PARAMETER_ARRAYS:  // all that there are: no function takes others besides
      argument.count = it->array_count;
      argument.arrays = it->arrays;
      break;
    case TN_PARAMETER_REAL: argument.real = it->reals[next->real++]; break;
    case TN_PARAMETER_REAL_OR_NONE:
      if (next->real < it->real_count) argument.real_or_null = &it->reals[next->real++];
      break;
    default: read_list(parameter, &it->lists[next->list++], &argument, word);
  }
  return argument;
}

static void run_function(const tn_array_function_t* function, tn_scope_t* scope, tn_case_t* it) {
  tn_argument_t arguments[TN_CASE_LIMIT];
  cursor_t next = {0};
  word_t word;  // no function takes two
  for (size_t i = 0; i < function->parameter_count; ++i) {
    arguments[i] = read_argument(&function->parameters[i], it, &next, &word);
  }
  tn_array_function_call(function, scope, arguments, it->results);
}

static bool is_list(tn_parameter_kind_t kind) {
  return kind != TN_PARAMETER_ARRAY && kind != TN_PARAMETER_ARRAYS && kind != TN_PARAMETER_REAL &&
         kind != TN_PARAMETER_REAL_OR_NONE;
}

static tn_case_operation_t operation_of(const tn_array_function_t* function) {
  tn_case_operation_t operation = {.name = function->name, .function = function};
  for (size_t i = 0; i < function->parameter_count; ++i) {
    const tn_parameter_kind_t kind = function->parameters[i].kind;
    operation.array_count += kind == TN_PARAMETER_ARRAY || kind == TN_PARAMETER_ARRAYS;
    operation.list_count += is_list(kind);
    operation.real_count += kind == TN_PARAMETER_REAL;
  }
  return operation;
}

bool tn_case_list_is_optional(const tn_case_operation_t* operation, size_t index) {
  const tn_array_function_t* function = operation->function;
  for (size_t i = 0; function && i < function->parameter_count; ++i) {
    const tn_parameter_t* parameter = &function->parameters[i];
    if (is_list(parameter->kind) && index-- == 0) return parameter->is_optional;
  }
  return false;
}

// --- compositions, and functions that the table does not have

static tn_array_t* truth(tn_scope_t* s, bool value) {
  return tn_array_scalar(s, TN_DTYPE_PRED, value);
}

// Of the shapes in the lists.
static tn_array_t* broadcast_shapes(tn_scope_t* s, tn_case_t* it) {
  size_t ranks[TN_CASE_LIMIT], rank = 0;
  const int64_t* shapes[TN_CASE_LIMIT];
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < it->list_count; ++i) {
    ranks[i] = COUNT(i);
    shapes[i] = it->lists[i].numbers;
  }
  tn_status_t status = tn_broadcast_shapes(it->list_count, ranks, shapes, &rank, dims);
  if (status) return tn_array_error(s, status);
  const int64_t count = (int64_t)rank;
  return tn_array_from_host(s, TN_DTYPE_S64, 1, &count, dims, rank * sizeof *dims);
}

// The number of the dtype.
static tn_array_t* result_type(tn_scope_t* s, tn_case_t* it) {
  tn_dtype_t dtypes[TN_CASE_LIST_LIMIT];
  for (size_t i = 0; i < COUNT(0); ++i) dtypes[i] = (tn_dtype_t)it->lists[0].numbers[i];
  return tn_array_scalar(s, TN_DTYPE_S32, (double)tn_result_type(COUNT(0), dtypes));
}

// The pairs one behind the other.
static tn_array_t* einsum_path(tn_scope_t* s, tn_case_t* it) {
  size_t pairs[TN_CASE_LIMIT][2];
  int64_t numbers[2 * TN_CASE_LIMIT];
  const int64_t count = it->array_count ? 2 * ((int64_t)it->array_count - 1) : 0;
  tn_status_t status = tn_array_einsum_path(s, WORD(0), it->array_count, it->arrays, pairs);
  if (status) return tn_array_error(s, status);
  for (int64_t i = 0; i < count; ++i) numbers[i] = (int64_t)pairs[i / 2][i % 2];
  return tn_array_from_host(s, TN_DTYPE_S64, 1, &count, numbers, (size_t)count * sizeof *numbers);
}

// Numbers without a key after the scope was seeded; the second of two draws.
static tn_array_t* random_default(tn_scope_t* s, tn_case_t* it) {
  tn_random_seed(s, (uint64_t)INTEGER(0));
  (void)tn_array_random_bits(s, 4, LIST(1), NULL);
  return tn_array_random_bits(s, 4, LIST(1), NULL);
}

// Factors have signs and orders of their own: what they make together has not.
static tn_array_t* svd_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, A(0), &u, &values, &vt);
  const int64_t side = tn_array_dim(values, -1);
  const tn_index_t columns[] = {TN_ELLIPSIS, TN_SLICE(0, side)};
  const tn_index_t rows[] = {TN_ELLIPSIS, TN_SLICE(0, side), TN_ALL};
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  u = tn_array_multiply(s, tn_array_index(s, u, 2, columns), values);
  return tn_array_matmul(s, u, tn_array_index(s, vt, 3, rows));
}

static tn_array_t* eigh_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *values = NULL, *vectors = NULL;
  tn_array_linalg_eigh(s, A(0), BOOL(0), &values, &vectors);
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  return tn_array_matmul(s, tn_array_multiply(s, vectors, values),
                         tn_array_matrix_transpose(s, vectors));
}

static tn_array_t* eig_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *values = NULL, *vectors = NULL;
  tn_array_linalg_eig(s, A(0), &values, &vectors);
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  return tn_array_subtract(s, tn_array_matmul(s, A(0), vectors),
                           tn_array_multiply(s, vectors, values));
}

// What is at place k of a partition.
static tn_array_t* partition_place(tn_scope_t* s, tn_case_t* it) {
  const tn_array_t* x = A(0);
  if (tn_array_rank(x) != 1) return tn_array_partition(s, A(0), INTEGER(0), AXIS(1));
  return tn_array_index(s, tn_array_partition(s, A(0), INTEGER(0), AXIS(1)), 1, &TN_AT(INTEGER(0)));
}

// Items are in list 0, four numbers each: kind, start, stop, step; arrays are the operands behind
// the first (and the updates).
static tn_array_t* index_with(tn_scope_t* s, tn_case_t* it, tn_array_t* updates,
                              tn_scatter_mode_t mode) {
  tn_index_t items[TN_CASE_LIMIT];
  size_t next = updates ? 2 : 1;
  const size_t count = COUNT(0) / 4;
  for (size_t i = 0; i < count; ++i) {
    const int64_t* numbers = &VALUES(0)[4 * i];
    items[i] = (tn_index_t){.kind = (tn_index_kind_t)numbers[0],
                            .start = numbers[1],
                            .stop = numbers[2],
                            .step = numbers[3]};
    if (items[i].kind == TN_INDEX_ARRAY) items[i].array = A(next++);
  }
  return updates ? tn_array_index_update(s, A(0), count, items, updates, mode)
                 : tn_array_index(s, A(0), count, items);
}

static tn_array_t* eigvals_sum(tn_scope_t* s, tn_case_t* it) {
  return tn_array_sum(s, tn_array_linalg_eigvals(s, A(0)), 1, (int64_t[]){-1}, false);
}

static tn_array_t* topk_sorted(tn_scope_t* s, tn_case_t* it) {
  return tn_array_sort(s, tn_array_topk(s, A(0), INTEGER(0), AXIS(1)), AXIS(1));
}

// OPERATION(name, the function whose cases it serves, or NULL, arrays, lists, what it gives)
#define OPERATIONS(X)                                                                 \
  X(broadcast_shapes, NULL, 0, 1, broadcast_shapes(s, it))                            \
  X(can_cast, NULL, 0, 2, truth(s, tn_can_cast(DTYPE(0), DTYPE(1))))                  \
  X(einsum_path, NULL, 1, 1, einsum_path(s, it))                                      \
  X(imported, NULL, 1, 1, tn_case_imported(s, it))                                    \
  X(index, NULL, 1, 1, index_with(s, it, NULL, 0))                                    \
  X(index_update, NULL, 2, 2, index_with(s, it, A(1), (tn_scatter_mode_t)INTEGER(1))) \
  X(isdtype, NULL, 0, 2, truth(s, tn_isdtype(DTYPE(0), WORD(1))))                     \
  X(linalg_eigh_again, "linalg_eigh", 1, 1, eigh_again(s, it))                        \
  X(linalg_eig_again, "linalg_eig", 1, 0, eig_again(s, it))                           \
  X(linalg_eigvals_sum, "linalg_eigvals", 1, 0, eigvals_sum(s, it))                   \
  X(linalg_svd_again, "linalg_svd", 1, 0, svd_again(s, it))                           \
  X(partition_place, "partition", 1, 2, partition_place(s, it))                       \
  X(random_default, NULL, 0, 2, random_default(s, it))                                \
  X(result_type, NULL, 0, 1, result_type(s, it))                                      \
  X(topk_sorted, "topk", 1, 2, topk_sorted(s, it))

#define ADAPTER(name, served, arrays, lists, call)       \
  static void run_##name(tn_scope_t* s, tn_case_t* it) { \
    it->results[0] = call;                               \
  }
OPERATIONS(ADAPTER)

// List 0 says how many of the arrays are inputs.
static void run_depends(tn_scope_t* s, tn_case_t* it) {
  const size_t count = (size_t)INTEGER(0);
  tn_array_depends(s, count, it->arrays, it->array_count - count, it->arrays + count, it->results);
}

typedef struct composition {
  const char* served;
  tn_case_operation_t operation;
} composition_t;

#define ROW(id, served, arrays, lists, call) \
  {served, {.name = #id, .array_count = arrays, .list_count = lists, .run = run_##id}},
static const composition_t compositions[] = {OPERATIONS(ROW){
    "depends", {.name = "depends", .array_count = 1, .list_count = 1, .run = run_depends}}};

// --- all of them

enum { COMPOSITIONS = sizeof compositions / sizeof *compositions, OPERATION_LIMIT = 512 };

typedef struct operations {
  size_t count;
  tn_case_operation_t all[OPERATION_LIMIT];
} operations_t;

static bool is_served(const char* name) {
  for (size_t i = 0; i < COMPOSITIONS; ++i) {
    if (compositions[i].served && strcmp(compositions[i].served, name) == 0) return true;
  }
  return false;
}

static const operations_t* operations(void) {
  static operations_t it;
  if (it.count) return &it;
  for (size_t i = 0; i < COMPOSITIONS; ++i) it.all[it.count++] = compositions[i].operation;
  for (size_t i = 0; i < tn_array_function_count && it.count < OPERATION_LIMIT; ++i) {
    if (!is_served(tn_array_functions[i].name))
      it.all[it.count++] = operation_of(&tn_array_functions[i]);
  }
  return &it;
}

const tn_case_operation_t* tn_case_operation_at(size_t index) {
  return index < operations()->count ? &operations()->all[index] : NULL;
}

const tn_case_operation_t* tn_case_operation(const char* name) {
  for (size_t i = 0; i < operations()->count; ++i) {
    if (strcmp(operations()->all[i].name, name) == 0) return &operations()->all[i];
  }
  return NULL;
}

void tn_case_run(const tn_case_operation_t* operation, tn_scope_t* scope, tn_case_t* it) {
  if (operation->function) {
    run_function(operation->function, scope, it);
  } else {
    operation->run(scope, it);
  }
}

// --- any arguments

static void limit(int64_t* number, int64_t most) {
  if (*number < 0) *number = 0;
  if (*number > most) *number = most;
}

void tn_case_keep_within(const tn_case_operation_t* operation, tn_case_t* it) {
  const char* name = operation->name;
  const bool is_index = strcmp(name, "index") == 0 || strcmp(name, "index_update") == 0;
  if (strcmp(name, "split") == 0) limit(&it->lists[0].numbers[0], TN_CASE_LIMIT);
  if (strcmp(name, "unstack") == 0) limit(&it->lists[1].numbers[0], TN_CASE_LIMIT);
  if (strcmp(name, "depends") == 0) limit(&it->lists[0].numbers[0], (int64_t)it->array_count);
  if (strcmp(name, "split_at") == 0 && it->lists[0].count >= TN_CASE_LIMIT) {
    it->lists[0].count = TN_CASE_LIMIT - 1;
  }
  if (is_index && it->lists[0].count > 4 * 8) it->lists[0].count = 4 * 8;
  for (size_t i = 0; i < TN_CASE_LIMIT; ++i) {
    if (!it->lists[i].values) it->lists[i].count = 0;
  }
}
