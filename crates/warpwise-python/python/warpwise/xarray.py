"""Entry points over labelled arrays. The sizes of parameters are the names of dimensions.

    # entry mean [place][time] (t: [place][time]f64) : [place]f64
    warpwise.xarray.apply(program.mean, table.t)        # an array without `time`, also for blocks on Dask

`xarray.apply_ufunc(entry, ..., dask="parallelized")` takes entry points as well; `apply` also gives it the dimensions.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._entries import Sent, Signature
from ._native import EntryPoint

__all__ = ["apply"]


def apply(entry: EntryPoint, *arrays: Any, rename: dict[str, str] | None = None) -> Any:
    """Calls an entry point for arrays with named dimensions and returns an array with the dimensions of its result, or a tuple of arrays.

    `rename` maps sizes to dimensions with other names. For arrays on Dask, the first size, if all parameters and results share it, is cut into
    blocks; other dimensions must have one chunk. Raises TypeError if a size has no name, ValueError if an array has other dimensions.
    """
    xarray = import_module("xarray")
    signature = Signature.of(entry)
    types = [parameter.type for parameter in signature.parameters]
    results = signature.results
    if results is None or any(not isinstance(size, str) for ty in (*types, *results) for size in (ty.sizes if ty else ())):
        raise TypeError(f"{signature.name}(): all sizes of parameters and results need names, and results must be arrays or numbers")
    names = rename or {}
    dims = [[names.get(str(size), str(size)) for size in (ty.sizes if ty else ())] for ty in types]
    out = [[names.get(str(size), str(size)) for size in ty.sizes] for ty in results]
    for parameter, array, expected in zip(signature.parameters, arrays, dims, strict=True):
        if expected and set(getattr(array, "dims", ())) != set(expected):
            raise ValueError(
                f"{signature.name}(): argument `{parameter.name}`: expected the dimensions {expected}, found {getattr(array, 'dims', array)}"
            )
    # xarray cuts blocks along a dimension that comes first everywhere.
    rows = [*(row for row in dims if row), *out]
    cut = rows[0][:1] if rows and rows[0] and all(row[:1] == rows[0][:1] for row in rows) else []
    core = [row[len(cut) :] if row else [] for row in dims]
    ordered = [array.transpose(*row) if row else array for array, row in zip(arrays, dims)]
    return xarray.apply_ufunc(
        Sent(entry),
        *ordered,
        input_core_dims=core,
        output_core_dims=[row[len(cut) :] for row in out],
        dask="parallelized",
        output_dtypes=[ty.dtype for ty in results],
        keep_attrs=True,
    )

