// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// --load: what the text of a request means, and what a library's table lists.
#include <stdlib.h>
#include <tenon/detail/call.h>

#include "base/spelling.h"
#include "call/library.h"
#include "call/registry.h"
#include "call/types.h"
#include "kernel/target.h"

// --- the table

static bool is_table_good(const tn_ffi_library_t* table) {
  return table->version == TN_FFI_LIBRARY_VERSION &&
         table->struct_size >= sizeof(tn_ffi_library_t) && table->op_count >= 0;
}

static tn_status_t find_table(const tn_library_t* library, const tn_ffi_library_t** out_table) {
  const tn_ffi_library_t* table = tn__library_symbol(library, TN_FFI_LIBRARY_SYMBOL);
  *out_table = NULL;
  if (table && !is_table_good(table)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: its table %s has version %d; this Tenon reads version %d",
                            tn__library_path(library), TN_FFI_LIBRARY_SYMBOL, (int)table->version,
                            TN_FFI_LIBRARY_VERSION);
  }
  for (int32_t i = 0; table && i < table->op_count; ++i) {
    if (tn__op_is_good(table->ops[i])) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operation %d of its table is malformed",
                            tn__library_path(library), i);
  }
  *out_table = table;
  return TN_OK;
}

static tn_status_t add_table(tn_context_t* context, const tn_ffi_library_t* table,
                             tn_library_t* library) {
  for (int32_t i = 0; i < table->op_count; ++i) {
    tn_target_spec_t spec = tn__target_spec_of(table->ops[i]);
    spec.library = library;
    // One that cannot be called says so to the programs that want it.
    TN_RETURN_IF_ERROR(tn__registry_add(context, &spec, TN_REGISTER_LENIENT));
  }
  return TN_OK;
}

// --- the text: LIB.so[:TARGET=SYMBOL[,KEY=VALUE]...[@PLATFORM][#API_VERSION]]

enum { TYPE_LIMIT = 16, STAGE_COUNT = TN_FFI_EXECUTE + 1 };

typedef struct request {
  tn_string_view_t text;  // all of it, for messages
  tn_string_view_t path, target, platform;
  tn_string_view_t stages[STAGE_COUNT];  // symbols; the last one is the target's own
  size_t type_count;
  tn_string_view_t types[TYPE_LIMIT];  // NAME:ID_SYMBOL[:INFO_SYMBOL]
  int api_version;                     // 0: not given
} request_t;

static const char* const stage_keys[] = {"instantiate", "prepare", "initialize"};

static tn_string_view_t before(tn_string_view_t text, const char* at) {
  return (tn_string_view_t){text.data, (size_t)(at - text.data)};
}
static tn_string_view_t behind(tn_string_view_t text, const char* at) {
  return (tn_string_view_t){at + 1, text.length - (size_t)(at - text.data) - 1};
}
static const char* find_first(tn_string_view_t text, char wanted) {
  return text.length ? memchr(text.data, wanted, text.length) : NULL;
}
static const char* find_last(tn_string_view_t text, char wanted) {
  return text.length ? memrchr(text.data, wanted, text.length) : NULL;
}

static tn_status_t bad_request(const request_t* request, const char* what) {
  tn_status_t status =
      tn_status_create(TN_CODE_INVALID_ARGUMENT, "\"%.*s\": %s", TN_SV(request->text), what);
  return tn_status_note(status,
                        "expected LIB.so or LIB.so:TARGET=SYMBOL[,instantiate=SYMBOL]"
                        "[,prepare=SYMBOL][,initialize=SYMBOL][,type=NAME:ID_SYMBOL[:INFO_SYMBOL]]"
                        "[@PLATFORM][#API_VERSION]");
}

static tn_status_t parse_option(request_t* request, tn_string_view_t option) {
  const char* equals = find_first(option, '=');
  tn_string_view_t key = equals ? before(option, equals) : option;
  tn_string_view_t value = equals ? behind(option, equals) : (tn_string_view_t){0};
  if (!value.length) return bad_request(request, "an option after a comma has no value");
  for (size_t i = 0; i < sizeof stage_keys / sizeof *stage_keys; ++i) {
    if (!tn__sv_is(key, stage_keys[i])) continue;
    if (request->stages[i].length) return bad_request(request, "a stage is given twice");
    request->stages[i] = value;
    return TN_OK;
  }
  if (!tn__sv_is(key, "type")) return bad_request(request, "there is no such option");
  if (request->type_count == TYPE_LIMIT) return bad_request(request, "there are too many types");
  request->types[request->type_count++] = value;
  return TN_OK;
}

