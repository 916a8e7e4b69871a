"""The tables of copies by file size (`size_tables`)."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.study.workload import CopyPhase


class VariantRef(Model):
    """A variant of an experiment."""

    experiment: str = Field(description="Name of the experiment.")
    variant: str = Field(description="Name of the variant.")


class SizesTable(Model):
    """A table of copies by file size: a column for each of some variants."""

    title: str = Field(description="Title of the table.")
    phase: CopyPhase = Field("copy-to-storage", description="The phase that the table shows.")
    columns: dict[str, VariantRef] = Field(
        min_length=1,
        description="The variants that are the columns, by the title of the column.",
    )
