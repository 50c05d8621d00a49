// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs operations on lazy arrays from a list of cases, and compares what they give with what the
// list says.
//
//   array_cases CASES DATA
//   array_cases names        writes the names of all operations that a case can have
//   array_cases functions    and of the functions
//
// A case is a line that begins with its number and the operation's name, and lines for what belongs
// to it, in this order:
//   a DTYPE OFFSET RANK DIMS...             an operand, its elements at OFFSET of DATA; "a none"
//   l COUNT NUMBERS...                      a list of integers; COUNT -1: NULL
//   r NUMBER                                a number
//   o DTYPE OFFSET RANK DIMS... RTOL ATOL   what a result must be
//   n                                       likewise, in whatever dtype
//   e                                       the results must be errors
// A case of transforms has further lines before what the results must be:
//   x NAME INPUTS OUTPUTS COUNT NUMBERS... COUNT NUMBERS...   a transform of what is above it, as
//                                           array_transforms.h has them
//   i DTYPE OFFSET RANK DIMS...             an input of the last one
//   f STEP RTOL                             that one is jvp: differences of what is below it by
//                                           STEP must be the results as well, but for RTOL
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_transforms.h"

typedef struct expectation {
  tn_dtype_t dtype;
  size_t offset, rank;
  int64_t dims[TN_CASE_RANK_LIMIT];
  double rtol, atol;
  bool any_dtype;  // the numbers alone
} expectation_t;

// What belongs to a case.
typedef struct record {
  int number;  // -1: none yet
  char name[64];
  tn_case_t it;
  tn_case_stack_t stack;
  size_t input_count, wanted_count;
  tn_array_t* inputs[TN_CASE_INPUT_LIMIT];
  expectation_t wanted[TN_CASE_INPUT_LIMIT];
  double step, step_rtol;  // of differences; 0: none
} record_t;

static char* data;
static size_t data_length;
static int failure_count, case_count;

static void die(const char* what, const char* why) {
  fprintf(stderr, "array_cases: %s: %s\n", what, why);
  exit(2);
}

static size_t element_count(size_t rank, const int64_t* dims) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  return count;
}

// --- comparing

static bool is_close(double got, double wanted, double rtol, double atol) {
  if (isnan(got) || isnan(wanted)) return isnan(got) && isnan(wanted);
  if (isinf(got) || isinf(wanted)) return got == wanted;
  return fabs(got - wanted) <= atol + rtol * fabs(wanted);
}

// Elements one by one; complex ones as their parts. Writes what is wrong.
static bool compare_elements(const expectation_t* wanted, tn_dtype_t got_dtype, const char* got,
                             char* out_why, size_t capacity) {
  tn_dtype_t dtype = wanted->dtype;
  size_t count = element_count(wanted->rank, wanted->dims);
  const char* expected = data + wanted->offset;
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    dtype = got_dtype = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
    count *= 2;
  }
  const size_t size = tn_dtype_byte_size(dtype), got_size = tn_dtype_byte_size(got_dtype);
  const bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT || wanted->any_dtype;
  for (size_t i = 0; i < count; ++i) {
    const double a = tn_dtype_load(got_dtype, got + i * got_size);
    const double b = tn_dtype_load(dtype, expected + i * size);
    const bool is_same = is_float ? is_close(a, b, wanted->rtol, wanted->atol)
                                  : memcmp(got + i * size, expected + i * size, size) == 0;
    if (is_same) continue;
    snprintf(out_why, capacity, "element %zu is %.9g; expected %.9g", i, a, b);
    return false;
  }
  return true;
}

static bool compare(tn_array_t* result, const expectation_t* wanted, char* out_why,
                    size_t capacity) {
  tn_status_t status = tn_array_eval(1, &result);
  if (status) {
    snprintf(out_why, capacity, "%s", tn_status_message(status));
    tn_status_release(status);
    return false;
  }
  const tn_dtype_t dtype = tn_array_dtype(result);
  bool is_same =
      wanted->any_dtype ? tn_dtype_kind(dtype) != TN_KIND_COMPLEX : dtype == wanted->dtype;
  if (tn_array_rank(result) != wanted->rank) is_same = false;
  for (size_t i = 0; is_same && i < wanted->rank; ++i) {
    if (tn_array_dims(result)[i] != wanted->dims[i]) is_same = false;
  }
  if (!is_same) {
    size_t length = (size_t)snprintf(out_why, capacity, "the result is %s",
                                     tn_dtype_name(tn_array_dtype(result)));
    for (size_t i = 0; i < tn_array_rank(result) && length + 24 < capacity; ++i) {
      length += (size_t)snprintf(out_why + length, capacity - length, " %lld",
                                 (long long)tn_array_dims(result)[i]);
    }
    length += (size_t)snprintf(out_why + length, capacity - length, "; expected %s",
                               tn_dtype_name(wanted->dtype));
    for (size_t i = 0; i < wanted->rank && length + 24 < capacity; ++i) {
      length += (size_t)snprintf(out_why + length, capacity - length, " %lld",
                                 (long long)wanted->dims[i]);
    }
    return false;
  }
  const size_t byte_size = tn_array_byte_size(result);
  char* bytes = malloc(byte_size + 1);
  if (!bytes) die("out of memory", "a result");
  status = tn_array_to_host(result, bytes, byte_size);
  if (status) {
    snprintf(out_why, capacity, "%s", tn_status_message(status));
    tn_status_release(status);
    free(bytes);
    return false;
  }
  is_same = compare_elements(wanted, dtype, bytes, out_why, capacity);
  free(bytes);
  return is_same;
}

