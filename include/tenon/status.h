// Errors. A tn_status_t is one word: NULL is success; anything else is an owned object with a code,
// a message, the place in the source it speaks of, and notes that were added on the way up.
//
// Ownership: whoever receives a non-NULL status releases it, or passes it on. Thread-safety: retain
// and release are thread-safe; everything else is externally synchronised. When there is no memory
// for a status, a static RESOURCE_EXHAUSTED one is returned, on which every function here still
// works.
#ifndef TENON_STATUS_H_
#define TENON_STATUS_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tenon/export.h>

TN_EXTERN_C_BEGIN

typedef enum tn_code {
#define TN_CODE(name, number, meaning) TN_CODE_##name = number,
#include <tenon/status.def>
#undef TN_CODE
} tn_code_t;

typedef struct tn_status* tn_status_t;

#define TN_OK ((tn_status_t)0)

// "INVALID_ARGUMENT"; "UNKNOWN" for numbers that are no code.
TN_API const char* tn_code_name(tn_code_t code);

// Makes an error. `code` must not be TN_CODE_OK (it becomes INTERNAL).
TN_API tn_status_t tn_status_create(tn_code_t code, const char* format, ...) TN_PRINTF(2, 3);

TN_API tn_status_t tn_status_retain(tn_status_t status);
TN_API void tn_status_release(tn_status_t status);

TN_API tn_code_t tn_status_code(tn_status_t status);       // TN_CODE_OK for NULL
TN_API const char* tn_status_message(tn_status_t status);  // view, valid until release; "" for NULL
TN_API uint32_t tn_status_line(tn_status_t status);     // 1-based; 0 when the status has no place
TN_API uint32_t tn_status_column(tn_status_t status);   // 1-based; 0 when the status has no place
TN_API const char* tn_status_file(tn_status_t status);  // view; NULL when the status has no place

// Says where: file name (may be NULL), 1-based line and column, and the text of that line (may be
// NULL; no newline), under whose column a caret is printed. The first place set wins. Takes
// `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_at(tn_status_t status, const char* file, uint32_t line,
                                uint32_t column, const char* line_text, size_t line_text_length);

// Appends "note: ..." to the printed form. Takes `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_note(tn_status_t status, const char* format, ...) TN_PRINTF(2, 3);

// Puts "<prefix>: " before the message. Takes `status` and returns it; NULL stays NULL.
TN_API tn_status_t tn_status_prefix(tn_status_t status, const char* format, ...) TN_PRINTF(2, 3);

// Writes the whole report as clang does: "file:line:col: error: message", the source line, a caret,
// the notes. At most `capacity` bytes with the terminating NUL; returns the length that the whole
// text has (as snprintf does).
TN_API size_t tn_status_format(tn_status_t status, char* buffer, size_t capacity);

// Writes the same text, of any length, to a stream such as stderr. Does not release `status`.
TN_API void tn_status_print(tn_status_t status, FILE* stream);

TN_EXTERN_C_END

#endif  // TENON_STATUS_H_
