// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/mismatch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/spelling.h"
#include "base/type.h"
#include "call/attributes.h"
#include "call/check.h"
#include "call/line.h"

enum { LINE_LIMIT = 16 };

// One of a decoder's diagnostics, "<begin>WANTED<middle>FOUND". (Of the names of attributes it says
// first what it found.)
typedef struct diagnostic {
  tn_string_view_t wanted, found;
  size_t repeats;  // how often the line is there
} diagnostic_t;

static bool begins(tn_string_view_t line, const char* text) {
  size_t length = strlen(text);
  return line.length >= length && memcmp(line.data, text, length) == 0;
}

static bool match(tn_string_view_t line, const char* begin, const char* middle,
                  diagnostic_t* diagnostic) {
  size_t head = strlen(begin), gap = strlen(middle);
  if (!begins(line, begin)) return false;
  const char* at = memmem(line.data + head, line.length - head, middle, gap);
  if (!at) return false;
  diagnostic->wanted = (tn_string_view_t){line.data + head, (size_t)(at - line.data) - head};
  diagnostic->found = (tn_string_view_t){at + gap, line.length - (size_t)(at - line.data) - gap};
  return true;
}

// --- words of the decoder

typedef struct word {
  const char* theirs;
  const char* ours;
  int32_t number;
} word_t;

static const word_t dtypes[] = {
#define WORD(word, NAME, number, ctype) {#NAME, #word, number},
    TN_FFI_DTYPES(WORD)
#undef WORD
};
static const word_t attr_types[] = {{"array", "an array", TN_FFI_ARRAY},
                                    {"dictionary", "a dictionary", TN_FFI_DICTIONARY},
                                    {"scalar", "a number", TN_FFI_SCALAR},
                                    {"string", "a string", TN_FFI_STRING}};

static const word_t* find(const word_t* words, size_t count, tn_string_view_t theirs) {
  for (size_t i = 0; i < count; ++i) {
    if (tn__sv_is(theirs, words[i].theirs)) return &words[i];
  }
  return NULL;
}
#define FIND(words, theirs) find(words, sizeof(words) / sizeof *(words), theirs)

// --- what it may speak of

// Writes who it is, for the index of an operand, result or attribute; false: it cannot be this one.
typedef bool (*suspect_fn)(const tn_refused_call_t* call, size_t index, int32_t found,
                           tn_line_t* out);

static bool print_value(const tn_refused_call_t* call, size_t index, tn_line_t* out) {
  bool is_operand = index < call->operand_count;
  tn__line_print(out, "%s %zu has type %s", is_operand ? "operand" : "result",
                 is_operand ? index : index - call->operand_count,
                 TN_TYPE_TEXT(call->types[index]));
  return true;
}

static bool has_dtype(const tn_refused_call_t* call, size_t index, int32_t found, tn_line_t* out) {
  const tn_type_t* type = call->types[index];
  int32_t dtype = type->kind == TN_TYPE_TOKEN ? TN_FFI_TOKEN : (int32_t)tn__ffi_dtype(type->dtype);
  return dtype == found && print_value(call, index, out);
}

static bool has_rank(const tn_refused_call_t* call, size_t index, int32_t found, tn_line_t* out) {
  const tn_type_t* type = call->types[index];
  size_t rank = tn__type_is_tensor(type) ? type->rank : 0;
  return rank == (size_t)found && print_value(call, index, out);
}

static bool print_attr(const tn_refused_call_t* call, size_t index, tn_line_t* out) {
  tn_attr_text_t value = {""};
  const tn_ffi_bytes_t* name = call->attrs->names[index];
  for (size_t i = 0; i < call->given->count; ++i) {
    const tn_named_attr_t* entry = &call->given->entries[i];
    bool is_it = tn__sv_equal(entry->name, (tn_string_view_t){name->data, name->size});
    if (is_it) value = tn__attr_describe(entry->attr);
  }
  tn__line_print(out, "attribute \"%.*s\" is %s", (int)name->size, name->data, value.text);
  return true;
}

static bool has_attr_type(const tn_refused_call_t* call, size_t index, int32_t found,
                          tn_line_t* out) {
  return call->attrs->types[index] == found && print_attr(call, index, out);
}

static bool has_scalar_dtype(const tn_refused_call_t* call, size_t index, int32_t found,
                             tn_line_t* out) {
  const tn_ffi_scalar_t* scalar = call->attrs->values[index];
  return call->attrs->types[index] == TN_FFI_SCALAR && scalar->dtype == found &&
         print_attr(call, index, out);
}

static bool has_array_dtype(const tn_refused_call_t* call, size_t index, int32_t found,
                            tn_line_t* out) {
  const tn_ffi_array_t* array = call->attrs->values[index];
  return call->attrs->types[index] == TN_FFI_ARRAY && array->dtype == found &&
         print_attr(call, index, out);
}

