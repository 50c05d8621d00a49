# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

class _Eig(NamedTuple):
    eigenvalues: array
    eigenvectors: array

class _QR(NamedTuple):
    Q: array
    R: array

class _Slogdet(NamedTuple):
    sign: array
    logabsdet: array

class _SVD(NamedTuple):
    U: array
    S: array
    Vh: array

@overload
def svd(
    a: _ArrayLike, compute_uv: Literal[True] = True, *, full_matrices: bool = True, stream: _StreamOrDevice = None
) -> _SVD: ...
@overload
def svd(
    a: _ArrayLike, compute_uv: Literal[False], *, full_matrices: bool = True, stream: _StreamOrDevice = None
) -> array: ...
@overload
def svd(
    a: _ArrayLike, compute_uv: bool = True, *, full_matrices: bool = True, stream: _StreamOrDevice = None
) -> array | _SVD: ...
