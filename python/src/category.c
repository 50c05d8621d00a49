// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Categories of dtypes and what is asked about dtypes: issubdtype, can_cast, finfo, iinfo and so
// on.

#include <float.h>
#include <string.h>

#include "adapters.h"

// --- DtypeCategory

typedef struct category {
  PyObject_HEAD tn_dtype_category_t value;
} category_t;

static const struct {
  const char* name;
  tn_dtype_category_t value;
} categories[] = {
    {"complexfloating", TN_CATEGORY_COMPLEX_FLOATING},
    {"floating", TN_CATEGORY_FLOATING},
    {"inexact", TN_CATEGORY_INEXACT},
    {"signedinteger", TN_CATEGORY_SIGNED_INTEGER},
    {"unsignedinteger", TN_CATEGORY_UNSIGNED_INTEGER},
    {"integer", TN_CATEGORY_INTEGER},
    {"number", TN_CATEGORY_NUMBER},
    {"generic", TN_CATEGORY_GENERIC},
};
enum { CATEGORY_COUNT = sizeof categories / sizeof *categories };

static PyTypeObject* category_type;

static size_t place_of(PyObject* self) {
  size_t i = 0;
  while (categories[i].value != ((category_t*)self)->value) ++i;
  return i;
}

static PyObject* category_repr(PyObject* self) {
  return PyUnicode_FromFormat("DtypeCategory.%s", categories[place_of(self)].name);
}

static PyObject* category_name(PyObject* self, void* unused) {
  (void)unused;
  return PyUnicode_FromString(categories[place_of(self)].name);
}

static PyObject* category_value(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromSize_t(place_of(self));
}

// Copies and pickles are the same object: the name of the module's attribute says so.
static PyObject* category_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return category_name(self, NULL);
}

