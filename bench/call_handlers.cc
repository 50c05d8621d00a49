// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The handlers of call_handlers.c as XLA's own headers make them.
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

static ffi::Error Small(F32, ffi::Result<F32> y) {
  return y->untyped_data() ? ffi::Error::Success() : ffi::Error::Internal("no result");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(small, Small, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

static ffi::Error Large(F32, F32, F32, F32, F32, F32, float, int64_t n, ffi::Result<F32> y, ffi::Result<F32>) {
  return y->untyped_data() && n ? ffi::Error::Success() : ffi::Error::Internal("no result");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(large, Large,
                              ffi::Ffi::Bind()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Attr<float>("eps")
                                  .Attr<int64_t>("n")
                                  .Ret<F32>()
                                  .Ret<F32>());
