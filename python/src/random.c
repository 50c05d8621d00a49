// The global sequence of random keys: random.seed, random.state.

#include <time.h>

#include "core.h"

static tn_array_t* key;  // owned

static bool set_key(tn_array_t* array) {
  if (tn_array_dtype(array) == TN_DTYPE_INVALID) return core_check(tn_array_status(array));
  tn_array_assign(&key, array);
  return true;
}

static bool seed(uint64_t value) {
  core_call_t call;
  if (!core_begin(&call, NULL)) return false;
  const bool is_set = set_key(tn_array_random_key(call.scope, value));
  core_end(&call);
  return is_set;
}

// Unseeded sequences begin with the time.
static bool ensure_key(void) {
  struct timespec now = {0};
  if (key) return true;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return seed((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

// The key falls into two: the next one, and one to use.
tn_array_t* core_random_next(core_call_t* call) {
  if (!ensure_key()) return NULL;
  tn_array_t* keys = tn_array_random_split(call->scope, key, 2);
  const tn_index_t second = TN_AT(1), first = TN_AT(0);
  if (!set_key(tn_array_index(call->scope, keys, 1, &first))) return NULL;
  return tn_array_index(call->scope, keys, 1, &second);
}

static PyObject* random_seed(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  static char* names[] = {"seed", NULL};
  unsigned long long value = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "K:seed", names, &value)) return NULL;
  return seed(value) ? Py_NewRef(Py_None) : NULL;
}

// --- random.state: a sequence of one array, the key

static Py_ssize_t state_length(PyObject* self) {
  (void)self;
  return 1;
}

static bool check_index(Py_ssize_t i) {
  if (i == 0) return true;
  PyErr_SetString(PyExc_IndexError, "random.state has one element");
  return false;
}

static PyObject* state_item(PyObject* self, Py_ssize_t i) {
  (void)self;
  return check_index(i) && ensure_key() ? core_array_object(key) : NULL;
}

static int state_set_item(PyObject* self, Py_ssize_t i, PyObject* value) {
  (void)self;
  if (!check_index(i)) return -1;
  if (!value || !core_is_array(value)) {
    PyErr_SetString(PyExc_TypeError, "expected an array: a key of random.key");
    return -1;
  }
  return set_key(core_array_value(value)) ? 0 : -1;
}

static PyType_Slot slots[] = {
    CORE_SLOT(Py_sq_length, state_length),
    CORE_SLOT(Py_sq_item, state_item),
    CORE_SLOT(Py_sq_ass_item, state_set_item),
    {Py_tp_doc, "The state of the global random numbers: a sequence of one array."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "tenon.core.random._RandomState",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
static PyMethodDef functions[] = {
    {"seed", (PyCFunction)(void (*)(void))random_seed, METH_VARARGS | METH_KEYWORDS,
     "seed(seed)\n--\n\nRestarts the global sequence of random numbers."},
    {NULL, NULL, 0, NULL},
};

bool core_add_random(PyObject* core) {
  PyObject* module = PyObject_GetAttrString(core, "random");
  PyTypeObject* type = module ? (PyTypeObject*)PyType_FromSpec(&spec) : NULL;
  PyObject* state = type ? PyObject_CallNoArgs((PyObject*)type) : NULL;
  const bool is_added = state && PyModule_AddFunctions(module, functions) == 0 &&
                        PyModule_AddType(module, type) == 0 &&
                        PyModule_AddObjectRef(module, "state", state) == 0;
  Py_XDECREF(state);
  Py_XDECREF(module);
  return is_added;
}
