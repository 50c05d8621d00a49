// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Buffers in files: .npy, .npz and safetensors, and printing in NumPy's format.
#ifndef TENON_NPY_H_
#define TENON_NPY_H_

#include <tenon/detail/buffer.h>

TN_EXTERN_C_BEGIN

// Reads a .npy file (format versions 1 to 3, either byte order, C or Fortran order) into a buffer
// on `device`. `expected` may be NULL; otherwise the array must have that type, and elements that
// NumPy has no name for (bfloat16 and 8-bit floats are saved as raw bytes of that size) are taken
// as its dtype. Without an expected type those of two bytes are bfloat16. Errors name the file:
// NOT_FOUND, INVALID_ARGUMENT for another file format or another type, DATA_LOSS for a truncated
// file, UNIMPLEMENTED for objects, strings and structured dtypes.
TN_API TN_MUST_USE tn_status_t tn_npy_read(tn_device_t* device, const char* path,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// The same from the bytes of such a file, which are copied. `name` is for messages.
TN_API TN_MUST_USE tn_status_t tn_npy_decode(tn_device_t* device, const char* name,
                                             const void* bytes, size_t byte_size,
                                             const tn_type_t* expected, tn_buffer_t** out_buffer);

// Reads the array `key` of a .npz file, whose members are stored or deflated. The error NOT_FOUND
// lists the available keys. UNIMPLEMENTED for members that are encrypted or compressed otherwise,
// and for deflated ones where zlib (libz.so.1), which is loaded to read them, is not installed.
TN_API TN_MUST_USE tn_status_t tn_npz_read(tn_device_t* device, const char* path, const char* key,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// Functions that write files write a new one next to `path`, which replaces it when it is
// complete (see tn_file_writer_t): what fails leaves the old file as it was.

// Waits for the buffer and writes it as .npy in C order. Dtypes that NumPy does not have are
// written as raw bytes of that size.
TN_API TN_MUST_USE tn_status_t tn_npy_write(const char* path, tn_buffer_t* buffer);

// The same to `write`, which is called with consecutive parts of the file.
TN_API TN_MUST_USE tn_status_t tn_npy_encode(tn_buffer_t* buffer, tn_write_fn write, void* user);

// Waits for the buffers and writes them as an uncompressed archive. INVALID_ARGUMENT for equal or
// empty keys.
TN_API TN_MUST_USE tn_status_t tn_npz_write(const char* path, size_t count, const char* const* keys,
                                            tn_buffer_t* const* buffers);

// Reads the tensor `name` of a safetensors file, and no others. Errors as tn_npy_read, of the whole
// header: INVALID_ARGUMENT for bytes that belong to no tensor or to two. A NOT_FOUND error lists
// what there is; UNIMPLEMENTED for a dtype that Tenon does not have.
TN_API TN_MUST_USE tn_status_t tn_safetensors_read(tn_device_t* device, const char* path,
                                                   const char* name, const tn_type_t* expected,
                                                   tn_buffer_t** out_buffer);

// Waits for the buffers and writes them as a safetensors file. INVALID_ARGUMENT for equal names and
// names that are not UTF-8, UNIMPLEMENTED for dtypes that the format does not have.
TN_API TN_MUST_USE tn_status_t tn_safetensors_write(const char* path, size_t count,
                                                    const char* const* names,
                                                    tn_buffer_t* const* buffers);

// The same to `write`, which is called with consecutive parts of the file, and with
// `metadata_count` keys and values, all UTF-8, as its metadata.
TN_API TN_MUST_USE tn_status_t tn_safetensors_encode(size_t count, const char* const* names,
                                                     tn_buffer_t* const* buffers,
                                                     size_t metadata_count, const char* const* keys,
                                                     const char* const* values, tn_write_fn write,
                                                     void* user);

// A .npz or safetensors file that is open for reading, and the names of its arrays. Externally
// synchronised.
typedef struct tn_archive tn_archive_t;

// Where bytes come from that are not in a file: `read` writes `length` bytes from `offset` on to
// `data`; they are within `byte_size`. The struct will not grow.
typedef struct tn_byte_source {
  tn_status_t (*read)(void* user, uint64_t offset, void* data, size_t length);
  void* user;
  uint64_t byte_size;
} tn_byte_source_t;

// Opens a file and reads the list of its arrays. Its format is known by its first bytes, or else by
// the end of its name, .npz or .safetensors. Errors are those of tn_npy_read; an array whose dtype
// Tenon does not have is one only when it is read.
TN_API TN_MUST_USE tn_status_t tn_archive_open(const char* path, tn_archive_t** out_archive);
// The same from a source, whose `user` lives as long as the archive. `name` is for messages;
// `format` is "npz" or "safetensors" (NULL: by the first bytes), INVALID_ARGUMENT if another.
TN_API TN_MUST_USE tn_status_t tn_archive_open_source(const char* name, const char* format,
                                                      const tn_byte_source_t* source,
                                                      tn_archive_t** out_archive);
TN_API void tn_archive_close(tn_archive_t* archive);  // NULL is allowed

// The number of arrays, and their names in the order of the file: views that live as long as the
// archive; NULL if the index is out of range.
TN_API size_t tn_archive_count(const tn_archive_t* archive);
TN_API const char* tn_archive_name(const tn_archive_t* archive, size_t index);
// The index of a name. A NOT_FOUND error lists what there is, and suggests the nearest in a note.
TN_API TN_MUST_USE tn_status_t tn_archive_find(const tn_archive_t* archive, const char* name,
                                               size_t* out_index);
// Reads one array, as tn_npz_read and tn_safetensors_read do.
TN_API TN_MUST_USE tn_status_t tn_archive_read(tn_archive_t* archive, size_t index,
                                               tn_device_t* device, const tn_type_t* expected,
                                               tn_buffer_t** out_buffer);
// Whether there is a text at `index` in the metadata of a safetensors file, and the text: views
// that live as long as the archive.
TN_API bool tn_archive_metadata(const tn_archive_t* archive, size_t index, const char** out_key,
                                const char** out_value);

// A file that appears as a whole or not at all: it is written next to `path`, and replaces it,
// with its permissions, when it is complete. What is not a regular file, such as a pipe, is written
// itself. Externally synchronised.
typedef struct tn_file_writer tn_file_writer_t;

// NOT_FOUND if the folder does not exist, PERMISSION_DENIED if the file or its folder must not be
// written.
TN_API TN_MUST_USE tn_status_t tn_file_writer_create(const char* path,
                                                     tn_file_writer_t** out_writer);
// A tn_write_fn; `writer` is the tn_file_writer_t. DATA_LOSS if the disk is full.
TN_API TN_MUST_USE tn_status_t tn_file_writer_write(void* writer, const char* bytes, size_t length);
// The file that is being written, for callers that do not write by tn_file_writer_write. It stays
// the writer's.
TN_API int tn_file_writer_descriptor(const tn_file_writer_t* writer);
// Both end the writer. After an error of the first, the old file is there as it was.
TN_API TN_MUST_USE tn_status_t tn_file_writer_commit(tn_file_writer_t* writer);
TN_API void tn_file_writer_discard(tn_file_writer_t* writer);  // NULL is allowed

// Waits for the buffer and prints it as NumPy's str() does: arrays of up to 1000 elements in full,
// of larger ones the first and last three along each dimension. `write` is called with consecutive
// parts of the text.
TN_API TN_MUST_USE tn_status_t tn_buffer_print(tn_buffer_t* buffer, tn_write_fn write, void* user);

// Waits for the buffer and prints all of it as JSON: nested lists, booleans, numbers that
// round-trip exactly, [real, imaginary] pairs, and "nan", "inf", "-inf" as strings.
TN_API TN_MUST_USE tn_status_t tn_buffer_print_json(tn_buffer_t* buffer, tn_write_fn write,
                                                    void* user);

TN_EXTERN_C_END

#endif  // TENON_NPY_H_
