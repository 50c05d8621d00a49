// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Streams: the objects, the default streams of each thread, and the context that sets them.

#include <stdatomic.h>

#include "device.h"

typedef struct stream_object {
  PyObject_HEAD tn_stream_t* value;  // retained; NULL: the thread that evaluates
  int slot;                          // of the device
  int64_t number;
} stream_object_t;

// Stands for one stream in each thread.
typedef struct thread_local_object {
  PyObject_HEAD int slot;
  int64_t number;
} thread_local_object_t;

static PyTypeObject* stream_type;
static PyTypeObject* thread_local_type;
static PyTypeObject* context_type;
static atomic_int_fast64_t last_number;  // 0: the CPU's own
static atomic_int_fast64_t thread_local_count;

int64_t core_next_stream_number(void) {
  return atomic_fetch_add(&last_number, 1) + 1;
}

// --- the defaults of a thread

typedef struct choice {
  tn_stream_t* value;  // retained
  int64_t number;
  bool is_set;  // else it is the device's own
} choice_t;

static _Thread_local struct {
  int slot_plus_one;  // 0: the default device is that of the process
  choice_t of_device[CORE_DEVICE_LIMIT];
} thread;

int core_thread_slot(void) {
  return thread.slot_plus_one ? thread.slot_plus_one - 1 : core_process_slot();
}

static tn_stream_t* default_of(int slot) {
  const choice_t* choice = &thread.of_device[slot];
  return choice->is_set ? choice->value : core_used_device(slot)->stream;
}

tn_stream_t* core_thread_stream(void) {
  return default_of(core_thread_slot());
}

// Takes the stream of `choice`.
static void choose(int slot, choice_t choice) {
  tn_stream_t* old = thread.of_device[slot].value;
  thread.of_device[slot] = choice;
  tn_stream_release(old);
}

void core_forget_streams(void) {
  thread.slot_plus_one = 0;
  for (int i = 0; i < CORE_DEVICE_LIMIT; ++i) choose(i, (choice_t){0});
}

// --- objects

static PyObject* stream_object(int slot, tn_stream_t* value, int64_t number) {
  stream_object_t* object = PyObject_New(stream_object_t, stream_type);
  if (!object) return NULL;
  object->value = tn_stream_retain(value);
  object->slot = slot;
  object->number = number;
  return (PyObject*)object;
}

static PyObject* default_stream_object(int slot) {
  const choice_t* choice = &thread.of_device[slot];
  return stream_object(slot, default_of(slot),
                       choice->is_set ? choice->number : core_used_device(slot)->number);
}

static PyObject* create_stream(int slot) {
  tn_stream_t* value = NULL;
  if (!core_check(tn_stream_create(core_used_device(slot)->device, &value))) return NULL;
  PyObject* object = stream_object(slot, value, core_next_stream_number());
  tn_stream_release(value);
  return object;
}

// Release waits for the stream's work.
static void stream_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_stream_t* value = ((stream_object_t*)self)->value;
  if (value) {
    Py_BEGIN_ALLOW_THREADS;
    tn_stream_release(value);
    Py_END_ALLOW_THREADS;
  }
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* stream_repr(PyObject* self) {
  const stream_object_t* stream = (stream_object_t*)self;
  PyObject* device = core_device_object(core_used_device(stream->slot)->place);
  PyObject* text =
      device ? PyUnicode_FromFormat("Stream(%R, %lld)", device, (long long)stream->number) : NULL;
  Py_XDECREF(device);
  return text;
}

static PyObject* stream_device(PyObject* self, void* unused) {
  (void)unused;
  return core_device_object(core_used_device(((stream_object_t*)self)->slot)->place);
}

static Py_hash_t stream_hash(PyObject* self) {
  return (Py_hash_t)((stream_object_t*)self)->number + 1;
}