static tn_status_t parse(tn_string_view_t text, request_t* request) {
  *request =
      (request_t){.text = text, .path = text, .platform = tn__sv(tn__compile_target_host.platform)};
  // The path ends at the first colon that a target follows.
  const char* colon = find_first(text, ':');
  while (colon && !find_first(behind(text, colon), '=')) {
    tn_string_view_t rest = behind(text, colon);
    colon = find_first(rest, ':');
  }
  if (!colon) return text.length ? TN_OK : bad_request(request, "the library has no name");
  request->path = before(text, colon);
  tn_string_view_t rest = behind(text, colon);
  const char* hash = find_last(rest, '#');
  if (hash) {
    tn_string_view_t version = behind(rest, hash);
    if (version.length != 1 || version.data[0] < '1' || version.data[0] > '4') {
      return bad_request(request,
                         "expected 1, 2, 3 or 4, and nothing else, as the api version after #");
    }
    request->api_version = version.data[0] - '0';
    rest = before(rest, hash);
  }
  const char* at = find_last(rest, '@');
  if (at) {
    request->platform = behind(rest, at);
    rest = before(rest, at);
  }
  const char* comma = find_first(rest, ',');
  tn_string_view_t target = comma ? before(rest, comma) : rest;
  const char* equals = find_last(target, '=');
  if (!request->path.length || !equals || equals == target.data || !behind(target, equals).length) {
    return bad_request(request, "a library, a target or a symbol has no name");
  }
  request->target = before(target, equals);
  request->stages[TN_FFI_EXECUTE] = behind(target, equals);
  while (comma) {
    rest = behind(rest, comma);
    comma = find_first(rest, ',');
    TN_RETURN_IF_ERROR(parse_option(request, comma ? before(rest, comma) : rest));
  }
  return TN_OK;
}

// --- options of a specification

static bool consider(void* user, const char* name) {
  (void)tn__spelling_consider(user, tn__sv(name));
  return true;
}

static tn_status_t no_such_symbol(const tn_library_t* library, tn_string_view_t name) {
  tn_spelling_t search = {.word = name};
  tn_status_t status = tn_status_create(TN_CODE_NOT_FOUND, "%s exports no symbol %.*s",
                                        tn__library_path(library), TN_SV(name));
  tn__library_visit_exports(library, consider, &search);
  return tn__spelling_note(&search, "", status);
}

static tn_status_t find_symbol(const tn_library_t* library, tn_string_view_t name,
                               tn_ffi_function_t* out_function) {
  char symbol[512];
  void* address = NULL;
  *out_function = NULL;
  if (name.length < sizeof symbol) {
    memcpy(symbol, name.data, name.length);
    symbol[name.length] = 0;
    address = tn__library_symbol(library, symbol);
  }
  if (!address) return no_such_symbol(library, name);
  memcpy(out_function, &address, sizeof address);  // ISO C knows no cast between the two
  return TN_OK;
}

// Both symbols are functions that return the pointer.
static tn_status_t add_type(tn_library_t* library, const request_t* request,
                            tn_string_view_t text) {
  const char* colon = find_first(text, ':');
  if (!colon || colon == text.data) return bad_request(request, "a type has no name or no id");
  tn_string_view_t name = before(text, colon), id_symbol = behind(text, colon), info_symbol = {0};
  const char* second = find_first(id_symbol, ':');
  if (second) {
    info_symbol = behind(id_symbol, second);
    id_symbol = before(id_symbol, second);
  }
  tn_ffi_function_t function = NULL;
  void (*deleter)(void*) = NULL;
  if (second) {
    TN_RETURN_IF_ERROR(find_symbol(library, info_symbol, &function));
    // It was found. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    deleter = tn__type_deleter(((const tn_ffi_type_info_t* (*)(void))function)());
  }
  TN_RETURN_IF_ERROR(find_symbol(library, id_symbol, &function));
  // It was found. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
  tn_ffi_type_id_t* id = ((tn_ffi_type_id_t * (*)(void)) function)();
  if (!id) return bad_request(request, "the function of a type's id returned NULL");
  // Loading the same library again finds its type registered.
  if (id->id && tn__type_find(id->id, &(void (*)(void*)){NULL}) != TN_TYPE_UNKNOWN) return TN_OK;
  return tn__type_register(name, deleter, library, &id->id);
}

