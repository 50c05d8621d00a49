// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules and functions, and the entry points tn_module_parse and tn_module_parse_file.
#include "text/reader.h"

#include <errno.h>
#include <stdio.h>

#include "text/bytecode/reader.h"
#include "text/parser.h"

// --- functions

// A list of names, types and dictionaries on the stacks, from these places on.
typedef struct signature {
  size_t names, types, dictionaries;
  size_t argument_count, result_count;
  bool named;              // the arguments are
  tn_location_t location;  // of the name
} signature_t;

// {k = v} as one more entry of the dictionaries.
static tn_status_t read_dictionary(tn_parser_t* parser) {
  size_t first = parser->attr_stack.count;
  tn_attr_dictionary_t dictionary = {0};
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, first, &dictionary));
  return tn__parser_push_dictionary(parser, dictionary);
}

static tn_status_t read_type(tn_parser_t* parser) {
  const char* position = parser->lexer.token.begin;
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
  return tn__parser_push_type(parser, type, position);
}

// loc("x") or loc("x"(...)) of the argument whose name was pushed last: what its author calls it.
static tn_status_t read_label(tn_parser_t* parser) {
  const tn_lexer_t before = parser->lexer;
  tn_read_name_t* name = &parser->name_stack.items[parser->name_stack.count - 1];
  if (!tn__parser_at_word(parser, "loc") || tn__lexer_peek(&parser->lexer) != '(') return TN_OK;
  tn__lexer_next(&parser->lexer);
  tn__lexer_next(&parser->lexer);
  const bool has_label =
      tn__parser_at(parser, TN_TOKEN_STRING) && tn__lexer_peek(&parser->lexer) != ':';  // of a file
  if (has_label) {
    const tn_token_t token = parser->lexer.token;
    TN_RETURN_IF_ERROR(tn__parser_unescape(parser, tn__token_text(&token), &name->label));
  }
  parser->lexer = before;
  return TN_OK;
}

// (%a: T {k = v} loc("x"), ...), or of a declaration (T, T {k = v})
static tn_status_t read_arguments(tn_parser_t* parser, signature_t* signature) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the arguments"));
  signature->named = tn__parser_at(parser, TN_TOKEN_VALUE);
  while (!tn__parser_accept(parser, ')')) {
    if (signature->named) {
      tn_token_t token = parser->lexer.token;
      tn_string_view_t name = {0};
      if (token.kind != TN_TOKEN_VALUE) return tn__parser_wanted(parser, "an argument or `)`");
      // Callers get to see these names, as C strings.
      TN_RETURN_IF_ERROR(tn__arena_copy_string(parser->arena, tn__token_text(&token), &name));
      tn__lexer_next(&parser->lexer);
      TN_RETURN_IF_ERROR(tn__parser_push_name(parser, name, 1, token.begin));
      TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the argument's type"));
    }
    TN_RETURN_IF_ERROR(read_type(parser));
    TN_RETURN_IF_ERROR(read_dictionary(parser));
    if (signature->named) TN_RETURN_IF_ERROR(read_label(parser));
    TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
    ++signature->argument_count;
    if (!tn__parser_accept(parser, ',') && !tn__parser_at(parser, ')')) {
      return tn__parser_wanted(parser, "`,` or `)` in the arguments");
    }
  }
  return TN_OK;
}

// -> T, -> (T {k = v}, T), or nothing
static tn_status_t read_results(tn_parser_t* parser, signature_t* signature) {
  if (!tn__parser_accept(parser, TN_TOKEN_ARROW)) return TN_OK;
  if (!tn__parser_accept(parser, '(')) {
    signature->result_count = 1;
    TN_RETURN_IF_ERROR(read_type(parser));
    return tn__parser_push_dictionary(parser, (tn_attr_dictionary_t){0});
  }
  while (!tn__parser_accept(parser, ')')) {
    TN_RETURN_IF_ERROR(read_type(parser));
    TN_RETURN_IF_ERROR(read_dictionary(parser));
    ++signature->result_count;
    if (!tn__parser_accept(parser, ',') && !tn__parser_at(parser, ')')) {
      return tn__parser_wanted(parser, "`,` or `)` in the results");
    }
  }
  return TN_OK;
}