static PyObject* stream_compare(PyObject* a, PyObject* b, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(b) != stream_type) {
    return Py_NewRef(Py_NotImplemented);
  }
  const stream_object_t *first = (stream_object_t*)a, *second = (stream_object_t*)b;
  const bool is_equal = first->slot == second->slot && first->number == second->number;
  return PyBool_FromLong(is_equal == (operation == Py_EQ));
}

static PyGetSetDef stream_members[] = {
    {"device", stream_device, NULL, "The device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot stream_slots[] = {
    {Py_tp_doc, "Work of a device that is done in order. `new_stream` creates one."},
    CORE_SLOT(Py_tp_dealloc, stream_dealloc),
    CORE_SLOT(Py_tp_repr, stream_repr),
    CORE_SLOT(Py_tp_hash, stream_hash),
    CORE_SLOT(Py_tp_richcompare, stream_compare),
    CORE_SLOT(Py_tp_getset, stream_members),
    {0, NULL},
};
static PyType_Spec stream_spec = {
    .name = "tenon.core.Stream",
    .basicsize = sizeof(stream_object_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = stream_slots,
};

static PyObject* thread_local_repr(PyObject* self) {
  const thread_local_object_t* stream = (thread_local_object_t*)self;
  PyObject* device = core_device_object(core_used_device(stream->slot)->place);
  PyObject* text = device ? PyUnicode_FromFormat("ThreadLocalStream(%R, %lld)", device,
                                                 (long long)stream->number)
                          : NULL;
  Py_XDECREF(device);
  return text;
}

static PyObject* thread_local_device(PyObject* self, void* unused) {
  (void)unused;
  return core_device_object(core_used_device(((thread_local_object_t*)self)->slot)->place);
}

static PyGetSetDef thread_local_members[] = {
    {"device", thread_local_device, NULL, "The device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot thread_local_slots[] = {
    {Py_tp_doc, "A stream of its own in each thread. `new_thread_local_stream` creates one."},
    CORE_SLOT(Py_tp_repr, thread_local_repr),
    CORE_SLOT(Py_tp_getset, thread_local_members),
    {0, NULL},
};
static PyType_Spec thread_local_spec = {
    .name = "tenon.core.ThreadLocalStream",
    .basicsize = sizeof(thread_local_object_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = thread_local_slots,
};

// The stream that a thread-local one is in this thread. The thread's dict has it.
static PyObject* of_this_thread(PyObject* object) {
  PyObject* dict = PyThreadState_GetDict();  // borrowed
  if (!dict) {
    PyErr_SetString(PyExc_RuntimeError, "this thread has no state of Python");
    return NULL;
  }
  PyObject* stream = PyDict_GetItemWithError(dict, object);
  if (stream || PyErr_Occurred()) return Py_XNewRef(stream);
  stream = create_stream(((thread_local_object_t*)object)->slot);
  if (stream && PyDict_SetItem(dict, object, stream) < 0) Py_CLEAR(stream);
  return stream;
}

// A Stream for a stream or a device, a new reference.
static PyObject* stream_of(const char* function, PyObject* object) {
  core_place_t place;
  int slot = 0;
  if (Py_TYPE(object) == stream_type) return Py_NewRef(object);
  if (Py_TYPE(object) == thread_local_type) return of_this_thread(object);
  if (!core_is_device(object)) {
    return PyErr_Format(PyExc_TypeError, "%s(): expected a stream or a device; found %R", function,
                        object);
  }
  if (!core_place_from(function, object, &place) || !core_slot_of(function, place, &slot)) {
    return NULL;
  }
  return default_stream_object(slot);
}

bool core_stream_from(PyObject* object, tn_stream_t** out_stream) {
  *out_stream = NULL;
  PyObject* stream = stream_of("stream", object);
  if (!stream) return false;
  *out_stream = tn_stream_retain(((stream_object_t*)stream)->value);
  Py_DECREF(stream);
  return true;
}

// --- the context

// What was the default, and what is to be.
typedef struct context_object {
  PyObject_HEAD PyObject* stream;
  choice_t before;
  int slot, slot_before;
  _Atomic unsigned long thread;  // that has entered; 0: none
} context_object_t;

static PyObject* context_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"s", NULL};
  PyObject* object = NULL;
  (void)type;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:stream", names, &object)) return NULL;
  PyObject* stream = stream_of("stream", object);
  if (!stream) return NULL;
  context_object_t* context = PyObject_New(context_object_t, context_type);
  if (!context) {
    Py_DECREF(stream);
    return NULL;
  }
  // A thread-local stream is looked for by the thread that enters.
  const bool is_local = Py_TYPE(object) == thread_local_type;
  context->stream = Py_NewRef(is_local ? object : stream);
  context->before = (choice_t){0};
  atomic_init(&context->thread, 0);
  Py_DECREF(stream);
  return (PyObject*)context;
}

static void context_dealloc(PyObject* self) {
  context_object_t* context = (context_object_t*)self;
  PyTypeObject* type = Py_TYPE(self);
  tn_stream_release(context->before.value);
  Py_XDECREF(context->stream);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* context_enter(PyObject* self, PyObject* unused) {
  context_object_t* context = (context_object_t*)self;
  (void)unused;
  unsigned long none = 0;
  PyObject* object = stream_of("stream", context->stream);
  if (!object) return NULL;
  if (!atomic_compare_exchange_strong(&context->thread, &none, PyThread_get_thread_ident())) {
    PyErr_SetString(PyExc_RuntimeError, "the context of the stream has been entered already");
    Py_DECREF(object);
    return NULL;
  }
  const stream_object_t* stream = (stream_object_t*)object;
  const choice_t choice = {tn_stream_retain(stream->value), stream->number, true};
  context->before = thread.of_device[stream->slot];
  context->slot = stream->slot;
  context->slot_before = thread.slot_plus_one;
  thread.of_device[stream->slot] = choice;
  thread.slot_plus_one = stream->slot + 1;
  Py_DECREF(object);
  return Py_NewRef(Py_None);
}

static PyObject* context_exit(PyObject* self, PyObject* arguments) {
  context_object_t* context = (context_object_t*)self;
  (void)arguments;
  const unsigned long entered = atomic_load(&context->thread);
  if (entered && entered != PyThread_get_thread_ident()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "the context of the stream has been entered by another thread");
    return NULL;
  }
  if (entered) {
    choose(context->slot, context->before);
    thread.slot_plus_one = context->slot_before;
    context->before = (choice_t){0};
    atomic_store(&context->thread, 0);
  }
  return Py_NewRef(Py_None);
}

static PyMethodDef context_methods[] = {
    {"__enter__", context_enter, METH_NOARGS, NULL},
    {"__exit__", context_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot context_slots[] = {
    {Py_tp_doc, "StreamContext(s)\n--\n\nMakes a stream, or a device, the default of a block."},
    CORE_SLOT(Py_tp_new, context_new),
    CORE_SLOT(Py_tp_dealloc, context_dealloc),
    CORE_SLOT(Py_tp_methods, context_methods),
    {0, NULL},
};
static PyType_Spec context_spec = {
    .name = "tenon.core.StreamContext",
    .basicsize = sizeof(context_object_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = context_slots,
};

// --- functions

static PyObject* stream_context(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return context_new(context_type, arguments, keywords);
}

static bool slot_from(const char* function, PyObject* device, int* out_slot) {
  core_place_t place;
  return core_place_from(function, device, &place) && core_slot_of(function, place, out_slot);
}

static PyObject* default_stream(PyObject* device) {
  int slot = 0;
  return slot_from("default_stream", device, &slot) ? default_stream_object(slot) : NULL;
}
CORE_ONE(default_stream, "device")

static PyObject* set_default_stream(PyObject* object) {
  if (Py_TYPE(object) != stream_type) {
    return PyErr_Format(PyExc_TypeError, "set_default_stream(): expected a Stream; found %R",
                        object);
  }
  const stream_object_t* stream = (stream_object_t*)object;
  choose(stream->slot, (choice_t){tn_stream_retain(stream->value), stream->number, true});
  return Py_NewRef(Py_None);
}
CORE_ONE(set_default_stream, "stream")

static PyObject* new_stream(PyObject* device) {
  int slot = 0;
  return slot_from("new_stream", device, &slot) ? create_stream(slot) : NULL;
}
CORE_ONE(new_stream, "device")

// Any thread can use a stream.
static PyObject* new_thread_unsafe_stream(PyObject* device) {
  return new_stream(device);
}
CORE_ONE(new_thread_unsafe_stream, "device")

static PyObject* new_thread_local_stream(PyObject* device) {
  int slot = 0;
  if (!slot_from("new_thread_local_stream", device, &slot)) return NULL;
  thread_local_object_t* object = PyObject_New(thread_local_object_t, thread_local_type);
  if (!object) return NULL;
  object->slot = slot;
  object->number = atomic_fetch_add(&thread_local_count, 1);
  return (PyObject*)object;
}
CORE_ONE(new_thread_local_stream, "device")

static PyObject* synchronize(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"stream", NULL};
  PyObject* object = Py_None;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:synchronize", names, &object)) {
    return NULL;
  }
  tn_stream_t* stream = tn_stream_retain(core_thread_stream());
  if (object != Py_None) {
    tn_stream_release(stream);
    if (!core_stream_from(object, &stream)) return NULL;
  }
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_synchronize(stream);
  tn_stream_release(stream);
  Py_END_ALLOW_THREADS;
  return core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject* clear_streams(PyObject* module, PyObject* unused) {
  PyObject* dict = PyThreadState_GetDict();
  PyObject* keys = dict ? PyDict_Keys(dict) : NULL;
  (void)module;
  (void)unused;
  const Py_ssize_t count = keys ? PyList_Size(keys) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* key = PyList_GetItem(keys, i);
    if (Py_TYPE(key) == thread_local_type && PyDict_DelItem(dict, key) < 0) PyErr_Clear();
  }
  Py_XDECREF(keys);
  core_forget_streams();
  return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"stream", (PyCFunction)(void (*)(void))stream_context, METH_VARARGS | METH_KEYWORDS,
     "stream(s)\n--\n\nA context in which a stream, or a device, is the default of this thread."},
    CORE_ONE_METHOD(
        default_stream,
        "default_stream(device)\n--\n\nThe stream of functions in this thread that are given only "
        "the device. That of the CPU is at first number 0: the thread that evaluates."),
    CORE_ONE_METHOD(
        set_default_stream,
        "set_default_stream(stream)\n--\n\nMakes a stream the default of its device, in this "
        "thread."),
    CORE_ONE_METHOD(new_stream,
                    "new_stream(device)\n--\n\nA new stream, which any thread can use."),
    CORE_ONE_METHOD(new_thread_unsafe_stream,
                    "new_thread_unsafe_stream(device)\n--\n\nThe same as new_stream."),
    CORE_ONE_METHOD(
        new_thread_local_stream,
        "new_thread_local_stream(device)\n--\n\nA stream that is another one in each thread."),
    {"synchronize", (PyCFunction)(void (*)(void))synchronize, METH_VARARGS | METH_KEYWORDS,
     "synchronize(stream=None)\n--\n\nWaits for the work of a stream, by default that of the "
     "default stream, and raises its error."},
    {"clear_streams", clear_streams, METH_NOARGS,
     "clear_streams()\n--\n\nUndoes the default streams of this thread, and forgets its "
     "thread-local streams."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject* add_type(PyObject* module, PyType_Spec* spec) {
  PyTypeObject* type = (PyTypeObject*)PyType_FromSpec(spec);
  return type && PyModule_AddType(module, type) == 0 ? type : NULL;
}

bool core_add_streams(PyObject* module) {
  stream_type = add_type(module, &stream_spec);
  thread_local_type = stream_type ? add_type(module, &thread_local_spec) : NULL;
  context_type = thread_local_type ? add_type(module, &context_spec) : NULL;
  return context_type && PyModule_AddFunctions(module, functions) == 0;
}
