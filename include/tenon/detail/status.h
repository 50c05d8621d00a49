// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Errors. A tn_status_t is a pointer: NULL is success; any other value owns an object with a code,
// a message, a source location, and notes that callers have added.
//
// Ownership: the receiver of a non-NULL status releases it or passes it on. Thread-safety: retain
// and release are thread-safe; everything else is externally synchronised. If there is not enough
// memory for a status, a static RESOURCE_EXHAUSTED status is returned, which every function here
// accepts.
#ifndef TENON_DETAIL_STATUS_H_
#define TENON_DETAIL_STATUS_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tenon/detail/export.h>

TN_EXTERN_C_BEGIN

typedef enum tn_code {
#define TN_CODE(name, number, meaning) TN_CODE_##name = number,
#include <tenon/detail/status.def>
#undef TN_CODE
} tn_code_t;

typedef struct tn_status* tn_status_t;

#define TN_OK ((tn_status_t)0)

// "INVALID_ARGUMENT"; "UNKNOWN" for values outside of the enumeration.
TN_API const char* tn_code_name(tn_code_t code);

// Creates an error. `code` must not be TN_CODE_OK (it becomes INTERNAL).
TN_API tn_status_t tn_status_create(tn_code_t code, const char* format, ...) TN_PRINTF(2, 3);

// Adds a reference and returns `status`; removes one, and destroys the error with the last one.
TN_API tn_status_t tn_status_retain(tn_status_t status);
TN_API void tn_status_release(tn_status_t status);

TN_API tn_code_t tn_status_code(tn_status_t status);       // TN_CODE_OK for NULL
TN_API const char* tn_status_message(tn_status_t status);  // view, valid until release; "" for NULL
TN_API uint32_t tn_status_line(tn_status_t status);        // 1-based; 0 without a location
TN_API uint32_t tn_status_column(tn_status_t status);      // 1-based; 0 without a location
TN_API const char* tn_status_file(tn_status_t status);     // view; NULL without a location

// Sets the source location: file name (may be NULL), 1-based line and column, and the text of that
// line (may be NULL; no newline), under which a caret is printed at the column. The first location
// is kept. Takes `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_at(tn_status_t status, const char* file, uint32_t line,
                                uint32_t column, const char* line_text, size_t line_text_length);

// Appends "note: ..." to the printed form. Takes `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_note(tn_status_t status, const char* format, ...) TN_PRINTF(2, 3);

// For "did you mean": the name that is nearest to one that is none of them; NULL if none is near.
TN_API const char* tn_nearest_name(const char* name, size_t count, const char* const* names);

// Prefixes the message with "<prefix>: ". Takes `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_prefix(tn_status_t status, const char* format, ...) TN_PRINTF(2, 3);

// Formats the error as clang does: "file:line:col: error: message", the source line, a caret, the
// notes. Writes at most `capacity` bytes including the terminating NUL; returns the length of the
// whole text (as snprintf does).
TN_API size_t tn_status_format(tn_status_t status, char* buffer, size_t capacity);

// Prints the same text, without a length limit, to a stream such as stderr. Does not release
// `status`.
TN_API void tn_status_print(tn_status_t status, FILE* stream);

// Receives a text or file in consecutive parts, on the thread of the call that writes it. An error
// ends the writing and is returned by that call.
typedef tn_status_t (*tn_write_fn)(void* user, const char* bytes, size_t length);

// A tn_write_fn for files: `file` is a FILE*. DATA_LOSS if it cannot be written.
TN_API TN_MUST_USE tn_status_t tn_write_to_file(void* file, const char* bytes, size_t length);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_STATUS_H_