// The function of what is on the stacks; takes the types and dictionaries off.
static tn_status_t make_function(tn_parser_t* parser, tn_string_view_t name, const char* position,
                                 const signature_t* signature, bool is_declaration) {
  const tn_type_t* const* types = NULL;
  size_t argument_count = signature->argument_count, result_count = signature->result_count;
  tn_function_t* function = NULL;
  TN_RETURN_IF_ERROR(
      tn__parser_plain_types(parser, signature->types, argument_count + result_count, &types));
  tn_status_t status =
      tn__function_create(parser->module, name, argument_count, types, result_count,
                          types + argument_count, is_declaration, &function);
  if (tn_status_code(status) == TN_CODE_ALREADY_EXISTS && parser->module_count > 1) {
    status = tn_status_note(status,
                            "the text has several modules, which are read as one; expected one, or "
                            "names that differ");
  }
  if (status) return tn__parser_locate(parser, position, status);
  const tn_attr_dictionary_t* dictionaries =
      parser->dictionary_stack.items + signature->dictionaries;
  for (size_t i = 0; i < argument_count; ++i) function->argument_attrs[i] = dictionaries[i];
  for (size_t i = 0; i < result_count; ++i) {
    function->result_attrs[i] = dictionaries[argument_count + i];
  }
  parser->type_stack.count = signature->types;
  parser->dictionary_stack.count = signature->dictionaries;
  function->location = signature->location;
  parser->function = function;
  return TN_OK;
}

static signature_t begin_signature(const tn_parser_t* parser) {
  return (signature_t){
      .names = parser->name_stack.count,
      .types = parser->type_stack.count,
      .dictionaries = parser->dictionary_stack.count,
  };
}

// func.func public @main(...) -> ... attributes {...} {...}; the current token is the name behind
// func.func.
TN_APART static tn_status_t parse_function(tn_parser_t* parser) {
  static const char* const visibilities[] = {"public", "private", "nested"};
  tn_string_view_t visibility = {0}, name = {0};
  signature_t signature = begin_signature(parser);
  tn_attr_dictionary_t attrs = {0};
  for (size_t i = 0; i < sizeof visibilities / sizeof *visibilities; ++i) {
    if (tn__parser_accept_word(parser, visibilities[i])) visibility = tn__sv(visibilities[i]);
  }
  const char* position = parser->lexer.token.begin;
  signature.location = tn__parser_location(parser);
  TN_RETURN_IF_ERROR(tn__parser_symbol(parser, &name));
  TN_RETURN_IF_ERROR(read_arguments(parser, &signature));
  TN_RETURN_IF_ERROR(read_results(parser, &signature));
  if (tn__parser_accept_word(parser, "attributes")) {
    size_t first = parser->attr_stack.count;
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, first, &attrs));
  }
  bool has_body = tn__parser_at(parser, '{');
  if (has_body && signature.argument_count && !signature.named) {
    return tn__parser_fail(parser, position, "the arguments of a function with a body have names");
  }
  TN_RETURN_IF_ERROR(make_function(parser, name, position, &signature, !has_body));
  parser->function->visibility = visibility;
  parser->function->attrs = attrs;
  if (has_body) {
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_block(parser, parser->function->body, signature.names));
  }
  parser->name_stack.count = signature.names;
  return tn__parser_skip_location(parser);
}

// --- functions in the generic form

// The dictionaries of arg_attrs or res_attrs, one for each type.
static tn_status_t spread_dictionaries(tn_parser_t* parser, const tn_attr_t* list,
                                       const char* position, size_t count) {
  if (list && (list->kind != TN_ATTR_ARRAY || list->array.count != count)) {
    return tn__parser_fail(parser, position, "expected a list of %zu dictionaries", count);
  }
  for (size_t i = 0; i < count; ++i) {
    tn_attr_dictionary_t dictionary = {0};
    if (list && list->array.items[i]->kind == TN_ATTR_DICTIONARY) {
      dictionary = list->array.items[i]->dictionary;
    }
    TN_RETURN_IF_ERROR(tn__parser_push_dictionary(parser, dictionary));
  }
  return TN_OK;
}

