// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers as users of XLA write them, against the headers that jaxlib installs: every kind of
// binding. test_foreign_handlers.py runs them in JAX and in Tenon.
#include <chrono>
#include <complex>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;
using F64Row = ffi::BufferR1<ffi::F64>;

static ffi::Error Axpby(F32 x, F32 y, ffi::Result<F32> out, float a, float b) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    out->typed_data()[i] = a * x.typed_data()[i] + b * y.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(axpby, Axpby,
                              ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>().Attr<float>("a").Attr<float>(
                                  "b"));

// dtype, rank, first dimension, bytes
static ffi::Error Look(ffi::AnyBuffer x, ffi::Result<ffi::BufferR1<ffi::S32>> out) {
  int32_t* data = out->typed_data();
  data[0] = static_cast<int32_t>(x.element_type());
  data[1] = static_cast<int32_t>(x.dimensions().size());
  data[2] = data[1] ? static_cast<int32_t>(x.dimensions()[0]) : -1;
  data[3] = static_cast<int32_t>(x.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(look, Look,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::BufferR1<ffi::S32>>());

// Every result is the sum of all arguments, whatever their number.
static ffi::Error SumAll(F32 first, ffi::RemainingArgs args, ffi::Result<F32> out, ffi::RemainingRets rets) {
  for (size_t i = 0; i < first.element_count(); ++i) {
    float sum = first.typed_data()[i];
    for (size_t k = 0; k < args.size(); ++k) {
      auto arg = args.get<F32>(k);
      if (arg.has_error()) return arg.error();
      sum += arg->typed_data()[i];
    }
    out->typed_data()[i] = sum;
    for (size_t k = 0; k < rets.size(); ++k) {
      auto ret = rets.get<F32>(k);
      if (ret.has_error()) return ret.error();
      (*ret)->typed_data()[i] = sum + static_cast<float>(k + 1);
    }
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(sum_all, SumAll,
                              ffi::Ffi::Bind().Arg<F32>().RemainingArgs().Ret<F32>().RemainingRets());

static ffi::Error Optional(F32 x, std::optional<F32> y, ffi::Result<F32> out, std::optional<ffi::Result<F32>> more) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    out->typed_data()[i] = x.typed_data()[i] + (y ? y->typed_data()[i] : 100.0f);
    if (more) (*more)->typed_data()[i] = -1;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    optional, Optional, ffi::Ffi::Bind().Arg<F32>().OptionalArg<F32>().Ret<F32>().OptionalRet<F32>());

enum class Command : int32_t { kAdd = 0, kMul = 1 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Command);
struct Range {
  int64_t lo, hi;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, ffi::StructMember<int64_t>("lo"), ffi::StructMember<int64_t>("hi"));

static ffi::Error Attributes(ffi::Result<F64Row> out, bool flag, int8_t small, uint16_t word, int64_t wide,
                             double number, std::string_view text, ffi::Span<const int64_t> list,
                             ffi::Span<const float> floats, Command command, Range range, ffi::Dictionary nested) {
  double* y = out->typed_data();
  auto inner = nested.get<int32_t>("inner");
  if (inner.has_error()) return inner.error();
  *y++ = flag;
  *y++ = small;
  *y++ = word;
  *y++ = static_cast<double>(wide);
  *y++ = number;
  *y++ = static_cast<double>(text.size());
  *y++ = text.size() > 1 ? text[1] : -1;
  *y++ = static_cast<double>(list.size());
  *y++ = static_cast<double>(list[list.size() - 1]);
  *y++ = floats[0];
  *y++ = static_cast<double>(command);
  *y++ = static_cast<double>(range.hi - range.lo);
  *y++ = *inner;
  *y++ = static_cast<double>(nested.size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(attributes, Attributes,
                              ffi::Ffi::Bind()
                                  .Ret<F64Row>()
                                  .Attr<bool>("flag")
                                  .Attr<int8_t>("small")
                                  .Attr<uint16_t>("word")
                                  .Attr<int64_t>("wide")
                                  .Attr<double>("number")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("list")
                                  .Attr<ffi::Span<const float>>("floats")
                                  .Attr<Command>("command")
                                  .Attr<Range>("range")
                                  .Attr<ffi::Dictionary>("nested"));

// Every type that a number, or a list of numbers, can have.
template <typename... T>
static ffi::Error Numbers(ffi::Result<F64Row> out, T... numbers) {
  double* y = out->typed_data();
  ((*y++ = static_cast<double>(numbers)), ...);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    every_number, (Numbers<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>),
    ffi::Ffi::Bind()
        .Ret<F64Row>()
        .Attr<int8_t>("s8")
        .Attr<int16_t>("s16")
        .Attr<int32_t>("s32")
        .Attr<int64_t>("s64")
        .Attr<uint8_t>("u8")
        .Attr<uint16_t>("u16")
        .Attr<uint32_t>("u32")
        .Attr<uint64_t>("u64")
        .Attr<float>("f32")
        .Attr<double>("f64"));

template <typename... T>
static ffi::Error Lists(ffi::Result<F64Row> out, ffi::Span<const T>... lists) {
  double* y = out->typed_data();
  ((*y++ = static_cast<double>(lists[lists.size() - 1]) + 1000.0 * static_cast<double>(lists.size())), ...);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    every_list, (Lists<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>),
    ffi::Ffi::Bind()
        .Ret<F64Row>()
        .Attr<ffi::Span<const int8_t>>("s8")
        .Attr<ffi::Span<const int16_t>>("s16")
        .Attr<ffi::Span<const int32_t>>("s32")
        .Attr<ffi::Span<const int64_t>>("s64")
        .Attr<ffi::Span<const uint8_t>>("u8")
        .Attr<ffi::Span<const uint16_t>>("u16")
        .Attr<ffi::Span<const uint32_t>>("u32")
        .Attr<ffi::Span<const uint64_t>>("u64")
        .Attr<ffi::Span<const float>>("f32")
        .Attr<ffi::Span<const double>>("f64"));

static ffi::Error AllAttributes(ffi::Result<F64Row> out, ffi::Dictionary all) {
  auto x = all.get<double>("x");
  if (x.has_error()) return x.error();
  out->typed_data()[0] = *x;
  out->typed_data()[1] = static_cast<double>(all.size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(all_attributes, AllAttributes, ffi::Ffi::Bind().Ret<F64Row>().Attrs());

static ffi::Error Pointer(ffi::Result<F64Row> out, int64_t* value) {
  out->typed_data()[0] = static_cast<double>(*value);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(pointer, Pointer,
                              ffi::Ffi::Bind().Ret<F64Row>().Attr<ffi::Pointer<int64_t>>("address"));

static ffi::Error Fail(F32, ffi::Result<F32>, int32_t code) {
  return ffi::Error(static_cast<ffi::ErrorCode>(code), "asked for code " + std::to_string(code));
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(fail, Fail, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("code"));

static ffi::Error Throw(F32, ffi::Result<F32>) { throw std::runtime_error("boom"); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(throw_exception, Throw, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

// --- states

struct Counter {
  static ffi::TypeId id;
  static ffi::TypeInfo info;
  static int live;
  explicit Counter(int64_t start) : calls(start) { ++live; }
  ~Counter() { --live; }
  int64_t calls;
};
ffi::TypeId Counter::id = {};
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
int Counter::live = 0;
extern "C" XLA_FFI_TypeId* counter_type_id() { return &Counter::id; }
extern "C" const XLA_FFI_TypeInfo* counter_type_info() { return &Counter::info; }
extern "C" int live_counters() { return Counter::live; }

static ffi::ErrorOr<std::unique_ptr<Counter>> CountInstantiate(int64_t start) {
  if (start < 0) return ffi::Unexpected(ffi::Error::InvalidArgument("cannot start below zero"));
  return std::make_unique<Counter>(start);
}
static ffi::Error Count(Counter* counter, ffi::Result<F64Row> out) {
  out->typed_data()[0] = static_cast<double>(counter->calls++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(count_instantiate, CountInstantiate, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(count, Count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<F64Row>());

// --- what the host offers

static ffi::Future Later(F32 x, ffi::Result<F32> out, bool fails) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([=, promise = std::move(promise)]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (size_t i = 0; i < x.element_count(); ++i) out->typed_data()[i] = 2 * x.typed_data()[i];
    if (fails) {
      promise.SetError(ffi::Error::Internal("failed later"));
    } else {
      promise.SetAvailable();
    }
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(later, Later, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<bool>("fails"));

static ffi::Error Parallel(ffi::ThreadPool pool, F32 x, ffi::Result<F32> out) {
  const size_t count = x.element_count();
  std::atomic<size_t> done = 0;
  for (size_t i = 0; i < count; ++i) {
    pool.Schedule([&, i] {
      out->typed_data()[i] = -x.typed_data()[i];
      done.fetch_add(1);
    });
  }
  while (done.load() < count) std::this_thread::yield();
  return pool.num_threads() > 0 ? ffi::Error::Success() : ffi::Error::Internal("a pool without threads");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(parallel, Parallel, ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<F32>().Ret<F32>());

static ffi::Error Scratch(ffi::ScratchAllocator scratch, F32 x, ffi::Result<F32> out) {
  std::optional<void*> memory = scratch.Allocate(x.size_bytes(), 16);
  if (!memory) return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no scratch memory");
  std::memcpy(*memory, x.untyped_data(), x.size_bytes());
  std::memcpy(out->untyped_data(), *memory, x.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scratch, Scratch, ffi::Ffi::Bind().Ctx<ffi::ScratchAllocator>().Arg<F32>().Ret<F32>());

static ffi::Error Where(ffi::RunId run, int32_t device, ffi::Result<F64Row> out) {
  out->typed_data()[0] = device;
  out->typed_data()[1] = run.run_id != 0;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(where, Where,
                              ffi::Ffi::Bind().Ctx<ffi::RunId>().Ctx<ffi::DeviceOrdinal>().Ret<F64Row>());

static ffi::Error Stream(void*, F32, ffi::Result<F32>) { return ffi::Error::Success(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(stream, Stream,
                              ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Arg<F32>().Ret<F32>());

// The result lies in the operand's storage.
static ffi::Error InPlace(F32 x, ffi::Result<F32> out) {
  if (x.untyped_data() != out->untyped_data()) return ffi::Error::Internal("two places");
  for (size_t i = 0; i < x.element_count(); ++i) out->typed_data()[i] += 1;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(in_place, InPlace, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

// --- user data: what the caller of a run hands to the handlers in it

struct Tally {
  static ffi::TypeId id;
  static ffi::TypeInfo info;
  double value;
};
ffi::TypeId Tally::id = {};
ffi::TypeInfo Tally::info = ffi::MakeTypeInfo<Tally>();
extern "C" XLA_FFI_TypeId* tally_type_id() { return &Tally::id; }
extern "C" const XLA_FFI_TypeInfo* tally_type_info() { return &Tally::info; }

static ffi::Error AddToTally(Tally* tally, F64Row x, ffi::Result<F64Row> out) {
  tally->value += x.typed_data()[0];
  out->typed_data()[0] = tally->value;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(add_to_tally, AddToTally,
                              ffi::Ffi::Bind().Ctx<ffi::UserData<Tally>>().Arg<F64Row>().Ret<F64Row>());

// --- all four stages, with states of three

static ffi::ErrorOr<std::unique_ptr<Counter>> StagesInstantiate(int64_t start) {
  return std::make_unique<Counter>(start);
}
// Buffers have addresses, their contents are not there yet.
static ffi::ErrorOr<std::unique_ptr<Counter>> StagesPrepare(Counter* instantiated, F64Row x, ffi::Result<F64Row> out,
                                                            int64_t start) {
  if (!x.untyped_data() || !out->untyped_data()) return ffi::Unexpected(ffi::Error::Internal("no addresses"));
  if (start == 13) return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kUnavailable, "thirteen"));
  return std::make_unique<Counter>(++instantiated->calls * 100);
}
static ffi::ErrorOr<std::unique_ptr<Counter>> StagesInitialize(Counter* prepared) {
  return std::make_unique<Counter>(prepared->calls + 10000);
}
static ffi::Error StagesExecute(Counter* instantiated, Counter* prepared, Counter* initialized, F64Row x,
                                ffi::Result<F64Row> out) {
  double* y = out->typed_data();
  y[0] = static_cast<double>(instantiated->calls);
  y[1] = static_cast<double>(prepared->calls);
  y[2] = static_cast<double>(initialized->calls) + x.typed_data()[0];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(stages_instantiate, StagesInstantiate,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    stages_prepare, StagesPrepare,
    ffi::Ffi::BindPrepare().Ctx<ffi::State<Counter>>().Arg<F64Row>().Ret<F64Row>().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(stages_initialize, StagesInitialize,
                              ffi::Ffi::BindInitialize().Ctx<ffi::Prepared<Counter>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(stages, StagesExecute,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Ctx<ffi::Prepared<Counter>>()
                                  .Ctx<ffi::Initialized<Counter>>()
                                  .Arg<F64Row>()
                                  .Ret<F64Row>());

// --- lists of booleans, which XLA's headers leave to their users to decode

namespace xla::ffi {
template <>
struct AttrDecoding<Span<const bool>> {
  using Type = Span<const bool>;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    auto* array = reinterpret_cast<XLA_FFI_Array*>(attr);
    if (type != XLA_FFI_AttrType_ARRAY || array->dtype != XLA_FFI_DataType_PRED) {
      return diagnostic.Emit("expected a list of booleans");
    }
    return Type(reinterpret_cast<bool*>(array->data), array->size);
  }
};
}  // namespace xla::ffi

static ffi::Error Flags(ffi::Result<F64Row> out, ffi::Span<const bool> flags) {
  out->typed_data()[0] = static_cast<double>(flags.size());
  out->typed_data()[1] = 0;
  for (size_t i = 0; i < flags.size(); ++i) out->typed_data()[1] += flags[i] ? static_cast<double>(1 << i) : 0;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(flags, Flags, ffi::Ffi::Bind().Ret<F64Row>().Attr<ffi::Span<const bool>>("flags"));
