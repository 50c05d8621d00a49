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

// fft: along one axis, truncated or zero-padded to `size` (0: the size of the axis). fftn: along
// the listed axes (NULL: all), with `sizes` (NULL: unchanged). fft2: along the last two axes, or
// the two that are listed. rfft transforms real input and returns size / 2 + 1 elements along the
// last axis; irfft is its inverse, and `size` is the size of its result.
#define TN_ARRAY_FFT(X) X(fft) X(ifft) X(rfft) X(irfft)
#define TN_ARRAY_DECLARE_FFT(name)                                                                 \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x, int64_t size, int64_t axis, \
                                     tn_fft_norm_t norm);                                          \
  TN_API tn_array_t* tn_array_##name##n(tn_scope_t* scope, tn_array_t* x, size_t axis_count,       \
                                        const int64_t* axes, const int64_t* sizes,                 \
                                        tn_fft_norm_t norm);                                       \
  TN_API tn_array_t* tn_array_##name##2(tn_scope_t * scope, tn_array_t * x, const int64_t* axes,   \
                                        const int64_t* sizes, tn_fft_norm_t norm);
TN_ARRAY_FFT(TN_ARRAY_DECLARE_FFT)

// Sample frequencies of a transform of `size` elements with sample spacing `distance`.
TN_API tn_array_t* tn_array_fftfreq(tn_scope_t* scope, int64_t size, double distance);
TN_API tn_array_t* tn_array_rfftfreq(tn_scope_t* scope, int64_t size, double distance);
// Shifts the zero frequency to the centre of the axes (NULL: all axes), and back.
TN_API tn_array_t* tn_array_fftshift(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                     const int64_t* axes);
TN_API tn_array_t* tn_array_ifftshift(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                      const int64_t* axes);

// Options of the short-time Fourier transform; zeros, or NULL, for all defaults.
typedef struct tn_stft {
  size_t struct_size;    // sizeof(tn_stft_t)
  int64_t size;          // FFT size of a frame; 0: 2048, for istft derived from the frames
  int64_t hop;           // distance between frames; 0: size / 4
  int64_t window_size;   // size of the rectangular window if `window` is NULL; 0: `size`
  tn_array_t* window;    // centred in the frame and padded with zeros; NULL: rectangular
  bool is_not_centered;  // do not pad the signal by half a frame at both ends
  bool is_two_sided;     // all frequencies; implied for complex signals
  tn_pad_mode_t pad_mode;
  tn_fft_norm_t norm;
  int64_t length;  // istft: of the resulting signal; 0: as it follows from the frames
} tn_stft_t;
// Transforms frames of the last axis; the result is [..., frequency, frame].
TN_API tn_array_t* tn_array_stft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* options);
// Reconstructs the real signal by overlap-add, normalised by the sum of the squared windows.
TN_API tn_array_t* tn_array_istft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* options);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_FFT_H_
