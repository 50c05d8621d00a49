// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Einstein's sums: operands are multiplied pair by pair, and what is not needed any more is summed.
#include <math.h>
#include <stdio.h>

#include "array/common.h"

enum { LABEL_LIMIT = 128, OPERAND_LIMIT = 32, ELLIPSIS = 1 };  // labels of an ellipsis: 1, 2...

// The labels of an array's dimensions.
typedef struct tn_term {
  tn_array_t* array;
  size_t rank;
  char labels[TN_MAX_RANK];
} tn_term_t;

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static tn_array_t* fail(tn_scope_t* scope, const char* subscripts, const char* problem) {
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "\"%.100s\": %s", subscripts, problem);
}

// Reads labels up to a comma, an arrow or the end. An ellipsis stands for `ellipsis_rank`
// dimensions, whose labels count down to ELLIPSIS at the last one.
static bool read_labels(const char** text, size_t ellipsis_rank, bool* out_has_ellipsis,
                        tn_term_t* term) {
  term->rank = 0;
  *out_has_ellipsis = false;
  for (; **text && **text != ',' && **text != '-'; ++*text) {
    if (**text == ' ') continue;
    if (strncmp(*text, "...", 3) == 0 && !*out_has_ellipsis) {
      *out_has_ellipsis = true;
      *text += 2;
      if (term->rank + ellipsis_rank > TN_MAX_RANK) return false;
      for (size_t i = ellipsis_rank; i-- > 0;) term->labels[term->rank++] = (char)(ELLIPSIS + i);
    } else if (!is_letter(**text) || term->rank == TN_MAX_RANK) {
      return false;
    } else {
      term->labels[term->rank++] = **text;
    }
  }
  return true;
}

static size_t count_letters(const char* text) {
  size_t count = 0;
  for (; *text && *text != ',' && *text != '-'; ++text) count += is_letter(*text);
  return count;
}

static int64_t find(const tn_term_t* term, char label) {
  for (size_t i = 0; i < term->rank; ++i) {
    if (term->labels[i] == label) return (int64_t)i;
  }
  return -1;
}

static void drop(tn_term_t* term, size_t axis) {
  memmove(term->labels + axis, term->labels + axis + 1, term->rank - axis - 1);
  --term->rank;
}

// A label that comes twice: the diagonal, which becomes the last dimension.
static void take_diagonals(tn_scope_t* scope, tn_term_t* term) {
  for (size_t i = 0; i < term->rank; ++i) {
    for (size_t j = i + 1; j < term->rank; ++j) {
      if (term->labels[i] != term->labels[j]) continue;
      const char label = term->labels[i];
      term->array = tn_array_diagonal(scope, term->array, 0, (int64_t)i, (int64_t)j);
      drop(term, j);
      drop(term, i);
      term->labels[term->rank++] = label;
      i = (size_t)-1;  // from the beginning
      break;
    }
  }
}

// Sums over what is neither in `kept` nor in the other terms.
static void sum_rest(tn_scope_t* scope, tn_term_t* term, size_t count, const tn_term_t* others,
                     const tn_term_t* kept) {
  int64_t axes[TN_MAX_RANK];
  size_t axis_count = 0;
  for (size_t i = term->rank; i-- > 0;) {
    bool is_needed = find(kept, term->labels[i]) >= 0;
    for (size_t k = 0; k < count; ++k) {
      if (&others[k] != term && find(&others[k], term->labels[i]) >= 0) is_needed = true;
    }
    if (is_needed) continue;
    axes[axis_count++] = (int64_t)i;
    drop(term, i);
  }
  if (axis_count == 0) return;
  const tn_dtype_t dtype = term->array->dtype;
  term->array = tn_array_sum(scope, term->array, axis_count, axes, false);
  if (dtype != TN_DTYPE_INVALID) term->array = tn_array_astype(scope, term->array, dtype);
}

