// Memory shared with other packages: the buffer protocol, DLPack, __array__.

#include <string.h>
#include <tenon/dlpack.h>

#include "core.h"

// --- formats of the buffer protocol

typedef struct format {
  const char* text;
  tn_dtype_t dtype;
} format_t;

static const format_t formats[] = {
    {"?", TN_DTYPE_PRED}, {"b", TN_DTYPE_S8},  {"B", TN_DTYPE_U8},   {"h", TN_DTYPE_S16},
    {"H", TN_DTYPE_U16},  {"i", TN_DTYPE_S32}, {"I", TN_DTYPE_U32},  {"l", TN_DTYPE_S64},
    {"L", TN_DTYPE_U64},  {"q", TN_DTYPE_S64}, {"Q", TN_DTYPE_U64},  {"e", TN_DTYPE_F16},
    {"f", TN_DTYPE_F32},  {"d", TN_DTYPE_F64}, {"Zf", TN_DTYPE_C64}, {"Zd", TN_DTYPE_C128},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static tn_dtype_t dtype_of_format(const char* text) {
  if (!text) return TN_DTYPE_U8;
  if (*text == '@' || *text == '=' || *text == '<') ++text;
  for (size_t i = 0; i < FORMAT_COUNT; ++i) {
    if (strcmp(text, formats[i].text) == 0) return formats[i].dtype;
  }
  return TN_DTYPE_INVALID;
}

static const char* format_of_dtype(tn_dtype_t dtype) {
  for (size_t i = 0; i < FORMAT_COUNT; ++i) {
    if (formats[i].dtype == dtype) return formats[i].text;
  }
  return NULL;
}

// --- import

static bool copy_buffer(core_call_t* call, const Py_buffer* buffer, tn_array_t** out_array) {
  const tn_dtype_t dtype = dtype_of_format(buffer->format);
  if (dtype == TN_DTYPE_INVALID || (size_t)buffer->itemsize != tn_dtype_byte_size(dtype)) {
    PyErr_Format(PyExc_TypeError, "elements of the buffer format '%s' have no dtype",
                 buffer->format ? buffer->format : "B");
    return false;
  }
  if (buffer->ndim > TN_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "the buffer has %d dimensions; at most %d are supported",
                 buffer->ndim, TN_MAX_RANK);
    return false;
  }
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; i < buffer->ndim; ++i) dims[i] = buffer->shape[i];
  const size_t byte_size = (size_t)buffer->len;
  if (PyBuffer_IsContiguous(buffer, 'C')) {
    *out_array =
        tn_array_from_host(call->scope, dtype, (size_t)buffer->ndim, dims, buffer->buf, byte_size);
    return true;
  }
  void* data = PyMem_Malloc(byte_size ? byte_size : 1);
  if (!data) {
    PyErr_NoMemory();
    return false;
  }
  const bool is_copied = PyBuffer_ToContiguous(data, buffer, buffer->len, 'C') == 0;
  if (is_copied) {
    *out_array =
        tn_array_from_host(call->scope, dtype, (size_t)buffer->ndim, dims, data, byte_size);
  }
  PyMem_Free(data);
  return is_copied;
}

static bool import_buffer(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FULL_RO) < 0) return false;
  const bool is_done = copy_buffer(call, &buffer, out_array);
  PyBuffer_Release(&buffer);
  return is_done;
}

static bool import_method(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  PyObject* method = PyObject_GetAttrString(object, "__array__");
  if (!method) {
    PyErr_Clear();
    return true;
  }
  PyObject* array = PyObject_CallNoArgs(method);
  Py_DECREF(method);
  const bool is_done = array && import_buffer(call, array, out_array);
  Py_XDECREF(array);
  return is_done;
}

bool core_import(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  *out_array = NULL;
  if (PyObject_CheckBuffer(object)) return import_buffer(call, object, out_array);
  return import_method(call, object, out_array);
}

// --- export: a buffer is a view of the elements

typedef struct exported {
  tn_array_t* array;  // retained
  Py_ssize_t numbers[2 * TN_MAX_RANK];
} exported_t;

static void fill(Py_buffer* buffer, PyObject* object, exported_t* it,
                 const tn_mapped_array_t* view) {
  const Py_ssize_t item = (Py_ssize_t)tn_dtype_byte_size(view->dtype);
  *buffer = (Py_buffer){
      .buf = (void*)(uintptr_t)view->data,
      .obj = Py_NewRef(object),
      .len = (Py_ssize_t)tn_array_byte_size(it->array),
      .itemsize = item,
      .readonly = 1,
      .ndim = (int)view->rank,
      .format = (char*)(uintptr_t)format_of_dtype(view->dtype),
      .shape = it->numbers,
      .strides = it->numbers + TN_MAX_RANK,
      .internal = it,
  };
  for (size_t i = 0; i < view->rank; ++i) {
    buffer->shape[i] = (Py_ssize_t)view->dims[i];
    buffer->strides[i] = (Py_ssize_t)view->strides[i] * item;
  }
}

int core_get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
  tn_array_t* array = core_array_value(object);
  buffer->obj = NULL;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "arrays are read-only");
    return -1;
  }
  if (!format_of_dtype(tn_array_dtype(array))) {
    PyErr_Format(PyExc_BufferError, "elements of the dtype %s have no buffer format",
                 tn_dtype_numpy_name(tn_array_dtype(array)));
    return -1;
  }
  exported_t* it = PyMem_Malloc(sizeof *it);
  if (!it) {
    PyErr_NoMemory();
    return -1;
  }
  it->array = tn_array_retain(array);
  tn_mapped_array_t view;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = tn_array_map(array, &view);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) {
    tn_array_release(array);
    PyMem_Free(it);
    return -1;
  }
  fill(buffer, object, it, &view);
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES || PyBuffer_IsContiguous(buffer, 'C')) {
    if ((flags & PyBUF_FORMAT) != PyBUF_FORMAT) buffer->format = NULL;
    return 0;
  }
  PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
  core_release_buffer(object, buffer);
  Py_CLEAR(buffer->obj);
  return -1;
}

void core_release_buffer(PyObject* object, Py_buffer* buffer) {
  (void)object;
  exported_t* it = buffer->internal;
  tn_array_unmap(it->array);
  tn_array_release(it->array);
  PyMem_Free(it);
}

// --- DLPack

static void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;  // consumed
  tn_dl_managed_t* tensor = PyCapsule_GetPointer(capsule, "dltensor");
  if (tensor && tensor->deleter) tensor->deleter(tensor);
}

PyObject* core_to_dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)arguments;
  (void)keywords;
  tn_dl_managed_t* tensor = NULL;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = tn_array_to_dlpack(core_array_value(self), &tensor);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return NULL;
  PyObject* capsule = PyCapsule_New(tensor, "dltensor", drop_capsule);
  if (!capsule && tensor->deleter) tensor->deleter(tensor);
  return capsule;
}

PyObject* core_dlpack_device(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return Py_BuildValue("(ii)", 1, 0);
}
