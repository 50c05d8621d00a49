#include "core.h"

bool core_stream_from(PyObject* object, tn_scope_t* scope, tn_stream_t** out_stream) {
  (void)scope;
  *out_stream = NULL;
  PyErr_Format(PyExc_TypeError, "expected a stream, a device or None; found %R", object);
  return false;
}