// {function_type = (T) -> T, sym_name = "f", ...}: pushes the types of function_type, and the
// entries.
static tn_status_t read_function_entries(tn_parser_t* parser, signature_t* signature) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{`"));
  while (!tn__parser_accept(parser, '}')) {
    tn_token_t token = parser->lexer.token;
    const tn_attr_t* attr = NULL;
    if (token.kind != TN_TOKEN_IDENTIFIER && token.kind != TN_TOKEN_STRING) {
      return tn__parser_wanted(parser, "the name of an attribute");
    }
    tn_string_view_t name = tn__token_text(&token);
    tn__lexer_next(&parser->lexer);
    if (tn__sv_is(name, "function_type")) {
      if (parser->type_stack.count != signature->types) {
        return tn__parser_fail(parser, token.begin, "attribute \"function_type\" is given twice");
      }
      TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
      TN_RETURN_IF_ERROR(
          tn__parser_function_type(parser, &signature->argument_count, &signature->result_count));
    } else {
      if (tn__parser_accept(parser, '=')) {
        TN_RETURN_IF_ERROR(tn__parser_attr(parser, &attr));
      } else {
        TN_RETURN_IF_ERROR(tn__attr_unit(parser->arena, &attr));
      }
      TN_RETURN_IF_ERROR(tn__parser_push_attr(parser, name, attr, token.begin));
    }
    if (!tn__parser_accept(parser, ',') && !tn__parser_at(parser, '}')) {
      return tn__parser_wanted(parser, "`,` or `}` in the attributes");
    }
  }
  return TN_OK;
}

// Takes an entry out of a dictionary on its way to the function.
static const tn_attr_t* take_entry(tn_parser_t* parser, size_t first, const char* name) {
  const tn_attr_t* attr = NULL;
  for (size_t i = first; i < parser->attr_stack.count; ++i) {
    tn_read_attr_t* entry = &parser->attr_stack.items[i];
    if (!tn__sv_is(entry->name, name)) continue;
    attr = entry->attr;
    *entry = parser->attr_stack.items[--parser->attr_stack.count];
    break;
  }
  return attr;
}

static tn_string_view_t text_of(const tn_attr_t* attr) {
  return attr && attr->kind == TN_ATTR_STRING ? attr->string : (tn_string_view_t){0};
}

// The region of a generic function: ({^bb0(%a: T): ...}), or ({}) of a declaration. With `declared`
// the body is not read, but looked for.
static tn_status_t read_generic_body(tn_parser_t* parser) {
  tn_region_t* body = parser->function->body;
  size_t names = parser->name_stack.count, types = parser->type_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the region"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of the region"));
  if (body) {
    const char* position = parser->lexer.token.begin;
    if (tn__parser_accept(parser, TN_TOKEN_BLOCK)) {
      if (tn__parser_accept(parser, '(')) TN_RETURN_IF_ERROR(tn__parser_typed_names(parser));
      TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` after the block's label"));
    }
    bool same = parser->name_stack.count - names == body->argument_count;
    for (uint32_t i = 0; same && i < body->argument_count; ++i) {
      same = tn_type_equal(parser->type_stack.items[types + i].type, body->arguments[i].type);
      tn_read_name_t* name = &parser->name_stack.items[names + i];
      TN_RETURN_IF_ERROR(tn__arena_copy_string(parser->arena, name->name, &name->name));
    }
    if (!same) {
      return tn__parser_fail(parser, position,
                             "the arguments of the block are not those of the function's type");
    }
    TN_RETURN_IF_ERROR(tn__parser_block(parser, body, names));
  } else {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '}', "`}`: a declaration has no body"));
  }
  parser->name_stack.count = names;
  parser->type_stack.count = types;
  return tn__parser_expect(parser, ')', "`)` after the region");
}