// The product of both in the first: matrices over what only one of them has, in batches of what
// both have and is needed, summed over what both have and neither needs.
static void multiply(tn_scope_t* scope, tn_term_t* a, tn_term_t* b, size_t rest_count,
                     const tn_term_t* rest, const tn_term_t* kept) {
  enum { BATCH, ROWS, INNER, COLUMNS, GROUPS };
  char labels[GROUPS][TN_MAX_RANK];
  size_t counts[GROUPS] = {0};
  int64_t sizes[GROUPS] = {1, 1, 1, 1}, order[TN_MAX_RANK], dims[2 * TN_MAX_RANK];
  tn_array_t* matrices[2];
  tn_term_t result = {0};
  if (a->array->dtype == TN_DTYPE_INVALID || b->array->dtype == TN_DTYPE_INVALID) {
    if (a->array->dtype != TN_DTYPE_INVALID) a->array = b->array;
    a->rank = 0;
    return;
  }
  for (size_t i = 0; i < a->rank; ++i) {
    const char label = a->labels[i];
    bool is_needed = find(kept, label) >= 0;
    for (size_t k = 0; k < rest_count; ++k) is_needed |= find(&rest[k], label) >= 0;
    const int group = find(b, label) < 0 ? ROWS : is_needed ? BATCH : INNER;
    labels[group][counts[group]++] = label;
    sizes[group] *= a->array->dims[i];
  }
  for (size_t i = 0; i < b->rank; ++i) {
    if (find(a, b->labels[i]) >= 0) continue;
    labels[COLUMNS][counts[COLUMNS]++] = b->labels[i];
    sizes[COLUMNS] *= b->array->dims[i];
  }
  for (int side = 0; side < 2; ++side) {
    const tn_term_t* term = side ? b : a;
    const int groups[] = {BATCH, side ? INNER : ROWS, side ? COLUMNS : INNER};
    size_t count = 0;
    for (int g = 0; g < 3; ++g) {
      for (size_t i = 0; i < counts[groups[g]]; ++i) {
        order[count++] = find(term, labels[groups[g]][i]);
      }
    }
    matrices[side] =
        tn_array_reshape(scope, tn_array_transpose(scope, term->array, order), 3,
                         (const int64_t[]){sizes[groups[0]], sizes[groups[1]], sizes[groups[2]]});
  }
  for (int g = 0; g < GROUPS; ++g) {
    if (g == INNER) continue;
    for (size_t i = 0; i < counts[g] && result.rank < TN_MAX_RANK; ++i) {
      const tn_term_t* from = g == COLUMNS ? b : a;
      dims[result.rank] = from->array->dims[find(from, labels[g][i])];
      result.labels[result.rank++] = labels[g][i];
    }
  }
  tn_array_t* product = tn_array_matmul(scope, matrices[0], matrices[1]);
  result.array = tn_array_reshape(scope, product, result.rank, dims);
  *a = result;
}

// Without "->": the ellipsis, then what comes once, in the order of the alphabet.
static void imply_output(size_t count, const tn_term_t* terms, size_t ellipsis_rank,
                         tn_term_t* out) {
  out->rank = 0;
  for (size_t i = ellipsis_rank; i-- > 0;) out->labels[out->rank++] = (char)(ELLIPSIS + i);
  for (int label = 'A'; label <= 'z'; ++label) {
    size_t times = 0;
    for (size_t i = 0; i < count; ++i) {
      for (size_t d = 0; d < terms[i].rank; ++d) times += terms[i].labels[d] == label;
    }
    if (times == 1 && out->rank < TN_MAX_RANK) out->labels[out->rank++] = (char)label;
  }
}

