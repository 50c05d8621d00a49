// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices: their types, those that are in use, and the one for calls that name none.

#include "device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static PyTypeObject* kind_type;
static PyTypeObject* device_type;
static PyObject* kinds[2];
static const char* const kind_names[] = {"cpu", "gpu"};

// --- DeviceType

typedef struct kind_object {
  PyObject_HEAD core_kind_t value;
} kind_object_t;

static core_kind_t kind_of(PyObject* object) {
  return ((kind_object_t*)object)->value;
}

static PyObject* kind_repr(PyObject* self) {
  return PyUnicode_FromFormat("DeviceType.%s", kind_names[kind_of(self)]);
}

static PyObject* kind_name(PyObject* self, void* unused) {
  (void)unused;
  return PyUnicode_FromString(kind_names[kind_of(self)]);
}

static PyObject* kind_value(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromLong(kind_of(self));
}

// A copy, and what a pickle gives, is the same object.
static PyObject* kind_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return kind_name(self, NULL);
}

static Py_hash_t place_hash(core_place_t place) {
  return 2 * (Py_hash_t)place.index + (Py_hash_t)place.kind + 1;
}

static bool place_of(PyObject* object, core_place_t* out_place) {
  if (Py_TYPE(object) == kind_type) {
    *out_place = (core_place_t){kind_of(object), 0};
    return true;
  }
  if (Py_TYPE(object) != device_type) return false;
  *out_place = ((core_device_t*)object)->place;
  return true;
}

static Py_hash_t hash_of_device(PyObject* self) {
  core_place_t place;
  return place_of(self, &place) ? place_hash(place) : -1;
}

// A type is equal to the first device of it.
static PyObject* compare(PyObject* a, PyObject* b, int operation) {
  core_place_t first, second;
  if ((operation != Py_EQ && operation != Py_NE) || !place_of(a, &first) || !place_of(b, &second)) {
    return Py_NewRef(Py_NotImplemented);
  }
  const bool is_equal = first.kind == second.kind && first.index == second.index;
  return PyBool_FromLong(is_equal == (operation == Py_EQ));
}

static PyGetSetDef kind_members[] = {
    {"name", kind_name, NULL, "The name.", NULL},
    {"value", kind_value, NULL, "The number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef kind_methods[] = {
    {"__reduce__", kind_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot kind_slots[] = {
    {Py_tp_doc, "A type of devices: DeviceType.cpu or DeviceType.gpu."},
    CORE_SLOT(Py_tp_repr, kind_repr),
    CORE_SLOT(Py_tp_hash, hash_of_device),
    CORE_SLOT(Py_tp_richcompare, compare),
    CORE_SLOT(Py_tp_getset, kind_members),
    CORE_SLOT(Py_tp_methods, kind_methods),
    {0, NULL},
};
static PyType_Spec kind_spec = {
    .name = "tenon.core.DeviceType",
    .basicsize = sizeof(kind_object_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = kind_slots,
};

// --- Device

PyObject* core_device_object(core_place_t place) {
  core_device_t* object = PyObject_New(core_device_t, device_type);
  if (object) object->place = place;
  return (PyObject*)object;
}

static PyObject* device_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"type", "index", NULL};
  PyObject* kind = NULL;
  int index = 0;
  (void)type;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|i:Device", names, &kind, &index)) {
    return NULL;
  }
  if (Py_TYPE(kind) == kind_type) return core_device_object((core_place_t){kind_of(kind), index});
  PyErr_Format(PyExc_TypeError, "Device(): argument 'type': expected a DeviceType; found %R", kind);
  return NULL;
}

static PyObject* device_repr(PyObject* self) {
  const core_place_t place = ((core_device_t*)self)->place;
  return PyUnicode_FromFormat("Device(%s, %d)", kind_names[place.kind], place.index);
}

static PyObject* device_kind(PyObject* self, void* unused) {
  (void)unused;
  return Py_NewRef(kinds[((core_device_t*)self)->place.kind]);
}

static PyObject* device_index(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromLong(((core_device_t*)self)->place.index);
}

static PyObject* device_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  const core_place_t place = ((core_device_t*)self)->place;
  return Py_BuildValue("O(Oi)", (PyObject*)device_type, kinds[place.kind], place.index);
}

