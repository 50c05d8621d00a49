// Fourier transforms, with the names and the meaning of mlx.core.fft.
//
// Results are complex64 (complex128 of 64-bit floats), real ones float32 (float64).
#ifndef TENON_ARRAY_FFT_H_
#define TENON_ARRAY_FFT_H_

#include <tenon/array_ops.h>

TN_EXTERN_C_BEGIN

typedef enum tn_fft_norm {
  TN_FFT_BACKWARD = 0,  // the inverse transform divides by the number of elements
  TN_FFT_ORTHO,         // both divide by its square root
  TN_FFT_FORWARD,       // the other one divides
} tn_fft_norm_t;

// Along one axis, whose elements are cut off or filled with zeros to `size` (0: as they are); along
// the axes listed (NULL: all, or as many as there are sizes at the end), with sizes (NULL: as they
// are); along the last two or the two that are listed. rfft is of real parts, and gives
// size / 2 + 1 elements along the last axis; irfft takes so many, and `size` is its result's.
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

// The frequencies of the elements of a transform of `size` elements that are `distance` apart.
TN_API tn_array_t* tn_array_fftfreq(tn_scope_t* scope, int64_t size, double distance);
TN_API tn_array_t* tn_array_rfftfreq(tn_scope_t* scope, int64_t size, double distance);
// Moves frequency 0 to the middle of the axes (NULL: of all), and back.
TN_API tn_array_t* tn_array_fftshift(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                     const int64_t* axes);
TN_API tn_array_t* tn_array_ifftshift(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                      const int64_t* axes);

// How a signal falls into frames; zero is fine, and so is NULL.
typedef struct tn_stft {
  int64_t size;         // of a frame's transform; 0: 2048, and what fits the frames on the way back
  int64_t hop;          // from one frame to the next; 0: a quarter of `size`
  int64_t window_size;  // without a window: ones in the middle of a frame; 0: `size`
  tn_array_t* window;   // in the middle of a frame, zeros around; NULL: ones
  bool
      is_not_centered;  // frames begin at their place; if not, both ends are padded by half a frame
  bool is_two_sided;    // all frequencies; of complex signals, always
  tn_pad_mode_t pad_mode;
  tn_fft_norm_t norm;
  int64_t length;  // of the signal, on the way back; 0: as it comes
} tn_stft_t;
// Of frames of the last axis: [..., frequency, frame].
TN_API tn_array_t* tn_array_stft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* how);
// The real signal again: frames are added where they overlap, over the sum of the squares of the
// window.
TN_API tn_array_t* tn_array_istft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* how);

TN_EXTERN_C_END

#endif  // TENON_ARRAY_FFT_H_