static const tn_ffi_op_t* op_of(const tn_ffi_library_t* table, tn_ffi_function_t function) {
  for (int32_t i = 0; table && i < table->op_count; ++i) {
    const tn_ffi_op_t* op = table->ops[i];
    if ((op->function ? op->function : (tn_ffi_function_t)op->bundle.execute) == function) {
      return op;
    }
  }
  return NULL;
}

static tn_status_t add_request(tn_context_t* context, const request_t* request,
                               const tn_ffi_library_t* table, tn_library_t* library) {
  tn_ffi_function_t functions[STAGE_COUNT] = {NULL};
  bool has_stages = false;
  for (size_t i = 0; i < STAGE_COUNT; ++i) {
    if (!request->stages[i].length) continue;
    TN_RETURN_IF_ERROR(find_symbol(library, request->stages[i], &functions[i]));
    has_stages |= i != TN_FFI_EXECUTE;
  }
  for (size_t i = 0; i < request->type_count; ++i) {
    TN_RETURN_IF_ERROR(add_type(library, request, request->types[i]));
  }
  const tn_ffi_op_t* op = has_stages ? NULL : op_of(table, functions[TN_FFI_EXECUTE]);
  tn_target_spec_t spec =
      op ? tn__target_spec_of(op) : (tn_target_spec_t){.versions = TN_TARGET_ANY};
  spec.library = library;
  if (has_stages) spec.versions = TN_TARGET_TYPED;
  if (request->api_version) spec.versions = 1u << request->api_version;
  if (op && spec.versions != 1u << op->api_version) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s: %s is declared with %s, not %s", tn__library_path(library),
        op->name, tn__versions_text(1u << op->api_version), tn__versions_text(spec.versions));
  }
  spec.name = request->target;
  spec.platform = request->platform;
  if (!op) {
    spec.function = functions[TN_FFI_EXECUTE];
    spec.bundle = (tn_ffi_bundle_t){
        (tn_ffi_handler_t)functions[TN_FFI_INSTANTIATE],
        (tn_ffi_handler_t)functions[TN_FFI_PREPARE],
        (tn_ffi_handler_t)functions[TN_FFI_INITIALIZE],
        (tn_ffi_handler_t)functions[TN_FFI_EXECUTE],
    };
  }
  return tn__registry_add(context, &spec, TN_REGISTER_STRICT);
}

static tn_status_t add_from_start(tn_context_t* context, tn_library_t* library) {
  bool has = false;
  TN_RETURN_IF_ERROR(tn__registry_add_from_start(context, library, &has));
  if (has) return TN_OK;
  tn_status_t status =
      tn_status_create(TN_CODE_INVALID_ARGUMENT,
                       "%s has no table of operations (%s, which TN_LIBRARY makes), and registered "
                       "nothing while it was loaded",
                       tn__library_path(library), TN_FFI_LIBRARY_SYMBOL);
  return tn_status_note(status, "name its targets: %s:TARGET=SYMBOL", tn__library_path(library));
}

tn_status_t tn_context_load_library(tn_context_t* context, const char* spec) {
  request_t request;
  tn_library_t* library = NULL;
  const tn_ffi_library_t* table = NULL;
  TN_RETURN_IF_NULL(spec);
  TN_RETURN_IF_ERROR(parse(tn__sv(spec), &request));
  TN_RETURN_IF_ERROR(tn__library_open(context, request.path, &library));
  tn_status_t status = tn__library_take_error(library);
  if (status) {
    tn__registry_remove_from_start(context, library);
  } else {
    status = find_table(library, &table);
  }
  if (!status) {
    status = request.target.length ? add_request(context, &request, table, library)
             : table               ? add_table(context, table, library)
                                   : add_from_start(context, library);
  }
  tn__library_release(library);
  return status;
}

tn_status_t tn_library_load(const char* spec) {
  return tn_context_load_library(NULL, spec);
}
