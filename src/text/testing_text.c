// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/testing_text.h"

#include "base/testing.h"

tn_module_t* tn__testing_read(const char* text) {
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  assert_non_null(module);
  return module;
}

typedef struct buffer {
  char* text;
  size_t length;
} buffer_t;

static tn_status_t append(void* user, const char* text, size_t length) {
  buffer_t* buffer = user;
  char* grown = realloc(buffer->text, buffer->length + length + 1);
  if (!grown) return tn__status_out_of_memory();
  memcpy(grown + buffer->length, text, length);
  buffer->text = grown;
  buffer->length += length;
  grown[buffer->length] = 0;
  return TN_OK;
}

char* tn__testing_print(const tn_module_t* module) {
  buffer_t buffer = {0};
  TN_ASSERT_OK(tn_module_print(module, append, &buffer));
  assert_int_equal(strlen(buffer.text), buffer.length);
  return buffer.text;
}

static void assert_same_view(tn_string_view_t a, tn_string_view_t b) {
  if (!tn__sv_equal(a, b)) fail_msg("\"%.*s\" and \"%.*s\"", TN_SV(a), TN_SV(b));
}

static void assert_same_type(const tn_type_t* a, const tn_type_t* b) {
  if (!tn_type_equal(a, b)) fail_msg("%s and %s", TN_TYPE_TEXT(a), TN_TYPE_TEXT(b));
}

static void assert_same_region(const tn_region_t* a, const tn_region_t* b) {
  assert_int_equal(a->argument_count, b->argument_count);
  for (uint32_t i = 0; i < a->argument_count; ++i) {
    assert_same_type(a->arguments[i].type, b->arguments[i].type);
  }
  const tn_node_t* other = b->first;
  TN_FOR_EACH_NODE (node, a) {
    assert_non_null(other);
    assert_string_equal(node->op->name, other->op->name);
    assert_int_equal(node->operand_count, other->operand_count);
    assert_int_equal(node->result_count, other->result_count);
    assert_int_equal(node->region_count, other->region_count);
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      assert_int_equal(node->operands[i]->index, other->operands[i]->index);
      assert_int_equal(!node->operands[i]->node, !other->operands[i]->node);
      assert_same_type(node->operands[i]->type, other->operands[i]->type);
    }
    for (uint32_t i = 0; i < node->result_count; ++i) {
      assert_same_type(node->results[i].type, other->results[i].type);
    }
    assert_int_equal(node->attrs.count, other->attrs.count);
    for (size_t i = 0; i < node->attrs.count; ++i) {
      assert_same_view(node->attrs.entries[i].name, other->attrs.entries[i].name);
      if (!tn__attr_equal(node->attrs.entries[i].attr, other->attrs.entries[i].attr)) {
        fail_msg("%s: \"%.*s\" differs", node->op->name, TN_SV(node->attrs.entries[i].name));
      }
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      assert_same_region(node->regions[i], other->regions[i]);
    }
    other = other->next;
  }
  assert_null(other);
}

void tn__testing_assert_same_module(const tn_module_t* a, const tn_module_t* b) {
  assert_same_view(a->name, b->name);
  assert_true(tn__attr_dictionary_equal(&a->attrs, &b->attrs));
  assert_same_view(a->preamble, b->preamble);
  const tn_function_t* other = b->first_function;
  for (const tn_function_t* f = a->first_function; f; f = f->next, other = other->next) {
    assert_non_null(other);
    assert_same_view(f->name, other->name);
    assert_same_view(f->visibility, other->visibility);
    assert_true(tn__attr_dictionary_equal(&f->attrs, &other->attrs));
    assert_int_equal(f->argument_count, other->argument_count);
    assert_int_equal(f->result_count, other->result_count);
    for (uint32_t i = 0; i < f->argument_count; ++i) {
      assert_same_type(f->argument_types[i], other->argument_types[i]);
      assert_true(tn__attr_dictionary_equal(&f->argument_attrs[i], &other->argument_attrs[i]));
    }
    for (uint32_t i = 0; i < f->result_count; ++i) {
      assert_same_type(f->result_types[i], other->result_types[i]);
      assert_true(tn__attr_dictionary_equal(&f->result_attrs[i], &other->result_attrs[i]));
    }
    assert_int_equal(!f->body, !other->body);
    if (f->body && other->body) assert_same_region(f->body, other->body);
  }
  assert_null(other);
}
