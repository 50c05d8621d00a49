# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Each function gives what that of mlx.core gives: the same results, or an error in both."""

import os
import subprocess
import sys

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

# Calls, with m for the module.
CALLS = """
m.arange(6)
m.arange(3.5)
m.arange(1, 4.0)
m.arange(1, 4, dtype=m.int8)
m.arange(1, 10, 2)
m.arange(stop=3)
m.arange(start=1, stop=3)
m.arange(3, step=2)
m.arange(1, 4, None)
m.arange(0, 2**40, 2**39)
m.arange(5, 0, -2)
m.arange(0, 3, 0.2, dtype=m.int32)
m.arange(-1, -4, -0.9, dtype=m.int32)
m.arange(0, 10, float("inf"))
m.arange(10, 0, float("inf"))
m.arange(0, -10, float("-inf"))
m.linspace(0, 1, 3)
m.linspace(0, 5, dtype=m.int32, num=6)
m.zeros(3)
m.zeros((2,), None)
m.zeros([2, 1], m.int8)
m.ones((2, 2), dtype=m.float16)
m.full(2, 3)
m.full((2,), 1.5, m.int32)
m.full((2, 2), m.array([1, 2]))
m.full_like(m.array([1]), 2.5)
m.full_like(m.array([1]), 2.5, m.float16)
m.zeros_like(m.array([1, 2]))
m.zeros_like(m.array([1, 2]), m.float32)
m.ones_like(m.array([1, 2]), dtype=m.bool_)
m.eye(2, 3, 1)
m.eye(3)
m.tri(2)
m.tri(2, 3, dtype=m.int32)
m.identity(2)
m.meshgrid(m.array([1, 2]), m.array([3, 4, 5]))
m.meshgrid(m.array([1, 2]), m.array([3, 4, 5]), indexing="ij", sparse=True)
m.broadcast_arrays(m.array([1, 2]), m.array([[3], [4]]))
m.as_strided(m.arange(4))
m.as_strided(m.arange(4), (2, 2))
m.as_strided(m.arange(6), (2, 2), (1, 2), 1)
m.atleast_1d(m.array(1))
m.atleast_2d(m.array(1), m.array([2]))
m.atleast_3d()
m.concatenate([m.array([[1]]), m.array([[2]])])
m.concatenate([m.array([[1]]), m.array([[2]])], axis=None)
m.concat([m.array([[1]]), m.array([[2]])], 1)
m.stack([m.array([1]), m.array([2])], axis=-1)
m.split(m.arange(6), 2)
m.split(m.arange(6), [2, 3])
m.split(m.array([[1, 2]]), 2, axis=1)
m.unstack(m.array([[1, 2], [3, 4]]))
m.unstack(m.array([[1, 2], [3, 4]]), axis=-1)
m.pad(m.array([1, 2]), 1)
m.pad(m.array([1, 2]), (1, 2))
m.pad(m.array([[1, 2]]), [(1, 1), (0, 2)])
m.pad(m.array([[1, 2]]), (2,))
m.pad(m.array([[1, 2]]), [(1, 2)])
m.pad(m.array([1.0], m.float64), 1, constant_values=0.1)
m.pad(m.array([[1, 2]]), [1, 0], constant_values=7)
m.pad(m.array([1, 2, 3]), 1, mode="edge")
m.depends(m.array(1), m.array(2))
m.depends([m.array(1)], [m.array(2)])
m.slice(m.arange(6), m.array([2]), [0], [3])
m.slice_update(m.arange(6), m.array([9, 9]), m.array([2]), [0])
m.clip(m.array([1, 2]), 1.5, None)
m.clip(m.array([1, 2]), a_min=None, a_max=1)
m.nan_to_num(m.array([float("nan"), float("inf")]), 1, posinf=5.0)
m.cumsum(m.array([1, 2]), dtype=m.float32)
m.cumsum(m.array([[1, 2], [3, 4]]), 1, reverse=True, inclusive=False)
m.cumprod(m.array([[1, 2], [3, 4]]))
m.cumulative_sum(m.array([1, 2]))
m.std(m.array([1.0, 2.0]), ddof=1)
m.var(m.array([1.0, 2.0]), correction=1)
m.put_along_axis(m.arange(3), m.array([0]), m.array([9]))
m.searchsorted(m.array([1, 2]), m.array(2))
m.searchsorted(m.array([1, 2]), m.array(2), "right")
m.unique(m.array([1, 2, 1]), 2)
m.unique(m.array([1, 2, 1]), 2, True, True, True)
m.unique(m.array([1, 2, 1]), 3, return_counts=True, fill_value=9)
m.sort(m.array([[2, 1], [4, 3]]), axis=None)
m.argsort(m.array([[2, 1], [4, 3]]), axis=None)
m.argpartition(m.array([2, 1]), 0, axis=None)
m.take(m.arange(4), 1)
m.take(m.array([[1, 2], [3, 4]]), m.array([1, 0]), axis=1)
m.take_along_axis(m.array([[1, 2], [3, 4]]), m.array([0, 3]), axis=None)
m.repeat(m.array([1, 2]), 2)
m.roll(m.arange(4), 1)
m.roll(m.array([[1, 2], [3, 4]]), 1, (0, 1))
m.roll(m.array([[1, 2], [3, 4]]), (1, 1), (0, 1))
m.expand_dims(m.array(1), (0, 1))
m.permute_dims(m.array([[1, 2]]), (1, 0))
m.contiguous(m.array([1]), True)
m.einsum("ij,jk", m.ones((2, 3)), m.ones((3, 2)))
m.einsum_path("ij->j", m.ones((2, 3)))[0]
m.einsum_path("ij,jk,kl->il", m.ones((2, 3)), m.ones((3, 2)), m.ones((2, 5)))[0]
m.gather_mm(m.ones((2, 2, 2)), m.ones((2, 2, 2)), m.array([0, 1], m.uint32), sorted_indices=True)
m.tensordot(m.ones((2, 3)), m.ones((3, 2)), 1)
m.tensordot(m.ones((2, 3)), m.ones((2, 3)))
m.tensordot(m.ones((2, 3)), m.ones((3, 2)), [[1], [0]])
m.tensordot(m.ones((2, 3)), m.ones((3, 2)), ([1, 0], [0, 1]))
m.tensordot(m.array([1.0, 2.0]), m.array([3.0, 4.0]), 0)
m.conv1d(m.ones((1, 4, 1)), m.ones((1, 2, 1)), stride=2)
m.conv1d(m.ones((1, 4, 2)), m.ones((2, 2, 1)), 1, 1, 1, 2)
m.conv2d(m.ones((1, 4, 4, 1)), m.ones((1, 2, 2, 1)), padding=(1, 0))
m.conv2d(m.ones((1, 4, 4, 1)), m.ones((1, 2, 2, 1)), stride=2, dilation=2)
m.conv3d(m.ones((1, 3, 3, 3, 1)), m.ones((1, 2, 2, 2, 1)), padding=1)
m.conv_transpose1d(m.ones((1, 4, 1)), m.ones((1, 2, 1)), stride=2, output_padding=1)
m.conv_transpose2d(m.ones((1, 4, 4, 1)), m.ones((1, 2, 2, 1)), stride=(2, 1))
m.conv_general(m.ones((1, 4, 1)), m.ones((1, 2, 1)), padding=([1], [2]))
m.conv_general(m.ones((1, 4, 4, 1)), m.ones((1, 2, 2, 1)), padding=[1, 2])
m.conv_general(m.ones((1, 4, 4, 1)), m.ones((1, 2, 2, 1)), 2, 1, input_dilation=2, flip=True)
m.convolve(m.array([1.0, 2.0, 3.0]), m.array([1.0, 1.0]), mode="same")
m.linalg.norm(m.array([3.0, 4.0]))
m.matrix_norm(m.array([[3.0, 4.0]]), 1)
m.linalg.norm(m.array([3.0, 4.0]), 1)
m.linalg.norm(m.array([3.0, 4.0]), float("inf"))
m.linalg.norm(m.array([[3.0, 4.0]]), "fro")
m.linalg.norm(m.array([[3.0, 4.0]]), "nuc")
m.linalg.norm(m.array([[3.0, 4.0]]), 2, 1)
m.linalg.norm(m.array([[3.0, 4.0]]), axis=[0, 1], keepdims=True)
m.linalg.svd(m.array([[3.0, 4.0]]), compute_uv=False)
m.linalg.svd(m.zeros((2, 3, 0)), stream=m.cpu)
m.grad(lambda x: (m.cummax(x) * m.arange(7)).sum())(m.array([3.0, 3.0, 1.0, 5.0, 5.0, 2.0, 5.0]))
m.grad(lambda x: (m.cummin(x, axis=-1, reverse=True) * m.arange(8).reshape(2, 4)).sum())(m.array([[1.0, 3.0, 1.0, 4.0], [2.0, 2.0, 2.0, 3.0]]))
m.grad(lambda x: (m.cummax(x, axis=0, inclusive=False)[1:] * m.arange(4).reshape(2, 2)).sum())(m.array([[1.0, 3.0], [1.0, 4.0], [2.0, 2.0]]))
m.grad(lambda x: (m.cummin(x, reverse=True, inclusive=False)[:2]).sum())(m.array([1.0, 2.0, 2.0]))
m.vmap(m.cummax)(m.array([[1.0, 3.0], [4.0, 2.0]]))
m.conv1d(m.ones((1, 5, 5, 2)), m.ones((2, 3, 3, 1)), stride=2, padding=1, groups=2)
m.put_along_axis(m.array([]), m.array([]), m.array([]), axis=None)
m.linalg.eigh(m.array([[2.0, 0.0], [0.0, 1.0]]), "U")[0]
m.linalg.eigvalsh(m.array([[2.0, 0.0], [0.0, 1.0]]), UPLO="L")
m.linalg.solve_triangular(m.array([[2.0, 0.0], [0.0, 1.0]]), m.array([2.0, 3.0]), upper=True)
m.fft.fft(m.array([1.0, 2.0]), n=None)
m.fft.fft(m.array([1.0, 2.0, 3.0]), 2, -1, "ortho")
m.fft.irfft(m.array([1.0, 2.0]))
m.fft.fft2(m.ones((2, 2)), s=[2, 2])
m.fft.ifft2(m.ones((2, 2, 2)), axes=None)
m.fft.rfftn(m.ones((2, 2)), s=[2, 2], axes=[0, 1])
m.fft.fftshift(m.arange(4), 0)
m.fft.stft(m.arange(8, dtype=m.float32), n_fft=4, hop_length=2)
m.random.key(7)
m.random.split(m.random.key(0), 3)
m.random.uniform(key=m.random.key(1))
m.random.uniform(-1, 2, [3], m.float16, m.random.key(1))
m.random.normal([2, 2], loc=1, scale=2, key=m.random.key(1))
m.random.normal([2], dtype=None, key=m.random.key(1))
m.random.randint(0, 10, [3], key=m.random.key(1))
m.random.bernoulli(key=m.random.key(1))
m.random.bernoulli(0.2, [5], m.random.key(1))
m.random.bernoulli(m.array([0.1, 0.9]), key=m.random.key(1))
m.random.permutation(4, key=m.random.key(1))
m.random.permutation(m.array([[1, 2], [3, 4]]), 1, m.random.key(1))
m.random.categorical(m.zeros((2, 3)), key=m.random.key(1))
m.random.categorical(m.zeros((2, 3)), num_samples=4, key=m.random.key(1))
m.random.categorical(m.zeros((2, 3)), shape=(4, 2), key=m.random.key(1))
m.random.truncated_normal(-1, 1, key=m.random.key(1))
m.random.truncated_normal(-1, 1, (2,), key=m.random.key(1))
m.random.gumbel([2], key=m.random.key(1))
m.random.laplace([2], loc=1.0, key=m.random.key(1))
m.random.multivariate_normal(m.zeros(2), m.eye(2), [3], key=m.random.key(1)).shape
m.fast.rms_norm(m.array([1.0, 2.0]), None, 1e-5)
m.fast.layer_norm(m.array([1.0, 2.0]), None, m.array([1.0, 1.0]), 1e-5)
m.fast.rope(m.ones((1, 2, 4)), 4, traditional=False, base=10000.0, scale=1.0, offset=0)
m.fast.rope(m.ones((1, 2, 4)), 4, traditional=True, base=None, scale=1.0, offset=3, freqs=m.array([1.0, 2.0]))
m.fast.scaled_dot_product_attention(m.ones((1, 1, 2, 4)), m.ones((1, 1, 2, 4)), m.ones((1, 1, 2, 4)), scale=1.0, mask="causal")
m.fast.scaled_dot_product_attention(m.ones((1, 1, 2, 4)), m.ones((1, 1, 2, 4)), m.ones((1, 1, 2, 4)), scale=0.5, mask=m.zeros((2, 2)))
m.array([1, 2]).reshape(2, 1)
m.array([1, 2]).reshape([-1, 1])
m.array([1]).reshape(())
m.array([[1, 2]]).transpose(1, 0)
m.array([[1, 2]]).transpose([1, 0])
m.array([[1, 2]]).transpose()
m.array([1, 2]).astype(m.float32)
m.array([1.0, 2.0]).std(correction=1)
m.array([1.0, 2.0]).split(2)
m.array([1, 2]).view(m.int16)
m.stack(m.array([[1, 2], [3, 4]])), m.stack(m.array([[1, 2], [3, 4]]), axis=1)
m.concatenate(m.array([[1, 2], [3, 4]])), m.concatenate(m.arange(8).reshape(2, 2, 2), axis=1), m.concatenate(m.array([[1, 2]]), axis=None)
m.split(m.arange(6), m.array([2, 4])), m.split(m.arange(6), m.array([4])), m.split(m.arange(6), m.array(2).item())
m.reshape(m.arange(6), m.array([3, 2])), m.arange(6).reshape(m.array([3, -1])), m.zeros(m.array([2, 3])), m.ones(m.array([2]))
m.broadcast_to(m.arange(3), m.array([2, 3])), m.tile(m.array([1, 2]), m.array([2, 1])), m.full(m.array([1, 2]), 3)
m.transpose(m.array([[1, 2]]), m.array([1, 0])), m.array([[1, 2]]).transpose(m.array([1, 0]))
m.sum(m.ones((2, 3, 4)), m.array([0, 2])), m.expand_dims(m.array(1), m.array([0, 1])), m.squeeze(m.ones((1, 2, 1)), m.array([0, 2]))
m.pad(m.array([[1, 2]]), m.array([[1, 1], [0, 2]])), m.pad(m.array([1, 2]), m.array([1, 2]))
m.as_strided(m.arange(6), m.array([2, 2]), m.array([1, 2]), 1), m.random.normal(m.array([2, 2]), key=m.random.key(1))
m.moveaxis(m.ones((1, 2, 3)), 0, 2), m.roll(m.arange(4).reshape(2, 2), 1, m.array([0, 1])), m.roll(m.arange(4), m.array(1))
m.tensordot(m.ones((2, 3)), m.ones((3, 2)), m.array(1).item()), m.linalg.norm(m.ones((2, 2)), axis=m.array([0, 1]))
list(reversed(m.array([1, 2, 3]))), list(reversed(m.array([[1, 2], [3, 4]])))
m.depends(m.array([1, 2]), m.array([3])), m.depends(m.array([1, 2]), [m.array([3])])
m.acos(m.array(0.5)), m.asin(m.array(0.5)), m.atan(m.array(0.5)), m.atan2(1.0, 2.0), m.acosh(m.array(1.5)), m.asinh(m.array(0.5)), m.atanh(m.array(0.5))
m.bitwise_left_shift(1, 3), m.bitwise_right_shift(8, 1), m.conj(m.array(1 + 2j)), m.pow(2, 3), m.cumulative_prod(m.array([2, 3]))
""".strip().split("\n")

