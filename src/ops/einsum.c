// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/einsum.h"

#include "ops/contract.h"
#include "ops/rules.h"

enum { LETTER_COUNT = TN_EINSUM_LETTER_COUNT, ABSENT = TN_EINSUM_ABSENT };

typedef struct reader {
  const tn_op_use_t* use;
  tn_einsum_t* einsum;
  size_t unlabelled_rank;  // the most dimensions that a "..." stands for
} reader_t;

static int letter_label(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 26;
  return ABSENT;
}

// Takes a blank-free piece of the configuration up to a comma, an arrow or the end.
static tn_string_view_t take_term(tn_string_view_t* rest) {
  size_t length = 0;
  while (length < rest->length && rest->data[length] != ',' && rest->data[length] != '-') ++length;
  tn_string_view_t term = {rest->data, length};
  rest->data += length;
  rest->length -= length;
  return term;
}

static bool take(tn_string_view_t* rest, const char* token) {
  size_t length = strlen(token);
  if (rest->length < length || memcmp(rest->data, token, length) != 0) return false;
  rest->data += length;
  rest->length -= length;
  return true;
}

// Labels of a term's dimensions; `unlabelled` dimensions are where "..." is.
static tn_status_t read_term(const reader_t* e, tn_string_view_t term, size_t unlabelled,
                             tn_einsum_term_t* out_term) {
  tn_string_view_t rest = term;
  bool dots_were = false;
  size_t* out_rank = &out_term->rank;
  int* out_labels = out_term->labels;
  *out_rank = 0;
  while (rest.length) {
    size_t added = 1;
    bool is_dots = take(&rest, "...");
    if (is_dots) added = unlabelled;
    TN_CONSTRAINT(e->use, NULL, !(is_dots && dots_were), "einsum_config: \"%.*s\" has two \"...\"",
                  TN_SV(term));
    TN_CONSTRAINT(e->use, NULL, *out_rank + added <= TN_MAX_RANK,
                  "einsum_config: \"%.*s\" has more than %d dimensions", TN_SV(term), TN_MAX_RANK);
    dots_were |= is_dots;
    for (size_t i = 0; is_dots && i < added; ++i) {
      out_labels[(*out_rank)++] = LETTER_COUNT + (int)(added - 1 - i);
    }
    if (is_dots) continue;
    int label = letter_label(rest.data[0]);
    TN_CONSTRAINT(e->use, NULL, label != ABSENT, "einsum_config: '%c' in \"%.*s\" is not a letter",
                  rest.data[0], TN_SV(term));
    out_labels[(*out_rank)++] = label;
    ++rest.data;
    --rest.length;
  }
  return TN_OK;
}

static bool has_dots(tn_string_view_t term) {
  return term.length && memchr(term.data, '.', term.length) != NULL;
}

// Learns the sizes of the labels of one operand.
static tn_status_t add_operand(reader_t* e, size_t index, tn_string_view_t term) {
  const tn_type_t* type = e->use->operand_types[index];
  tn_einsum_term_t* read = &e->einsum->operands[index];
  size_t letters = 0;
  for (size_t i = 0; i < term.length; ++i) letters += letter_label(term.data[i]) != ABSENT;
  size_t unlabelled = has_dots(term) && type->rank > letters ? type->rank - letters : 0;
  TN_RETURN_IF_ERROR(read_term(e, term, unlabelled, read));
  TN_CONSTRAINT(e->use, NULL, read->rank == type->rank,
                "operand %zu has rank %zu; expected %zu for \"%.*s\"", index, type->rank,
                read->rank, TN_SV(term));
  if (unlabelled > e->unlabelled_rank) e->unlabelled_rank = unlabelled;
  for (size_t i = 0; i < read->rank; ++i) {
    int64_t* size = &e->einsum->sizes[read->labels[i]];
    bool broadcasts = read->labels[i] >= LETTER_COUNT && (*size == 1 || type->dims[i] == 1);
    TN_CONSTRAINT(e->use, NULL,
                  *size == ABSENT || broadcasts || tn__dims_agree(*size, type->dims[i]),
                  "dimension %zu of operand %zu is %lld; expected %lld, as where its label in "
                  "\"%.*s\" was before",
                  i, index, (long long)type->dims[i], (long long)*size, TN_SV(term));
    bool is_known = *size != ABSENT && *size != TN_DIM_DYNAMIC;
    if (!is_known || (broadcasts && *size == 1)) *size = type->dims[i];
  }
  return TN_OK;
}

// "ab,bc->ac": as many terms as operands, an arrow, the result's term.
tn_status_t tn__einsum_read(const tn_op_use_t* use, tn_einsum_t* out_einsum) {
  reader_t e = {.use = use, .einsum = out_einsum};
  for (size_t i = 0; i < TN_EINSUM_LABEL_COUNT; ++i) out_einsum->sizes[i] = ABSENT;
  tn_string_view_t config = tn__attr_get_string(&use->attrs, "einsum_config"), rest = config;
  for (size_t i = 0; i < use->operand_count; ++i) {
    TN_RETURN_IF_ERROR(tn__rule_operand(use, i, NULL, i ? "rhs" : "operand", TN__ANY_KIND));
    bool follows = i == 0 || take(&rest, ",");
    TN_CONSTRAINT(use, NULL, follows, "einsum_config is \"%.*s\"; expected %zu terms",
                  TN_SV(config), use->operand_count);
    TN_RETURN_IF_ERROR(add_operand(&e, i, take_term(&rest)));
  }
  TN_CONSTRAINT(use, NULL, take(&rest, "->"),
                "einsum_config is \"%.*s\"; expected \"->\" after %zu terms", TN_SV(config),
                use->operand_count);
  tn_einsum_term_t* result = &out_einsum->result;
  TN_RETURN_IF_ERROR(read_term(&e, rest, e.unlabelled_rank, result));
  for (size_t i = 0; i < result->rank; ++i) {
    TN_CONSTRAINT(use, NULL, out_einsum->sizes[result->labels[i]] != ABSENT,
                  "einsum_config is \"%.*s\"; the result has a label that no operand has",
                  TN_SV(config));
    for (size_t k = 0; k < i; ++k) {
      TN_CONSTRAINT(use, NULL, result->labels[i] != result->labels[k],
                    "einsum_config is \"%.*s\"; the result has a label twice", TN_SV(config));
    }
  }
  return TN_OK;
}

static tn_status_t infer(const tn_op_use_t* use, tn_op_results_t* results) {
  tn_einsum_t einsum;
  TN_RETURN_IF_ERROR(tn__einsum_read(use, &einsum));
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < einsum.result.rank; ++i) {
    dims[i] = einsum.sizes[einsum.result.labels[i]];
  }
  return tn__give_tensor(use, results, NULL, tn__contract_dtype(use, use->operand_types[0]->dtype),
                         einsum.result.rank, dims);
}

tn_status_t tn__infer_einsum(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  TN_CONSTRAINT(use, NULL, tn__contract_mixes(lhs->dtype, rhs->dtype),
                "rhs has type %s; expected elements as in %s", TN_TYPE_TEXT(rhs),
                TN_TYPE_TEXT(lhs));
  return infer(use, results);
}

tn_status_t tn__infer_unary_einsum(const tn_op_use_t* use, tn_op_results_t* results) {
  return infer(use, results);
}
