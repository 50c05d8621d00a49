// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The type of arrays: members, operators, and methods that are functions.

#include "core.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject* core_array_type;

bool core_is_array(PyObject* object) {
  return Py_TYPE(object) == core_array_type || PyObject_TypeCheck(object, core_array_type);
}

tn_array_t* core_array_take(PyObject* object) {
  tn_array_t* value = NULL;
  CORE_BEGIN_EXCLUSIVE(object);
  value = tn_array_retain(((core_array_t*)object)->value);
  CORE_END_EXCLUSIVE();
  return value;
}

tn_array_t* core_array_hold(core_call_t* call, PyObject* object) {
  return tn_scope_adopt(call->scope, core_array_take(object));
}

tn_dtype_t core_array_dtype(PyObject* object) {
  tn_array_t* array = core_array_borrow(object);
  const tn_dtype_t dtype = tn_array_dtype(array);
  core_array_return(array);
  return dtype;
}

bool core_array_replace(PyObject* object, const tn_array_t* old, tn_array_t* value) {
  core_array_t* array = (core_array_t*)object;
  tn_array_t* previous = NULL;
  CORE_BEGIN_EXCLUSIVE(object);
  if (array->value == old) {
    previous = array->value;
    array->value = tn_array_retain(value);
  }
  CORE_END_EXCLUSIVE();
  tn_array_release(previous);
  return previous != NULL;
}

static PyObject* object_of(PyTypeObject* type, tn_array_t* value) {
  if (tn_array_dtype(value) == TN_DTYPE_INVALID) return core_raise(tn_array_status(value));
  core_array_t* object = PyObject_New(core_array_t, type);
  if (object) {
    object->value = tn_array_retain(value);
    object->weak_references = NULL;
  }
  return (PyObject*)object;
}

PyObject* core_array_object(tn_array_t* value) {
  return object_of(core_array_type, value);
}

// --- life

static PyObject* array_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"val", "dtype", NULL};
  PyObject *value = NULL, *dtype_object = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:array", names, &value,
                                   &dtype_object)) {
    return NULL;
  }
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (dtype_object != Py_None && !core_dtype_from(dtype_object, &dtype)) return NULL;
  core_call_t call;
  if (!core_begin(&call, NULL)) return NULL;
  tn_array_t* array = NULL;
  PyObject* object = core_convert_to(&call, value, dtype, &array) ? object_of(type, array) : NULL;
  core_end(&call);
  return object;
}

static void array_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (((core_array_t*)self)->weak_references) PyObject_ClearWeakRefs(self);
  tn_array_release(((core_array_t*)self)->value);
  PyObject_Free(self);
  Py_DECREF(type);
}

// Arrays compare element by element, and are keys by their identity.
static Py_hash_t array_hash(PyObject* self) {
  return (Py_hash_t)((uintptr_t)self >> 4);
}

// --- members

PyObject* core_shape_of(size_t rank, const int64_t* dims) {
  PyObject* shape = PyTuple_New((Py_ssize_t)rank);
  for (size_t i = 0; shape && i < rank; ++i) {
    PyObject* size = dims[i] == TN_DIM_DYNAMIC ? Py_NewRef(Py_None) : PyLong_FromLongLong(dims[i]);
    if (size) {
      PyTuple_SetItem(shape, (Py_ssize_t)i, size);
    } else {
      Py_CLEAR(shape);
    }
  }
  return shape;
}

static PyObject* get_shape(PyObject* self, void* unused) {
  (void)unused;
  int64_t dims[TN_MAX_RANK];
  tn_array_t* array = core_array_borrow(self);
  const size_t rank = tn_array_rank(array);
  if (rank) memcpy(dims, tn_array_dims(array), rank * sizeof *dims);
  core_array_return(array);
  return core_shape_of(rank, dims);
}

static PyObject* get_dtype(PyObject* self, void* unused) {
  (void)unused;
  return core_dtype_object(core_array_dtype(self));
}

