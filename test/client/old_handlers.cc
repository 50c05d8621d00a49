// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers for test_old_headers.py, in what XLA's headers of all versions since 0.1 of the FFI have in common.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;
using F64Row = ffi::BufferR1<ffi::F64>;

extern "C" int ffi_minor() { return XLA_FFI_API_MINOR; }

// --- a state, whose type brings its deleter since version 0.2; before, each object did

struct Counter {
  static ffi::TypeId id;
  static int live;
  explicit Counter(int64_t start) : calls(start) { ++live; }
  ~Counter() { --live; }
  int64_t calls;
#if XLA_FFI_API_MINOR >= 2
  static ffi::TypeInfo info;
#endif
};
ffi::TypeId Counter::id = {};
int Counter::live = 0;
extern "C" XLA_FFI_TypeId* counter_type_id() { return &Counter::id; }
extern "C" int live_counters() { return Counter::live; }
#if XLA_FFI_API_MINOR >= 2
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
extern "C" const XLA_FFI_TypeInfo* counter_type_info() { return &Counter::info; }
#endif

static ffi::ErrorOr<std::unique_ptr<Counter>> CountInstantiate(int64_t start) {
  if (start < 0) return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kOutOfRange, "cannot start below zero"));
  return std::make_unique<Counter>(start);
}
static ffi::Error Count(Counter* counter, ffi::Result<F64Row> out, int64_t) {
  out->typed_data()[0] = static_cast<double>(counter->calls++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(count_instantiate, CountInstantiate, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    count, Count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<F64Row>().Attr<int64_t>("start"));

// --- attributes

enum class Command : int32_t { kFirst, kSecond };
struct Range {
  int64_t lo, hi;
};
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Command);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, ffi::StructMember<int64_t>("lo"), ffi::StructMember<int64_t>("hi"));

static ffi::Error Attributes(F32 x, ffi::Result<F64Row> out, bool flag, int8_t small, uint32_t word, double number,
                             std::string_view text, ffi::Span<const int64_t> list, ffi::Span<const float> floats,
                             Command command, Range range, ffi::Dictionary nested) {
  auto inner = nested.get<int32_t>("inner");
  if (inner.has_error()) return inner.error();
  double sum = 0;
  for (int64_t i : list) sum += static_cast<double>(i);
  for (float f : floats) sum += f;
  double* y = out->typed_data();
  *y++ = x.typed_data()[x.element_count() - 1];
  *y++ = flag;
  *y++ = small;
  *y++ = word;
  *y++ = number;
  *y++ = static_cast<double>(text.size()) + text[1];
  *y++ = sum;
  *y++ = static_cast<double>(command);
  *y++ = static_cast<double>(range.hi - range.lo);
  *y++ = *inner;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(attributes, Attributes,
                              ffi::Ffi::Bind()
                                  .Arg<F32>()
                                  .Ret<F64Row>()
                                  .Attr<bool>("flag")
                                  .Attr<int8_t>("small")
                                  .Attr<uint32_t>("word")
                                  .Attr<double>("number")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("list")
                                  .Attr<ffi::Span<const float>>("floats")
                                  .Attr<Command>("command")
                                  .Attr<Range>("range")
                                  .Attr<ffi::Dictionary>("nested"));

// --- errors

static ffi::Error Fail(F32, ffi::Result<F32>, int32_t code) {
  return ffi::Error(static_cast<ffi::ErrorCode>(code), "asked for code " + std::to_string(code));
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(fail, Fail, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("code"));
