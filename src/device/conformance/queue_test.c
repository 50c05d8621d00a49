// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Queues: copies in their turn, and the order between two of them. On the host there are none.
#include "base/testing.h"
#include "device/conformance/testing_devices.h"

enum { SIZE = 1 << 20, ROUNDS = 8 };

typedef struct places {
  tn_memory_t memory[2];
  tn_host_block_t host[2];
} places_t;

static places_t take(tn_device_t* device) {
  places_t places;
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(device->vtable->allocate(device, SIZE, 0, &places.memory[i]));
    TN_ASSERT_OK(tn__device_take_host(device, device->allocator, SIZE, &places.host[i]));
    for (int b = 0; b < SIZE; b += 4096) assert_int_equal(((char*)places.host[i].data)[b], 0);
  }
  return places;
}

static void give(tn_device_t* device, places_t places) {
  for (int i = 0; i < 2; ++i) {
    device->vtable->free(device, places.memory[i]);
    tn__device_give_host(device, device->allocator, places.host[i]);
  }
}

static tn_queue_t* create_queue(tn_device_t* device) {
  tn_queue_t* queue = NULL;
  TN_ASSERT_OK(device->vtable->queue_create(device, &queue));
  return queue;
}

static void finish(tn_device_t* device, tn_queue_t* queue) {
  uint32_t tag = 0;
  TN_ASSERT_OK(device->vtable->finish(queue, &tag));
}

static void copies_of_a_queue_take_their_turns(tn_device_t* device) {
  const tn_device_vtable_t* vtable = device->vtable;
  if (!vtable->queue_create) return;
  tn_queue_t* queue = create_queue(device);
  places_t places = take(device);
  unsigned char *from = places.host[0].data, *to = places.host[1].data;
  for (int i = 0; i < SIZE; ++i) from[i] = (unsigned char)(i * 31 >> 3);
  TN_ASSERT_OK(vtable->queue_copy_from_host(queue, places.memory[0], from, SIZE));
  TN_ASSERT_OK(vtable->queue_copy_to_host(queue, to, places.memory[0], SIZE));
  TN_ASSERT_OK(vtable->queue_copy_from_host(queue, tn__memory_at(places.memory[0], 3), from, 5));
  TN_ASSERT_OK(vtable->queue_copy_to_host(queue, to, tn__memory_at(places.memory[0], 3), 5));
  TN_ASSERT_OK(vtable->queue_copy_to_host(queue, to, places.memory[0], 0));
  finish(device, queue);
  assert_memory_equal(to, from, SIZE);
  give(device, places);
  vtable->queue_destroy(queue);
}

// The second reads what the first has written last.
static void a_queue_waits_for_the_mark_of_another(tn_device_t* device) {
  const tn_device_vtable_t* vtable = device->vtable;
  if (!vtable->queue_create) return;
  tn_queue_t *first = create_queue(device), *second = create_queue(device);
  places_t places = take(device);
  void* marks[ROUNDS];
  unsigned char *from = places.host[0].data, *to = places.host[1].data;
  for (int i = 0; i < ROUNDS; ++i) {
    memset(from, i, SIZE);
    for (int k = 0; k <= i; ++k) {
      TN_ASSERT_OK(vtable->queue_copy_from_host(first, places.memory[0], from, SIZE));
    }
    TN_ASSERT_OK(vtable->queue_record(first, &marks[i]));
    TN_ASSERT_OK(vtable->queue_wait(second, marks[i]));
    TN_ASSERT_OK(vtable->queue_copy_to_host(second, to, places.memory[0], SIZE));
    finish(device, second);
    assert_memory_equal(to, from, SIZE);
    finish(device, first);
  }
  for (int i = 0; i < ROUNDS; ++i) vtable->mark_destroy(device, marks[i]);
  give(device, places);
  vtable->queue_destroy(first);
  vtable->queue_destroy(second);
}

int main(void) {
  static const tn_device_test_t tests[] = {
      TN_DEVICE_TEST(copies_of_a_queue_take_their_turns),
      TN_DEVICE_TEST(a_queue_waits_for_the_mark_of_another),
  };
  return tn__run_device_tests(tests, sizeof tests / sizeof *tests);
}
