// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/linux/elf.h"
#include "base/process.h"
#include "call/global_xla.h"

struct tn_library {
  atomic_uint references;
  atomic_bool is_pinned;  // holds a reference of its own
  tn_library_t* next;     // of all that are open; guarded by the component's lock
  tn_status_t error;      // of its initialisers
  void* handle;
  int file;          // of one that is loaded by its descriptor; else -1
  struct stat stat;  // of the file
  size_t byte_size;  // of this struct with its path
  char path[];
};

static _Thread_local tn_library_t* loading;
static _Thread_local tn_context_t* loading_for;
static tn_library_t* libraries;

tn_library_t* tn__library_loading(void) {
  return loading;
}

tn_context_t* tn__library_context(void) {
  return loading_for;
}

static tn_status_t no_such_library(const char* path) {
  tn_status_t status = tn_status_create(TN_CODE_NOT_FOUND, "%s: there is no such library", path);
  if (strchr(path, ':')) {
    return tn_status_note(status, "one function of a library is named LIB.so:TARGET=SYMBOL");
  }
  if (strchr(path, '/')) return status;
  return tn_status_note(status,
                        "it is neither in this folder nor where the system looks for libraries");
}

static tn_status_t refuse(const char* path, bool is_file) {
  const char* error = dlerror();
  // A library that the system found by its name may lack another, whose name its message begins
  // with.
  if (!is_file && (strchr(path, '/') || !error || strncmp(error, path, strlen(path)) == 0)) {
    return no_such_library(path);
  }
  tn_status_t status = tn_status_create(TN_CODE_FAILED_PRECONDITION, "%s: cannot be loaded: %s",
                                        path, error ? error : "no reason given");
  const char* reason = tn__elf_complaint(path);
  return reason ? tn_status_note(status, "%s", reason) : status;
}

// Libraries find the symbols of libtenon_xla also when Tenon itself was loaded for one library
// only.
static void publish_symbols(void) {
  Dl_info info;
  void (*function)(const void*) = tn__global_set_api;
  void* address;
  memcpy(&address, &function, sizeof address);
  // The handle is kept: the library stays.
  if (dladdr(address, &info)) (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

static void enlist(tn_library_t* library) {
  tn__process_lock();
  library->next = libraries;
  libraries = library;
  tn__process_unlock();
}

static void delist(tn_library_t* library) {
  tn__process_lock();
  tn_library_t** link = &libraries;
  while (*link && *link != library) link = &(*link)->next;
  if (*link) *link = library->next;
  tn__process_unlock();
}

// The system tells libraries apart by their paths, and would give the old one for a path under
// which a new file is. Such a file is opened here, and loaded under the name of its descriptor.
static tn_status_t look_for_older(tn_library_t* library) {
  bool is_replaced = false, is_overwritten = false;
  if (stat(library->path, &library->stat)) return TN_OK;  // dlopen says what is wrong
  tn__process_lock();
  for (const tn_library_t* other = libraries; other; other = other->next) {
    if (strcmp(other->path, library->path) != 0) continue;
    const struct stat *a = &other->stat, *b = &library->stat;
    bool is_same = a->st_dev == b->st_dev && a->st_ino == b->st_ino;
    is_replaced |= !is_same;
    is_overwritten |= is_same && (a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
                                  a->st_mtim.tv_nsec != b->st_mtim.tv_nsec);
  }
  tn__process_unlock();
  if (is_overwritten) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "%s was overwritten in place while it is loaded, which breaks the code "
                            "that is running; write the new file beside it and rename it",
                            library->path);
  }
  if (is_replaced) library->file = open(library->path, O_RDONLY | O_CLOEXEC);
  return TN_OK;
}

static void* open_file(const tn_library_t* library) {
  const int mode = RTLD_NOW | RTLD_LOCAL;
  return library->file < 0 ? dlopen(library->path, mode) : tn__elf_open(library->file, mode);
}

tn_status_t tn__library_open(tn_context_t* context, tn_string_view_t path,
                             tn_library_t** out_library) {
  *out_library = NULL;
  if (!path.length || memchr(path.data, 0, path.length)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "a library's path is empty or holds a NUL");
  }
  // "./" and the NUL
  size_t byte_size = sizeof(tn_library_t) + path.length + 3;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), byte_size, &memory));
  tn_library_t* library = memory;
  atomic_init(&library->references, 1);
  library->byte_size = byte_size;
  library->file = -1;
  memcpy(library->path, path.data, path.length);
  bool is_file = access(library->path, F_OK) == 0;
  if (is_file && !memchr(path.data, '/', path.length)) {
    memcpy(library->path, "./", 2);
    memcpy(library->path + 2, path.data, path.length);
  }
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, publish_symbols);
  tn_status_t status = look_for_older(library);
  if (!status) {
    tn_library_t* outer = loading;
    tn_context_t* outer_context = loading_for;
    loading = library;
    loading_for = context;
    library->handle = open_file(library);
    loading = outer;
    loading_for = outer_context;
    if (!library->handle) status = refuse(library->path, is_file);
  }
  if (status) {
    tn__library_release(library);
    return status;
  }
  enlist(library);
  *out_library = library;
  return TN_OK;
}

tn_library_t* tn__library_retain(tn_library_t* library) {
  if (library) atomic_fetch_add_explicit(&library->references, 1, memory_order_relaxed);
  return library;
}

void tn__library_release(tn_library_t* library) {
  if (!library || atomic_fetch_sub_explicit(&library->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  delist(library);
  if (library->handle) dlclose(library->handle);
  tn_status_release(library->error);
  if (library->file >= 0) close(library->file);  // not before: its number is a name until now
  tn__free(tn_allocator_system(), library, library->byte_size);
}

void tn__library_pin(tn_library_t* library) {
  if (library && !atomic_exchange(&library->is_pinned, true)) tn__library_retain(library);
}

const char* tn__library_path(const tn_library_t* library) {
  return library->path;
}

void tn__library_set_error(tn_library_t* library, tn_status_t status) {
  if (library && !library->error) {
    library->error = status;
  } else {
    tn_status_release(status);
  }
}

tn_status_t tn__library_take_error(tn_library_t* library) {
  tn_status_t status = library->error;
  library->error = NULL;
  return status;
}

void tn__library_visit_exports(const tn_library_t* library,
                               bool (*visit)(void* user, const char* name), void* user) {
  tn__elf_visit_functions(library->handle, visit, user);
}

void* tn__library_symbol(const tn_library_t* library, const char* name) {
  return dlsym(library->handle, name);
}

bool tn__library_same(const tn_library_t* a, const tn_library_t* b) {
  return a && b && a->handle == b->handle;
}
