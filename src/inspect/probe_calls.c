// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The probe calls (probe.h): which frames, and how the error text is read.
//
// XLA's decoders look at the frame in a fixed order: its size, its stage, how many operands,
// results and attributes there are, then at all of these, and they tell of everything that does not
// fit. Whenever a frame might be accepted, something else in it is invalid for certain, so that the
// kernel body is not entered: the guard.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/guard.h"
#include "inspect/prober.h"

const char* const tn__stage_names[] = {"instantiate", "prepare", "initialize", "execute"};

enum { REST_LIMIT = 32 };  // operands that may be left out

// What comes before the answers, in the messages of XLA's headers.
#define WRONG_SIZE "Unexpected XLA_FFI_CallFrame size: expected "
#define WRONG_STAGE "Wrong execution stage: expected `"
#define WRONG_TYPE "Wrong attribute type: "
#define WRONG_SCALAR "Wrong scalar data type: expected "
#define WRONG_ARRAY "Wrong array data type: expected "
#define WRONG_DTYPE "Wrong buffer dtype: expected "
#define WRONG_RANK "Wrong buffer rank: expected "
#define WRONG_NAME "Attribute name mismatch: "
#define WRONG_ATTRS "Wrong number of attributes: expected "
#define MISSING_NAME "Unexpected attribute: "
#define NOT_DECODED "Failed to decode all FFI handler operands"
static const char* const wrong_count[] = {"Wrong number of arguments: expected ",
                                          "Wrong number of results: expected "};
static const char* const wrong_value[] = {"Wrong argument type: ", "Wrong result type: "};
// They follow one another without a separator.
static const char* const beginnings[] = {WRONG_NAME, MISSING_NAME, "Wrong ", "Failed to "};

static tn_prober_t* prober;

// --- one probe call

// What is not known, and why; the first of them is kept.
static void note_unresolved(const char* why) {
  if (prober->probe->unresolved[0]) return;
  snprintf(prober->probe->unresolved, sizeof prober->probe->unresolved, "%s", why);
}

// The same, and the end of the questions.
static void stop(const char* why) {
  note_unresolved(why);
  prober->is_stopped = true;
}

// The handler's answer; NULL when there is none, which is the end of the questions.
static const char* ask(void) {
  if (prober->is_stopped) return NULL;
  prober->frame.future = NULL;
  tn_guarded_t guarded = tn__guard_call(prober->handler, &prober->frame);
  const char* answer = (const char*)guarded.result;
  if (guarded.exception) {
    stop("it threw an exception during a probe call");
    return NULL;
  }
  if (!answer) {
    prober->probe->is_entered = true;
    stop("it accepts every probe call; its kernel body was reached");
    return NULL;
  }
  for (int i = 0; i < TN_PROBER_ERROR_LIMIT; ++i) {
    if (answer == prober->errors[i]) return answer;
  }
  stop("it returned an error that the frame's API table did not create");
  return NULL;
}

static void about(const char* question) {
  snprintf(prober->probe->question, sizeof prober->probe->question, "%s", question);
}

static const char* behind(const char* text, const char* beginning) {
  const char* at = text ? strstr(text, beginning) : NULL;
  return at ? at + strlen(beginning) : NULL;
}

static bool begins(const char* text, const char* beginning) {
  return text && strncmp(text, beginning, strlen(beginning)) == 0;
}

// "F32 but got TOKEN": the first one; 0 when it is none.
static tn_ffi_dtype_t read_dtype(const char* text) {
  static const struct {
    const char* name;
    tn_ffi_dtype_t dtype;
  } names[] = {
#define NAME(word, NAME, number, ctype) {#NAME, number},
      TN_FFI_DTYPES(NAME)
#undef NAME
  };
  size_t length = text ? strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") : 0;
  for (size_t i = 0; length && i < sizeof names / sizeof *names; ++i) {
    if (strlen(names[i].name) == length && memcmp(names[i].name, text, length) == 0) {
      return names[i].dtype;
    }
  }
  return TN_FFI_INVALID;
}

static size_t count_of(const char* text, const char* what) {
  size_t count = 0;
  for (const char* at = text; (at = behind(at, what)); ++count) {
  }
  return count;
}

// Where a name at the end of a message ends.
static size_t name_length(const char* text) {
  size_t length = strlen(text);
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
    const char* next = strstr(text, beginnings[i]);
    if (next && (size_t)(next - text) < length) length = (size_t)(next - text);
  }
  while (length && text[length - 1] == '\n') --length;
  return length;
}