static PyGetSetDef category_members[] = {
    {"name", category_name, NULL, "The name.", NULL},
    {"value", category_value, NULL, "A number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef category_methods[] = {
    {"__reduce__", category_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot category_slots[] = {
    CORE_SLOT(Py_tp_repr, category_repr),
    CORE_SLOT(Py_tp_getset, category_members),
    CORE_SLOT(Py_tp_methods, category_methods),
    {Py_tp_doc, "A category of dtypes, for issubdtype."},
    {0, NULL},
};
static PyType_Spec category_spec = {
    .name = "tenon.core.DtypeCategory",
    .basicsize = sizeof(category_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = category_slots,
};

static bool add_categories(PyObject* module) {
  category_type = (PyTypeObject*)PyType_FromSpec(&category_spec);
  bool is_added = category_type && PyModule_AddType(module, category_type) == 0;
  for (size_t i = 0; is_added && i < CATEGORY_COUNT; ++i) {
    category_t* object = PyObject_New(category_t, category_type);
    if (!object) return false;
    object->value = categories[i].value;
    is_added = PyObject_SetAttrString((PyObject*)category_type, categories[i].name,
                                      (PyObject*)object) == 0 &&
               PyModule_AddObjectRef(module, categories[i].name, (PyObject*)object) == 0;
    Py_DECREF(object);
  }
  return is_added;
}

// --- what dtypes are

// The smallest category that a dtype, or all of a category, belong to.
static bool is_within(tn_dtype_category_t inner, tn_dtype_category_t outer) {
  static const tn_dtype_category_t parents[] = {
      [TN_CATEGORY_GENERIC] = TN_CATEGORY_GENERIC,
      [TN_CATEGORY_NUMBER] = TN_CATEGORY_GENERIC,
      [TN_CATEGORY_INTEGER] = TN_CATEGORY_NUMBER,
      [TN_CATEGORY_SIGNED_INTEGER] = TN_CATEGORY_INTEGER,
      [TN_CATEGORY_UNSIGNED_INTEGER] = TN_CATEGORY_INTEGER,
      [TN_CATEGORY_INEXACT] = TN_CATEGORY_NUMBER,
      [TN_CATEGORY_FLOATING] = TN_CATEGORY_INEXACT,
      [TN_CATEGORY_COMPLEX_FLOATING] = TN_CATEGORY_INEXACT,
  };
  while (inner != outer && inner != TN_CATEGORY_GENERIC) inner = parents[inner];
  return inner == outer;
}

static bool is_category(PyObject* object) {
  return Py_TYPE(object) == category_type;
}

PyObject* core_issubdtype(core_call_t* call, PyObject* const* objects) {
  (void)call;
  tn_dtype_t one = TN_DTYPE_INVALID, two = TN_DTYPE_INVALID;
  if (is_category(objects[0])) {
    const bool is_sub = is_category(objects[1]) && is_within(((category_t*)objects[0])->value,
                                                             ((category_t*)objects[1])->value);
    return PyBool_FromLong(is_sub);
  }
  if (!core_dtype_from(objects[0], &one)) return NULL;
  if (is_category(objects[1])) {
    return PyBool_FromLong(tn_issubdtype(one, ((category_t*)objects[1])->value));
  }
  return core_dtype_from(objects[1], &two) ? PyBool_FromLong(one == two) : NULL;
}

// The dtype of an array, or a dtype; anything else is a ValueError.
static bool dtype_of(PyObject* object, const char* message, tn_dtype_t* out_dtype) {
  if (core_is_array(object)) {
    *out_dtype = core_array_dtype(object);
    return true;
  }
  if (core_is_dtype(object)) return core_dtype_from(object, out_dtype);
  PyErr_SetString(PyExc_ValueError, message);
  return false;
}

PyObject* core_can_cast(core_call_t* call, PyObject* const* objects) {
  (void)call;
  tn_dtype_t from = TN_DTYPE_INVALID, to = TN_DTYPE_INVALID;
  if (!dtype_of(objects[0], "can_cast: expected an array or a dtype", &from) ||
      !core_dtype_from(objects[1], &to)) {
    return NULL;
  }
  return PyBool_FromLong(tn_can_cast(from, to));
}

PyObject* core_result_type(core_call_t* call, PyObject* const* objects) {
  (void)call;
  const Py_ssize_t count = PyTuple_Size(objects[0]);
  tn_dtype_t result = TN_DTYPE_INVALID;
  if (!count) {
    PyErr_SetString(PyExc_ValueError, "result_type: expected at least one array or dtype");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    tn_dtype_t dtype = TN_DTYPE_INVALID;
    PyObject* object = PyTuple_GetItem(objects[0], i);
    if (core_is_number(object)) continue;
    if (!dtype_of(object, "result_type: expected arrays or dtypes", &dtype)) return NULL;
    result = result ? tn_promote_types(result, dtype) : dtype;
  }
  if (!result) {
    PyErr_SetString(PyExc_ValueError, "result_type: expected at least one array or dtype");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* object = PyTuple_GetItem(objects[0], i);
    if (!core_is_number(object)) continue;
    const tn_dtype_t dtype = core_dtype_beside(object, result);
    result = tn_promote_types(result, dtype);
  }
  return core_dtype_object(result);
}

// --- isdtype: a dtype, the name of a kind, or a tuple of them

static int is_of_kind(tn_dtype_t dtype, PyObject* kind) {
  static const char* const kinds[] = {"bool",     "signed integer", "unsigned integer",
                                      "integral", "real floating",  "complex floating",
                                      "numeric"};
  tn_dtype_t other = TN_DTYPE_INVALID;
  if (!PyUnicode_Check(kind)) return core_dtype_from(kind, &other) ? other == dtype : -1;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (PyUnicode_CompareWithASCIIString(kind, kinds[i]) == 0) return tn_isdtype(dtype, kinds[i]);
  }
  PyErr_Format(PyExc_ValueError, "isdtype: %R is no kind of dtypes", kind);
  return -1;
}

PyObject* core_isdtype(core_call_t* call, PyObject* const* objects) {
  (void)call;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!core_dtype_from(objects[0], &dtype)) return NULL;
  const bool is_tuple = PyTuple_Check(objects[1]);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(objects[1]) : 1;
  int result = 0;
  for (Py_ssize_t i = 0; i < count && result == 0; ++i) {
    result = is_of_kind(dtype, is_tuple ? PyTuple_GetItem(objects[1], i) : objects[1]);
  }
  return result < 0 ? NULL : PyBool_FromLong(result);
}

// --- finfo, iinfo

typedef struct info {
  PyObject_HEAD tn_dtype_t dtype;
} info_t;

typedef struct limits {
  tn_dtype_t dtype;
  double max, eps, smallest_normal;
} limits_t;

static const limits_t limits[] = {
    {TN_DTYPE_F16, 65504.0, 0x1p-10, 0x1p-14},
    {TN_DTYPE_BF16, 0x1.fep127, 0x1p-7, 0x1p-126},
    {TN_DTYPE_F32, FLT_MAX, FLT_EPSILON, FLT_MIN},
    {TN_DTYPE_F64, DBL_MAX, DBL_EPSILON, DBL_MIN},
};
enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

static const limits_t* limits_of(tn_dtype_t dtype) {
  for (size_t i = 0; i < LIMIT_COUNT; ++i) {
    if (limits[i].dtype == dtype) return &limits[i];
  }
  return NULL;
}

static PyObject* create_info(PyTypeObject* type, tn_dtype_t dtype) {
  info_t* info = PyObject_New(info_t, type);
  if (info) info->dtype = dtype;
  return (PyObject*)info;
}

static bool read_dtype(PyObject* arguments, PyObject* keywords, tn_dtype_t* out_dtype) {
  static char* names[] = {"", NULL};
  PyObject* object = NULL;
  return PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &object) &&
         (core_is_array(object) ? dtype_of(object, "", out_dtype)
                                : core_dtype_from(object, out_dtype));
}

static PyObject* finfo_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!read_dtype(arguments, keywords, &dtype)) return NULL;
  if (dtype == TN_DTYPE_C64) dtype = TN_DTYPE_F32;
  if (dtype == TN_DTYPE_C128) dtype = TN_DTYPE_F64;
  if (limits_of(dtype)) return create_info(type, dtype);
  return PyErr_Format(PyExc_ValueError, "finfo: expected a dtype of floats; found %s",
                      tn_dtype_numpy_name(dtype));
}

