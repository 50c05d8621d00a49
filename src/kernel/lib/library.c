#include "kernel/lib/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TENON_OPENBLAS
#define TENON_OPENBLAS NULL
#endif
#ifndef TENON_ONEDNN
#define TENON_ONEDNN NULL
#endif

enum { REASON_SIZE = 128 };

static const tn_kernel_library_facts_t facts[] = {
#define TN_KERNEL_LIBRARY(NAME, name, soname, package, purpose, version) \
  {name, soname, package, purpose},
#include "kernel/lib/libraries.def"
#undef TN_KERNEL_LIBRARY
};

const tn_kernel_library_facts_t* tn__kernel_library_facts(tn_kernel_library_t library) {
  return &facts[library];
}

// --- which may be used

static uint32_t environment_set;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static _Atomic int32_t allowed_set = -1;

static bool list_has(const char* list, const char* name) {
  const size_t length = strlen(name);
  while (*list) {
    const size_t item = strcspn(list, ", ");
    if (item == length && strncmp(list, name, length) == 0) return true;
    list += item;
    list += strspn(list, ", ");
  }
  return false;
}

static void read_environment(void) {
  const char* list = getenv("TENON_LIBRARIES");
  for (size_t i = 0; i < TN_KERNEL_LIBRARY_COUNT; ++i) {
    if (!list || list_has(list, facts[i].name)) environment_set |= 1u << i;
  }
}

static bool is_library(const char* name, size_t length) {
  for (size_t i = 0; i < TN_KERNEL_LIBRARY_COUNT; ++i) {
    if (strlen(facts[i].name) == length && memcmp(facts[i].name, name, length) == 0) return true;
  }
  return length == strlen("none") && memcmp(name, "none", length) == 0;
}

tn_status_t tn__kernel_libraries_check(void) {
  const char* list = getenv("TENON_LIBRARIES");
  char names[64] = "";
  for (size_t i = 0; i < TN_KERNEL_LIBRARY_COUNT; ++i) {
    strncat(names, facts[i].name, sizeof names - strlen(names) - 1);
    strncat(names, ", ", sizeof names - strlen(names) - 1);
  }
  while (list && *list) {
    const size_t length = strcspn(list, ", ");
    if (length && !is_library(list, length)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "TENON_LIBRARIES has \"%.*s\"; expected some of %snone",
                              length > 40 ? 40 : (int)length, list, names);
    }
    list += length;
    list += strspn(list, ", ");
  }
  return TN_OK;
}

void tn__kernel_libraries_allow(int32_t set) {
  atomic_store(&allowed_set, set);
}

const char* tn__kernel_library_refusal(tn_kernel_library_t library) {
  pthread_once(&environment_once, read_environment);
  if (!facts[library].soname) return "not found when Tenon was configured";
  const int32_t own = atomic_load(&allowed_set);
  const uint32_t set = own < 0 ? environment_set : (uint32_t)own;
  return set >> library & 1 ? NULL : "switched off";
}

// --- loading

const char* tn__kernel_library_load(tn_kernel_library_t library, size_t symbol_count,
                                    const tn_kernel_symbol_t* symbols, void** out_handle) {
  static char reasons[TN_KERNEL_LIBRARY_COUNT][REASON_SIZE];
  const char* soname = facts[library].soname;
  *out_handle = NULL;
  if (!soname) return "not found when Tenon was configured";
  void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(reasons[library], REASON_SIZE, "%s cannot be loaded", soname);
    return reasons[library];
  }
  for (size_t i = 0; i < symbol_count; ++i) {
    void* address = dlsym(handle, symbols[i].name);
    if (!address) {
      snprintf(reasons[library], REASON_SIZE, "%s has no %s", soname, symbols[i].name);
      dlclose(handle);
      return reasons[library];
    }
    memcpy(symbols[i].place, &address, sizeof address);
  }
  *out_handle = handle;
  return NULL;
}
