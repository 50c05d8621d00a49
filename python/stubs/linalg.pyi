@overload
def svd(
    a: _ArrayLike, compute_uv: Literal[True] = True, *, stream: _StreamOrDevice = None
) -> tuple[array, array, array]: ...
@overload
def svd(a: _ArrayLike, compute_uv: Literal[False], *, stream: _StreamOrDevice = None) -> array: ...
@overload
def svd(
    a: _ArrayLike, compute_uv: bool = True, *, stream: _StreamOrDevice = None
) -> array | tuple[array, array, array]: ...
