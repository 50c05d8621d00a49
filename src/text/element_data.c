#include "text/element_data.h"

enum { DATA_ALIGNMENT = 64 };

tn_status_t tn__element_data_make(tn_arena_t* arena, const tn_type_t* type, size_t byte_length,
                                  tn_attr_t** out_attr) {
  void *memory = NULL, *data = NULL;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(tn_attr_t), &memory));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, byte_length, DATA_ALIGNMENT, &data));
  tn_attr_t* attr = memory;
  attr->kind = TN_ATTR_ELEMENTS;
  attr->elements.type = type;
  attr->elements.data = data;
  *out_attr = attr;
  return TN_OK;
}

void tn__element_data_tidy(tn_dtype_t dtype, void* data, size_t length) {
  uint32_t bits = tn_dtype_bit_width(dtype);
  uint8_t* bytes = data;
  if (bits >= 8) return;
  for (size_t i = 0; i < length; ++i) {
    uint8_t byte = bytes[i];
    if (dtype == TN_DTYPE_PRED) {
      byte = byte != 0;
    } else {
      byte &= (uint8_t)((1u << bits) - 1);
      bool negative = tn_dtype_kind(dtype) == TN_KIND_SIGNED && byte >> (bits - 1);
      if (negative) byte |= (uint8_t)(0xFFu << bits);
    }
    bytes[i] = byte;
  }
}

void tn__element_data_note_splat(tn_attr_t* attr) {
  size_t size = tn_dtype_size(attr->elements.type->dtype);
  size_t length = tn__type_byte_length(attr->elements.type);
  const char* data = attr->elements.data;
  attr->elements.splat = length != 0 && memcmp(data, data + size, length - size) == 0;
}
