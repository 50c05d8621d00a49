// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the parts of the module tenon.core share.
//
// Arrays of Python own one reference each. A call of an array function runs in a scope of its
// thread, from which its results are retained, and which is cleared at the end: no scope grows.
// Inside functions that a transform calls, it runs in the transform's scope (core_enter).
//
// Functions return NULL or false after an error, with an exception set. Those that return PyObject*
// give a new reference.
#ifndef TENON_PYTHON_CORE_H_
#define TENON_PYTHON_CORE_H_

#include <pyconfig.h>  // Py_GIL_DISABLED: of free-threaded Python, which has no limited API
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <tenon/arrays.h>

#include "bindings/functions.h"
#include "threads.h"

// A slot that holds a function, which ISO C does not convert to void*.
#define CORE_SLOT(slot, function) \
  { slot, (void*)(uintptr_t)(function) }

// --- error.c

// The exception for an error, which is taken: ValueError, IndexError, NotImplementedError,
// MemoryError, OSError or RuntimeError. Always NULL.
PyObject* core_raise(tn_status_t status);
bool core_add_errors(PyObject* module);  // the class of exceptions for indices
// Sets the exception unless the status is OK. Takes it.
bool core_check(tn_status_t status);
// The TypeError that is set, which is no longer: to be raised with more words. NULL: it is another
// exception, and stays.
PyObject* core_take_type_error(void);
// Raises TypeError for a keyword that a function does not have, with the nearest of those that it
// has, if there is one. Always false.
bool core_raise_keyword(const char* function, PyObject* keyword, size_t count,
                        PyObject* const* names, const char* signature);
// Raises with the name of the object's type in place of %U. Always false.
bool core_raise_type(PyObject* exception, const char* format, PyObject* object);

// --- pool.c

// Memory of one call, freed together.
typedef struct core_block core_block_t;
typedef struct core_pool {
  core_block_t* last;
  PyObject* kept;  // what core_keep got; NULL: nothing
  size_t used;     // of the room, which most calls do with
  _Alignas(16) char room[512];
} core_pool_t;
void core_pool_init(core_pool_t* pool);
void* core_allocate(core_pool_t* pool, size_t count, size_t size);  // zeroed; NULL: MemoryError
bool core_keep(core_pool_t* pool, PyObject* object);  // takes it. NULL: an exception is set
void core_free(core_pool_t* pool);

// --- scope.c

// A call of array functions: their scope, and the stream that the scope had before.
typedef struct core_call {
  tn_scope_t* scope;
  const struct core_function* function;  // the one that Python has called; NULL: none
  PyObject* names;                       // its keywords, a tuple; NULL: none
  tn_stream_t* stream;
  bool has_stream;  // of its own
  bool is_nested;   // in a scope that the call must not clear
} core_call_t;

// `stream`: a stream, a device, None or NULL.
bool core_begin(core_call_t* call, PyObject* stream);
void core_end(core_call_t* call);
// tn_scope_synchronize_until for the scope of this thread.
tn_status_t core_synchronize_thread(tn_cancellation_t* cancellation);
// Calls on this thread run in `scope` until core_leave gets what this returned.
tn_scope_t* core_enter(tn_scope_t* scope);
void core_leave(tn_scope_t* previous);

// --- device.c, stream.c, memory.c

bool core_add_devices(PyObject* module);
bool core_add_streams(PyObject* module);
bool core_add_memory(PyObject* module);
bool core_add_files(PyObject* module);  // file.c: save, load...
// The stream that a stream, a device or a type of devices stands for, a new reference. NULL: the
// thread that evaluates, on the CPU.
bool core_stream_from(PyObject* object, tn_stream_t** out_stream);
// That of calls that name none, a view.
tn_stream_t* core_thread_stream(void);
void core_forget_streams(void);  // of this thread
// A Device of Python for the one that has an array.
PyObject* core_device_of(const tn_device_t* device);
tn_device_t* core_cpu(void);  // a view, as long as the process

// --- dtype.c

typedef struct core_dtype {
  PyObject_HEAD tn_dtype_t value;
} core_dtype_t;

bool core_add_dtypes(PyObject* module);
PyObject* core_dtype_object(tn_dtype_t dtype);
bool core_is_dtype(PyObject* object);
// A Dtype, a dtype of NumPy or ml_dtypes, or a name.
bool core_dtype_from(PyObject* object, tn_dtype_t* out_dtype);

// --- array.c

typedef struct core_array {
  PyObject_HEAD tn_array_t* value;  // owned; read by the functions below
  PyObject* weak_references;
} core_array_t;

extern PyTypeObject* core_array_type;

bool core_add_array(PyObject* module);
bool core_is_array(PyObject* object);

