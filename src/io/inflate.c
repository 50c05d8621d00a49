// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// zlib's functions and the struct they take have been the same since version 1.0, so that its
// header is not needed to build Tenon.
#include "io/inflate.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { PART = 1 << 15 };

// zlib's z_stream.
typedef struct stream {
  const unsigned char* next_in;
  unsigned available_in;
  unsigned long total_in;
  unsigned char* next_out;
  unsigned available_out;
  unsigned long total_out;
  const char* message;
  void* state;
  void* (*allocate)(void* user, unsigned count, unsigned size);
  void (*free)(void* user, void* memory);
  void* user;
  int data_type;
  unsigned long checksum, reserved;
} stream_t;

enum { OK = 0, STREAM_END = 1, MEMORY_ERROR = -4, NO_FLUSH = 0, RAW_WINDOW_BITS = -15 };

static struct {
  const char* (*version)(void);
  int (*begin)(stream_t* stream, int window_bits, const char* version, int stream_size);
  int (*inflate)(stream_t* stream, int flush);
  int (*end)(stream_t* stream);
} zlib;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load_zlib(void) {
  void* library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void**)&zlib.version = dlsym(library, "zlibVersion");
  *(void**)&zlib.begin = dlsym(library, "inflateInit2_");
  *(void**)&zlib.inflate = dlsym(library, "inflate");
  *(void**)&zlib.end = dlsym(library, "inflateEnd");
  is_loaded = zlib.version && zlib.begin && zlib.inflate && zlib.end;
}

// What is inflated, between input and output.
typedef struct inflater {
  stream_t stream;
  const tn_byte_source_t* source;
  uint64_t offset, left;  // of the input
  unsigned char input[PART], output[PART];
} inflater_t;

// zlib takes its memory as Tenon does, so that tests can refuse it.
static void* allocate(void* user, unsigned count, unsigned size) {
  (void)user;
  return calloc(count, size);
}
static void release(void* user, void* memory) {
  (void)user;
  free(memory);
}

static tn_status_t fill_input(inflater_t* in) {
  stream_t* stream = &in->stream;
  if (stream->available_in || !in->left) return TN_OK;
  const size_t length = in->left < PART ? (size_t)in->left : PART;
  TN_RETURN_IF_ERROR(tn__source_read(in->source, in->offset, in->input, length));
  in->offset += length;
  in->left -= length;
  stream->next_in = in->input;
  stream->available_in = (unsigned)length;
  return TN_OK;
}

static tn_status_t inflate_all(inflater_t* in, tn_inflate_take_fn take, void* user) {
  stream_t* stream = &in->stream;
  for (int code = OK; code != STREAM_END;) {
    TN_RETURN_IF_ERROR(fill_input(in));
    stream->next_out = in->output;
    stream->available_out = PART;
    code = zlib.inflate(stream, NO_FLUSH);
    if (code == MEMORY_ERROR) return tn__status_out_of_memory();
    if (code != OK && code != STREAM_END) {
      return tn_status_create(TN_CODE_DATA_LOSS, "the compressed bytes are damaged");
    }
    const size_t length = PART - stream->available_out;
    if (length && !take(user, in->output, length)) return TN_OK;
  }
  return TN_OK;
}

tn_status_t tn__inflate(const tn_byte_source_t* source, uint64_t offset, uint64_t length,
                        tn_inflate_take_fn take, void* user) {
  pthread_once(&load_once, load_zlib);
  if (!is_loaded) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "it is compressed, and zlib (libz.so.1), which inflates it, cannot be "
                            "loaded");
  }
  inflater_t* in = calloc(1, sizeof *in);
  if (!in) return tn__status_out_of_memory();
  in->source = source;
  in->offset = offset;
  in->left = length;
  in->stream.allocate = allocate;
  in->stream.free = release;
  tn_status_t status = tn__status_out_of_memory();
  if (zlib.begin(&in->stream, RAW_WINDOW_BITS, zlib.version(), sizeof in->stream) == OK) {
    status = inflate_all(in, take, user);
    zlib.end(&in->stream);
  }
  free(in);
  return status;
}
