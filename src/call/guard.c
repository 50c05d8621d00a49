// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/guard.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "base/status.h"
#include "call/live.h"

#if defined(__x86_64__)

// The unwinder finds this in the frame of tn__guard_call.
// Hidden in every build: the assembly below gives its distance.
__attribute__((visibility("hidden"))) _Unwind_Reason_Code tn__guard_personality(
    int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
    struct _Unwind_Exception* exception, struct _Unwind_Context* context);
extern const char tn__guard_landing[] __attribute__((visibility("hidden")));

// tn__guard_call has a personality, which C cannot say. It returns its two words in registers.
__asm__(
    "  .text\n"
    "  .p2align 4\n"
    "  .globl tn__guard_call\n"
    "  .protected tn__guard_call\n"
    "  .type tn__guard_call, @function\n"
    "tn__guard_call:\n"
    "  .cfi_startproc\n"
    "  .cfi_personality 0x1b, tn__guard_personality\n"
    "  endbr64\n"
    "  subq $8, %rsp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  movq %rdi, %rax\n"
    "  movq %rsi, %rdi\n"
    "  call *%rax\n"
    "  xorl %edx, %edx\n"
    "  addq $8, %rsp\n"
    "  .cfi_remember_state\n"
    "  .cfi_def_cfa_offset 8\n"
    "  ret\n"
    "  .globl tn__guard_landing\n"
    "  .hidden tn__guard_landing\n"
    "tn__guard_landing:\n"
    "  .cfi_restore_state\n"
    "  movq %rax, %rdx\n"
    "  xorl %eax, %eax\n"
    "  addq $8, %rsp\n"
    "  .cfi_def_cfa_offset 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    "  .size tn__guard_call, . - tn__guard_call\n");

// The symbol of the library that the address belongs to, or of one that it needs. Tenon itself
// links neither an unwinder nor a C++ library: a library that throws has loaded them.
static void* symbol_near(const void* address, const char* name) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return NULL;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* symbol = library ? dlsym(library, name) : NULL;
  if (library) dlclose(library);
  return symbol;
}

#define FIND(function, address, name)                \
  do {                                               \
    void* symbol_ = symbol_near(address, name);      \
    memcpy(&(function), &symbol_, sizeof(function)); \
  } while (0)

_Unwind_Reason_Code tn__guard_personality(int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class kind,
                                          struct _Unwind_Exception* exception,
                                          struct _Unwind_Context* context) {
  (void)kind;
  // Threads that are cancelled are unwound as well, and not to be stopped.
  if (version != 1 || actions & _UA_FORCE_UNWIND) return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE) return _URC_HANDLER_FOUND;
  if (!(actions & _UA_HANDLER_FRAME)) return _URC_CONTINUE_UNWIND;
  void (*set_register)(struct _Unwind_Context*, int, _Unwind_Word);
  void (*set_address)(struct _Unwind_Context*, _Unwind_Ptr);
  const void* unwinder = __builtin_return_address(0);
  FIND(set_register, unwinder, "_Unwind_SetGR");
  FIND(set_address, unwinder, "_Unwind_SetIP");
  if (!set_register || !set_address) return _URC_FATAL_PHASE2_ERROR;
  set_register(context, __builtin_eh_return_data_regno(0), (_Unwind_Word)(uintptr_t)exception);
  set_address(context, (_Unwind_Ptr)(uintptr_t)tn__guard_landing);
  return _URC_INSTALL_CONTEXT;
}

// --- what the exception says, by the C++ binary interface of all our platforms

typedef struct type_info {
  const void* const* vtable;
  const char* name;  // mangled; may begin with "*"
} type_info_t;

// The text of an object of a class derived from std::exception; NULL for any other.
static const char* text_of(const type_info_t* base, const type_info_t* type, void* object) {
  enum { DO_CATCH = 4, WHAT = 2 };  // places in the tables of virtual functions
  bool (*do_catch)(const type_info_t*, const type_info_t*, void**, unsigned);
  const char* (*what)(const void*);
  if (!base || !type || !object) return NULL;
  memcpy(&do_catch, &base->vtable[DO_CATCH], sizeof do_catch);
  if (!do_catch(base, type, &object, 1)) return NULL;
  const void* const* vtable = *(const void* const**)object;
  memcpy(&what, &vtable[WHAT], sizeof what);
  return what(object);
}

tn_status_t tn__guard_error(void* exception) {
  struct _Unwind_Exception* unwound = exception;
  void* (*begin_catch)(void*) = NULL;
  void (*end_catch)(void) = NULL;
  const type_info_t* (*current_type)(void) = NULL;
  const type_info_t* base = NULL;
  static const char cpp[] = "C++";  // "GNUCC++\0", "CLNGC++\0"
  bool is_cpp = true;
  for (int i = 0; i < 3; ++i) is_cpp &= (char)(unwound->exception_class >> 8 * (3 - i)) == cpp[i];
  void* cleanup;
  memcpy(&cleanup, &unwound->exception_cleanup, sizeof cleanup);
  if (is_cpp) {
    // The cleanup function is that of the C++ library which threw.
    FIND(begin_catch, cleanup, "__cxa_begin_catch");
    FIND(end_catch, cleanup, "__cxa_end_catch");
    FIND(current_type, cleanup, "__cxa_current_exception_type");
    base = symbol_near(cleanup, "_ZTISt9exception");
  }
  if (!begin_catch || !end_catch || !current_type) {
    if (unwound->exception_cleanup) {
      unwound->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwound);
    }
    return tn_status_create(TN_CODE_UNKNOWN, "XLA FFI call failed: an exception was thrown");
  }
  begin_catch(exception);
  // The object follows the header, but for one that is thrown again from a std::exception_ptr.
  bool is_first = (unwound->exception_class & 0xFF) == 0;
  void* object = is_first ? unwound + 1 : NULL;
  const type_info_t* type = current_type();
  const char* text = text_of(base, type, object);
  tn_status_t status =
      text ? tn_status_create(TN_CODE_UNKNOWN, "XLA FFI call failed: %s", text)
           : tn_status_create(TN_CODE_UNKNOWN,
                              "XLA FFI call failed: an object of type %s was thrown",
                              type ? type->name : "?");
  end_catch();
  return status;
}

#else  // an exception ends the process, as an uncaught one does

tn_guarded_t tn__guard_call(tn_ffi_handler_t handler, tn_ffi_call_frame_t* frame) {
  return (tn_guarded_t){handler(frame), NULL};
}

tn_status_t tn__guard_error(void* exception) {
  (void)exception;
  return tn_status_create(TN_CODE_UNKNOWN, "XLA FFI call failed: an exception was thrown");
}

#endif

tn_status_t tn__guard_handler(tn_ffi_handler_t handler, tn_ffi_call_frame_t* frame) {
  tn_guarded_t guarded = tn__guard_call(handler, frame);
  return guarded.exception ? tn__error_give(tn__guard_error(guarded.exception)) : guarded.result;
}
