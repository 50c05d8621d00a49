// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

static size_t watch_count;
static bool is_installed;
static struct sigaction previous;  // what was there before

// The calls that run, the last one first. A fault inside of a call never finds its own thread in
// possession of the lock.
static tn_fault_call_t* running;
static atomic_flag is_locked = ATOMIC_FLAG_INIT;

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&is_locked, memory_order_acquire)) {
  }
}

static void unlock(void) {
  atomic_flag_clear_explicit(&is_locked, memory_order_release);
}

void tn__fault_begin(tn_fault_call_t* call) {
  call->thread = pthread_self();
  call->previous = NULL;
  lock();
  call->next = running;
  if (running) running->previous = call;
  running = call;
  unlock();
}

void tn__fault_end(tn_fault_call_t* call) {
  lock();
  if (call->next) call->next->previous = call->previous;
  if (call->previous) {
    call->previous->next = call->next;
  } else {
    running = call->next;
  }
  unlock();
}

// --- the message; as in all that a signal handler calls, nothing may allocate or lock

typedef struct message {
  size_t length;
  char text[1024];
} message_t;

static void add(message_t* message, const char* text) {
  for (; *text && message->length < sizeof message->text; ++text) {
    message->text[message->length++] = *text;
  }
}

static void add_number(message_t* message, uint64_t number, unsigned base) {
  char digits[21];
  char* digit = digits + sizeof digits - 1;
  *digit = 0;
  do {
    *--digit = "0123456789abcdef"[number % base];
    number /= base;
  } while (number);
  add(message, digit);
}

static void add_value(message_t* message, const tn_fault_value_t* value, uintptr_t address) {
  const bool is_before = address < value->data;
  const uintptr_t offset = is_before ? value->data - address : address - value->data;
  add(message, is_before                   ? "access before the beginning of "
               : offset < value->byte_size ? "write to "
                                           : "access past the end of ");
  add(message, value->name);
  add(message, ": byte offset ");
  if (is_before) add(message, "-");
  add_number(message, offset, 10);
  add(message, " of ");
  add_number(message, value->byte_size, 10);
  add(message, " bytes\n");
}

static const tn_fault_value_t* find_value(const tn_fault_call_t* call, uintptr_t address) {
  for (size_t i = 0; i < call->value_count; ++i) {
    const tn_fault_value_t* value = &call->values[i];
    if (address >= value->begin && address < value->end) return value;
  }
  return NULL;
}

static void report(const tn_fault_call_t* call, const tn_fault_value_t* value, uintptr_t address) {
  message_t message = {0};
  add(&message, call->place);
  add(&message, "error: ");
  add(&message, call->title);
  add(&message, ": ");
  if (value) {
    add_value(&message, value, address);
  } else {
    add(&message, "access to address 0x");
    add_number(&message, address, 16);
    add(&message, ", outside of its operands and results\n");
  }
  const ssize_t written = write(STDERR_FILENO, message.text, message.length);
  (void)written;
}

// The call may have threads of its own, so the address comes before the thread.
static void find_and_report(uintptr_t address) {
  const tn_fault_call_t* own = NULL;
  for (const tn_fault_call_t* call = running; call; call = call->next) {
    const tn_fault_value_t* value = find_value(call, address);
    if (value) {
      report(call, value, address);
      return;
    }
    if (!own && pthread_equal(call->thread, pthread_self())) own = call;
  }
  if (own) report(own, NULL, address);
}

// Another thread has the lock for a few instructions.
static bool lock_for_report(void) {
  enum { ATTEMPTS = 1 << 24 };
  for (int i = 0; i < ATTEMPTS; ++i) {
    if (!atomic_flag_test_and_set_explicit(&is_locked, memory_order_acquire)) return true;
  }
  return false;
}

static void on_fault(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_fault = info->si_code > 0;  // not sent by a process
  if (is_fault && lock_for_report()) {
    find_and_report((uintptr_t)info->si_addr);
    unlock();
  }
  errno = error;
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  } else {
    // The access is repeated after the return.
    sigaction(number, &previous, NULL);
    if (!is_fault) raise(number);
  }
}

// --- the handler

void tn__fault_watch(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK, .sa_sigaction = on_fault};
  sigemptyset(&action.sa_mask);
  tn__process_lock();
  if (watch_count++ == 0 && !is_installed) {
    is_installed = true;
    sigaction(SIGSEGV, NULL, &previous);
    sigaction(SIGSEGV, &action, NULL);
  }
  tn__process_unlock();
}

// One that was installed later stays, and passes faults on to this one.
void tn__fault_unwatch(void) {
  struct sigaction now;
  tn__process_lock();
  if (--watch_count == 0 && sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
      now.sa_sigaction == on_fault) {
    sigaction(SIGSEGV, &previous, NULL);
    is_installed = false;
  }
  tn__process_unlock();
}