static bool keep_name(tn_probe_attr_t* attr, const char* name) {
  size_t length = name_length(name);
  if (!length || length >= TN_PROBE_NAME_LIMIT) return false;
  memcpy(attr->name, name, length);
  attr->name[length] = 0;
  attr->name_length = (int32_t)length;
  return true;
}

// --- size and stage

static bool ask_stage(int32_t stage) {
  int32_t other = stage == TN_FFI_PREPARE ? TN_FFI_INITIALIZE : TN_FFI_PREPARE;
  about("the frame check");
  prober->frame.stage = other;
  prober->frame.struct_size = 0;
  const char* answer = ask();
  prober->frame.struct_size = TN_FFI_CALL_FRAME_SIZE;
  if (!answer) return false;
  if (!begins(answer, WRONG_SIZE)) {
    stop("its error text is not that of handlers built with XLA's headers");
    return false;
  }
  about("its stage");
  tn__prober_fill(TN_PROBER_OPERANDS, -1, true);
  tn__prober_fill(TN_PROBER_RESULTS, -1, true);
  answer = ask();
  prober->frame.stage = stage;
  const char* name = behind(answer, WRONG_STAGE);
  size_t length = strlen(tn__stage_names[stage]);
  if (name && strncmp(name, tn__stage_names[stage], length) == 0 && name[length] == '`') {
    return true;
  }
  if (name) {
    char text[80];
    snprintf(text, sizeof text, "it is a handler of the stage %.*s, not of %s",
             (int)strnlen(name, strcspn(name, "`") < 16 ? strcspn(name, "`") : 16), name,
             tn__stage_names[stage]);
    stop(text);
  } else {
    stop("its error text about stages is not that of handlers built with XLA's headers");
  }
  return false;
}

// --- how many

// Reads "at least N" or "N"; false: the answer is about something else.
static bool read_count(const char* answer, const char* beginning, bool* out_is_least,
                       long long* out_count) {
  const char* number = behind(answer, beginning);
  if (!number) return false;
  *out_is_least = begins(number, "at least ");
  if (*out_is_least) number += strlen("at least ");
  char* end;
  *out_count = strtoll(number, &end, 10);
  return end != number;
}

// How many operands or results there are. Of those with optional or remaining ones more is learned
// when they are decoded (ask_rest): *out_least is the number that it prints for them.
static bool ask_count(int kind, bool* out_is_least, long long* out_least) {
  tn_probe_values_t* list = &prober->probe->lists[kind];
  long long count = 0;
  bool is_least = false;
  *out_is_least = false;
  about(kind == TN_PROBER_OPERANDS ? "the number of operands" : "the number of results");
  const char* answer = ask();
  if (!answer) return false;
  if (!read_count(answer, wrong_count[kind], &is_least, &count)) {
    // It has come to what it looks at later, if it is understood at all.
    if (!behind(answer, wrong_count[1]) && !behind(answer, WRONG_ATTRS) &&
        !behind(answer, NOT_DECODED)) {
      stop("its error text is not recognised");
      return false;
    }
    list->answer = TN_PROBE_ANY;
    tn__prober_fill(kind, 0, true);
    return true;
  }
  const long long most = TN_PROBE_VALUE_LIMIT - REST_LIMIT;
  if (count > most || count < (is_least ? -most : 0)) {
    stop("it has more operands or results than can be probed");
    return false;
  }
  if (is_least) {
    *out_is_least = true;
    *out_least = count;
    count = (count > 0 ? count : 0) + REST_LIMIT;
  } else {
    list->answer = TN_PROBE_KNOWN;
    list->required = (int32_t)count;
  }
  tn__prober_fill(kind, count, true);
  return true;
}

// Of handlers with operands that may be left out, or any number of further ones: `least` is
// required - optional, and one less if there are further ones; what decoding refuses is required +
// optional.
static bool solve_rest(int kind, const char* answer, long long least) {
  tn_probe_values_t* list = &prober->probe->lists[kind];
  if (behind(answer, wrong_count[kind])) return false;
  long long decoded = (long long)count_of(answer, wrong_value[kind]);
  bool has_rest = (decoded + least) % 2 != 0;
  long long required = (decoded + least + has_rest) / 2;
  if (required < 0 || required > decoded || decoded > TN_PROBE_VALUE_LIMIT) return false;
  list->answer = TN_PROBE_KNOWN;
  list->has_rest = has_rest;
  list->required = (int32_t)required;
  list->optional = (int32_t)(decoded - required);
  return true;
}