# Calls that are errors, and of which class.
MISTAKES = [
    ("m.arange(True)", ValueError),
    ("m.arange(0, float('nan'), 5)", ValueError),
    ("m.arange(0, 5, 0)", ValueError),
    ("m.arange(start=1, step=2)", TypeError),
    ("m.kron(m.array([]), m.array([1]))", ValueError),
    ("m.vmap(m.exp)(m.array(1.0))", IndexError),
    ("m.grad(lambda x: (m.async_eval(x), x)[1])(m.array(1.0))", ValueError),
    ("m.fast.scaled_dot_product_attention(*[m.ones((1, 1, 2, 4), m.float16)] * 3, scale=1.0, sinks=m.zeros(1))", ValueError),
    ("m.array([1, 2]) < [1, 2]", ValueError),
    ("m.array([1, 2]) >= 'a'", ValueError),
    ("m.split(m.arange(6), 4)", ValueError),
    ("m.stack(m.array(1))", TypeError),
    ("m.concatenate(m.array(1))", TypeError),
    ("m.zeros(m.array([1.5]))", (TypeError, RuntimeError)),  # std::bad_cast
    ("reversed(m.array(1))[0]", TypeError),
    ("m.split(m.arange(6), 0)", ValueError),
    ("m.unstack(m.arange(6), axis=1)", IndexError),
    ("m.meshgrid(m.array([1]), indexing='zz')", ValueError),
    ("m.clip(m.array([1, 2]), None, None)", ValueError),
    ("m.searchsorted(m.array([1, 2]), m.array(2), 'x')", ValueError),
    ("m.linalg.norm(m.array([[3.0, 4.0]]), 'x')", ValueError),
    ("m.pad(m.array([1, 2]), [(1, 1), (0, 2)])", ValueError),
    ("m.fast.scaled_dot_product_attention(*[m.ones((1, 1, 2, 4))] * 3, scale=1.0, mask='x')", ValueError),
    ("m.fast.rms_norm(m.array([1.0]))", TypeError),
    ("m.einsum('ij->i')", ValueError),
    ("m.random.multivariate_normal(m.zeros(2), m.eye(2), dtype=m.float16)", ValueError),
]