static PyObject* get_ndim(PyObject* self, void* unused) {
  (void)unused;
  tn_array_t* array = core_array_borrow(self);
  const size_t rank = tn_array_rank(array);
  core_array_return(array);
  return PyLong_FromSize_t(rank);
}

static PyObject* get_size(PyObject* self, void* unused) {
  (void)unused;
  tn_array_t* array = core_array_borrow(self);
  const int64_t size = tn_array_size(array);
  core_array_return(array);
  return PyLong_FromLongLong(size);
}

static PyObject* get_itemsize(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromSize_t(tn_dtype_byte_size(core_array_dtype(self)));
}

static PyObject* get_nbytes(PyObject* self, void* unused) {
  (void)unused;
  tn_array_t* array = core_array_borrow(self);
  const size_t byte_size = tn_array_byte_size(array);
  core_array_return(array);
  return PyLong_FromSize_t(byte_size);
}

static PyObject* call_one(const char* name, PyObject* self) {
  return core_function_call(core_function_find(name), self, NULL, 0, NULL);
}

static PyObject* get_T(PyObject* self, void* unused) {
  (void)unused;
  return call_one("transpose", self);
}

static PyObject* get_mT(PyObject* self, void* unused) {
  (void)unused;
  return call_one("matrix_transpose", self);
}

static PyObject* get_real(PyObject* self, void* unused) {
  (void)unused;
  return call_one("real", self);
}

static PyObject* get_imag(PyObject* self, void* unused) {
  (void)unused;
  return call_one("imag", self);
}

static PyObject* get_device(PyObject* self, void* unused) {
  (void)unused;
  tn_array_t* array = core_array_borrow(self);
  const tn_device_t* device = tn_array_device(array);
  core_array_return(array);
  return core_device_of(device);
}

