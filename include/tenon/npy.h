// Buffers and files: .npy, .npz and safetensors, and printing as NumPy prints.
#ifndef TENON_NPY_H_
#define TENON_NPY_H_

#include <tenon/buffer.h>

TN_EXTERN_C_BEGIN

// Reads a .npy file (formats 1 to 3, either byte order, C or Fortran order) into a buffer on
// `device`. `expected` may be NULL; otherwise the array must have that type, and elements that
// NumPy does not name (bfloat16 and the 8-bit floats are saved as bytes of that size) are taken as
// its dtype. Errors name the file: NOT_FOUND, INVALID_ARGUMENT for what is no .npy file or another
// type, DATA_LOSS for a truncated one, UNIMPLEMENTED for objects, strings and records.
TN_API TN_MUST_USE tn_status_t tn_npy_read(tn_device_t* device, const char* path,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// The array `key` of a .npz file, whose members are stored or deflated. NOT_FOUND lists the keys
// that there are.
TN_API TN_MUST_USE tn_status_t tn_npz_read(tn_device_t* device, const char* path, const char* key,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// Waits for the buffer and writes it as .npy, C order. dtypes that NumPy has not are written as
// bytes of that size.
TN_API TN_MUST_USE tn_status_t tn_npy_write(const char* path, tn_buffer_t* buffer);

// Waits for the buffers and writes them as an archive, not deflated. INVALID_ARGUMENT for keys that
// are equal or empty; UNIMPLEMENTED for 4 GiB and more.
TN_API TN_MUST_USE tn_status_t tn_npz_write(const char* path, size_t count, const char* const* keys,
                                            tn_buffer_t* const* buffers);

// The tensor `name` of a safetensors file; the others are not read. Errors as of tn_npy_read;
// NOT_FOUND for the name has the nearest one as a note.
TN_API TN_MUST_USE tn_status_t tn_safetensors_read(tn_device_t* device, const char* path,
                                                   const char* name, const tn_type_t* expected,
                                                   tn_buffer_t** out_buffer);

// Waits for the buffers and writes them as a safetensors file. INVALID_ARGUMENT for names that are
// equal, UNIMPLEMENTED for dtypes that the format does not have.
TN_API TN_MUST_USE tn_status_t tn_safetensors_write(const char* path, size_t count,
                                                    const char* const* names,
                                                    tn_buffer_t* const* buffers);

// Waits for the buffer and writes it as NumPy's str() does: at most 1000 elements in full, of
// larger ones the first and last three along each dimension. `write` gets the text in pieces.
TN_API TN_MUST_USE tn_status_t tn_buffer_print(tn_buffer_t* buffer,
                                               tn_status_t (*write)(void* user, const char* text,
                                                                    size_t length),
                                               void* user);

// Waits for the buffer and writes all of it as JSON: nested lists, booleans, numbers that read back
// exactly, [real, imaginary] pairs, and "nan", "inf", "-inf" as strings.
TN_API TN_MUST_USE tn_status_t
tn_buffer_print_json(tn_buffer_t* buffer,
                     tn_status_t (*write)(void* user, const char* text, size_t length), void* user);

TN_EXTERN_C_END

#endif  // TENON_NPY_H_