static tn_array_t* parse(tn_scope_t* scope, const char* subscripts, size_t count,
                         tn_array_t* const* arrays, tn_term_t* terms, tn_term_t* out) {
  const char* text = subscripts;
  size_t ellipsis_rank = 0;
  bool has_ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    const size_t letters = count_letters(text);
    const size_t rank = arrays[i]->rank > letters ? arrays[i]->rank - letters : 0;
    terms[i].array = arrays[i];
    if (!read_labels(&text, rank, &has_ellipsis, &terms[i])) {
      return fail(scope, subscripts, "expected letters and at most one ellipsis each");
    }
    if (terms[i].rank != arrays[i]->rank) {
      return fail(scope, subscripts, "not as many subscripts as dimensions");
    }
    if (has_ellipsis && rank > ellipsis_rank) ellipsis_rank = rank;
    if (i + 1 < count && *text++ != ',') {
      return fail(scope, subscripts, "fewer subscripts than operands");
    }
  }
  if (*text == '\0') {
    imply_output(count, terms, ellipsis_rank, out);
    return NULL;
  }
  if (text[0] != '-' || text[1] != '>') {
    return fail(scope, subscripts, "more subscripts than operands");
  }
  text += 2;
  if (!read_labels(&text, ellipsis_rank, &has_ellipsis, out) || *text) {
    return fail(scope, subscripts, "expected letters after the arrow");
  }
  for (size_t i = 0; i < out->rank; ++i) {
    bool is_there = false;
    for (size_t k = 0; k < count; ++k) is_there |= find(&terms[k], out->labels[i]) >= 0;
    if (!is_there || find(out, out->labels[i]) != (int64_t)i) {
      return fail(scope, subscripts, "the result has a letter twice, or one that no operand has");
    }
  }
  return NULL;
}

static const char* label_text(char label, char text[16]) {
  const bool is_letter = (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z');
  if (!is_letter) return "a dimension of the ellipsis";
  snprintf(text, 16, "letter %c", label);
  return text;
}

// A dimension of size 1 goes with any other: it is dropped where another one has the label.
static tn_array_t* match_sizes(tn_scope_t* scope, const char* subscripts, size_t count,
                               tn_term_t* terms) {
  int64_t sizes[LABEL_LIMIT];
  char text[16];
  for (int i = 0; i < LABEL_LIMIT; ++i) sizes[i] = 1;
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = 0; d < terms[i].rank; ++d) {
      int64_t* size = &sizes[(unsigned char)terms[i].labels[d] % LABEL_LIMIT];
      const int64_t dim = terms[i].array->dims[d];
      if (*size != 1 && dim != 1 && *size != dim) {
        return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                              "\"%.100s\": %s has sizes %lld and %lld; expected equal ones, or 1",
                              subscripts, label_text(terms[i].labels[d], text), (long long)*size,
                              (long long)dim);
      }
      if (*size == 1) *size = dim;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = terms[i].rank; d-- > 0;) {
      const int64_t axis = (int64_t)d;
      if (terms[i].array->dims[d] != 1 ||
          sizes[(unsigned char)terms[i].labels[d] % LABEL_LIMIT] == 1) {
        continue;
      }
      terms[i].array = tn_array_squeeze(scope, terms[i].array, 1, &axis);
      drop(&terms[i], d);
    }
  }
  return NULL;
}

// What the product of two terms of a list would be worth.
typedef struct tn_worth {
  double removed;  // elements that there are fewer of afterwards
  double cost;     // products of elements
} tn_worth_t;

static bool is_needed_besides(size_t count, const tn_term_t* terms, size_t i, size_t j,
                              const tn_term_t* out, char label) {
  if (find(out, label) >= 0) return true;
  for (size_t k = 0; k < count; ++k) {
    if (k != i && k != j && find(&terms[k], label) >= 0) return true;
  }
  return false;
}

static tn_worth_t worth_of(size_t count, const tn_term_t* terms, size_t i, size_t j,
                           const tn_term_t* out) {
  const tn_term_t *a = &terms[i], *b = &terms[j];
  double sizes[2] = {1, 1}, cost = 1, result = 1;
  if (a->array->dtype == TN_DTYPE_INVALID || b->array->dtype == TN_DTYPE_INVALID) {
    return (tn_worth_t){0};
  }
  for (size_t d = 0; d < a->rank + b->rank; ++d) {
    const bool is_of_b = d >= a->rank;
    const tn_term_t* term = is_of_b ? b : a;
    const size_t axis = is_of_b ? d - a->rank : d;
    const double dim = (double)term->array->dims[axis];
    sizes[is_of_b] *= dim;
    if (is_of_b && find(a, term->labels[axis]) >= 0) continue;
    cost *= dim;
    if (is_needed_besides(count, terms, i, j, out, term->labels[axis])) result *= dim;
  }
  return (tn_worth_t){sizes[0] + sizes[1] - result, cost};
}

