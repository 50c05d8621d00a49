// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fourier transforms, with the names and semantics of mlx.core.fft.
//
// Complex results are complex64 and real ones float32; complex128 and float64 for 64-bit operands.
#ifndef TENON_DETAIL_ARRAY_FFT_H_
#define TENON_DETAIL_ARRAY_FFT_H_

#include <tenon/detail/array_ops.h>

TN_EXTERN_C_BEGIN

typedef enum tn_fft_norm {
  TN_FFT_BACKWARD = 0,  // the inverse transform is scaled by 1 / n
  TN_FFT_ORTHO,         // both transforms are scaled by 1 / sqrt(n)
  TN_FFT_FORWARD,       // the forward transform is scaled by 1 / n
} tn_fft_norm_t;

// Transforms along one axis take its first n elements, padded with zeros (n 0: all); those along
// several axes take sizes[i] elements along axes[i] (`axes` NULL: all, or the last ones if there
// are sizes; `sizes` NULL: all elements).

// Fourier transform along one axis.
TN_API tn_array_t* tn_array_fft(tn_scope_t* scope, tn_array_t* a, int64_t n TN_DEFAULT(0),
                                int64_t axis TN_DEFAULT(-1),
                                tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD));
// Fourier transform along two axes, by default the last two.
TN_API tn_array_t* tn_array_fft2(tn_scope_t* scope, tn_array_t* a,
                                 const int64_t* axes TN_COUNT(2) TN_DEFAULT(NULL),
                                 const int64_t* sizes TN_NAMED(s) TN_COUNT(2) TN_DEFAULT(NULL),
                                 tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Fourier transform along several axes, by default all.
TN_API tn_array_t* tn_array_fftn(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                 const int64_t* axes TN_DEFAULT(NULL),
                                 const int64_t* sizes TN_NAMED(s) TN_COUNT(axis_count)
                                     TN_DEFAULT(NULL),
                                 tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Inverse Fourier transform along one axis.
TN_API tn_array_t* tn_array_ifft(tn_scope_t* scope, tn_array_t* a, int64_t n TN_DEFAULT(0),
                                 int64_t axis TN_DEFAULT(-1),
                                 tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD));
// Inverse Fourier transform along two axes, by default the last two.
TN_API tn_array_t* tn_array_ifft2(tn_scope_t* scope, tn_array_t* a,
                                  const int64_t* axes TN_COUNT(2) TN_DEFAULT(NULL),
                                  const int64_t* sizes TN_NAMED(s) TN_COUNT(2) TN_DEFAULT(NULL),
                                  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Inverse Fourier transform along several axes, by default all.
TN_API tn_array_t* tn_array_ifftn(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                  const int64_t* axes TN_DEFAULT(NULL),
                                  const int64_t* sizes TN_NAMED(s) TN_COUNT(axis_count)
                                      TN_DEFAULT(NULL),
                                  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Fourier transform of a real array along one axis: gives the first n / 2 + 1 elements along the
// last axis.
TN_API tn_array_t* tn_array_rfft(tn_scope_t* scope, tn_array_t* a, int64_t n TN_DEFAULT(0),
                                 int64_t axis TN_DEFAULT(-1),
                                 tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD));
// Fourier transform of a real array along two axes, by default the last two: gives the first n / 2
// + 1 elements along the last axis.
TN_API tn_array_t* tn_array_rfft2(tn_scope_t* scope, tn_array_t* a,
                                  const int64_t* axes TN_COUNT(2) TN_DEFAULT(NULL),
                                  const int64_t* sizes TN_NAMED(s) TN_COUNT(2) TN_DEFAULT(NULL),
                                  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Fourier transform of a real array along several axes, by default all: gives the first n / 2 + 1
// elements along the last axis.
TN_API tn_array_t* tn_array_rfftn(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                  const int64_t* axes TN_DEFAULT(NULL),
                                  const int64_t* sizes TN_NAMED(s) TN_COUNT(axis_count)
                                      TN_DEFAULT(NULL),
                                  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Inverse of rfft along one axis: the result is real; n, or the last size, is that of the result.
TN_API tn_array_t* tn_array_irfft(tn_scope_t* scope, tn_array_t* a, int64_t n TN_DEFAULT(0),
                                  int64_t axis TN_DEFAULT(-1),
                                  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD));
// Inverse of rfft along two axes, by default the last two: the result is real; n, or the last size,
// is that of the result.
TN_API tn_array_t* tn_array_irfft2(tn_scope_t* scope, tn_array_t* a,
                                   const int64_t* axes TN_COUNT(2) TN_DEFAULT(NULL),
                                   const int64_t* sizes TN_NAMED(s) TN_COUNT(2) TN_DEFAULT(NULL),
                                   tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);
// Inverse of rfft along several axes, by default all: the result is real; n, or the last size, is
// that of the result.
TN_API tn_array_t* tn_array_irfftn(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                   const int64_t* axes TN_DEFAULT(NULL),
                                   const int64_t* sizes TN_NAMED(s) TN_COUNT(axis_count)
                                       TN_DEFAULT(NULL),
                                   tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD))
    TN_ORDER(a, s, axes, norm);

// Sample frequencies of fft for n elements with sample spacing d.
TN_API tn_array_t* tn_array_fftfreq(tn_scope_t* scope, int64_t n, double d TN_DEFAULT(1));
// Sample frequencies of rfft for n elements with sample spacing d.
TN_API tn_array_t* tn_array_rfftfreq(tn_scope_t* scope, int64_t n, double d TN_DEFAULT(1));
// Shifts the zero frequency to the centre of the axes, by default all axes.
TN_API tn_array_t* tn_array_fftshift(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                     const int64_t* axes TN_DEFAULT(NULL));
// The inverse of fftshift.
TN_API tn_array_t* tn_array_ifftshift(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                      const int64_t* axes TN_DEFAULT(NULL));

// Options of the short-time Fourier transform. Zeros, or NULL: a centred, one-sided transform that
// pads with zeros.
typedef struct tn_stft {
  size_t struct_size;  // sizeof(tn_stft_t)
  // FFT size of a frame; 0: 2048, for istft derived from the frames.
  int64_t n_fft TN_DEFAULT(0);
  // Distance between frames; 0: n_fft / 4.
  int64_t hop_length TN_DEFAULT(0);
  // Size of the rectangular window if `window` is NULL; 0: n_fft.
  int64_t win_length TN_DEFAULT(0);
  // Centred in the frame and padded with zeros; NULL: rectangular.
  tn_array_t* window TN_DEFAULT(NULL);
  // Do not pad the signal by half a frame at both ends.
  bool is_not_centered TN_NOT(center) TN_DEFAULT(false);
  // All frequencies; implied for complex signals.
  bool is_two_sided TN_NOT(onesided) TN_DEFAULT(false);
  tn_pad_mode_t pad_mode TN_DEFAULT(TN_PAD_REFLECT);  // of the padding of the signal
  tn_fft_norm_t norm TN_DEFAULT(TN_FFT_BACKWARD);
  // istft: of the resulting signal; 0: as it follows from the frames.
  int64_t length TN_DEFAULT(0);
} tn_stft_t;
// Transforms frames of the last axis; the result is [..., frequency, frame].
TN_API tn_array_t* tn_array_stft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* options)
    TN_ORDER(x, n_fft, hop_length, win_length, window, center, pad_mode, norm, onesided, length);
// Reconstructs the real signal by overlap-add, normalised by the sum of the squared windows.
TN_API tn_array_t* tn_array_istft(tn_scope_t* scope, tn_array_t* stft_matrix,
                                  const tn_stft_t* options)
    TN_ORDER(stft_matrix, n_fft, hop_length, win_length, window, center, norm, onesided, length,
             pad_mode);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_FFT_H_