// What an array object has now: updates in place, by code of Python that runs meanwhile or by
// another thread, give it something else.
tn_array_t* core_array_take(PyObject* object);                     // a new reference
tn_array_t* core_array_hold(core_call_t* call, PyObject* object);  // a view, until the call ends
// A view as long as no code of Python runs. core_array_return comes after it.
static inline tn_array_t* core_array_borrow(PyObject* object) {
#ifdef Py_GIL_DISABLED
  return core_array_take(object);
#else
  return ((core_array_t*)object)->value;
#endif
}
static inline void core_array_return(tn_array_t* array) {
#ifdef Py_GIL_DISABLED
  tn_array_release(array);
#else
  (void)array;
#endif
}
tn_dtype_t core_array_dtype(PyObject* object);
// Gives the object another array in place of `old`. False if it has something else by now.
bool core_array_replace(PyObject* object, const tn_array_t* old, tn_array_t* value);
// An object for a view. An array with an error raises it.
PyObject* core_array_object(tn_array_t* value);
// A tuple of sizes, None for those that are not known.
PyObject* core_shape_of(size_t rank, const int64_t* dims);

// --- print.c

PyObject* core_array_repr(PyObject* self);
PyObject* core_array_format(PyObject* self, PyObject* format);  // __format__
bool core_add_printing(PyObject* module);

// --- index.c

PyObject* core_get_item(PyObject* self, PyObject* key);
PyObject* core_get_row(PyObject* self, Py_ssize_t i);  // of the sequence protocol
int core_set_item(PyObject* self, PyObject* key, PyObject* value);
PyObject* core_get_at(PyObject* self, void* unused);
PyObject* core_array_iterate(PyObject* self);
bool core_add_indexing(PyObject* module);

// --- copy.c

PyObject* core_array_copy(PyObject* self, PyObject* unused);
PyObject* core_array_reduce(PyObject* self, PyObject* unused);
PyObject* core_array_from_bytes(PyObject* type, PyObject* arguments);

// --- category.c

bool core_add_categories(PyObject* module);  // DtypeCategory, finfo, iinfo

// --- convert.c

// The array for anything that is like one (arrays, numbers, nested sequences, buffers, DLPack), in
// the call's scope. Numbers of Python take the dtype `like`, unless it is INVALID or of a kind that
// cannot hold them. TypeError for what is none; `is_like` tells before.
bool core_convert(core_call_t* call, PyObject* object, tn_dtype_t like, tn_array_t** out_array);
// The dtype of a number of Python beside an array of the dtype `like` (INVALID: none): that dtype,
// if its kind has the number.
tn_dtype_t core_dtype_beside(PyObject* number, tn_dtype_t like);
bool core_is_number(PyObject* object);  // of Python: bool, int, float, complex
bool core_is_scalar(PyObject* object);  // that, or a scalar of NumPy
bool core_is_like_array(PyObject* object);
// Whether an object stands for one integer, where a list of integers is accepted as well: a number
// or an array without dimensions. Arrays of more are sequences.
bool core_is_integer(PyObject* object);
// The same with elements of a dtype; INVALID: that of the elements.
bool core_convert_to(core_call_t* call, PyObject* object, tn_dtype_t dtype, tn_array_t** out_array);
// The elements as nested lists, or one number.
PyObject* core_to_list(tn_array_t* array);
PyObject* core_element(tn_dtype_t dtype, const void* element);

// --- import.c, exchange.c

// Whether an array may use the memory of another package's object.
typedef enum core_sharing { CORE_COPY, CORE_SHARE_OR_COPY, CORE_SHARE } core_sharing_t;

bool core_add_import(PyObject* module);  // asarray, from_dlpack
// Arrays from buffers, DLPack and __array__; *out_array is NULL if the object has none of them.
bool core_import(core_call_t* call, PyObject* object, core_sharing_t sharing,
                 tn_array_t** out_array);
// The same with elements of a dtype. INVALID: of their own, but in single precision. TypeError for
// an object that has no elements.
bool core_import_as(core_call_t* call, PyObject* object, tn_dtype_t dtype, core_sharing_t sharing,
                    tn_array_t** out_array);