// The two terms whose product leaves fewest elements; of several such pairs the cheapest, or the
// first.
static void choose_pair(size_t count, const tn_term_t* terms, const tn_term_t* out,
                        size_t out_pair[2]) {
  tn_worth_t best = {-(double)INFINITY, INFINITY};
  out_pair[0] = 0;
  out_pair[1] = 1;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      const tn_worth_t worth = worth_of(count, terms, i, j, out);
      const bool is_better =
          worth.removed > best.removed || (worth.removed == best.removed && worth.cost < best.cost);
      if (!is_better) continue;
      best = worth;
      out_pair[0] = i;
      out_pair[1] = j;
    }
  }
}

// Takes two terms from the list and puts their product to its end.
static void contract(tn_scope_t* scope, const size_t pair[2], size_t count, tn_term_t* terms,
                     const tn_term_t* out) {
  tn_term_t a = terms[pair[0]], b = terms[pair[1]];
  size_t rest = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i != pair[0] && i != pair[1]) terms[rest++] = terms[i];
  }
  multiply(scope, &a, &b, rest, terms, out);
  terms[rest] = a;
}

// `out_pairs` NULL: not needed.
static tn_array_t* sum_up(tn_scope_t* scope, const char* subscripts, size_t count,
                          tn_array_t* const* arrays, size_t (*out_pairs)[2]) {
  tn_term_t terms[OPERAND_LIMIT];
  tn_term_t out = {0};
  int64_t order[TN_MAX_RANK];
  if (count == 0 || count > OPERAND_LIMIT) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu operands; expected 1 to %d", count,
                          OPERAND_LIMIT);
  }
  TN__RETURN_IF_FAILED(tn__check_operands(scope, count, arrays));
  if (!subscripts) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "subscripts is NULL; expected text such as \"ij,jk->ik\"");
  }
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, count, arrays, &dtype));
  TN__RETURN_IF_FAILED(parse(scope, subscripts, count, arrays, terms, &out));
  TN__RETURN_IF_FAILED(match_sizes(scope, subscripts, count, terms));
  for (size_t i = 0; i < count; ++i) {
    terms[i].array = tn_array_astype(scope, terms[i].array, dtype);
    take_diagonals(scope, &terms[i]);
  }
  for (size_t i = 0; i < count; ++i) sum_rest(scope, &terms[i], count, terms, &out);
  for (size_t rest = count; rest > 1; --rest) {
    size_t pair[2];
    choose_pair(rest, terms, &out, pair);
    if (out_pairs) memcpy(out_pairs[count - rest], pair, sizeof pair);
    contract(scope, pair, rest, terms, &out);
  }
  if (terms[0].array->dtype == TN_DTYPE_INVALID) return terms[0].array;
  for (size_t i = 0; i < out.rank; ++i) order[i] = find(&terms[0], out.labels[i]);
  return tn_array_transpose(scope, terms[0].array, order);
}

tn_array_t* tn_array_einsum(tn_scope_t* scope, const char* subscripts, size_t count,
                            tn_array_t* const* operands) {
  TN__OPERATION(scope, "einsum");
  return sum_up(scope, subscripts, count, operands, NULL);
}

tn_status_t tn_array_einsum_path(tn_scope_t* scope, const char* subscripts, size_t count,
                                 tn_array_t* const* operands, size_t (*out_pairs)[2]) {
  tn_scope_t* inner = NULL;
  TN_RETURN_IF_NULL(scope);
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  tn_status_t status = TN_OK;
  {
    TN__OPERATION(inner, "einsum_path");
    status = tn_array_status(sum_up(inner, subscripts, count, operands, out_pairs));
  }
  tn_scope_destroy(inner);
  return status;
}
