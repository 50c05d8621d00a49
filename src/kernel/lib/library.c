// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/lib/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef TENON_OPENBLAS
#define TENON_OPENBLAS NULL
#endif
#ifndef TENON_ONEDNN
#define TENON_ONEDNN NULL
#endif

enum { REASON_SIZE = 128 };

static const tn_kernel_library_facts_t facts[] = {
#define TN_KERNEL_LIBRARY_ROW(NAME, name, soname, package, purpose, version) \
  {name, soname, package, purpose},
#include "kernel/lib/libraries.def"
#undef TN_KERNEL_LIBRARY_ROW
};

const tn_kernel_library_facts_t* tn__kernel_library_facts(tn_kernel_library_id_t library) {
  return &facts[library];
}

// --- which may be used

// The library of that name; TN_KERNEL_LIBRARY_COUNT: there is none.
static size_t find_library(const char* name, size_t length) {
  size_t i = 0;
  while (i < TN_KERNEL_LIBRARY_COUNT &&
         (strlen(facts[i].name) != length || memcmp(facts[i].name, name, length) != 0)) {
    ++i;
  }
  return i;
}

static tn_status_t unknown_library(const char* name, size_t length) {
  char names[64] = "";
  for (size_t i = 0; i < TN_KERNEL_LIBRARY_COUNT; ++i) {
    strncat(names, facts[i].name, sizeof names - strlen(names) - 1);
    strncat(names, ", ", sizeof names - strlen(names) - 1);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "TENON_LIBRARIES has \"%.*s\"; expected some of %snone",
                          length > 40 ? 40 : (int)length, name, names);
}

tn_status_t tn__kernel_libraries_parse(const char* list, uint32_t* out_set) {
  *out_set = list ? 0 : UINT32_MAX;
  while (list && *list) {
    const size_t length = strcspn(list, ", ");
    const size_t library = find_library(list, length);
    const bool is_none = length == strlen("none") && memcmp(list, "none", length) == 0;
    if (library < TN_KERNEL_LIBRARY_COUNT) {
      *out_set |= UINT32_C(1) << library;
    } else if (length && !is_none) {
      return unknown_library(list, length);
    }
    list += length;
    list += strspn(list, ", ");
  }
  return TN_OK;
}

const char* tn__kernel_library_refusal(size_t library, uint32_t allowed) {
  if (!facts[library].soname) return "not found when Tenon was configured";
  return allowed >> library & 1 ? NULL : "switched off";
}

// --- loading

const char* tn__kernel_library_load(tn_kernel_library_id_t library, size_t symbol_count,
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