def compare(ours, theirs):
    if isinstance(theirs, (list, tuple)):
        assert isinstance(ours, type(theirs)) and len(ours) == len(theirs)
        for one, two in zip(ours, theirs):
            compare(one, two)
    elif isinstance(theirs, mx.array):
        assert isinstance(ours, tn.array) and ours.shape == theirs.shape
        assert str(ours.dtype).replace("tenon", "mlx") == str(theirs.dtype)
        np.testing.assert_allclose(np.array(ours.tolist()), np.array(theirs.tolist()), rtol=1e-5, atol=1e-6)
    else:
        assert ours == theirs


@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_mlx_gives(call):
    compare(eval(call, {"m": tn}), eval(call, {"m": mx}))


@pytest.mark.parametrize("call, error", MISTAKES)
def test_mistakes_are_errors_in_both(call, error):
    for m in (tn, mx):
        with pytest.raises(error):
            eval(call, {"m": m})


def test_sums_of_16_bit_floats_are_rounded_once():
    x = [1, 3, 2048, 1, -2048, 4, 5, 6]
    exact = tn.hadamard_transform(tn.array(x, tn.float32), scale=1.0)
    assert tn.hadamard_transform(tn.array(x, tn.float16), scale=1.0).tolist() == exact.astype(tn.float16).tolist()