static PyObject* iinfo_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!read_dtype(arguments, keywords, &dtype)) return NULL;
  if (tn_dtype_kind(dtype) & TN_KIND_INTEGER) return create_info(type, dtype);
  return PyErr_Format(PyExc_ValueError, "iinfo: expected a dtype of integers; found %s",
                      tn_dtype_numpy_name(dtype));
}

static void info_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* info_dtype(PyObject* self, void* unused) {
  (void)unused;
  return core_dtype_object(((info_t*)self)->dtype);
}

static PyObject* info_bits(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(tn_dtype_bit_width(((info_t*)self)->dtype));
}

static PyObject* finfo_max(PyObject* self, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(limits_of(((info_t*)self)->dtype)->max);
}

static PyObject* finfo_min(PyObject* self, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(-limits_of(((info_t*)self)->dtype)->max);
}

static PyObject* finfo_eps(PyObject* self, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(limits_of(((info_t*)self)->dtype)->eps);
}

static PyObject* finfo_smallest(PyObject* self, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(limits_of(((info_t*)self)->dtype)->smallest_normal);
}

static PyObject* iinfo_max(PyObject* self, void* unused) {
  (void)unused;
  const tn_dtype_t dtype = ((info_t*)self)->dtype;
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  const uint32_t bits = tn_dtype_bit_width(dtype) - is_signed;
  return PyLong_FromUnsignedLongLong(UINT64_MAX >> (64 - bits));
}