static bool is_refused(tn_array_t* result, char* out_why, size_t capacity) {
  tn_status_t status = tn_array_eval(1, &result);
  if (!status) {
    snprintf(out_why, capacity, "succeeded; expected an error");
    return false;
  }
  // What is the caller's mistake is said before anything is compiled or run.
  const tn_code_t code = tn_status_code(status);
  const bool is_fine = code == TN_CODE_INVALID_ARGUMENT || code == TN_CODE_OUT_OF_RANGE;
  if (!is_fine) snprintf(out_why, capacity, "an odd error: %s", tn_status_message(status));
  tn_status_release(status);
  return is_fine;
}

// --- reading

static int64_t next_integer(char** text) {
  return strtoll(*text, text, 10);
}

static const char* next_word(char** text) {
  while (**text == ' ') ++*text;
  char* word = *text;
  while (**text && **text != ' ' && **text != '\n') ++*text;
  if (**text) *(*text)++ = '\0';
  return word;
}

static void read_tensor(char** text, expectation_t* out_tensor) {
  const char* name = next_word(text);
  out_tensor->dtype = tn_dtype_from_name(name, strlen(name));
  out_tensor->offset = (size_t)next_integer(text);
  out_tensor->rank = (size_t)next_integer(text);
  if (out_tensor->rank > TN_CASE_RANK_LIMIT) die(name, "too many dimensions");
  for (size_t i = 0; i < out_tensor->rank; ++i) out_tensor->dims[i] = next_integer(text);
  const size_t byte_size =
      element_count(out_tensor->rank, out_tensor->dims) * tn_dtype_byte_size(out_tensor->dtype);
  if (out_tensor->offset + byte_size > data_length) die(name, "elements outside of the data");
}

static tn_array_t* read_array(tn_scope_t* scope, char* text) {
  expectation_t tensor;
  while (*text == ' ') ++text;
  if (strncmp(text, "none", 4) == 0) return NULL;
  read_tensor(&text, &tensor);
  return tn_array_from_host(
      scope, tensor.dtype, tensor.rank, tensor.dims, data + tensor.offset,
      element_count(tensor.rank, tensor.dims) * tn_dtype_byte_size(tensor.dtype));
}

static void read_list(char* text, tn_case_t* it) {
  if (it->list_count == TN_CASE_LIMIT) die("l", "too many lists");
  tn_case_list_t* list = &it->lists[it->list_count++];
  const int64_t count = next_integer(&text);
  if (count > TN_CASE_LIST_LIMIT) die("l", "too many numbers");
  list->count = count < 0 ? 0 : (size_t)count;
  list->values = count < 0 ? NULL : list->numbers;
  for (size_t i = 0; i < list->count; ++i) list->numbers[i] = next_integer(&text);
}

// --- running

static void report(int number, const char* name, const char* why) {
  ++failure_count;
  printf("case %d: %s: %s\n", number, name, why);
}

// The results once, which are compared; out_why stays empty if they are right.
static void run_once(tn_scope_t* scope, record_t* r, char* out_why, size_t capacity) {
  tn_array_t* outputs[TN_CASE_INPUT_LIMIT] = {NULL};
  if (r->stack.level_count == 0) {
    memset(r->it.results, 0, sizeof r->it.results);
    tn_case_run(r->stack.operation, scope, &r->it);
    memcpy(outputs, r->it.results, sizeof r->it.results);
  } else {
    tn_status_t status =
        tn_case_stack_run(&r->stack, scope, r->input_count, r->inputs, r->wanted_count, outputs);
    if (status) {
      snprintf(out_why, capacity, "%s", tn_status_message(status));
      tn_status_release(status);
      return;
    }
  }
  if (r->wanted_count == 0) {
    (void)is_refused(outputs[0], out_why, capacity);
    return;
  }
  for (size_t i = 0; i < r->wanted_count; ++i) {
    if (!outputs[i]) die(r->name, "fewer results than expected");
    if (!compare(outputs[i], &r->wanted[i], out_why, capacity)) {
      const size_t length = strlen(out_why);
      snprintf(out_why + length, capacity - length, " (result %zu)", i);
      return;
    }
  }
}