static PyGetSetDef members[] = {
    {"shape", get_shape, NULL, "The dimensions, a tuple.", NULL},
    {"dtype", get_dtype, NULL, "The type of the elements.", NULL},
    {"device", get_device, NULL, "The device that holds the elements, or will.", NULL},
    {"ndim", get_ndim, NULL, "The number of dimensions.", NULL},
    {"size", get_size, NULL, "The number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "The bytes of an element.", NULL},
    {"nbytes", get_nbytes, NULL, "The bytes of all elements.", NULL},
    {"T", get_T, NULL, "The array with its dimensions in reverse order.", NULL},
    {"mT", get_mT, NULL, "The array with its last two dimensions exchanged.", NULL},
    {"real", get_real, NULL, "The real parts.", NULL},
    {"imag", get_imag, NULL, "The imaginary parts.", NULL},
    {"at", core_get_at, NULL, "Updates at indices: x.at[0].add(value) is another array.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

// --- elements

static PyObject* element_of(tn_array_t* array) {
  _Alignas(16) char element[16];
  if (tn_array_size(array) != 1) {
    PyErr_SetString(PyExc_ValueError,
                    "[convert] Only length-1 arrays can be converted to Python scalars.");
    return NULL;
  }
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_item_as(array, tn_array_dtype(array), element);
  Py_END_ALLOW_THREADS;
  return core_check(status) ? core_element(tn_array_dtype(array), element) : NULL;
}

static PyObject* array_item(PyObject* self, PyObject* unused) {
  (void)unused;
  tn_array_t* array = core_array_take(self);
  PyObject* item = element_of(array);
  tn_array_release(array);
  return item;
}

static PyObject* array_tolist(PyObject* self, PyObject* unused) {
  (void)unused;
  tn_array_t* array = core_array_take(self);
  PyObject* list = core_to_list(array);
  tn_array_release(array);
  return list;
}

static int array_bool(PyObject* self) {
  tn_array_t* array = core_array_borrow(self);
  const int64_t size = tn_array_size(array);
  core_array_return(array);
  if (size != 1) {
    PyErr_Format(PyExc_ValueError,
                 "[convert] Only length-1 arrays can be converted to Python scalars: the truth "
                 "value of an array of %lld elements is ambiguous; use any() or all()",
                 (long long)size);
    return -1;
  }
  PyObject* item = array_item(self, NULL);
  if (!item) return -1;
  const int is_true = PyObject_IsTrue(item);
  Py_DECREF(item);
  return is_true;
}

static PyObject* convert_item(PyObject* self, PyObject* (*convert)(PyObject*)) {
  PyObject* item = array_item(self, NULL);
  if (!item) return NULL;
  PyObject* result = convert(item);
  Py_DECREF(item);
  return result;
}

static PyObject* array_int(PyObject* self) {
  return convert_item(self, PyNumber_Long);
}

static PyObject* array_float(PyObject* self) {
  return convert_item(self, PyNumber_Float);
}

static PyObject* array_index(PyObject* self) {
  const tn_kind_t kind = tn_dtype_kind(core_array_dtype(self));
  if (kind & TN_KIND_INTEGER) return array_item(self, NULL);
  PyErr_SetString(PyExc_TypeError, "only arrays of one integer can be an index");
  return NULL;
}

static PyObject* array_complex(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* item = array_item(self, NULL);
  if (!item) return NULL;
  PyObject* result = PyObject_CallFunctionObjArgs((PyObject*)&PyComplex_Type, item, NULL);
  Py_DECREF(item);
  return result;
}

static Py_ssize_t array_length(PyObject* self) {
  tn_array_t* array = core_array_borrow(self);
  const bool has_length = tn_array_rank(array) != 0;
  const int64_t length = tn_array_dim(array, 0);
  core_array_return(array);
  if (has_length) return (Py_ssize_t)length;
  PyErr_SetString(PyExc_TypeError, "len() 0-dimensional array.");
  return -1;
}

// --- operators

typedef enum operator{
#define BINARY(slot, function) OPERATOR_##slot,
#define UNARY(slot, function) OPERATOR_##slot,
#include "operators.def"
#undef BINARY
#undef UNARY
  OPERATOR_power,
  OPERATOR_COUNT,
} operator_t;

static const core_function_t* operators[OPERATOR_COUNT];
static const core_function_t* comparisons[6];  // by Py_LT and so on

// A sequence would try to repeat itself.
static bool refuse_text(const core_function_t* function, PyObject* a, PyObject* b) {
  PyObject* text = PyUnicode_Check(a) ? a : b;
  if (!PyUnicode_Check(text)) return false;
  PyErr_Format(PyExc_ValueError, "%s: expected an array or a number; found %R",
               core_function_name(function), text);
  return true;
}

static PyObject* call_binary(const core_function_t* function, PyObject* a, PyObject* b) {
  if (refuse_text(function, a, b)) return NULL;
  if (!core_is_like_array(a) || !core_is_like_array(b)) return Py_NewRef(Py_NotImplemented);
  return core_function_call(function, NULL, (PyObject*[]){a, b}, 2, NULL);
}

static bool is_inexact(PyObject* self) {
  return tn_issubdtype(core_array_dtype(self), TN_CATEGORY_INEXACT);
}

// What an update in place starts from: the object or, if other threads may update it meanwhile,
// another one with the array that it has now. A new reference.
static PyObject* frozen(PyObject* self) {
#ifdef Py_GIL_DISABLED
  tn_array_t* array = core_array_take(self);
  PyObject* object = core_array_object(array);
  tn_array_release(array);
  return object;
#else
  return Py_NewRef(self);
#endif
}

// The array object itself gets the result, as in mlx.core: other names of it see the change. If
// another thread has updated it meanwhile, the result is computed once more: no update is lost.
static PyObject* call_in_place(const core_function_t* function, PyObject* self, PyObject* other) {
  if (function == operators[OPERATOR_true_divide] && !is_inexact(self)) {
    PyErr_SetString(PyExc_ValueError, "an array of integers cannot be divided in place");
    return NULL;
  }
  for (bool is_done = false; !is_done;) {
    PyObject* old = frozen(self);
    PyObject* result = old ? call_binary(function, old, other) : NULL;
    if (result && result != Py_NotImplemented) {
      is_done =
          core_array_replace(self, ((core_array_t*)old)->value, ((core_array_t*)result)->value);
    }
    Py_XDECREF(old);
    if (!result || result == Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  return Py_NewRef(self);
}

#define BINARY(slot, function)                                        \
  static PyObject* operator_##slot(PyObject* a, PyObject* b) {        \
    return call_binary(operators[OPERATOR_##slot], a, b);             \
  }                                                                   \
  static PyObject* in_place_##slot(PyObject* self, PyObject* other) { \
    return call_in_place(operators[OPERATOR_##slot], self, other);    \
  }
#define UNARY(slot, function)                                                   \
  static PyObject* operator_##slot(PyObject* self) {                            \
    return core_function_call(operators[OPERATOR_##slot], self, NULL, 0, NULL); \
  }
#include "operators.def"
#undef BINARY
#undef UNARY

static PyObject* operator_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return call_binary(operators[OPERATOR_power], a, b);
}

static PyObject* in_place_power(PyObject* self, PyObject* other, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return call_in_place(operators[OPERATOR_power], self, other);
}

static PyObject* operator_positive(PyObject* self) {
  return Py_NewRef(self);
}

// Texts, lists and tuples differ from arrays, and are in no order with them, as in mlx.core.
static PyObject* compare(PyObject* a, PyObject* b, int operation) {
  const bool is_other = PyUnicode_Check(b) || PyList_Check(b) || PyTuple_Check(b);
  if (!is_other) return call_binary(comparisons[operation], a, b);
  if (operation == Py_EQ || operation == Py_NE) return Py_NewRef(Py_NotImplemented);
  core_raise_type(PyExc_ValueError, "an array can be compared with an array or a number; found %U",
                  b);
  return NULL;
}

static void find_operators(void) {
#define BINARY(slot, function) operators[OPERATOR_##slot] = core_function_find(#function);
#define UNARY(slot, function) operators[OPERATOR_##slot] = core_function_find(#function);
#include "operators.def"
#undef BINARY
#undef UNARY
  static const char* const names[] = {
      [Py_LT] = "less",      [Py_LE] = "less_equal", [Py_EQ] = "equal",
      [Py_NE] = "not_equal", [Py_GT] = "greater",    [Py_GE] = "greater_equal"};
  for (int i = 0; i < 6; ++i) comparisons[i] = core_function_find(names[i]);
  operators[OPERATOR_power] = core_function_find("power");
}

// --- methods

#define METHOD(name) METHOD_AS(name, name)
typedef enum method {
#define METHOD_AS(name, function) METHOD_##name,
#include "methods.def"
#undef METHOD_AS
  METHOD_COUNT,
} method_t;

static const core_function_t* method_functions[METHOD_COUNT];

#define METHOD_AS(name, function)                                                              \
  static PyObject* method_##name(PyObject* self, PyObject* const* arguments, Py_ssize_t count, \
                                 PyObject* names) {                                            \
    return core_function_call(method_functions[METHOD_##name], self, arguments, count, names); \
  }
#include "methods.def"
#undef METHOD_AS

static void find_methods(void) {
#define METHOD_AS(name, function) method_functions[METHOD_##name] = core_function_find(#function);
#include "methods.def"
#undef METHOD_AS
}

#define FAST(name) (PyCFunction)(void (*)(void)) method_##name, METH_FASTCALL | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"item", array_item, METH_NOARGS, "item($self, /)\n--\n\nThe only element, as a number."},
    {"tolist", array_tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\nThe elements as nested lists; of a scalar the number."},
    {"__complex__", array_complex, METH_NOARGS, NULL},
    {"__copy__", core_array_copy, METH_NOARGS, NULL},
    {"__deepcopy__", core_array_copy, METH_O, NULL},
    {"__reduce__", core_array_reduce, METH_NOARGS, NULL},
    {"_from_bytes", core_array_from_bytes, METH_VARARGS | METH_CLASS, NULL},
    {"__format__", core_array_format, METH_O, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))core_to_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The array as a capsule of DLPack, without a copy unless `copy` is true."},
    {"__dlpack_device__", core_dlpack_device, METH_NOARGS, NULL},
    {"__array__", (PyCFunction)(void (*)(void))core_to_numpy, METH_VARARGS | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\nThe array as one of NumPy, which is "
     "read-only unless it is a copy."},
    {"__bytes__", core_to_bytes, METH_NOARGS, NULL},
    {"__array_namespace__", (PyCFunction)(void (*)(void))core_namespace,
     METH_VARARGS | METH_KEYWORDS,
     "__array_namespace__($self, /, *, api_version=None)\n--\n\nThe module with the functions of "
     "the array API."},
#define METHOD_AS(name, function) {#name, FAST(name), #function},
#include "methods.def"
#undef METHOD_AS
    {NULL, NULL, 0, NULL},
};

static PyMemberDef offsets[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(core_array_t, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "array(val, dtype=None)\n--\n\nAn array, evaluated when its elements are needed."},
    CORE_SLOT(Py_tp_new, array_new),
    CORE_SLOT(Py_tp_dealloc, array_dealloc),
    CORE_SLOT(Py_tp_hash, array_hash),
    CORE_SLOT(Py_tp_repr, core_array_repr),
    CORE_SLOT(Py_tp_getset, members),
    CORE_SLOT(Py_tp_members, offsets),
    CORE_SLOT(Py_tp_methods, methods),
    CORE_SLOT(Py_tp_richcompare, compare),
    CORE_SLOT(Py_mp_length, array_length),
    CORE_SLOT(Py_sq_length, array_length),
    CORE_SLOT(Py_sq_item, core_get_row),
    CORE_SLOT(Py_mp_subscript, core_get_item),
    CORE_SLOT(Py_mp_ass_subscript, core_set_item),
    CORE_SLOT(Py_tp_iter, core_array_iterate),
    CORE_SLOT(Py_nb_bool, array_bool),
    CORE_SLOT(Py_nb_int, array_int),
    CORE_SLOT(Py_nb_float, array_float),
    CORE_SLOT(Py_nb_index, array_index),
    CORE_SLOT(Py_nb_positive, operator_positive),
    CORE_SLOT(Py_nb_power, operator_power),
    CORE_SLOT(Py_nb_inplace_power, in_place_power),
#define BINARY(slot, function) \
  CORE_SLOT(Py_nb_##slot, operator_##slot), CORE_SLOT(Py_nb_inplace_##slot, in_place_##slot),
#define UNARY(slot, function) CORE_SLOT(Py_nb_##slot, operator_##slot),
#include "operators.def"
#undef BINARY
#undef UNARY
    CORE_SLOT(Py_bf_getbuffer, core_get_buffer),
    CORE_SLOT(Py_bf_releasebuffer, core_release_buffer),
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "tenon.core.array",
    .basicsize = sizeof(core_array_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

// Methods that are functions have their documentation.
static bool add_docs(void) {
  for (PyMethodDef* method = methods; method->ml_name; ++method) {
    if (method->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) continue;
    method->ml_doc = core_method_doc(core_function_find(method->ml_doc), method->ml_name);
    if (!method->ml_doc) return false;
  }
  return true;
}

bool core_add_array(PyObject* module) {
  find_operators();
  find_methods();
  if (!add_docs()) return false;
  core_array_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return core_array_type && PyModule_AddType(module, core_array_type) == 0;
}
