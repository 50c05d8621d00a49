// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A library as users of XLA write it for static registration: a type, a handler and one with stages,
// all registered while it is loaded, under names that only the library knows.
#include <iostream>
#include <memory>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

struct Total {
  static ffi::TypeId id;
  static ffi::TypeInfo info;
  float value = 0;
};
ffi::TypeId Total::id = {};
ffi::TypeInfo Total::info = ffi::MakeTypeInfo<Total>();
XLA_FFI_REGISTER_TYPE(XLA_FFI_GetApi(), "self_registering.total", &Total::id, Total::info);

static ffi::Error Twice(F32 x, ffi::Result<F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = 2 * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kTwice, Twice, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "self_registering.twice", "Host", kTwice);
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "self_registering.twice", "CUDA", kTwice);


// By the function that XLA's documentation names.
static ffi::Error Thrice(F32 x, ffi::Result<F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = 3 * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kThrice, Thrice, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "self_registering.thrice", "Host", kThrice);

static ffi::ErrorOr<std::unique_ptr<Total>> TotalInstantiate() { return std::make_unique<Total>(); }
static ffi::Error AddUp(Total* total, F32 x, ffi::Result<F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = total->value += x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kTotalInstantiate, TotalInstantiate, ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER(kAddUp, AddUp, ffi::Ffi::Bind().Ctx<ffi::State<Total>>().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "self_registering.add_up", "Host",
                         (XLA_FFI_Handler_Bundle{kTotalInstantiate, nullptr, nullptr, kAddUp}));
