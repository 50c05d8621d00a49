# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Fourier transforms of every kind, length and rank, and what is built from them."""

import jax
import jax.numpy as jnp
import numpy as np

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)


def complex_numbers(seed, *shape, dtype=np.complex64):
    return (numbers(seed, *shape) + 1j * numbers(seed + 500, *shape)).astype(dtype)


LENGTHS = (1, 2, 3, 5, 8, 12, 17, 30, 64, 97, 100)


@register([complex_numbers(n, 2, n) for n in LENGTHS], scale="largest", sample=True)
def fft_of_every_length(arrays):
    return [jnp.fft.fft(x) for x in arrays], [jnp.fft.ifft(x) for x in arrays]


@register([numbers(n, 2, n) for n in LENGTHS], scale="largest", sample=True)
def rfft_of_every_length(arrays):
    return [jnp.fft.rfft(x) for x in arrays]


@register([complex_numbers(n, 2, n // 2 + 1) for n in LENGTHS], scale="largest", sample=True)
def irfft_of_every_length(arrays):
    return [jnp.fft.irfft(x, n) for x, n in zip(arrays, LENGTHS)]


@register(complex_numbers(1, 3, 8, 6), numbers(2, 3, 8, 6), numbers(3, 2, 4, 6, 5), scale="largest", sample=True)
def fft_of_two_and_three_dimensions(z, x, volume):
    return (
    jnp.fft.fft2(z), jnp.fft.ifft2(z), jnp.fft.rfft2(x), jnp.fft.irfft2(
        z, (8, 10)), jnp.fft.fftn(volume), jnp.fft.rfftn(
            volume, axes=(
                1, 2, 3)), jnp.fft.irfftn(
                    jnp.fft.rfftn(
                        volume, axes=(
                            1, 2, 3)), axes=(
                                1, 2, 3)), jnp.fft.ifftn(z))


@register(numbers(4, 3, 20), complex_numbers(5, 3, 20), scale="largest")
def fft_options(x, z):
    return (jnp.fft.fft(z, 32), jnp.fft.fft(z, 10), jnp.fft.fft(z, axis=0), jnp.fft.fft(z, norm="ortho"),
            jnp.fft.rfft(x, norm="forward"), jnp.fft.hfft(z), jnp.fft.ihfft(x), jnp.fft.fftshift(x),
            jnp.fft.ifftshift(x), jnp.fft.fftfreq(9, 0.1), jnp.fft.rfftfreq(9, 0.1))


@register(complex_numbers(6, 2, 31, dtype=np.complex128), numbers(7, 2, 30, dtype=np.float64), x64=True,
          scale="largest")
def fft_of_doubles(z, x):
    return jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z, 60)


@register(numbers(8, 40), scale="largest")
def fft_gradient(x):
    return jax.grad(lambda a: jnp.sum(jnp.abs(jnp.fft.rfft(a)) ** 3))(x)


@register(numbers(9, 100), numbers(10, 17), numbers(11, 12, 13), numbers(12, 4, 5), scale="largest", sample=True)
def convolution_and_correlation(x, kernel, image, small):
    every = []
    for mode in ("full", "same", "valid"):
        every += [jnp.convolve(x, kernel, mode), jnp.correlate(x, kernel, mode),
                  jax.scipy.signal.convolve2d(image, small, mode), jax.scipy.signal.correlate2d(image, small, mode),
                  jax.scipy.signal.fftconvolve(x, kernel, mode), jax.scipy.signal.convolve(image, small, mode)]
    return every


@register(numbers(13, 256), scale="largest", ulps=100, needs="openblas")
def spectra(x):
    frequencies, times, spectrum = jax.scipy.signal.stft(x, nperseg=64)
    _, back = jax.scipy.signal.istft(spectrum, nperseg=64)
    return (frequencies, times, spectrum, back, jax.scipy.signal.welch(x, nperseg=64),
            jax.scipy.signal.csd(x, x[::-1], nperseg=64), jax.scipy.signal.detrend(x))


@register(numbers(14, 4, 12), scale="largest")
def cosine_transforms(x):
    return (jax.scipy.fft.dct(x), jax.scipy.fft.idct(x), jax.scipy.fft.dct(x, norm="ortho"), jax.scipy.fft.dctn(x),
            jax.scipy.fft.idctn(x))
