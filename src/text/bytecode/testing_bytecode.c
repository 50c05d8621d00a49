// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/testing_bytecode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Strings by number.
enum {
  STRING_BUILTIN,
  STRING_VHLO,
  STRING_MODULE,
  STRING_FUNCTION,
  STRING_CONSTANT,
  STRING_OPERATION,
  STRING_RETURN,
  STRING_MAIN,
  STRING_PUBLIC,
  STRING_FIRST_KEY,
};
static const char* const strings[] = {
    "builtin",   "vhlo",           "module", "func_v1",   "constant_v1",   NULL,
    "return_v1", "main",           "public", "arg_attrs", "function_type", "res_attrs",
    "sym_name",  "sym_visibility", "value"};
enum {
  STRING_COUNT = sizeof strings / sizeof *strings,
  KEY_COUNT = STRING_COUNT - STRING_FIRST_KEY
};

enum { TYPE_F32, TYPE_TENSOR, TYPE_FUNCTION, TYPE_COUNT };
enum { FUNCTION_DICTIONARY = TN_TESTING_ATTR_FIRST_KEY + KEY_COUNT, VALUE_DICTIONARY };
enum { LARGEST = 16384 };

static void put(tn_testing_bytes_t* bytes, uint8_t byte) {
  if (bytes->length == LARGEST) abort();
  bytes->data[bytes->length++] = byte;
}

// In four bytes when one does not do.
static void put_number(tn_testing_bytes_t* bytes, size_t number) {
  if (number < 128) {
    put(bytes, (uint8_t)(number << 1 | 1));
    return;
  }
  uint32_t value = (uint32_t)number << 4 | 8;
  for (int i = 0; i < 4; ++i) put(bytes, (uint8_t)(value >> 8 * i));
}

static void put_bytes(tn_testing_bytes_t* bytes, const void* data, size_t length) {
  for (size_t i = 0; i < length; ++i) put(bytes, ((const uint8_t*)data)[i]);
}

static void put_section(tn_testing_bytes_t* bytes, uint8_t id, const tn_testing_bytes_t* section) {
  put(bytes, id);
  put_number(bytes, section->length);
  put_bytes(bytes, section->data, section->length);
}

static void put_strings(tn_testing_bytes_t* out, const tn_testing_artifact_t* artifact) {
  tn_testing_bytes_t section = {.length = 0};
  const char* operation = artifact->operation ? artifact->operation : "add_v1";
  put_number(&section, STRING_COUNT);
  for (size_t i = STRING_COUNT; i-- > 0;) {
    put_number(&section, strlen(strings[i] ? strings[i] : operation) + 1);
  }
  for (size_t i = 0; i < STRING_COUNT; ++i) {
    const char* text = strings[i] ? strings[i] : operation;
    put_bytes(&section, text, strlen(text) + 1);
  }
  put_section(out, 0, &section);
}

static void put_op_name(tn_testing_bytes_t* section, uint8_t version, size_t string) {
  put_number(section, version >= 5 ? string << 1 | 1 : string);
}

static void put_dialects(tn_testing_bytes_t* out, uint8_t version) {
  tn_testing_bytes_t section = {.length = 0};
  put_number(&section, 2);
  put_number(&section, version >= 1 ? STRING_BUILTIN << 1 : STRING_BUILTIN);
  put_number(&section, version >= 1 ? STRING_VHLO << 1 : STRING_VHLO);
  if (version >= 4) put_number(&section, 5);
  put_number(&section, 0);
  put_number(&section, 1);
  put_op_name(&section, version, STRING_MODULE);
  put_number(&section, 1);
  put_number(&section, 4);
  for (size_t i = STRING_FUNCTION; i <= STRING_RETURN; ++i) put_op_name(&section, version, i);
  put_section(out, 1, &section);
}