// --- attributes

// Something in the frame is refused whatever is put in the place of attribute `except`.
static bool is_guarded(int32_t except) {
  const tn_probe_t* probe = prober->probe;
  const tn_probe_values_t* lists = probe->lists;
  return probe->context || probe->attr_count > (except >= 0) ||
         lists[TN_PROBER_OPERANDS].required + lists[TN_PROBER_OPERANDS].optional +
                 lists[TN_PROBER_RESULTS].required + lists[TN_PROBER_RESULTS].optional >
             0;
}

static bool is_refused_as(const char* answer, const char* what) {
  const char* at = behind(answer, WRONG_TYPE "expected ");
  return begins(at, what);
}

// Of an attribute that may be one of several types: which. The values are good ones.
static void ask_variants(tn_prober_dictionary_t* dictionary, int32_t index, tn_probe_attr_t* attr) {
  for (int32_t dtype = 1; dtype < TN_FFI_F8E8M0FNU + 1; ++dtype) {
    tn__prober_set_attr(dictionary, index, TN_FFI_SCALAR, dtype);
    const char* answer = ask();
    if (!answer) return;
    if (!behind(answer, WRONG_TYPE)) attr->dtypes |= UINT64_C(1) << dtype;
  }
  if (attr->dtypes) attr->answer = TN_PROBE_KNOWN;
}

// The type of the attribute that is at `index` of the dictionary under its right name, while
// something else in the frame is wrong (`is_safe`) or may be wrong.
static void ask_type(tn_prober_dictionary_t* dictionary, int32_t index, bool is_safe,
                     tn_probe_attr_t* attr) {
  tn__prober_set_attr(dictionary, index, TN_FFI_SCALAR, TN_FFI_TOKEN);
  const char* answer = ask();
  attr->type = TN_FFI_SCALAR;
  tn_ffi_dtype_t dtype = read_dtype(behind(answer, WRONG_SCALAR));
  if (behind(answer, WRONG_TYPE "expected i64 scalar")) {
    attr->is_address = true;
    dtype = TN_FFI_S64;
  } else if (is_refused_as(answer, "array")) {
    attr->type = TN_FFI_ARRAY;
    tn__prober_set_attr(dictionary, index, TN_FFI_ARRAY, TN_FFI_TOKEN);
    dtype = read_dtype(behind(ask(), WRONG_ARRAY));
  } else if (is_refused_as(answer, "string") || is_refused_as(answer, "dictionary")) {
    attr->type = is_refused_as(answer, "string") ? TN_FFI_STRING : TN_FFI_DICTIONARY;
    attr->answer = TN_PROBE_KNOWN;
  } else if (behind(answer, WRONG_TYPE) && is_safe) {
    attr->type = 0;
    ask_variants(dictionary, index, attr);
  }
  if (!dtype) return;
  attr->dtypes = UINT64_C(1) << dtype;
  attr->answer = TN_PROBE_KNOWN;
}

// The fields of a record, whose dictionary is at `place` of the frame: asks for it with none and
// reads how many there are; then for their names, then their types, one at a time. False: it is no
// record.
static bool ask_fields(tn_ffi_attrs_t* place, int32_t* out_first, int32_t* out_count) {
  tn_probe_t* probe = prober->probe;
  bool is_least = false;
  long long count = 0;
  tn__prober_attach(&prober->fields, 0, place);
  const char* answer = ask();
  if (!read_count(answer, WRONG_ATTRS, &is_least, &count) || !strstr(answer, " attributes but got"))
    return false;
  if (count < 1 || count > TN_PROBE_ATTR_LIMIT ||
      count > TN_PROBE_FIELD_LIMIT - probe->field_count) {
    return false;
  }
  tn__prober_fill_strange(&prober->fields, 0, (int32_t)count);
  tn__prober_attach(&prober->fields, (int32_t)count, place);
  const char* next = ask();
  int32_t known = 0;
  tn_probe_attr_t* fields = &probe->fields[probe->field_count];
  while (known < count && (next = behind(next, MISSING_NAME))) {
    if (!keep_name(&fields[known++], next)) return false;
  }
  if (known != count) return false;
  *out_first = probe->field_count;
  *out_count = known;
  probe->field_count += known;
  for (int32_t i = 0; i < known; ++i) {
    // The strange names come first, in the order of bytes.
    tn__prober_fill_strange(&prober->fields, 0, known);
    tn__prober_set_name(&prober->fields, known - 1, &fields[i]);
    ask_type(&prober->fields, known - 1, known > 1, &fields[i]);
  }
  return true;
}

