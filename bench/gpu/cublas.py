# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Products of cuBLAS called directly, without Tenon: what its products are compared with."""

import ctypes
import statistics
import time


def load(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise OSError(f"{names[0]} was not found")


def check(name, error):
    if error:
        raise OSError(f"{name}: error {error}")


class Cublas:
    """On the first device; OSError says what is missing."""

    def __init__(self):
        self.cuda = load("libcuda.so.1")
        self.cublas = load("libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so")
        context, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        check("cuInit", self.call("cuInit", 0))
        check("cuDevicePrimaryCtxRetain", self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0))
        check("cuCtxSetCurrent", self.call("cuCtxSetCurrent", context))
        check("cublasCreate", self.cublas.cublasCreate_v2(ctypes.byref(self.handle)))

    def call(self, name, *arguments):
        try:
            function = getattr(self.cuda, name)
        except AttributeError as error:
            raise OSError(f"the driver has no {name}") from error
        return function(*arguments)

    def allocate(self, byte_size):
        address = ctypes.c_uint64()
        check("cuMemAlloc", self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(byte_size)))
        check("cuMemsetD32", self.call("cuMemsetD32_v2", address, 0x3f800000, ctypes.c_size_t(byte_size // 4)))
        return address

    def f32_ms(self, m, k, n, runs=30):
        """The median of m x k times k x n in single precision, which the host waits for each time, as `tenon bench` does."""
        a, b, c = (self.allocate(4 * size) for size in (m * k, k * n, m * n))
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        times = []
        for _ in range(runs + 3):
            begin = time.perf_counter()
            # Row-major c = a b is column-major c^T = b^T a^T.
            check("cublasSgemm", self.cublas.cublasSgemm_v2(self.handle, 0, 0, n, m, k, ctypes.byref(one), b, n, a, k,
                                                            ctypes.byref(zero), c, n))
            check("cuCtxSynchronize", self.call("cuCtxSynchronize"))
            times.append(time.perf_counter() - begin)
        for address in (a, b, c):
            self.call("cuMemFree_v2", address)
        return 1e3 * statistics.median(times[3:])

    def bandwidth(self):
        """GB/s that the memory's clock and width allow; 0: the driver does not say."""
        clock_khz, width_bits = ctypes.c_int(), ctypes.c_int()
        for attribute, value in ((36, clock_khz), (37, width_bits)):
            if self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, 0):
                return 0
        return 2 * clock_khz.value * 1e3 * width_bits.value / 8 / 1e9