static tn_status_t make_generic_function(tn_parser_t* parser, const char* position, size_t attrs,
                                         const signature_t* signature, bool is_declaration) {
  tn_attr_dictionary_t dictionary = {0};
  tn_string_view_t name = text_of(take_entry(parser, attrs, "sym_name"));
  tn_string_view_t visibility = text_of(take_entry(parser, attrs, "sym_visibility"));
  if (name.length == 0) return tn__parser_fail(parser, position, "the function has no sym_name");
  TN_RETURN_IF_ERROR(spread_dictionaries(parser, take_entry(parser, attrs, "arg_attrs"), position,
                                         signature->argument_count));
  TN_RETURN_IF_ERROR(spread_dictionaries(parser, take_entry(parser, attrs, "res_attrs"), position,
                                         signature->result_count));
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, attrs, &dictionary));
  TN_RETURN_IF_ERROR(make_function(parser, name, position, signature, is_declaration));
  parser->function->visibility = visibility;
  parser->function->attrs = dictionary;
  return TN_OK;
}

// "func.func"() <{...}> ({...}) {...} : () -> (); the current token is the string. Older text has
// the attributes, and with them the types of the arguments, behind the region.
TN_APART static tn_status_t parse_generic_function(tn_parser_t* parser) {
  const char* position = parser->lexer.token.begin;
  size_t attrs = parser->attr_stack.count, none = 0;
  signature_t signature = begin_signature(parser);
  signature.location = tn__parser_location(parser);
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(`"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)`"));
  if (tn__parser_accept(parser, '<')) {
    TN_RETURN_IF_ERROR(read_function_entries(parser, &signature));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the properties"));
  }
  tn_lexer_t region = parser->lexer;
  if (!tn__parser_at(parser, '(')) return tn__parser_wanted(parser, "`(` of the region");
  const char* inside = tn__lexer_skip_blanks(&parser->lexer, region.token.end);
  bool is_declaration = *inside == '{' && *tn__lexer_skip_blanks(&parser->lexer, inside + 1) == '}';
  TN_RETURN_IF_ERROR(tn__parser_skip_brackets(parser));
  if (tn__parser_at(parser, '{')) TN_RETURN_IF_ERROR(read_function_entries(parser, &signature));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type () -> ()"));
  size_t types = parser->type_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_function_type(parser, &none, &none));
  parser->type_stack.count = types;
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  tn_lexer_t after = parser->lexer;
  TN_RETURN_IF_ERROR(make_generic_function(parser, position, attrs, &signature, is_declaration));
  parser->lexer = region;
  TN_RETURN_IF_ERROR(read_generic_body(parser));
  parser->lexer = after;
  return TN_OK;
}

// --- modules

static tn_status_t parse_module_body(tn_parser_t* parser, int close);

// Only one module of a text may say something about itself: they all become one.
static tn_status_t name_module(tn_parser_t* parser, const char* position, tn_string_view_t name,
                               tn_attr_dictionary_t attrs) {
  tn_module_t* module = parser->module;
  if (name.length == 0 && attrs.count == 0) return TN_OK;
  if (module->name.length || module->attrs.count) {
    return tn__parser_unsupported(parser, position,
                                  "more than one module with a name or attributes in one text");
  }
  module->name = name;
  module->attrs = attrs;
  return TN_OK;
}

// module @name attributes {...} {...}; the current token is behind `module`.
static tn_status_t parse_module(tn_parser_t* parser) {
  ++parser->module_count;
  const char* position = parser->lexer.token.begin;
  size_t first = parser->attr_stack.count;
  tn_string_view_t name = {0};
  tn_attr_dictionary_t attrs = {0};
  if (tn__parser_at(parser, TN_TOKEN_SYMBOL)) TN_RETURN_IF_ERROR(tn__parser_symbol(parser, &name));
  if (tn__parser_accept_word(parser, "attributes")) {
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
  }
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, first, &attrs));
  TN_RETURN_IF_ERROR(name_module(parser, position, name, attrs));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of the module"));
  TN_RETURN_IF_ERROR(parse_module_body(parser, '}'));
  return tn__parser_skip_location(parser);
}