static void ask_attr(int32_t index) {
  tn_probe_attr_t* attr = &prober->probe->attrs[index];
  int32_t count = prober->probe->attr_count;
  bool is_safe = is_guarded(index);
  if (!attr->name_length) return;
  // Others have no right names; values are strange where those are none.
  tn__prober_fill_strange(&prober->attrs, 0, count);
  tn__prober_set_name(&prober->attrs, index, attr);
  tn__prober_fill(TN_PROBER_OPERANDS, tn__prober_list(TN_PROBER_OPERANDS)->count, count < 2);
  tn__prober_fill(TN_PROBER_RESULTS, tn__prober_list(TN_PROBER_RESULTS)->count, count < 2);
  ask_type(&prober->attrs, index, is_safe, attr);
  if (attr->answer != TN_PROBE_KNOWN) {
    char text[TN_PROBE_NAME_LIMIT + 80];
    snprintf(text, sizeof text,
             "attribute %s has a decoder of its own, or one without error messages", attr->name);
    note_unresolved(text);
  }
  if (attr->answer != TN_PROBE_KNOWN || attr->type != TN_FFI_DICTIONARY || !is_safe) return;
  tn__prober_set_attr(&prober->attrs, index, TN_FFI_DICTIONARY, TN_FFI_INVALID);
  attr->is_record =
      ask_fields(&prober->attrs.storage[index].dictionary, &attr->first_field, &attr->field_count);
}

// How many attributes it takes, asked with one whose name no handler has. Older headers take no
// other number than none when none is bound, newer ones any. *out_answer is what decoding says
// then; NULL when there is nothing to decode.
static bool ask_attr_count(const char** out_answer) {
  tn_probe_t* probe = prober->probe;
  bool is_least = false;
  long long count = 1;
  about("the number of attributes");
  tn__prober_attach(&prober->attrs, 1, &prober->frame.attrs);
  const char* answer = ask();
  *out_answer = answer;
  if (!answer) return false;
  // Of a record it says "2 attributes but got".
  bool is_number =
      read_count(answer, WRONG_ATTRS, &is_least, &count) && !behind(answer, " attributes but got");
  if (!is_number && !behind(answer, NOT_DECODED)) {
    stop("its error text is not recognised");
    return false;
  }
  if (!is_number && !behind(answer, WRONG_NAME)) {
    probe->attrs_answer = TN_PROBE_ANY;
    tn__prober_attach(&prober->attrs, 0, &prober->frame.attrs);
    return true;
  }
  if (count < 0 || count > TN_PROBE_ATTR_LIMIT) {
    stop("it has more attributes than can be probed");
    return false;
  }
  probe->attrs_answer = TN_PROBE_KNOWN;
  probe->attr_count = (int32_t)count;
  tn__prober_attach(&prober->attrs, probe->attr_count, &prober->frame.attrs);
  *out_answer = NULL;
  if (!count && !tn__prober_list(TN_PROBER_OPERANDS)->count &&
      !tn__prober_list(TN_PROBER_RESULTS)->count)
    return true;
  *out_answer = ask();
  return *out_answer != NULL;
}

static void ask_names(const char* answer) {
  tn_probe_t* probe = prober->probe;
  for (int32_t i = 0; i < probe->attr_count; ++i) {
    char beginning[64];
    snprintf(beginning, sizeof beginning, WRONG_NAME "%s vs ", prober->attrs.strange[i]);
    const char* name = behind(answer, beginning);
    if (!name || !keep_name(&probe->attrs[i], name)) {
      note_unresolved("the names of its attributes cannot be distinguished");
    }
  }
}

// --- dtypes and ranks

// "expected WANTED but got GOT", for the value that is asked about: the others have other faults.
static const char* find_expected(const char* answer, const char* beginning, const char* got) {
  for (const char* at = answer; (at = behind(at, beginning));) {
    const char* found = behind(at, " but got ");
    if (begins(found, got)) return at;
  }
  return NULL;
}