// Differences of the function instead of its derivative.
static void run_difference(tn_scope_t* scope, record_t* r, char* out_why, size_t capacity) {
  tn_array_t* outputs[TN_CASE_INPUT_LIMIT] = {NULL};
  tn_status_t status = tn_case_stack_difference(&r->stack, scope, r->step, r->inputs, outputs);
  if (status) {
    snprintf(out_why, capacity, "%s", tn_status_message(status));
    tn_status_release(status);
    return;
  }
  for (size_t i = 0; i < r->wanted_count; ++i) {
    expectation_t wanted = r->wanted[i];
    wanted.atol *= r->step_rtol / wanted.rtol;
    wanted.rtol = r->step_rtol;
    if (compare(outputs[i], &wanted, out_why, capacity)) continue;
    const size_t length = strlen(out_why);
    snprintf(out_why + length, capacity - length, " (difference %zu)", i);
    return;
  }
}

static void run(tn_scope_t* scope, record_t* r) {
  char why[1024] = "";
  const tn_case_operation_t* operation = tn_case_operation(r->name);
  if (!operation) operation = tn_case_function(r->name);
  ++case_count;
  if (!operation) {
    report(r->number, r->name, "there is no such operation");
    return;
  }
  if (r->it.array_count < operation->array_count || r->it.list_count < operation->list_count ||
      r->it.real_count < operation->real_count) {
    report(r->number, r->name, "the case has too few operands, lists or numbers");
    return;
  }
  r->stack.it = &r->it;
  r->stack.operation = operation;
  // A graph that is seen again runs as one program: both ways must give the same.
  for (int round = 0; round < 2 && !why[0]; ++round) run_once(scope, r, why, sizeof why);
  if (!why[0] && r->step != 0) run_difference(scope, r, why, sizeof why);
  if (why[0]) report(r->number, r->name, why);
}

// A line that belongs to a case.
static void read_line(tn_scope_t* scope, char kind, char* rest, record_t* r) {
  switch (kind) {
    case 'a':
      if (r->it.array_count == TN_CASE_LIMIT) die("a", "too many operands");
      r->it.arrays[r->it.array_count++] = read_array(scope, rest);
      break;
    case 'l': read_list(rest, &r->it); break;
    case 'r':
      if (r->it.real_count == TN_CASE_LIMIT) die("r", "too many numbers");
      r->it.reals[r->it.real_count++] = strtod(rest, NULL);
      break;
    case 'x':
      if (!tn_case_level_read(&r->stack, rest)) die(rest, "no transform");
      break;
    case 'i':
      if (r->input_count == TN_CASE_INPUT_LIMIT) die("i", "too many inputs");
      r->inputs[r->input_count++] = read_array(scope, rest);
      break;
    case 'f':
      r->step = strtod(rest, &rest);
      r->step_rtol = strtod(rest, NULL);
      break;
    case 'n':
    case 'o':
      if (r->wanted_count == TN_CASE_LIMIT) die("o", "too many results");
      read_tensor(&rest, &r->wanted[r->wanted_count]);
      r->wanted[r->wanted_count].any_dtype = kind == 'n';
      r->wanted[r->wanted_count].rtol = strtod(rest, &rest);
      r->wanted[r->wanted_count++].atol = strtod(rest, &rest);
      break;
    default: break;  // 'e'
  }
}

static char* read_file(const char* path, size_t* out_length) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) die(path, "cannot be read");
  const long length = ftell(file);
  char* bytes = malloc((size_t)length + 1);
  rewind(file);
  if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length)
    die(path, "cannot be read");
  fclose(file);
  bytes[length] = '\0';
  *out_length = (size_t)length;
  return bytes;
}

static void write_names(const tn_case_operation_t* (*at)(size_t index)) {
  for (size_t i = 0; at(i); ++i) puts(at(i)->name);
}

int main(int argc, char** argv) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  static record_t r;
  size_t text_length = 0;
  r.number = -1;
  if (argc == 2 && strcmp(argv[1], "names") == 0) {
    write_names(tn_case_operation_at);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "functions") == 0) {
    write_names(tn_case_function_at);
    return 0;
  }
  if (argc != 3) die("usage", "array_cases CASES DATA");
  char* text = read_file(argv[1], &text_length);
  data = read_file(argv[2], &data_length);
  if (tn_device_create("cpu", NULL, &device) || tn_scope_create(device, &scope)) {
    die("cpu", "no device");
  }
  for (char* line = text; line && *line;) {
    char* end = strchr(line, '\n');
    if (end) *end = '\0';
    if (*line >= '0' && *line <= '9') {
      char* rest = line;
      if (r.number >= 0) run(scope, &r);
      tn_scope_clear(scope);
      memset(&r, 0, sizeof r);
      r.number = (int)next_integer(&rest);
      snprintf(r.name, sizeof r.name, "%s", next_word(&rest));
    } else {
      read_line(scope, *line, line + 1, &r);
    }
    line = end ? end + 1 : NULL;
  }
  if (r.number >= 0) run(scope, &r);
  tn_scope_destroy(scope);
  tn_device_release(device);
  free(text);
  free(data);
  printf("%d of %d cases failed\n", failure_count, case_count);
  return failure_count != 0;
}