// "builtin.module"() <{...}> ({...}) {...} : () -> (); the current token is the string.
static tn_status_t parse_generic_module(tn_parser_t* parser) {
  ++parser->module_count;
  const char* position = parser->lexer.token.begin;
  size_t first = parser->attr_stack.count, none = 0, types = parser->type_stack.count;
  tn_attr_dictionary_t attrs = {0};
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(`"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)`"));
  if (tn__parser_accept(parser, '<')) {
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the properties"));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the region"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of the region"));
  if (tn__parser_accept(parser, TN_TOKEN_BLOCK)) {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` after the block's label"));
  }
  TN_RETURN_IF_ERROR(parse_module_body(parser, '}'));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)` after the region"));
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type () -> ()"));
  TN_RETURN_IF_ERROR(tn__parser_function_type(parser, &none, &none));
  parser->type_stack.count = types;
  tn_string_view_t name = text_of(take_entry(parser, first, "sym_name"));
  take_entry(parser, first, "sym_visibility");
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, first, &attrs));
  TN_RETURN_IF_ERROR(name_module(parser, position, name, attrs));
  return tn__parser_skip_location(parser);
}

// sdy.mesh @mesh = #sdy.mesh<...>, or an alias of that: the attribute may have its name.
static tn_status_t keep_named_mesh(tn_parser_t* parser, tn_string_view_t name) {
  const char* position = parser->lexer.token.begin;
  const tn_attr_t* attr = NULL;
  char line[512];
  TN_RETURN_IF_ERROR(tn__parser_attr(parser, &attr));
  if (attr->kind != TN_ATTR_OPAQUE) {
    return tn__parser_fail(parser, position, "the mesh is %s; expected #sdy.mesh<...>",
                           tn__attr_kind_name(attr->kind));
  }
  const int length =
      snprintf(line, sizeof line, "sdy.mesh @%.*s = %.*s", TN_SV(name), TN_SV(attr->string));
  if (length < 0 || (size_t)length >= sizeof line) {
    return tn__parser_unsupported(parser, position, "a mesh of more than %zu bytes", sizeof line);
  }
  TN_RETURN_IF_ERROR(tn__parser_keep_preamble(parser, (tn_string_view_t){line, (size_t)length}));
  return tn__parser_skip_location(parser);
}

// sdy.mesh @mesh = <...> {...}: partitioning, which is kept for later readers of the module.
TN_APART static tn_status_t keep_mesh(tn_parser_t* parser) {
  tn_string_view_t name = {0};
  const char* begin = parser->lexer.token.begin;
  const char* end = parser->lexer.token.end;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_symbol(parser, &name));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  if (tn__parser_at(parser, TN_TOKEN_HASH)) return keep_named_mesh(parser, name);
  if (!tn__parser_at(parser, '<')) return tn__parser_wanted(parser, "`<` of the mesh");
  for (bool more = true; more; more = tn__parser_at(parser, '{')) {
    const char* bad = NULL;
    end = tn__lexer_skip_brackets(&parser->lexer, parser->lexer.token.begin, &bad);
    if (!end) return tn__parser_fail(parser, bad, "the brackets do not match");
    tn__lexer_seek(&parser->lexer, end);
  }
  TN_RETURN_IF_ERROR(
      tn__parser_keep_preamble(parser, (tn_string_view_t){begin, (size_t)(end - begin)}));
  return tn__parser_skip_location(parser);
}

// {-# ... #-}: looked at when something refers to it.
TN_APART static tn_status_t skip_resources(tn_parser_t* parser) {
  while (!tn__parser_accept(parser, TN_TOKEN_RESOURCES_END)) {
    if (tn__parser_at(parser, TN_TOKEN_END) || tn__parser_at(parser, TN_TOKEN_INVALID)) {
      return tn__parser_wanted(parser, "`#-}` after the resources");
    }
    tn__lexer_next(&parser->lexer);
  }
  return TN_OK;
}

// Its first field is a version, its second or a later one the producer's name or the graph.
static bool is_onnx(const char* text, size_t length) {
  return length >= 3 && text[0] == 0x08 && text[1] > 0 && text[1] < 0x20 &&
         (text[2] == 0x12 || text[2] == 0x3A);
}

