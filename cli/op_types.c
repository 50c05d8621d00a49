// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which element types operations take, by compiling a small program with each.
#include <string.h>

#include "cli.h"

typedef struct probe {
  const char *op, *arguments, *text;
} probe_t;

static const probe_t probes[] = {
#define TN_PROBE(op, arguments, text) {op, arguments, text},
#include "op_types.def"
#undef TN_PROBE
};
enum { PROBE_COUNT = sizeof probes / sizeof *probes, TEXT_SIZE = 4096 };

// Text that ends at the end of its memory.
typedef struct text {
  size_t length;
  char data[TEXT_SIZE];
} text_t;

static void put(text_t* text, const char* piece) {
  size_t length = strlen(piece);
  if (length > TEXT_SIZE - 1 - text->length) length = TEXT_SIZE - 1 - text->length;
  memcpy(text->data + text->length, piece, length);
  text->length += length;
  text->data[text->length] = 0;
}

static void put_tensor(text_t* text, const char* dims, const char* element) {
  put(text, "tensor<");
  put(text, dims);
  put(text, element);
  put(text, ">");
}

static tn_dtype_t real_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : dtype == TN_DTYPE_C128 ? TN_DTYPE_F64 : dtype;
}

// The template with types in the place of $T and the like (op_types.def).
static void put_template(text_t* text, const char* template, tn_dtype_t dtype) {
  const char* element = tn_dtype_name(dtype);
  for (; *template; ++template) {
    char piece[2] = {*template, 0};
    if (*template != '$') {
      put(text, piece);
      continue;
    }
    switch (*++template) {
      case 'T': put(text, element); break;
      case 'R': put(text, tn_dtype_name(real_of(dtype))); break;
      case 'S': put_tensor(text, "", element); break;
      case 'V': put_tensor(text, "2x", element); break;
      case 'M': put_tensor(text, "2x2x", element); break;
      default:
        put(text, "complex<");
        put(text, element);
        put(text, ">");
    }
  }
}

// For elementwise operations, whose operands and results are alike.
static void put_default(text_t* text, const tn_op_info_t* op) {
  put(text, "%0 = \"");
  put(text, op->name);
  put(text, "\"(");
  for (int i = 0; i < op->operand_count; ++i) put(text, i ? ", %x" : "%x");
  put(text, ") : (");
  for (int i = 0; i < op->operand_count; ++i) put(text, i ? ", $V" : "$V");
  put(text, ") -> $V");
}

static tn_status_t compile(tn_device_t* device, const char* arguments, const char* text,
                           tn_dtype_t dtype) {
  const tn_compile_options_t options = {.struct_size = sizeof options, .keep_all = true};
  text_t program_text = {0};
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  put(&program_text, "func.func @main(");
  put_template(&program_text, arguments, dtype);
  put(&program_text, ") {\n");
  put_template(&program_text, text, dtype);
  put(&program_text, "\nreturn\n}\n");
  tn_status_t status =
      tn_module_parse(NULL, "<probe>", program_text.data, program_text.length, &module);
  if (!status) status = tn_program_compile(device, module, &options, &program);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static support_t judge(tn_status_t status) {
  const support_t support = !status                                           ? SUPPORT_COMPUTED
                            : tn_status_code(status) == TN_CODE_UNIMPLEMENTED ? SUPPORT_NOT_COMPUTED
                                                                              : SUPPORT_REFUSED;
  tn_status_release(status);
  return support;
}

support_t cli_op_supports(tn_device_t* device, const tn_op_info_t* op, tn_dtype_t dtype) {
  support_t best = SUPPORT_REFUSED;
  bool has_probe = false;
  for (size_t i = 0; i < PROBE_COUNT; ++i) {
    if (strcmp(probes[i].op, op->name) != 0) continue;
    has_probe = true;
    if (!strchr(probes[i].arguments, '$') && !strchr(probes[i].text, '$')) return SUPPORT_TYPELESS;
    const support_t support = judge(compile(device, probes[i].arguments, probes[i].text, dtype));
    if (best == SUPPORT_REFUSED || support == SUPPORT_COMPUTED) best = support;
  }
  if (has_probe) return best;
  if (!op->is_elementwise) return SUPPORT_TYPELESS;
  text_t text = {0};
  put_default(&text, op);
  return judge(compile(device, "%x: $V", text.data, dtype));
}