// As many are wrong as the line is repeated; if more could be meant, it is one of them.
static tn_status_t note_suspects(tn_status_t status, const tn_refused_call_t* call,
                                 const diagnostic_t* diagnostic, suspect_fn is_suspect,
                                 size_t count, int32_t found, const char* wanted) {
  tn_line_t all = {.length = 0};
  size_t suspect_count = 0;
  for (size_t i = 0; i < count; ++i) {
    tn_line_t one = {.length = 0};
    if (!is_suspect(call, i, found, &one)) continue;
    tn__line_print(&all, "%s%s", suspect_count++ ? ", " : "", one.text);
  }
  if (!suspect_count) return status;
  const char* which = suspect_count == diagnostic->repeats ? "" : "one of these: ";
  return tn_status_note(status, "%s%s; expected %s", which, all.text, wanted);
}

static tn_status_t explain_dtype(tn_status_t status, const tn_refused_call_t* call,
                                 const diagnostic_t* diagnostic, suspect_fn is_suspect,
                                 size_t count, const char* what) {
  const word_t* wanted = FIND(dtypes, diagnostic->wanted);
  const word_t* found = FIND(dtypes, diagnostic->found);
  char text[64];
  if (!wanted || !found) return status;
  snprintf(text, sizeof text, "%s%s", what, wanted->ours);
  return note_suspects(status, call, diagnostic, is_suspect, count, found->number, text);
}

static tn_status_t explain_rank(tn_status_t status, const tn_refused_call_t* call,
                                const diagnostic_t* diagnostic, size_t count) {
  char text[64];
  long found = strtol(diagnostic->found.data, NULL, 10);
  if (found < 0 || found > INT32_MAX || diagnostic->wanted.length > 20) return status;
  snprintf(text, sizeof text, "rank %.*s", TN_SV(diagnostic->wanted));
  return note_suspects(status, call, diagnostic, has_rank, count, (int32_t)found, text);
}

static tn_status_t explain_attr_type(tn_status_t status, const tn_refused_call_t* call,
                                     const diagnostic_t* diagnostic, size_t count) {
  const word_t* wanted = FIND(attr_types, diagnostic->wanted);
  const word_t* found = FIND(attr_types, diagnostic->found);
  if (!wanted || !found) return status;
  return note_suspects(status, call, diagnostic, has_attr_type, count, found->number, wanted->ours);
}

// The attributes that were given, as "a, b {c, d}", and which of them may be `name`, misspelt.
typedef struct search {
  tn_spelling_t spelling;
  bool is_there;
  tn_line_t given;
} search_t;

static void look_at(search_t* search, tn_string_view_t other) {
  search->is_there |= tn__sv_equal(search->spelling.word, other);
  (void)tn__spelling_consider(&search->spelling, other);
}

static void look_at_given(search_t* search, const tn_ffi_bytes_t* name) {
  const tn_string_view_t other = {name->data, name->size};
  look_at(search, other);
  tn__line_print(&search->given, "%.*s", TN_SV(other));
}

static void look_at_all(search_t* search, const tn_ffi_attrs_t* attrs) {
  for (int64_t i = 0; i < attrs->count; ++i) {
    tn__line_print(&search->given, "%s", i ? ", " : "");
    look_at_given(search, attrs->names[i]);
    if (attrs->types[i] != TN_FFI_DICTIONARY) continue;
    const tn_ffi_attrs_t* fields = attrs->values[i];
    tn__line_print(&search->given, " {");
    for (int64_t k = 0; k < fields->count; ++k) {
      tn__line_print(&search->given, "%s", k ? ", " : "");
      look_at_given(search, fields->names[k]);
    }
    tn__line_print(&search->given, "}");
  }
}

// `there`: the attribute in the place of the missing one; empty: unknown.
static tn_status_t explain_missing(tn_status_t status, const tn_refused_call_t* call,
                                   tn_string_view_t name, tn_string_view_t there) {
  search_t search = {.spelling = {.word = name}};
  if (there.length) look_at(&search, there);
  look_at_all(&search, call->attrs);
  // A name that is there has another one before it that is missing.
  if (!name.length || search.is_there) return status;
  status = tn_status_note(status, "attribute \"%s\" is missing; given: %s", TN_NAME_TEXT(name),
                          search.given.length ? search.given.text : "none");
  if (!search.spelling.nearest.length) return status;
  return tn_status_note(status, "did you mean %s instead of %s?", TN_NAME_TEXT(name),
                        TN_NAME_TEXT(search.spelling.nearest));
}

