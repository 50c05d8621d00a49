// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Named dimensions, dims(..., n, k + 1): how the list is read, and matched with shapes. The runtime
// uses this part as well.
#ifndef TENON_DETAIL_CUSTOM_DIMS_H_
#define TENON_DETAIL_CUSTOM_DIMS_H_

#include <tenon/detail/custom/call.h>

enum { TN__SIZES_LIMIT = 16, TN__TERMS_LIMIT = 4, TN__LEADING_LIMIT = 64 };
#define TN__UNKNOWN_SIZE INT64_MIN

// One dimension: a number, and names with factors.
typedef struct tn__dim {
  int64_t number;
  int term_count;
  struct {
    const char* name;
    int length;
    int64_t factor;
  } terms[TN__TERMS_LIMIT];
} tn__dim_t;

// What is known so far: the sizes of names, and the leading dimensions `...`.
typedef struct tn__sizes {
  int count;
  struct {
    const char* name;
    int length;
    int64_t size;
  } known[TN__SIZES_LIMIT];
  int64_t leading_rank;  // -1: not known
  int64_t leading[TN__LEADING_LIMIT];
} tn__sizes_t;

// --- reading

TN__COLD const char* tn__skip_spaces(const char* text) {
  while (*text == ' ' || *text == '\t' || *text == '\n') ++text;
  return text;
}

TN__COLD bool tn__is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Reads a number of up to nine digits.
TN__COLD bool tn__read_number(const char** text, int64_t* out) {
  const char* begin = *text;
  for (*out = 0; **text >= '0' && **text <= '9' && *text - begin < 9; ++*text) {
    *out = *out * 10 + (**text - '0');
  }
  return *text > begin && !(**text >= '0' && **text <= '9') && !tn__is_letter(**text);
}

// Reads one part of a sum: 2, n, 2 * n or n * 2.
TN__COLD bool tn__read_term(const char** text, int64_t sign, tn__dim_t* dim) {
  const char* name = NULL;
  int length = 0;
  int64_t factor = sign, number = 0;
  for (;;) {
    *text = tn__skip_spaces(*text);
    if (tn__is_letter(**text)) {
      if (name) return false;
      for (name = *text; tn__is_letter(**text) || (**text >= '0' && **text <= '9');) ++*text;
      length = (int)(*text - name);
    } else {
      if (!tn__read_number(text, &number) || __builtin_mul_overflow(factor, number, &factor))
        return false;
    }
    *text = tn__skip_spaces(*text);
    if (**text != '*') break;
    ++*text;
  }
  if (!name) return !__builtin_add_overflow(dim->number, factor, &dim->number);
  if (dim->term_count == TN__TERMS_LIMIT) return false;
  dim->terms[dim->term_count].name = name;
  dim->terms[dim->term_count].length = length;
  dim->terms[dim->term_count++].factor = factor;
  return true;
}

// Reads the dimension at *text, and moves to the next one or the end. False: it is not valid.
TN__COLD bool tn__read_dim(const char** text, tn__dim_t* out) {
  int64_t sign = 1;
  memset(out, 0, sizeof *out);
  do {
    if (!tn__read_term(text, sign, out)) return false;
    const char next = **text;
    sign = next == '-' ? -1 : 1;
    if (next == '+' || next == '-') {
      ++*text;
    } else if (next == ',') {
      *text = tn__skip_spaces(*text + 1);
      return **text != 0;
    } else {
      return next == 0;
    }
  } while (true);
}

// Moves behind the leading dimensions; false: there are none.
TN__COLD bool tn__read_leading(const char** text) {
  *text = tn__skip_spaces(*text);
  if (strncmp(*text, "...", 3) != 0) return false;
  *text = tn__skip_spaces(*text + 3);
  if (**text == ',') *text = tn__skip_spaces(*text + 1);
  return true;
}

// How many dimensions it lists without the leading ones; -1: it is not valid.
TN__COLD int64_t tn__count_dims(const char* text) {
  int64_t count = 0;
  tn__dim_t dim;
  (void)tn__read_leading(&text);
  for (; *text; ++count) {
    if (!tn__read_dim(&text, &dim)) return -1;
  }
  return count;
}

// --- matching

TN__COLD void tn__forget_sizes(tn__sizes_t* sizes) {
  sizes->count = 0;
  sizes->leading_rank = -1;
}