static void ask_value(int kind, int32_t index) {
  tn_probe_value_t* value = &prober->probe->lists[kind].values[index];
  tn_ffi_buffer_t* buffer = &prober->buffers[kind][index];
  char rank_text[8];
  bool has_strange_names = prober->probe->attr_count > 0;
  tn__prober_fill(TN_PROBER_OPERANDS, tn__prober_list(TN_PROBER_OPERANDS)->count,
                  !has_strange_names);
  tn__prober_fill(TN_PROBER_RESULTS, tn__prober_list(TN_PROBER_RESULTS)->count, !has_strange_names);
  prober->types[kind][index] = TN_FFI_BUFFER;
  buffer->dtype = TN_FFI_TOKEN;
  buffer->rank = TN_PROBER_ASKED_RANK;
  snprintf(rank_text, sizeof rank_text, "%d", TN_PROBER_ASKED_RANK);
  const char* answer = ask();
  if (!answer) return;
  if (!behind(answer, NOT_DECODED)) {
    note_unresolved("its error text about types is not recognised");
    return;
  }
  const char* dtype = find_expected(answer, WRONG_DTYPE, "TOKEN");
  const char* rank = find_expected(answer, WRONG_RANK, rank_text);
  if (!dtype && !rank) {
    value->dtype_answer = value->rank_answer = TN_PROBE_ANY;
    return;
  }
  value->dtype = dtype ? read_dtype(dtype) : TN_FFI_TOKEN;
  if (!value->dtype) return;
  value->dtype_answer = TN_PROBE_KNOWN;
  if (dtype) {
    buffer->dtype = value->dtype;
    if (!(answer = ask())) return;
    rank = find_expected(answer, WRONG_RANK, rank_text);
  }
  value->rank_answer = rank ? TN_PROBE_KNOWN : TN_PROBE_ANY;
  if (rank) value->rank = (int32_t)strtol(rank, NULL, 10);
}

static void ask_values(int kind) {
  tn_probe_values_t* lists = prober->probe->lists;
  int32_t count = lists[kind].required + lists[kind].optional;
  int32_t others = lists[!kind].required + lists[!kind].optional + count - 1;
  about(kind == TN_PROBER_OPERANDS ? "the types of its operands" : "the types of its results");
  if (count && !others && !prober->probe->attr_count && !prober->probe->context) {
    stop(kind == TN_PROBER_OPERANDS
             ? "the type of its only operand cannot be probed without reaching the kernel body"
             : "the type of its only result cannot be probed without reaching the kernel body");
  }
  for (int32_t i = 0; i < count; ++i) ask_value(kind, i);
}

// --- all of it

static void ask_everything(int32_t stage) {
  tn_probe_t* probe = prober->probe;
  bool is_least[2] = {false};
  long long least[2] = {0};
  if (!ask_stage(stage)) return;
  // Those of the attributes and of what follows are wrong until they are asked for.
  for (int kind = 0; kind < 2; ++kind) {
    if (!ask_count(kind, &is_least[kind], &least[kind])) return;
  }
  const char* answer = NULL;
  if (!ask_attr_count(&answer)) return;
  if (!answer) return;  // it takes nothing
  about("the names of its attributes");
  if (probe->attr_count) ask_names(answer);
  for (int kind = 0; kind < 2; ++kind) {
    if (!is_least[kind]) continue;
    if (!solve_rest(kind, answer, least[kind])) {
      stop("the number of optional operands or results is ambiguous");
      return;
    }
    tn__prober_fill(kind, probe->lists[kind].required + probe->lists[kind].optional, true);
  }
  about("the types of its attributes");
  if (probe->attrs_answer == TN_PROBE_ANY) {
    int32_t first = 0, count = 0;
    bool is_record = behind(answer, " attributes but got") || behind(answer, MISSING_NAME);
    if (is_record && ask_fields(&prober->frame.attrs, &first, &count)) {
      // A record of all attributes is a list of them.
      probe->attr_count = count;
      probe->attrs_answer = TN_PROBE_KNOWN;
      memcpy(probe->attrs, &probe->fields[first], (size_t)count * sizeof *probe->attrs);
      tn__prober_fill_strange(&prober->fields, 0, count);
    }
  } else {
    for (int32_t i = 0; i < probe->attr_count; ++i) ask_attr(i);
    tn__prober_fill_strange(&prober->attrs, 0, probe->attr_count);
  }
  for (int kind = 0; kind < 2; ++kind) ask_values(kind);
}

void tn__probe_ask(tn_ffi_handler_t handler, int32_t stage, tn_probe_t* probe) {
  prober = tn__prober_begin(probe, handler);
  ask_everything(stage);
}