// What a text is that does not begin as a program does. Takes `status`.
static tn_status_t not_a_program(const tn_parser_t* parser, tn_status_t status) {
  const tn_lexer_t* lexer = &parser->lexer;
  const size_t length = (size_t)(lexer->end - lexer->begin);
  if (tn__lexer_skip_blanks(lexer, lexer->begin) != lexer->token.begin) return status;
  if (length >= 4 && memcmp(lexer->begin, "\177ELF", 4) == 0) {
    return tn_status_note(status, "this is a shared library or an executable (ELF)");
  }
  if (length >= 6 && memcmp(lexer->begin, "\223NUMPY", 6) == 0) {
    return tn_status_note(status, "this is an array (.npy)");
  }
  if (length >= 4 && memcmp(lexer->begin, "PK\3\4", 4) == 0) {
    return tn_status_note(status, "this is a ZIP file, such as an archive of arrays (.npz)");
  }
  if (is_onnx(lexer->begin, length)) {
    return tn_status_note(
        status, "this is an ONNX model; expected StableHLO, as text or as a portable artifact");
  }
  return tn_status_note(status, "is this a StableHLO program? One begins with module or func.func");
}

static tn_status_t parse_member(tn_parser_t* parser) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t text = tn__token_text(&token);
  if (token.kind == TN_TOKEN_HASH || token.kind == TN_TOKEN_BANG) {
    return tn__parser_alias_definition(parser);
  }
  if (token.kind == TN_TOKEN_RESOURCES) return skip_resources(parser);
  if (token.kind == TN_TOKEN_STRING) {
    if (tn__sv_is(text, "func.func")) return parse_generic_function(parser);
    if (tn__sv_is(text, "builtin.module")) return parse_generic_module(parser);
  }
  if (token.kind == TN_TOKEN_IDENTIFIER) {
    if (tn__sv_is(text, "func.func")) {
      tn__lexer_next(&parser->lexer);
      return parse_function(parser);
    }
    if (tn__sv_is(text, "module") || tn__sv_is(text, "builtin.module")) {
      tn__lexer_next(&parser->lexer);
      return parse_module(parser);
    }
    if (tn__sv_is(text, "sdy.mesh")) return keep_mesh(parser);
  }
  return not_a_program(parser, tn__parser_wanted(parser, "a function (func.func) or a module"));
}

static tn_status_t parse_module_body(tn_parser_t* parser, int close) {
  TN_RETURN_IF_ERROR(tn__parser_enter(parser));
  while (!tn__parser_at(parser, close)) {
    if (tn__parser_at(parser, TN_TOKEN_END)) {
      return tn__parser_wanted(parser, "a function or the `}` of the module");
    }
    TN_RETURN_IF_ERROR(parse_member(parser));
  }
  if (close) tn__lexer_next(&parser->lexer);
  tn__parser_leave(parser);
  return TN_OK;
}

// --- entry points

static tn_status_t parse_text(const tn_allocator_t* allocator, tn_source_t* source,
                              tn_module_t* module) {
  tn_status_t status = TN_OK;
  tn_parser_t parser;
  TN_DONE_IF_ERROR(tn__parser_init(&parser, allocator));
  parser.module = module;
  parser.arena = &module->arena;
  tn__lexer_init(&parser.lexer, (tn_string_view_t){source->text, source->byte_size},
                 source->first_line);
  TN_DONE_IF_ERROR(parse_module_body(&parser, TN_TOKEN_END));
  TN_DONE_IF_ERROR(tn__parser_take_preamble(&parser, &module->preamble));
done:
  tn__parser_deinit(&parser);
  return status;
}

// What the module will take, but for its constants: mostly a line is an operation.
static size_t expected_bytes(const tn_source_t* source) {
  enum { LINE_BYTES = 184 };
  size_t lines = 0;
  for (size_t i = 0; i < source->byte_size; ++i) lines += source->text[i] == '\n';
  return lines * LINE_BYTES;
}

tn_status_t tn__text_read(const tn_allocator_t* allocator, tn_source_t* source,
                          tn_module_t** out_module) {
  tn_status_t status = TN_OK;
  tn_module_t* module = NULL;
  *out_module = NULL;
  TN_RETURN_IF_ERROR(tn__module_create(allocator, &module));
  module->source = tn__source_retain(source);
  TN_DONE_IF_ERROR(tn__arena_reserve(&module->arena, expected_bytes(source)));
  // The parser's tables are gone before the verifier makes its own.
  TN_DONE_IF_ERROR(parse_text(allocator, source, module));
  TN_DONE_IF_ERROR(tn__module_verify(module));
  *out_module = module;
  module = NULL;
done:
  tn_module_release(module);
  return status;
}

