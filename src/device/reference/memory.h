// Memory whose addresses are no pointers. An allocation gets a range of numbers that no pointer of
// the host can be, with a gap behind it, and no range is given twice: an address that the host
// follows faults, and one that lies in nothing, or leaves what it lies in, is an error.
#ifndef TENON_DEVICE_REFERENCE_MEMORY_H_
#define TENON_DEVICE_REFERENCE_MEMORY_H_

#include "device/device.h"

typedef struct tn_reference_memory tn_reference_memory_t;

TN_MUST_USE tn_status_t tn__reference_memory_create(const tn_device_options_t* options,
                                                    tn_reference_memory_t** out_memory);
// Everything has been freed.
void tn__reference_memory_destroy(tn_reference_memory_t* memory);

// What the vtable's functions of the same names do. Thread-safe.
TN_MUST_USE tn_status_t tn__reference_memory_allocate(tn_reference_memory_t* memory,
                                                      size_t byte_length, size_t alignment,
                                                      void** out_address);
void tn__reference_memory_free(tn_reference_memory_t* memory, void* address);
void tn__reference_memory_statistics(tn_reference_memory_t* memory,
                                     tn_memory_statistics_t* out_statistics);
void tn__reference_memory_reset_peak(tn_reference_memory_t* memory);
void tn__reference_memory_set_limit(tn_reference_memory_t* memory, size_t byte_length);

// Where the bytes from `address` on are, for as long as the allocation lives. INTERNAL when not all
// of them lie in one.
TN_MUST_USE tn_status_t tn__reference_memory_find(tn_reference_memory_t* memory,
                                                  const void* address, size_t byte_length,
                                                  void** out_bytes);

#endif  // TENON_DEVICE_REFERENCE_MEMORY_H_