static PyGetSetDef device_members[] = {
    {"type", device_kind, NULL, "The type of the device.", NULL},
    {"index", device_index, NULL, "The number among the devices of its type.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef device_methods[] = {
    {"__reduce__", device_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot device_slots[] = {
    {Py_tp_doc, "Device(type, index=0)\n--\n\nA device that operations run on."},
    CORE_SLOT(Py_tp_new, device_new),
    CORE_SLOT(Py_tp_repr, device_repr),
    CORE_SLOT(Py_tp_hash, hash_of_device),
    CORE_SLOT(Py_tp_richcompare, compare),
    CORE_SLOT(Py_tp_getset, device_members),
    CORE_SLOT(Py_tp_methods, device_methods),
    {0, NULL},
};
static PyType_Spec device_spec = {
    .name = "tenon.core.Device",
    .basicsize = sizeof(core_device_t),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = device_slots,
};

bool core_is_device(PyObject* object) {
  return Py_TYPE(object) == kind_type || Py_TYPE(object) == device_type;
}

bool core_place_from(const char* function, PyObject* object, core_place_t* out_place) {
  if (place_of(object, out_place)) return true;
  PyErr_Format(PyExc_TypeError, "%s(): expected a Device or a DeviceType; found %R", function,
               object);
  return false;
}

// --- what the machine has

// Devices of a type, in the order in which they are found. The one that TENON_DEVICE names is the
// first; if it is not the CPU, it counts as a GPU, as no other does that is none. GPUs are those of
// one platform: OpenCL has CUDA's once more.
typedef struct search {
  core_place_t place;
  char platform[32];   // of GPUs; "": none was found
  const char* chosen;  // TENON_DEVICE
  bool is_of_chosen;   // looks for that one
  int count;           // found so far
  tn_device_visit_fn visit;
  void* user;
} search_t;

// "opencl" is "opencl:0".
static bool is_named(const char* device, const char* name) {
  const size_t length = strlen(name);
  return strncmp(device, name, length) == 0 &&
         (device[length] == '\0' || strcmp(device + length, ":0") == 0);
}

static bool visit_device(void* user, const tn_device_info_t* info) {
  search_t* search = user;
  const bool is_chosen = is_named(info->name, search->chosen);
  const bool is_cpu = strcmp(info->platform, "Host") == 0;
  const bool is_of_kind =
      search->place.kind == CORE_GPU ? info->is_gpu || (is_chosen && !is_cpu) : is_cpu;
  if (!is_of_kind || is_chosen != search->is_of_chosen) return true;
  if (info->is_gpu) {
    if (!*search->platform) {
      snprintf(search->platform, sizeof search->platform, "%s", info->platform);
    }
    if (strcmp(search->platform, info->platform) != 0) return true;
  }
  if (search->count++ != search->place.index) return true;
  if (search->visit) search->visit(search->user, info);
  return false;
}

// Calls `visit`, unless it is NULL, for the device of a place. Counts as far as it gets.
static bool find(core_place_t place, tn_device_visit_fn visit, void* user, int* out_count) {
  const char* chosen = getenv("TENON_DEVICE");
  search_t search = {.place = place, .chosen = chosen ? chosen : "", .visit = visit, .user = user};
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  // Who looks for the CPU alone loads no driver.
  for (int pass = chosen ? 0 : 1; pass < 2 && !status && search.count <= place.index; ++pass) {
    search.is_of_chosen = pass == 0;
    status = tn_device_enumerate(visit_device, &search);
  }
  Py_END_ALLOW_THREADS;
  *out_count = search.count;
  return core_check(status);
}

static bool note_name(void* user, const tn_device_info_t* info) {
  snprintf(user, CORE_DEVICE_NAME_SIZE, "%s", info->name);
  return true;
}

// The name in <tenon/stream.h>.
static bool name_of(const char* function, core_place_t place, char name[CORE_DEVICE_NAME_SIZE]) {
  int count = 0;
  *name = 0;
  if (place.index >= 0 && !find(place, note_name, name, &count)) return false;
  if (*name) return true;
  PyErr_Format(PyExc_ValueError,
               "[%s] There is no %s %d: this machine has %d device%s of that type", function,
               kind_names[place.kind], place.index, count, count == 1 ? "" : "s");
  return false;
}

// --- those in use

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the creation of devices
static core_used_device_t used[CORE_DEVICE_LIMIT];         // [0]: the CPU
static atomic_int used_count;
static atomic_int default_slot;

const core_used_device_t* core_used_device(int slot) {
  return &used[slot];
}

PyObject* core_device_of(const tn_device_t* device) {
  int slot = used_count - 1;
  while (slot > 0 && used[slot].device != device) --slot;
  return core_device_object(used[slot].place);
}

tn_device_t* core_cpu(void) {
  return used[0].device;
}

int core_process_slot(void) {
  return atomic_load_explicit(&default_slot, memory_order_relaxed);
}

// The library's default device, if it has that name, or a device of its own. Of a device other than
// the CPU the stream, too: on the CPU the thread that evaluates does the work.
static tn_status_t open_device(const char* name, core_used_device_t* out_device) {
  tn_device_t* device = NULL;
  tn_status_t status = tn_default_device(&device);
  if (!status && strcmp(tn_device_name(device), name) != 0) {
    tn_device_release(device);
    status = tn_device_create(name, NULL, &device);
  }
  if (!status && out_device->place.kind == CORE_GPU) {
    status = tn_default_stream(device, &out_device->stream);
    out_device->number = core_next_stream_number();
  }
  if (status) {
    tn_device_release(device);
  } else {
    out_device->device = device;
  }
  return status;
}

static int find_slot(core_place_t place) {
  const int count = atomic_load_explicit(&used_count, memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (used[i].place.kind == place.kind && used[i].place.index == place.index) return i;
  }
  return -1;
}

static tn_status_t add_slot(core_place_t place, const char* name, int* out_slot) {
  tn_status_t status = TN_OK;
  pthread_mutex_lock(&mutex);
  *out_slot = find_slot(place);
  if (*out_slot < 0) {
    const int count = atomic_load(&used_count);
    used[count].place = place;
    status = open_device(name, &used[count]);
    *out_slot = count;
    if (!status) atomic_store_explicit(&used_count, count + 1, memory_order_release);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

bool core_slot_of(const char* function, core_place_t place, int* out_slot) {
  char name[CORE_DEVICE_NAME_SIZE];
  *out_slot = find_slot(place);
  if (*out_slot >= 0) return true;
  if (place.index >= CORE_DEVICE_LIMIT - 1) place.index = CORE_DEVICE_LIMIT - 1;
  if (!name_of(function, place, name)) return false;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = add_slot(place, name, out_slot);
  Py_END_ALLOW_THREADS;
  return core_check(status);
}

// --- functions

static PyObject* default_device(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return core_device_object(used[core_thread_slot()].place);
}

static PyObject* set_default_device(PyObject* device) {
  core_place_t place;
  int slot = 0;
  if (!core_place_from("set_default_device", device, &place) ||
      !core_slot_of("set_default_device", place, &slot)) {
    return NULL;
  }
  atomic_store(&default_slot, slot);
  return Py_NewRef(Py_None);
}
CORE_ONE(set_default_device, "device")

static PyObject* device_count(PyObject* kind) {
  int count = 0;
  if (Py_TYPE(kind) != kind_type) {
    return PyErr_Format(PyExc_TypeError, "device_count(): expected a DeviceType; found %R", kind);
  }
  const core_place_t all = {kind_of(kind), CORE_DEVICE_LIMIT};
  return find(all, NULL, NULL, &count) ? PyLong_FromLong(count) : NULL;
}
CORE_ONE(device_count, "device_type")

static PyObject* is_available(PyObject* device) {
  core_place_t place;
  char name[CORE_DEVICE_NAME_SIZE] = "";
  int count = 0;
  if (!core_place_from("is_available", device, &place)) return NULL;
  if (place.index >= 0 && !find(place, note_name, name, &count)) return NULL;
  return PyBool_FromLong(*name != 0);
}
CORE_ONE(is_available, "device")

typedef struct description {
  char text[256], platform[32];
  uint64_t memory_byte_size;
} description_t;

static bool note_description(void* user, const tn_device_info_t* info) {
  description_t* description = user;
  snprintf(description->text, sizeof description->text, "%s", info->description);
  snprintf(description->platform, sizeof description->platform, "%s", info->platform);
  description->memory_byte_size = info->memory_byte_size;
  return true;
}

// Nothing is known of a device that is not there.
static PyObject* device_info(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"d", NULL};
  PyObject* device = Py_None;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:device_info", names, &device)) {
    return NULL;
  }
  core_place_t place = used[core_thread_slot()].place;
  if (device != Py_None && !core_place_from("device_info", device, &place)) return NULL;
  description_t description = {0};
  struct utsname system;
  int count = 0;
  if (place.index >= 0 && !find(place, note_description, &description, &count)) return NULL;
  if (!*description.text) return PyDict_New();
  const bool is_cpu = place.kind == CORE_CPU && uname(&system) == 0;
  return Py_BuildValue("{s:s,s:s,s:K}", "architecture",
                       is_cpu ? system.machine : description.platform, "device_name",
                       description.text, "memory_size",
                       (unsigned long long)description.memory_byte_size);
}

static PyMethodDef functions[] = {
    {"default_device", default_device, METH_NOARGS,
     "default_device()\n--\n\nThe device of functions that are given no stream."},
    CORE_ONE_METHOD(
        set_default_device,
        "set_default_device(device)\n--\n\nSets the device of functions that are given no stream, "
        "in all threads."),
    CORE_ONE_METHOD(device_count,
                    "device_count(device_type)\n--\n\nHow many devices of a type the machine has."),
    {"device_info", (PyCFunction)(void (*)(void))device_info, METH_VARARGS | METH_KEYWORDS,
     "device_info(d=None)\n--\n\nWhat is known of a device, a dict; by default of the default "
     "device."},
    CORE_ONE_METHOD(is_available,
                    "is_available(device)\n--\n\nWhether the machine has the device."),
    {NULL, NULL, 0, NULL},
};

static bool add_kinds(PyObject* module) {
  for (int i = 0; i < 2; ++i) {
    kind_object_t* kind = PyObject_New(kind_object_t, kind_type);
    if (!kind) return false;
    kind->value = (core_kind_t)i;
    kinds[i] = (PyObject*)kind;
    if (PyModule_AddObjectRef(module, kind_names[i], kinds[i]) < 0 ||
        PyObject_SetAttrString((PyObject*)kind_type, kind_names[i], kinds[i]) < 0) {
      return false;
    }
  }
  return true;
}

// The device that is used first: the CPU, or the one that TENON_DEVICE names.
static bool choose_default(void) {
  int slot = 0;
  const char* chosen = getenv("TENON_DEVICE");
  if (!core_slot_of("device", (core_place_t){CORE_CPU, 0}, &slot)) return false;
  if (chosen && *chosen && strcmp(chosen, "cpu") != 0 &&
      !core_slot_of("TENON_DEVICE", (core_place_t){CORE_GPU, 0}, &slot)) {
    return false;
  }
  atomic_store(&default_slot, slot);
  return true;
}

bool core_add_devices(PyObject* module) {
  kind_type = (PyTypeObject*)PyType_FromSpec(&kind_spec);
  device_type = (PyTypeObject*)PyType_FromSpec(&device_spec);
  return kind_type && device_type && PyModule_AddType(module, kind_type) == 0 &&
         PyModule_AddType(module, device_type) == 0 && add_kinds(module) &&
         PyModule_AddFunctions(module, functions) == 0 && choose_default();
}
