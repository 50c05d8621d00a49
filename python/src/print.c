// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How arrays are written: repr, str, and the options of both.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

enum { EDGE = 3, LONGEST = 2 * EDGE };  // longer axes have their edges written only

static _Atomic int precision = -1;  // digits behind the point; negative: six significant ones

// --- text

typedef struct text {
  char* bytes;
  size_t length, capacity;
  int digits;  // the precision when the text was begun
  bool is_out_of_memory;
} text_t;

static bool reserve(text_t* text, size_t length) {
  if (text->length + length < text->capacity) return true;
  const size_t capacity = 2 * (text->length + length) + 64;
  char* grown = PyMem_Realloc(text->bytes, capacity);
  if (!grown) {
    text->is_out_of_memory = true;
    return false;
  }
  text->bytes = grown;
  text->capacity = capacity;
  return true;
}

__attribute__((format(printf, 2, 3))) static void append(text_t* text, const char* format, ...) {
  for (size_t length = 64;;) {
    va_list arguments;
    if (!reserve(text, length)) return;
    va_start(arguments, format);
    const int written = vsnprintf(text->bytes + text->length, length + 1, format, arguments);
    va_end(arguments);
    if ((size_t)written <= length) {
      text->length += (size_t)written;
      return;
    }
    length = (size_t)written;
  }
}

static void append_real(text_t* text, double value) {
  if (text->digits < 0) {
    append(text, "%g", value);
  } else {
    append(text, "%.*f", text->digits, value);
  }
}

static void append_integer(text_t* text, tn_dtype_t dtype, const void* element) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  uint64_t value = 0;
  if (bits < 8) {
    append(text, "%d", (int)tn_dtype_load(dtype, element));
    return;
  }
  memcpy(&value, element, tn_dtype_byte_size(dtype));
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) {
    append(text, "%llu", (unsigned long long)value);
    return;
  }
  const uint64_t sign = (uint64_t)1 << (bits - 1);
  append(text, "%lld", (long long)((value ^ sign) - sign));
}

static void append_element(text_t* text, tn_dtype_t dtype, const char* element) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: append(text, "%s", *(const bool*)element ? "True" : "False"); break;
    case TN_KIND_SIGNED:
    case TN_KIND_UNSIGNED: append_integer(text, dtype, element); break;
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = dtype == TN_DTYPE_C128 ? TN_DTYPE_F64 : TN_DTYPE_F32;
      const double imaginary = tn_dtype_load(part, element + tn_dtype_byte_size(part));
      append_real(text, tn_dtype_load(part, element));
      if (!(imaginary < 0)) append(text, "+");
      append_real(text, imaginary);
      append(text, "j");
      break;
    }
    default: append_real(text, tn_dtype_load(dtype, element));
  }
}

// --- arrays

// Between two parts along an axis: of the last one in the same line, of others in a line each,
// below each other behind "array(".
static void append_separator(text_t* text, const tn_mapped_array_t* view, size_t axis) {
  if (axis + 1 == view->rank) {
    append(text, ", ");
  } else {
    append(text, ",\n%*s", (int)(strlen("array(") + axis + 1), "");
  }
}

static void append_axis(text_t* text, const tn_mapped_array_t* view, size_t axis,
                        const char* data) {
  if (axis == view->rank) {
    append_element(text, view->dtype, data);
    return;
  }
  const int64_t size = view->dims[axis];
  const ptrdiff_t step =
      (ptrdiff_t)view->strides[axis] * (ptrdiff_t)tn_dtype_byte_size(view->dtype);
  append(text, "[");
  for (int64_t i = 0; i < size && !text->is_out_of_memory; ++i) {
    if (i) append_separator(text, view, axis);
    if (i == EDGE && size > LONGEST) {
      append(text, "...");
      append_separator(text, view, axis);
      i = size - EDGE;
    }
    append_axis(text, view, axis + 1, data + i * step);
  }
  append(text, "]");
}

static PyObject* repr(tn_array_t* array) {
  tn_mapped_array_t view;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_map(array, &view);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return NULL;
  text_t text = {.digits = precision};
  append(&text, "array(");
  append_axis(&text, &view, 0, view.data);
  append(&text, ", dtype=%s)", tn_dtype_numpy_name(view.dtype));
  tn_array_unmap(array);
  PyObject* result = text.is_out_of_memory
                         ? PyErr_NoMemory()
                         : PyUnicode_FromStringAndSize(text.bytes, (Py_ssize_t)text.length);
  PyMem_Free(text.bytes);
  return result;
}

