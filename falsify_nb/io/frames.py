"""The columns of a frame of any library, as pandas columns by name."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from falsify_nb.core.tables import Origin
from falsify_nb.errors import ReadError, shorten

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "as_table"]


@dataclass(frozen=True, slots=True)
class Table:
    """A frame of any library as pandas columns by name.

    Parameters
    ----------
    columns : dict of str to pandas.Series
        The columns, index levels with names included.
    origin : Origin
        How places in it are named.
    is_text : bool
        Whether numbers are still text, as in a CSV file.
    """

    columns: dict[str, pd.Series[Any]]
    origin: Origin
    is_text: bool = False


def as_table(obj: Any, name: str) -> Table | None:  # noqa: ANN401 - any user object
    """Return a frame's columns, or None for an object that is no frame.

    Only libraries that are loaded already can have made the object, so none is imported here.
    """
    origin = Origin(name, "row")
    for module, read in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _arrow)):
        library = sys.modules.get(module)
        if library is not None:
            columns = read(obj, library)
            if columns is not None:
                return Table(columns, origin)
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(obj, datasets.Dataset):
        return as_table(obj.with_format("arrow")[:], name)
    if datasets is not None and isinstance(obj, datasets.DatasetDict):
        splits = " or ".join(repr(s) for s in obj)
        raise ReadError(
            "A dataset of several splits is no table", where=name, remedy=f"Take one: {splits}."
        )
    return None


def _pandas(obj: Any, pd: Any) -> dict[str, Any] | None:  # noqa: ANN401
    if isinstance(obj, pd.Series):
        # A series of scores with (query, document) in its index is a frame of one column.
        if obj.index.nlevels < 2:
            return None
        obj = obj.to_frame(obj.name if isinstance(obj.name, str) else "score")
    if not isinstance(obj, pd.DataFrame):
        return None
    columns: dict[str, Any] = {}
    for level, name in enumerate(obj.index.names):
        if isinstance(name, str) and name not in obj.columns:
            columns[name] = pd.Series(obj.index.get_level_values(level))
    for position, name in enumerate(obj.columns):
        if isinstance(name, str):
            if name in columns:
                raise ReadError(
                    f"The frame has two columns {name!r}", remedy="Give each column its own name."
                )
            columns[name] = obj.iloc[:, position].reset_index(drop=True)
    return columns


def _polars(obj: Any, pl: Any) -> dict[str, Any] | None:  # noqa: ANN401
    import pandas as pd

    if isinstance(obj, pl.LazyFrame):
        try:
            obj = obj.collect()
        except pl.exceptions.PolarsError as error:
            raise ReadError(
                f"The lazy frame cannot be collected: {shorten(str(error))}",
                remedy="Hand over frame.collect(), once it works.",
            ) from error
    if not isinstance(obj, pl.DataFrame):
        return None
    columns: dict[str, Any] = {}
    for name, dtype in obj.schema.items():
        series = obj[name]
        if dtype in {pl.Categorical, pl.Enum}:
            series = series.cast(pl.String)
        is_wide = dtype.is_integer() and str(dtype) in {"Int128", "UInt128"}
        if is_wide or (dtype.is_integer() and series.null_count()):
            columns[name] = pd.Series(series.to_list(), dtype=object)
        else:
            columns[name] = pd.Series(series.to_numpy())
    return columns


def _arrow(obj: Any, pa: Any) -> dict[str, Any] | None:  # noqa: ANN401
    import pandas as pd

    if isinstance(obj, pa.RecordBatchReader):
        obj = obj.read_all()
    if isinstance(obj, pa.RecordBatch):
        obj = pa.Table.from_batches([obj])
    if not isinstance(obj, pa.Table):
        return None
    columns: dict[str, Any] = {}
    for name, column in zip(obj.column_names, obj.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)  # noqa: PLW2901 - the same, as plain values
        if pa.types.is_integer(column.type) and column.null_count:
            columns[name] = pd.Series(column.to_pylist(), dtype=object)
        else:
            columns[name] = pd.Series(column.to_numpy())
    return columns
