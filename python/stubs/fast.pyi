# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

def metal_kernel(
    name: str,
    input_names: Iterable[str],
    output_names: Iterable[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    atomic_outputs: bool = False,
    compile_options: dict[str, Any] | None = None,
) -> Any: ...
def cuda_kernel(
    name: str,
    input_names: Iterable[str],
    output_names: Iterable[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    shared_memory: int = 0,
) -> Any: ...
def precompiled_cuda_kernel(
    *,
    name: str,
    compiled_source: bytes,
    inputs: Iterable[_ArrayLike],
    output_shapes: Iterable[_Integers],
    output_dtypes: Iterable[_DtypeLike],
    scalars: Iterable[Any],
    grid: tuple[int, int, int],
    threadgroup: tuple[int, int, int],
    shared_memory: int = 0,
    init_value: float | None = None,
    ensure_row_contiguous: bool = False,
    stream: _StreamOrDevice = None,
) -> list[array]: ...