static tn_status_t explain_line(tn_status_t status, const tn_refused_call_t* call,
                                tn_string_view_t line, size_t repeats) {
  static const char unexpected[] = "Unexpected attribute: ";
  diagnostic_t diagnostic = {.repeats = repeats};
  size_t value_count = call->operand_count + call->result_count;
  size_t attr_count = (size_t)call->attrs->count;
  if (match(line, "Wrong buffer dtype: expected ", " but got ", &diagnostic)) {
    return explain_dtype(status, call, &diagnostic, has_dtype, value_count, "elements of ");
  }
  if (match(line, "Wrong buffer rank: expected ", " but got ", &diagnostic)) {
    return explain_rank(status, call, &diagnostic, value_count);
  }
  if (match(line, "Wrong scalar data type: expected ", " but got ", &diagnostic)) {
    return explain_dtype(status, call, &diagnostic, has_scalar_dtype, attr_count, "");
  }
  if (match(line, "Wrong array data type: expected ", " but got ", &diagnostic)) {
    return explain_dtype(status, call, &diagnostic, has_array_dtype, attr_count, "an array of ");
  }
  if (match(line, "Wrong attribute type: expected ", " but got ", &diagnostic)) {
    return explain_attr_type(status, call, &diagnostic, attr_count);
  }
  if (match(line, "Attribute name mismatch: ", " vs ", &diagnostic)) {
    return explain_missing(status, call, diagnostic.found, diagnostic.wanted);
  }
  if (begins(line, unexpected)) {  // what was looked for in a dictionary
    const size_t head = sizeof unexpected - 1;
    return explain_missing(status, call, (tn_string_view_t){line.data + head, line.length - head},
                           (tn_string_view_t){0});
  }
  return status;
}

// "Wrong number of arguments: expected [at least ]3 but got 2", of the count that the call has.
static tn_status_t explain_count(tn_status_t status, const char* begin, const char* what,
                                 size_t count) {
  diagnostic_t diagnostic = {0};
  const char* text = strstr(tn_status_message(status), begin);
  if (!text || !match((tn_string_view_t){text, strlen(text)}, begin, " but got ", &diagnostic)) {
    return status;
  }
  static const char at_least[] = "at least ";
  const bool is_least = begins(diagnostic.wanted, at_least);
  const char* number = diagnostic.wanted.data + (is_least ? sizeof at_least - 1 : 0);
  const size_t digits = strspn(number, "0123456789"),
               found_digits = strspn(diagnostic.found.data, "0123456789");
  if (!digits || digits > 6 ||
      number + digits != diagnostic.wanted.data + diagnostic.wanted.length || !found_digits ||
      strtoull(diagnostic.found.data, NULL, 10) != count) {
    return status;
  }
  return tn_status_note(status, "the call has %zu %s%s; expected %s%.*s", count, what,
                        count == 1 ? "" : "s", is_least ? at_least : "", (int)digits, number);
}

// Where the next diagnostic begins, or the text ends: headers since version 0.1 write them one
// behind the other, with nothing between.
static const char* next_diagnostic(const char* text) {
  static const char* const begins_of[] = {
      "Wrong ", "Attribute name mismatch: ", "Unexpected attribute: ", "Failed to ", "\n"};
  const char* next = text + strlen(text);
  for (size_t i = 0; i < sizeof begins_of / sizeof *begins_of; ++i) {
    const char* at = strstr(text, begins_of[i]);
    if (at && at < next) next = at;
  }
  return next;
}

tn_status_t tn__mismatch_explain(tn_status_t status, const tn_refused_call_t* call) {
  static const char head[] = "Failed to decode all FFI handler operands";
  status =
      explain_count(status, "Wrong number of arguments: expected ", "operand", call->operand_count);
  status =
      explain_count(status, "Wrong number of results: expected ", "result", call->result_count);
  status = explain_count(status, "Wrong number of attributes: expected ", "attribute",
                         (size_t)call->attrs->count);
  static const char title[] = "\nDiagnostics:\n";
  const char* text = strstr(tn_status_message(status), head);
  if (text) text = strstr(text, title);
  if (!text) return status;
  char* copy = strdup(text + sizeof title - 1);  // the message goes when a note comes
  if (!copy) return status;
  tn_string_view_t lines[LINE_LIMIT];
  size_t repeats[LINE_LIMIT], count = 0;
  for (text = copy; *text && count < LINE_LIMIT;) {
    const char* end = next_diagnostic(text + 1);
    const tn_string_view_t line = {text, (size_t)(end - text)};
    text = end + strspn(end, "\n");
    size_t at = 0;
    while (at < count && !tn__sv_equal(lines[at], line)) ++at;
    if (at == count) {
      lines[count] = line;
      repeats[count++] = 0;
    }
    ++repeats[at];
  }
  for (size_t i = 0; i < count; ++i) status = explain_line(status, call, lines[i], repeats[i]);
  free(copy);
  return status;
}
