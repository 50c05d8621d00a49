#include "base/interrupt.h"

#include <stdatomic.h>

#include "base/allocator.h"
#include "base/linux/clock.h"
#include "base/status.h"

struct tn_cancellation {
  const tn_allocator_t* allocator;
  atomic_uint references;
  atomic_bool is_cancelled;
};

tn_status_t tn_cancellation_create(const tn_allocator_t* allocator,
                                   tn_cancellation_t** out_cancellation) {
  void* memory = NULL;
  TN_RETURN_IF_NULL(out_cancellation);
  *out_cancellation = NULL;
  if (!allocator) allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_cancellation_t), &memory));
  tn_cancellation_t* cancellation = memory;
  cancellation->allocator = allocator;
  atomic_init(&cancellation->references, 1);
  atomic_init(&cancellation->is_cancelled, false);
  *out_cancellation = cancellation;
  return TN_OK;
}

tn_cancellation_t* tn_cancellation_retain(tn_cancellation_t* cancellation) {
  if (cancellation) atomic_fetch_add(&cancellation->references, 1);
  return cancellation;
}

void tn_cancellation_release(tn_cancellation_t* cancellation) {
  if (!cancellation || atomic_fetch_sub(&cancellation->references, 1) != 1) return;
  tn__free(cancellation->allocator, cancellation, sizeof *cancellation);
}

void tn_cancellation_cancel(tn_cancellation_t* cancellation) {
  if (cancellation) atomic_store(&cancellation->is_cancelled, true);
}

bool tn_cancellation_is_cancelled(const tn_cancellation_t* cancellation) {
  return cancellation && atomic_load_explicit(&cancellation->is_cancelled, memory_order_relaxed);
}

tn_status_t tn__interrupt_check(const tn_interrupt_t* interrupt) {
  if (!interrupt) return TN_OK;
  if (interrupt->cancellation && tn_cancellation_is_cancelled(interrupt->cancellation)) {
    return tn_status_create(TN_CODE_CANCELLED, "the run was cancelled");
  }
  if (interrupt->deadline_ns == INT64_MAX || !tn__clock_is_past(interrupt->deadline_ns)) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_DEADLINE_EXCEEDED,
                          "the run was not over within its time limit of %.3f s",
                          (double)interrupt->timeout_ns / 1e9);
}
