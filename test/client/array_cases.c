// Runs operations on lazy arrays from a list of cases, and compares what they give with what the
// list says.
//
//   array_cases CASES DATA
//   array_cases names        writes the names of all operations that a case can have
//
// A case is a line that begins with its number and the operation's name, and lines for what belongs
// to it, in this order:
//   a DTYPE OFFSET RANK DIMS...             an operand, its elements at OFFSET of DATA; "a none"
//   l COUNT NUMBERS...                      a list of integers; COUNT -1: NULL
//   r NUMBER                                a number
//   o DTYPE OFFSET RANK DIMS... RTOL ATOL   what a result must be
//   e                                       the results must be errors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lazy/testing_operations.h"

typedef struct expectation {
  tn_dtype_t dtype;
  size_t offset, rank;
  int64_t dims[TN_CASE_RANK_LIMIT];
  double rtol, atol;
} expectation_t;

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
static bool compare_elements(const expectation_t* wanted, const char* got, char* out_why,
                             size_t capacity) {
  tn_dtype_t dtype = wanted->dtype;
  size_t count = element_count(wanted->rank, wanted->dims);
  const char* expected = data + wanted->offset;
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    dtype = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
    count *= 2;
  }
  const size_t size = tn_dtype_size(dtype);
  const bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
  for (size_t i = 0; i < count; ++i) {
    const double a = tn_dtype_load(dtype, got + i * size);
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
  tn_status_t status = tn_eval(1, &result);
  if (status) {
    snprintf(out_why, capacity, "%s", tn_status_message(status));
    tn_status_release(status);
    return false;
  }
  bool is_same = tn_array_dtype(result) == wanted->dtype && tn_array_rank(result) == wanted->rank;
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
  const size_t byte_length = tn_array_byte_length(result);
  char* bytes = malloc(byte_length + 1);
  if (!bytes) die("out of memory", "a result");
  status = tn_array_to_host(result, bytes, byte_length);
  if (status) {
    snprintf(out_why, capacity, "%s", tn_status_message(status));
    tn_status_release(status);
    free(bytes);
    return false;
  }
  is_same = compare_elements(wanted, bytes, out_why, capacity);
  free(bytes);
  return is_same;
}

static bool is_refused(tn_array_t* result, char* out_why, size_t capacity) {
  tn_status_t status = tn_eval(1, &result);
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
  const size_t byte_length =
      element_count(out_tensor->rank, out_tensor->dims) * tn_dtype_size(out_tensor->dtype);
  if (out_tensor->offset + byte_length > data_length) die(name, "elements outside of the data");
}

static void read_operand(tn_scope_t* scope, char* text, tn_case_t* it) {
  expectation_t tensor;
  if (it->array_count == TN_CASE_LIMIT) die("a", "too many operands");
  while (*text == ' ') ++text;
  if (strncmp(text, "none", 4) == 0) {
    it->arrays[it->array_count++] = NULL;
    return;
  }
  read_tensor(&text, &tensor);
  it->arrays[it->array_count++] =
      tn_array_from_host(scope, tensor.dtype, tensor.rank, tensor.dims, data + tensor.offset,
                         element_count(tensor.rank, tensor.dims) * tn_dtype_size(tensor.dtype));
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

static void run(tn_scope_t* scope, int number, const char* name, tn_case_t* it, size_t wanted_count,
                const expectation_t* wanted) {
  char why[1024] = "";
  const tn_case_operation_t* operation = tn_case_operation(name);
  ++case_count;
  if (!operation) {
    report(number, name, "there is no such operation");
    return;
  }
  if (it->array_count < operation->array_count || it->list_count < operation->list_count ||
      it->real_count < operation->real_count) {
    report(number, name, "the case has too few operands, lists or numbers");
    return;
  }
  // A graph that is seen again runs as one program: both ways must give the same.
  for (int round = 0; round < 2 && !why[0]; ++round) {
    memset(it->results, 0, sizeof it->results);
    operation->run(scope, it);
    if (wanted_count == 0) {
      (void)is_refused(it->results[0], why, sizeof why);
      continue;
    }
    for (size_t i = 0; i < wanted_count; ++i) {
      if (!it->results[i]) die(name, "fewer results than expected");
      if (!compare(it->results[i], &wanted[i], why, sizeof why)) break;
    }
  }
  if (why[0]) report(number, name, why);
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

int main(int argc, char** argv) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  static tn_case_t it;
  static expectation_t wanted[TN_CASE_LIMIT];
  size_t wanted_count = 0, text_length = 0;
  char name[64] = "";
  int number = -1;
  if (argc == 2 && strcmp(argv[1], "names") == 0) {
    for (size_t i = 0; tn_case_operation_at(i); ++i) puts(tn_case_operation_at(i)->name);
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
    char* rest = line + 1;
    switch (line[0]) {
      case 'a': read_operand(scope, rest, &it); break;
      case 'l': read_list(rest, &it); break;
      case 'r':
        if (it.real_count == TN_CASE_LIMIT) die("r", "too many numbers");
        it.reals[it.real_count++] = strtod(rest, NULL);
        break;
      case 'o':
        if (wanted_count == TN_CASE_LIMIT) die("o", "too many results");
        read_tensor(&rest, &wanted[wanted_count]);
        wanted[wanted_count].rtol = strtod(rest, &rest);
        wanted[wanted_count++].atol = strtod(rest, &rest);
        break;
      case 'e': break;
      default:
        if (number >= 0) run(scope, number, name, &it, wanted_count, wanted);
        tn_scope_clear(scope);
        memset(&it, 0, sizeof it);
        wanted_count = 0;
        rest = line;
        number = (int)next_integer(&rest);
        snprintf(name, sizeof name, "%s", next_word(&rest));
    }
    line = end ? end + 1 : NULL;
  }
  if (number >= 0) run(scope, number, name, &it, wanted_count, wanted);
  tn_scope_destroy(scope);
  tn_device_release(device);
  free(text);
  free(data);
  printf("%d of %d cases failed\n", failure_count, case_count);
  return failure_count != 0;
}