PyObject* core_array_repr(PyObject* self) {
  tn_array_t* array = core_array_take(self);
  PyObject* text = repr(array);
  tn_array_release(array);
  return text;
}

// A string stands for one element in its own format, as for numbers of Python.
PyObject* core_array_format(PyObject* self, PyObject* format) {
  if (!PyUnicode_Check(format)) return PyErr_Format(PyExc_TypeError, "expected a string");
  tn_array_t* array = core_array_borrow(self);
  const bool is_number = tn_array_rank(array) == 0;
  core_array_return(array);
  if (!is_number && PyUnicode_GetLength(format) == 0) return PyObject_Str(self);
  if (!is_number) {
    return PyErr_Format(PyExc_TypeError,
                        "unsupported format string passed to tenon.core.array.__format__");
  }
  PyObject* item = PyObject_CallMethod(self, "item", NULL);
  PyObject* text = item ? PyObject_Format(item, format) : NULL;
  Py_XDECREF(item);
  return text;
}

// --- options

// A PrintOptions, and what printoptions() gives: sets an option, and sets it back at the end.
typedef struct options {
  PyObject_HEAD int precision;
  int previous;  // of a context that has been entered
} options_t;

static PyTypeObject* options_type;
static PyTypeObject* context_type;

static bool read_precision(PyObject* arguments, PyObject* keywords, int* out_precision) {
  static char* names[] = {"precision", NULL};
  *out_precision = -1;
  return PyArg_ParseTupleAndKeywords(arguments, keywords, "|i", names, out_precision);
}

static PyObject* create(PyTypeObject* type, int digits) {
  options_t* options = PyObject_New(options_t, type);
  if (options) options->precision = digits;
  return (PyObject*)options;
}

static PyObject* options_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  int digits = 0;
  return read_precision(arguments, keywords, &digits) ? create(type, digits) : NULL;
}

static void options_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* get_precision(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromLong(((options_t*)self)->precision);
}

static PyObject* enter(PyObject* self, PyObject* unused) {
  (void)unused;
  options_t* options = (options_t*)self;
  options->previous = precision;
  precision = options->precision;
  return Py_NewRef(self);
}

static PyObject* leave(PyObject* self, PyObject* unused) {
  (void)unused;
  precision = ((options_t*)self)->previous;
  return Py_NewRef(Py_None);
}

static PyGetSetDef members[] = {
    {"precision", get_precision, NULL, "Digits behind the point; -1: six significant ones.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef context_methods[] = {
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot options_slots[] = {
    CORE_SLOT(Py_tp_new, options_new),
    CORE_SLOT(Py_tp_dealloc, options_dealloc),
    CORE_SLOT(Py_tp_getset, members),
    {Py_tp_doc, "PrintOptions(precision=-1)\n--\n\nHow arrays are printed."},
    {0, NULL},
};
static PyType_Slot context_slots[] = {
    CORE_SLOT(Py_tp_new, options_new),
    CORE_SLOT(Py_tp_dealloc, options_dealloc),
    CORE_SLOT(Py_tp_methods, context_methods),
    {0, NULL},
};
static PyType_Spec options_spec = {
    .name = "tenon.core.PrintOptions",
    .basicsize = sizeof(options_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = options_slots,
};
static PyType_Spec context_spec = {
    .name = "tenon.core._PrintOptionsContext",
    .basicsize = sizeof(options_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = context_slots,
};

static PyObject* set_options(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  int digits = 0;
  if (!read_precision(arguments, keywords, &digits)) return NULL;
  precision = digits;
  return Py_NewRef(Py_None);
}

static PyObject* get_options(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return create(options_type, precision);
}

static PyObject* options_context(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return options_new(context_type, arguments, keywords);
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS
static PyMethodDef functions[] = {
    {"set_printoptions", KEYWORDS(set_options),
     "set_printoptions(precision=-1)\n--\n\nSets how arrays are printed: with `precision` digits "
     "behind the point, or six significant ones (-1)."},
    {"get_printoptions", get_options, METH_NOARGS,
     "get_printoptions()\n--\n\nHow arrays are printed."},
    {"printoptions", KEYWORDS(options_context),
     "printoptions(precision=-1)\n--\n\nA context in which arrays are printed so."},
    {NULL, NULL, 0, NULL},
};

bool core_add_printing(PyObject* module) {
  options_type = (PyTypeObject*)PyType_FromSpec(&options_spec);
  context_type = (PyTypeObject*)PyType_FromSpec(&context_spec);
  return options_type && context_type && PyModule_AddType(module, options_type) == 0 &&
         PyModule_AddType(module, context_type) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}
