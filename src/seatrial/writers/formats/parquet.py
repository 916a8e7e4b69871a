"""`parquet`: the rows of `csv` as an Apache Parquet file, with types. It needs pyarrow."""

import io
from collections.abc import Sequence
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.basics.finite import only_finite
from seatrial.summary.results import SCHEMA, ResultSummary
from seatrial.writers.rows import COLUMNS, Row, rows

TITLE = "the rows of csv with types, as Apache Parquet; needs seatrial[parquet]"
FLOATS = frozenset({"value", "low", "high", "deviation"})
INTEGERS = frozenset({"clients", "samples"})


def write(summary: ResultSummary) -> bytes:
    """The content of the file; InputError where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: PLC0415 - an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise InputError(
            "--format parquet needs pyarrow, which is not installed",
            "pip install 'seatrial[parquet]', or use --format csv",
        ) from None
    all_rows = list(rows(summary))
    schema = pyarrow.schema(
        [(name, _type(pyarrow, name)) for name in COLUMNS],
        metadata={"seatrial": SCHEMA, "study": summary.study.id},
    )
    columns = {name: _column(all_rows, name) for name in COLUMNS}
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns, schema=schema), out)
    return out.getvalue()


def _type(pyarrow: Any, name: str) -> Any:
    if name in FLOATS:
        return pyarrow.float64()
    return pyarrow.int64() if name in INTEGERS else pyarrow.string()


def _column(all_rows: Sequence[Row], name: str) -> list[Any]:
    return [only_finite(getattr(row, name)) for row in all_rows]