tn_status_t tn_module_parse(const tn_allocator_t* allocator, const char* name, const char* text,
                            size_t length, tn_module_t** out_module) {
  if (length) TN_RETURN_IF_NULL(text);
  return tn_module_parse_part(allocator, name, 1, text, length, out_module);
}

tn_status_t tn_module_parse_part(const tn_allocator_t* allocator, const char* name,
                                 uint32_t first_line, const char* text, size_t length,
                                 tn_module_t** out_module) {
  tn_source_t* source = NULL;
  *out_module = NULL;
  if (!allocator) allocator = tn_allocator_system();
  if (!name) name = "<string>";
  if (length) TN_RETURN_IF_NULL(text);
  if (tn__bytecode_is(text, length)) {
    return tn__bytecode_read(allocator, name, text, length, out_module);
  }
  TN_RETURN_IF_ERROR(
      tn__source_create(allocator, tn__sv(name), (tn_string_view_t){text, length}, &source));
  source->first_line = first_line ? first_line : 1;
  tn_status_t status = tn__text_read(allocator, source, out_module);
  tn__source_release(source);
  return status;
}

// How long the file is, or 0 if it cannot say so; its place stays at `position`.
static size_t length_of(FILE* file, size_t position) {
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  if (length <= 0 || fseek(file, (long)position, SEEK_SET) != 0) return 0;
  return (size_t)length;
}

// All of a file; *out_capacity is what was allocated. Once it has proved to be one, room is made
// for all of it and a byte more, so that its end is seen without growing.
static tn_status_t read_file(const tn_allocator_t* allocator, FILE* file, const char* path,
                             char** out_text, size_t* out_length, size_t* out_capacity) {
  enum { FIRST_READ = 1 << 16 };
  for (;;) {
    if (*out_length == *out_capacity) {
      size_t whole = *out_length ? length_of(file, *out_length) : 0;
      size_t more = *out_length < FIRST_READ ? FIRST_READ : *out_length;
      size_t capacity = whole > *out_length ? whole + 1 : *out_length + more;
      void* text = allocator->reallocate(allocator->user, *out_text, *out_capacity, capacity);
      if (!text) return tn__status_out_of_memory();
      *out_text = text;
      *out_capacity = capacity;
    }
    size_t got = fread(*out_text + *out_length, 1, *out_capacity - *out_length, file);
    *out_length += got;
    if (got == 0) break;
    if (*out_length > TN_MAX_STREAM_BYTES && length_of(file, *out_length) < *out_length) {
      return tn_status_create(
          TN_CODE_INVALID_ARGUMENT,
          "cannot read %s: it is not a regular file, and delivers more than %d bytes", path,
          TN_MAX_STREAM_BYTES);
    }
  }
  if (!ferror(file)) return TN_OK;
  return tn_status_create(TN_CODE_DATA_LOSS, "cannot read %s: %s", path, strerror(errno));
}

tn_status_t tn_module_parse_file(const tn_allocator_t* allocator, const char* path,
                                 tn_module_t** out_module) {
  tn_status_t status = TN_OK;
  char* text = NULL;
  size_t length = 0, capacity = 0;
  tn_source_t* source = NULL;
  *out_module = NULL;
  if (!allocator) allocator = tn_allocator_system();
  TN_RETURN_IF_NULL(path);
  FILE* file = fopen(path, "rb");
  if (!file) {
    return tn_status_create(errno == ENOENT ? TN_CODE_NOT_FOUND : TN_CODE_PERMISSION_DENIED,
                            "cannot open %s: %s", path, strerror(errno));
  }
  TN_DONE_IF_ERROR(read_file(allocator, file, path, &text, &length, &capacity));
  if (tn__bytecode_is(text, length)) {
    TN_DONE_IF_ERROR(tn__bytecode_read(allocator, path, text, length, out_module));
    goto done;
  }
  TN_DONE_IF_ERROR(
      tn__source_create(allocator, tn__sv(path), (tn_string_view_t){text, length}, &source));
  tn__free(allocator, text, capacity);
  text = NULL;
  TN_DONE_IF_ERROR(tn__text_read(allocator, source, out_module));
done:
  fclose(file);
  tn__free(allocator, text, capacity);
  tn__source_release(source);
  return status;
}
