// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tuples of results with names, as the array API standard has them.

#include <string.h>

#include "core.h"

typedef struct named {
  const char* function;  // of the table
  PyStructSequence_Desc description;
  PyTypeObject* type;  // as long as the process
} named_t;

#define NAMED(function, type, count, ...)                                                         \
  {                                                                                               \
    function,                                                                                     \
        {"tenon.core." type, NULL, (PyStructSequence_Field[]){__VA_ARGS__, {NULL, NULL}}, count}, \
        NULL                                                                                      \
  }
#define FIELD(name, doc) \
  { name, doc }

static named_t named[] = {
    NAMED("linalg_eig", "linalg.EigResult", 2, FIELD("eigenvalues", NULL),
          FIELD("eigenvectors", NULL)),
    NAMED("linalg_eigh", "linalg.EighResult", 2, FIELD("eigenvalues", NULL),
          FIELD("eigenvectors", NULL)),
    NAMED("linalg_qr", "linalg.QRResult", 2, FIELD("Q", NULL), FIELD("R", NULL)),
    NAMED("linalg_slogdet", "linalg.SlogdetResult", 2, FIELD("sign", NULL),
          FIELD("logabsdet", NULL)),
    NAMED("linalg_svd", "linalg.SVDResult", 3, FIELD("U", NULL), FIELD("S", NULL),
          FIELD("Vh", NULL)),
    NAMED("unique_all", "UniqueAllResult", 4, FIELD("values", NULL), FIELD("indices", NULL),
          FIELD("inverse_indices", NULL), FIELD("counts", NULL)),
    NAMED("unique_counts", "UniqueCountsResult", 2, FIELD("values", NULL), FIELD("counts", NULL)),
    NAMED("unique_inverse", "UniqueInverseResult", 2, FIELD("values", NULL),
          FIELD("inverse_indices", NULL)),
};

bool core_add_named(PyObject* module) {
  (void)module;
  for (size_t i = 0; i < sizeof named / sizeof *named; ++i) {
    named[i].type = PyStructSequence_NewType(&named[i].description);
    if (!named[i].type) return false;
  }
  return true;
}

static named_t* find(const char* function) {
  for (size_t i = 0; i < sizeof named / sizeof *named; ++i) {
    if (strcmp(named[i].function, function) == 0) return &named[i];
  }
  return NULL;
}

PyObject* core_named_tuple(const char* function, size_t count, tn_array_t* const* values) {
  PyObject* tuple = core_tuple_of(count, values);
  named_t* it = find(function);
  if (!tuple || !it) return tuple;
  PyObject* result = PyStructSequence_New(it->type);
  for (size_t i = 0; result && i < count; ++i) {
    PyStructSequence_SetItem(result, (Py_ssize_t)i,
                             Py_NewRef(PyTuple_GetItem(tuple, (Py_ssize_t)i)));
  }
  Py_DECREF(tuple);
  return result;
}