// An array where the call computes: itself, or a copy on that device.
tn_array_t* core_bring(core_call_t* call, tn_array_t* a);
tn_dtype_t core_dtype_of_format(const char* text);  // INVALID: there is none
// Members of arrays.
bool core_add_exchange(PyObject* module);
bool core_add_namespace(PyObject* module);  // namespace.c: __array_namespace_info__
int core_get_buffer(PyObject* object, Py_buffer* buffer, int flags);
void core_release_buffer(PyObject* object, Py_buffer* buffer);
PyObject* core_to_dlpack(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* core_dlpack_device(PyObject* self, PyObject* unused);
PyObject* core_to_bytes(PyObject* self, PyObject* unused);
PyObject* core_to_numpy(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* core_namespace(PyObject* self, PyObject* arguments, PyObject* keywords);

// --- interpreter.c

// tn_array_eval that signals of Python (Ctrl-C) end: the exception is then set. Called without the
// interpreter's lock, as are those that wait.
tn_status_t core_evaluate(size_t count, tn_array_t* const* arrays);
// The same for runs: a flag for them, NULL on threads that handle no signals.
tn_status_t core_take_cancellation(tn_cancellation_t** out_cancellation);
void core_give_cancellation(tn_cancellation_t* cancellation);          // after the run
tn_status_t core_map(tn_array_t* array, tn_mapped_array_t* out_view);  // the same for tn_array_map
tn_status_t core_async_evaluate(size_t count, tn_array_t* const* arrays);  // tn_array_async_eval
// tn_stream_synchronize; NULL: what has been enqueued without a stream on this thread
tn_status_t core_synchronize(tn_stream_t* stream);
bool core_add_interpreter(PyObject* module);
// For threads that may not be Python's. False when the interpreter ends and cannot be used.
bool core_interpreter_enter(PyGILState_STATE* out_state);
void core_interpreter_leave(PyGILState_STATE state);

// --- functions.c, signature.c, adapters.c

// A function as Python calls it (function.h).
typedef struct core_function core_function_t;

bool core_prepare_functions(PyObject* module);  // before the others
bool core_add_functions(PyObject* module);
// By its name in Python: "add", "linalg.norm", "array.reshape" (a method). Aborts if there is none.
const core_function_t* core_function_find(const char* name);
// Calls it with `first`, unless that is NULL, in front of the arguments.
PyObject* core_function_call(const core_function_t* function, PyObject* first,
                             PyObject* const* arguments, Py_ssize_t count, PyObject* names);
const core_function_t* core_function_search(const char* name);  // NULL: there is none
const char* core_function_name(const core_function_t* function);
PyObject* core_function_full_name(const core_function_t* function);
// The documentation of a method of that name that is the function.
char* core_method_doc(const core_function_t* function, const char* name);
// Calls the function of the table with the name in C, with an object for each of its parameters;
// NULL or, for optional ones, None: not given. For adapters.
PyObject* core_apply(core_call_t* call, const char* name, PyObject* const* objects);
#define CORE_APPLY(call, name, ...) core_apply(call, name, (PyObject* [24]){__VA_ARGS__})

// What a function with a signature of its own calls: gets views in the order of the signature;
// NULL: not given. "*name" is a tuple.
typedef PyObject* (*core_adapter_fn)(core_call_t* call, PyObject* const* objects);
typedef struct core_adapter {
  const char* module;  // "array": a method only
  const char* name;
  const char* signature;
  const char* target;    // the function of the table that it stands for
  const char* doc;       // NULL: that of the target
  core_adapter_fn call;  // NULL: the target, with the arguments of the same names
  bool is_casting;       // to `dtype`: the first operand, where that is given
} core_adapter_t;
extern const core_adapter_t core_adapters[];
extern const size_t core_adapter_count;
typedef struct core_alias {
  const char* name;
  const char* target;
} core_alias_t;
extern const core_alias_t core_aliases[];
extern const size_t core_alias_count;
typedef struct core_keyword {
  const char* function;
  const char* name;       // another one of
  const char* parameter;  // this
} core_keyword_t;
extern const core_keyword_t core_keywords[];
extern const size_t core_keyword_count;
extern const char* const core_hidden[];  // functions of the table that Python has other names for
extern const size_t core_hidden_count;

// --- random.c

// The next key of the global sequence, in the scope.
tn_array_t* core_random_next(core_call_t* call);
bool core_add_random(PyObject* module);  // seed, state

// --- tree.c

// Trees are nested lists, tuples and dicts. Anything else in them is a leaf.

// Calls `visit` with each array of a tree, until it returns false.
typedef bool (*core_visit_fn)(void* user, PyObject* array);
bool core_tree_visit(PyObject* tree, core_visit_fn visit, void* user);

// Arrays of trees, in order.
typedef struct core_leaves {
  size_t count, capacity;
  PyObject** objects;   // owned
  tn_array_t** values;  // retained
} core_leaves_t;

// Appends the arrays of a tree.
bool core_tree_flatten(PyObject* tree, core_leaves_t* leaves);
// The same, and returns the tree in new lists, tuples and dicts. ValueError for other leaves.
PyObject* core_tree_take(PyObject* tree, core_leaves_t* leaves);
bool core_leaves_copy(const core_leaves_t* leaves, core_leaves_t* out_leaves);  // appends
void core_leaves_clear(core_leaves_t* leaves);
// Gives what takes the place of a leaf, a new reference.
typedef PyObject* (*core_map_fn)(void* user, PyObject* leaf);
// The tree in new lists, tuples and dicts.
PyObject* core_tree_map(PyObject* tree, core_map_fn map, void* user);
// Changes lists and dicts themselves; tuples in which something changes are new.
PyObject* core_tree_update(PyObject* tree, core_map_fn map, void* user);
// For both: objects of a list take the place of arrays, one after the other.
typedef struct core_fill {
  PyObject* objects;
  Py_ssize_t next;
} core_fill_t;
PyObject* core_fill_next(void* user, PyObject* leaf);
// A list of objects for arrays.
PyObject* core_objects_of(size_t count, tn_array_t* const* values);
PyObject* core_tuple_of(size_t count, tn_array_t* const* values);  // the same as a tuple

// named.c: the same, with names if the function of the table has them.
bool core_add_named(PyObject* module);
PyObject* core_named_tuple(const char* function, size_t count, tn_array_t* const* values);

bool core_add_evaluation(PyObject* module);  // eval, async_eval

// --- trace.c

// A function of Python under a transform, on this thread.
typedef struct core_trace {
  core_leaves_t inputs;
  tn_trace_t* trace;
  PyObject* tracers;  // a list
} core_trace_t;

// Makes tracers for the inputs, which the caller has filled in. Ended in any case.
bool core_trace_begin(core_trace_t* trace, tn_trace_kind_t kind, const int64_t* in_axes);
void core_trace_end(core_trace_t* trace);
// Puts the inputs back where their tracers still are in a tree.
bool core_trace_restore(const core_trace_t* trace, PyObject* tree);
bool core_is_tracing(void);
// Keeps an object until the outermost trace of the thread ends: for what rules need.
bool core_trace_keep(PyObject* object);

// What a transform makes of a function: an object that calls `call`.
typedef struct core_transformed core_transformed_t;
typedef PyObject* (*core_call_fn)(core_transformed_t* self, PyObject* arguments,
                                  PyObject* keywords);
struct core_transformed {
  PyObject_HEAD core_call_fn call;
  PyObject* function;
  PyObject* data;  // of the transform
};

bool core_add_transformed(PyObject* module);
// TypeError, with the name of the transform, unless the function can be called.
PyObject* core_transformed_new(const char* name, core_call_fn call, PyObject* function,
                               PyObject* data);

size_t core_trace_depth(void);

// --- record.c

// Of the calls of array functions at the depth of the trace where it has begun.
typedef struct core_recorder {
  struct core_recorder* previous;
  size_t depth;
  bool is_partial;  // the function has done something else that counts
  PyObject *inputs, *calls;
} core_recorder_t;

// Ended in any case.
bool core_record_begin(core_recorder_t* recorder, PyObject* inputs);
bool core_is_recording(void);
void core_record_state(void);  // a call uses what is neither an argument nor a constant
bool core_record_call(const core_function_t* function, PyObject* first, PyObject* const* arguments,
                      Py_ssize_t count, PyObject* names, PyObject* result);
bool core_record_get_item(PyObject* array, PyObject* key, PyObject* result);
// While core_is_recording. `update`: a method of array.at; NULL: elements are set.
bool core_record_update(const char* update, PyObject* before, PyObject* key, PyObject* value,
                        PyObject* after);
// A tuple of the calls (name, arguments, names of the last ones or None, result), the inputs and
// the result; None if something in the result follows from an input in another way than by these
// calls. `result` NULL: there is an exception, which stays.
PyObject* core_record_end(core_recorder_t* recorder, PyObject* result);
// The result with other inputs: makes the calls again.
PyObject* core_record_replay(PyObject* recording, PyObject* inputs);
// A number that an array has alone as long as nothing sets it.
PyObject* core_value_id(PyObject* object);
// Calls an array function, or reads or sets elements, as a recording says.
PyObject* core_call_by_name(const char* name, PyObject* arguments, PyObject* names);

// --- transform.c, compile.c, custom_function.c

// Where the batch is in each array of a tree. `prefix`: an int, None, or a tree of them. The caller
// frees the values with PyMem_Free.
typedef struct core_axes {
  size_t count, capacity;
  int64_t* values;
} core_axes_t;
bool core_axes_of(PyObject* tree, PyObject* prefix, core_axes_t* axes);

// Cotangents and gradients between the library's convention and that of mlx.core.
void core_conjugate(tn_scope_t* scope, size_t count, tn_array_t** arrays);

bool core_add_transforms(PyObject* module);
bool core_add_compile(PyObject* module);
bool core_add_custom_function(PyObject* module);

// --- exports.c

// Calls a function of a module of the package that is in Python.
PyObject* core_call_python(const char* module_name, const char* name, PyObject* arguments,
                           PyObject* keywords);

// --- distributed.c

bool core_add_distributed(PyObject* module);

#endif  // TENON_PYTHON_CORE_H_