static void encode_attr(tn_testing_bytes_t* bytes, int attr) {
  static const float value[] = {1, 2};
  switch (attr) {
    case TN_TESTING_ATTR_PLACE: put_number(bytes, 15); return;
    case TN_TESTING_ATTR_NAME:
    case TN_TESTING_ATTR_VISIBILITY:
      put_number(bytes, 14);
      put_number(bytes, attr == TN_TESTING_ATTR_NAME ? STRING_MAIN : STRING_PUBLIC);
      return;
    case TN_TESTING_ATTR_LIST:
      put_number(bytes, 1);
      put_number(bytes, 0);
      return;
    case TN_TESTING_ATTR_TYPE:
      put_number(bytes, 17);
      put_number(bytes, TYPE_FUNCTION);
      return;
    case TN_TESTING_ATTR_VALUE:
      put_number(bytes, 15);
      put_number(bytes, TYPE_TENSOR);
      put_number(bytes, sizeof value);
      put_bytes(bytes, value, sizeof value);
      return;
    case FUNCTION_DICTIONARY: {
      static const int values[] = {TN_TESTING_ATTR_LIST, TN_TESTING_ATTR_TYPE, TN_TESTING_ATTR_LIST,
                                   TN_TESTING_ATTR_NAME, TN_TESTING_ATTR_VISIBILITY};
      put_number(bytes, 1);
      put_number(bytes, 5);
      for (size_t i = 0; i < 5; ++i) {
        put_number(bytes, TN_TESTING_ATTR_FIRST_KEY + i);
        put_number(bytes, (size_t)values[i]);
      }
      return;
    }
    case VALUE_DICTIONARY:
      put_number(bytes, 1);
      put_number(bytes, 1);
      put_number(bytes, TN_TESTING_ATTR_FIRST_KEY + KEY_COUNT - 1);
      put_number(bytes, TN_TESTING_ATTR_VALUE);
      return;
    default:
      put_number(bytes, 2);
      put_number(bytes, STRING_FIRST_KEY + (size_t)(attr - TN_TESTING_ATTR_FIRST_KEY));
  }
}

static void encode_type(tn_testing_bytes_t* bytes, int type) {
  switch (type) {
    case TYPE_F32: put_number(bytes, 4); return;
    case TYPE_TENSOR:
      put_number(bytes, 20);
      put_number(bytes, 1);
      put_number(bytes, 2 << 1);
      put_number(bytes, TYPE_F32);
      return;
    default:
      put_number(bytes, 8);
      for (int i = 0; i < 2; ++i) {
        put_number(bytes, 1);
        put_number(bytes, TYPE_TENSOR);
      }
  }
}

// A group of one encoding, with its bytes.
static void put_encoding(tn_testing_bytes_t* offsets, tn_testing_bytes_t* data, size_t dialect,
                         const void* bytes, size_t length) {
  put_number(offsets, dialect);
  put_number(offsets, 1);
  put_number(offsets, length << 1 | 1);
  put_bytes(data, bytes, length);
}

static void put_encodings(tn_testing_bytes_t* out, const tn_testing_artifact_t* artifact) {
  tn_testing_bytes_t offsets = {.length = 0}, data = {.length = 0};
  put_number(&offsets, TN_TESTING_ATTR_COUNT);
  put_number(&offsets, TYPE_COUNT);
  for (int i = 0; i < TN_TESTING_ATTR_COUNT; ++i) {
    tn_testing_bytes_t bytes = {.length = 0};
    bool is_vhlo = i > TN_TESTING_ATTR_PLACE && i < TN_TESTING_ATTR_FIRST_KEY;
    if (artifact->attr_length && artifact->attr == i) {
      put_bytes(&bytes, artifact->attr_bytes, artifact->attr_length);
    } else {
      encode_attr(&bytes, i);
    }
    put_encoding(&offsets, &data, is_vhlo, bytes.data, bytes.length);
  }
  for (int i = 0; i < TYPE_COUNT; ++i) {
    tn_testing_bytes_t bytes = {.length = 0};
    if (artifact->type_length && i == TYPE_TENSOR) {
      put_bytes(&bytes, artifact->type_bytes, artifact->type_length);
    } else {
      encode_type(&bytes, i);
    }
    put_encoding(&offsets, &data, 1, bytes.data, bytes.length);
  }
  put_section(out, 2, &data);
  put_section(out, 3, &offsets);
}