def test_random_numbers_without_a_key_are_those_of_mlx_for_a_seed():
    for m in (tn, mx):
        m.random.seed(42)
    for _ in range(3):
        compare(tn.random.uniform(shape=[3]), mx.random.uniform(shape=[3]))
        compare(tn.random.normal(), mx.random.normal())
        compare(tn.random.permutation(5), mx.random.permutation(5))
    compare(tn.random.state[0], mx.random.state[0])


def test_the_first_random_numbers_of_a_process_are_in_range():
    code = "import tenon.core as tn; x = tn.random.uniform(-1, 1, (2, 2)); assert tn.all(tn.abs(x) <= 1).item(), x"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tn.__file__))})


def test_the_state_of_random_numbers_can_be_kept_and_set():
    assert len(tn.random.state) == 1
    kept = list(tn.random.state)
    one = tn.random.uniform(shape=[4])
    tn.random.state[0] = kept[0]
    assert tn.random.uniform(shape=[4]).tolist() == one.tolist() != tn.random.uniform(shape=[4]).tolist()
    tn.random.state[0] = 1
    with pytest.raises(TypeError, match="random.state"):
        tn.random.uniform()
    tn.random.state[0] = tn.array([1.0])
    with pytest.raises(ValueError, match="key"):
        tn.random.uniform()
    tn.random.seed(0)


def test_memory_is_counted_once():
    for m in (tn, mx):
        x, y = m.zeros((3, 4)), m.zeros(2)
        m.eval(x, y)
        assert m.get_array_buffer_size(x, [x, {"a": y}], 1) == 56
        with pytest.raises(ValueError):
            m.get_array_buffer_size(x + 1)


def test_numpy_functions_call_the_methods():
    x = tn.array([[True, False], [True, True]])
    assert np.all(x).item() is False and np.sum(x, axis=0).tolist() == [2, 1] and np.mean(tn.array([1.0, 2.0])).item() == 1.5


def test_a_stream_can_be_the_last_position_where_mlx_has_it_there():
    assert tn.random.uniform(0, 1, [2], tn.float32, tn.random.key(1), tn.cpu).shape == (2,)