TN__COLD int64_t tn__size_of(const tn__sizes_t* sizes, const char* name, int length) {
  for (int i = 0; i < sizes->count; ++i) {
    if (sizes->known[i].length == length && memcmp(sizes->known[i].name, name, (size_t)length) == 0)
      return sizes->known[i].size;
  }
  return TN__UNKNOWN_SIZE;
}

TN__COLD void tn__set_size(tn__sizes_t* sizes, const char* name, int length, int64_t size) {
  if (sizes->count == TN__SIZES_LIMIT) return;
  sizes->known[sizes->count].name = name;
  sizes->known[sizes->count].length = length;
  sizes->known[sizes->count++].size = size;
}

// What the known names and the number add up to. *out_open is the only term of unknown size; -1:
// there are several; -2: there is none.
TN__COLD int64_t tn__sum_dim(const tn__dim_t* dim, const tn__sizes_t* sizes, int* out_open) {
  int64_t sum = dim->number, part = 0;
  *out_open = -2;
  for (int i = 0; i < dim->term_count; ++i) {
    const int64_t size = tn__size_of(sizes, dim->terms[i].name, dim->terms[i].length);
    if (size == TN__UNKNOWN_SIZE) {
      *out_open = *out_open == -2 ? i : -1;
    } else if (__builtin_mul_overflow(size, dim->terms[i].factor, &part) ||
               __builtin_add_overflow(sum, part, &sum)) {
      return INT64_MIN + 1;  // no dimension has that size
    }
  }
  return sum;
}

// Whether a dimension may have that size; learns what follows for a name.
TN__COLD bool tn__match_dim(const tn__dim_t* dim, int64_t size, tn__sizes_t* sizes) {
  int open = 0;
  const int64_t sum = tn__sum_dim(dim, sizes, &open);
  if (size == TN__UNKNOWN_SIZE || open == -1) return true;
  if (open == -2) return sum == size;
  const int64_t factor = dim->terms[open].factor;
  int64_t rest = 0;
  if (factor == 0 || __builtin_sub_overflow(size, sum, &rest)) return factor == 0 && sum == size;
  if (rest % factor != 0 || rest / factor < 0) return false;
  tn__set_size(sizes, dim->terms[open].name, dim->terms[open].length, rest / factor);
  return true;
}

TN__COLD bool tn__match_leading(const int64_t* dims, int64_t rank, tn__sizes_t* sizes) {
  if (rank < 0 || rank > TN__LEADING_LIMIT) return false;
  if (sizes->leading_rank < 0) {
    sizes->leading_rank = rank;
    if (rank) memcpy(sizes->leading, dims, (size_t)rank * sizeof *dims);
    return true;
  }
  if (sizes->leading_rank != rank) return false;
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes->leading[i] == TN__UNKNOWN_SIZE) sizes->leading[i] = dims[i];
    if (dims[i] != TN__UNKNOWN_SIZE && sizes->leading[i] != dims[i]) return false;
  }
  return true;
}

// Whether a shape may be that list, as far as is known; learns the sizes that follow from it. Call
// it for all shapes twice: a sum may be known only after another shape has been seen.
TN__COLD bool tn__match_dims(const char* text, const int64_t* dims, int64_t rank,
                             tn__sizes_t* sizes) {
  tn__dim_t dim;
  const int64_t count = tn__count_dims(text);
  const bool has_leading = tn__read_leading(&text);
  if (count < 0 || (has_leading ? rank < count : rank != count)) return false;
  if (has_leading && !tn__match_leading(dims, rank - count, sizes)) return false;
  for (int64_t axis = rank - count; axis < rank; ++axis) {
    (void)tn__read_dim(&text, &dim);
    if (!tn__match_dim(&dim, dims[axis], sizes)) return false;
  }
  return true;
}

// Whether the list has the name.
TN__COLD bool tn__dims_have_name(const char* text, const char* name) {
  const size_t length = strlen(name);
  tn__dim_t dim;
  (void)tn__read_leading(&text);
  while (*text && tn__read_dim(&text, &dim)) {
    for (int i = 0; i < dim.term_count; ++i) {
      if ((size_t)dim.terms[i].length == length && memcmp(dim.terms[i].name, name, length) == 0)
        return true;
    }
  }
  return false;
}

#endif  // TENON_DETAIL_CUSTOM_DIMS_H_