// Name, what it has, place; dictionary or properties.
static void put_head(tn_testing_bytes_t* bytes, uint8_t version, size_t name, uint8_t has,
                     size_t dictionary, size_t properties) {
  bool has_attrs = dictionary != 0;
  put_number(bytes, name);
  put(bytes, (uint8_t)(has | (has_attrs ? (version >= 5 ? 0x40 : 0x01) : 0)));
  put_number(bytes, TN_TESTING_ATTR_PLACE);
  if (has_attrs) put_number(bytes, version >= 5 ? properties : dictionary);
}

static void put_function(tn_testing_bytes_t* out, uint8_t version) {
  tn_testing_bytes_t body = {.length = 0};
  put_number(&body, 1);           // blocks
  put_number(&body, 3);           // values
  put_number(&body, 3 << 1 | 1);  // operations, with arguments
  put_number(&body, 1);
  put_number(&body, version >= 4 ? TYPE_TENSOR << 1 : TYPE_TENSOR);
  if (version < 4) put_number(&body, TN_TESTING_ATTR_PLACE);
  if (version >= 3) put(&body, 0);
  put_head(&body, version, 2, 0x02, VALUE_DICTIONARY, 1);
  put_number(&body, 1);
  put_number(&body, TYPE_TENSOR);
  put_head(&body, version, 3, 0x06, 0, 0);
  put_number(&body, 1);
  put_number(&body, TYPE_TENSOR);
  put_number(&body, 2);
  put_number(&body, 0);
  put_number(&body, 1);
  put_head(&body, version, 4, 0x04, 0, 0);
  put_number(&body, 1);
  put_number(&body, 2);
  put_head(out, version, 1, 0x10, FUNCTION_DICTIONARY, 0);
  put_number(out, 1 << 1 | 1);
  if (version >= 2) {
    put_section(out, 4, &body);
  } else {
    put_bytes(out, body.data, body.length);
  }
}

// A module with `depth` more inside, the innermost with the function.
static void put_module(tn_testing_bytes_t* out, uint8_t version, size_t depth) {
  tn_testing_bytes_t* body = calloc(1, sizeof *body);
  if (!body) abort();
  put_number(body, 1);  // blocks
  put_number(body, 0);  // values
  put_number(body, 1 << 1);
  if (depth) {
    put_module(body, version, depth - 1);
  } else {
    put_function(body, version);
  }
  put_head(out, version, 0, 0x10, 0, 0);
  put_number(out, 1 << 1 | 1);
  if (version >= 2) {
    put_section(out, 4, body);
  } else {
    put_bytes(out, body->data, body->length);
  }
  free(body);
}

static void put_properties(tn_testing_bytes_t* out) {
  static const uint8_t function[] = {TN_TESTING_ATTR_LIST, TN_TESTING_ATTR_TYPE,
                                     TN_TESTING_ATTR_LIST, TN_TESTING_ATTR_NAME,
                                     TN_TESTING_ATTR_VISIBILITY};
  tn_testing_bytes_t section = {.length = 0};
  put_number(&section, 2);
  put_number(&section, sizeof function);
  for (size_t i = 0; i < sizeof function; ++i) put_number(&section, function[i]);
  put_number(&section, 1);
  put_number(&section, TN_TESTING_ATTR_VALUE);
  put_section(out, 8, &section);
}

void tn__testing_artifact(const tn_testing_artifact_t* artifact, tn_testing_bytes_t* out) {
  static const uint8_t magic[] = {'M', 'L', 0xEF, 'R'};
  const char* producer = artifact->producer ? artifact->producer : "StableHLO_v1.0.0";
  tn_testing_bytes_t operations = {.length = 0};
  out->length = 0;
  put_bytes(out, magic, sizeof magic);
  put_number(out, artifact->version);
  put_bytes(out, producer, strlen(producer) + 1);
  put_strings(out, artifact);
  put_dialects(out, artifact->version);
  put_encodings(out, artifact);
  put_number(&operations, 1 << 1);
  put_module(&operations, artifact->version, artifact->depth);
  put_section(out, 4, &operations);
  if (artifact->version >= 5) put_properties(out);
}