static PyObject* iinfo_min(PyObject* self, void* unused) {
  (void)unused;
  const tn_dtype_t dtype = ((info_t*)self)->dtype;
  if (tn_dtype_kind(dtype) != TN_KIND_SIGNED) return PyLong_FromLong(0);
  return PyLong_FromLongLong(INT64_MIN >> (64 - tn_dtype_bit_width(dtype)));
}

static PyObject* finfo_repr(PyObject* self) {
  const tn_dtype_t dtype = ((info_t*)self)->dtype;
  char text[128];
  snprintf(text, sizeof text, "finfo(min=%g, max=%g, dtype=%s)", -limits_of(dtype)->max,
           limits_of(dtype)->max, tn_dtype_numpy_name(dtype));
  return PyUnicode_FromString(text);
}

static PyObject* iinfo_repr(PyObject* self) {
  PyObject *min = iinfo_min(self, NULL), *max = iinfo_max(self, NULL);
  PyObject* text = min && max ? PyUnicode_FromFormat("iinfo(min=%S, max=%S, dtype=%s)", min, max,
                                                     tn_dtype_numpy_name(((info_t*)self)->dtype))
                              : NULL;
  Py_XDECREF(max);
  Py_XDECREF(min);
  return text;
}

static PyGetSetDef finfo_members[] = {
    {"bits", info_bits, NULL, "The bits of an element.", NULL},
    {"dtype", info_dtype, NULL, "The dtype; of complex ones that of their parts.", NULL},
    {"eps", finfo_eps, NULL, "The distance from 1 to the next larger number.", NULL},
    {"max", finfo_max, NULL, "The largest finite number.", NULL},
    {"min", finfo_min, NULL, "The smallest finite number.", NULL},
    {"smallest_normal", finfo_smallest, NULL, "The smallest positive normal number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyGetSetDef iinfo_members[] = {
    {"bits", info_bits, NULL, "The bits of an element.", NULL},
    {"dtype", info_dtype, NULL, "The dtype.", NULL},
    {"max", iinfo_max, NULL, "The largest number.", NULL},
    {"min", iinfo_min, NULL, "The smallest number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot finfo_slots[] = {
    CORE_SLOT(Py_tp_new, finfo_new),
    CORE_SLOT(Py_tp_dealloc, info_dealloc),
    CORE_SLOT(Py_tp_repr, finfo_repr),
    CORE_SLOT(Py_tp_getset, finfo_members),
    {Py_tp_doc, "finfo(dtype, /)\n--\n\nThe limits of a dtype of floats."},
    {0, NULL},
};
static PyType_Slot iinfo_slots[] = {
    CORE_SLOT(Py_tp_new, iinfo_new),
    CORE_SLOT(Py_tp_dealloc, info_dealloc),
    CORE_SLOT(Py_tp_repr, iinfo_repr),
    CORE_SLOT(Py_tp_getset, iinfo_members),
    {Py_tp_doc, "iinfo(dtype, /)\n--\n\nThe limits of a dtype of integers."},
    {0, NULL},
};
static PyType_Spec finfo_spec = {
    .name = "tenon.core.finfo",
    .basicsize = sizeof(info_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = finfo_slots,
};
static PyType_Spec iinfo_spec = {
    .name = "tenon.core.iinfo",
    .basicsize = sizeof(info_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = iinfo_slots,
};

static bool add_type(PyObject* module, PyType_Spec* spec) {
  PyObject* type = PyType_FromSpec(spec);
  const bool is_added = type && PyModule_AddType(module, (PyTypeObject*)type) == 0;
  Py_XDECREF(type);
  return is_added;
}

bool core_add_categories(PyObject* module) {
  return add_categories(module) && add_type(module, &finfo_spec) && add_type(module, &iinfo_spec);
}
