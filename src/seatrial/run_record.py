"""The first and the last lines of a run in its result."""

import contextlib
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import seatrial
from seatrial.basics.errors import Defect, Interrupted, RunError, SeatrialError
from seatrial.basics.withheld import WITHHELD, has_secret, without_secrets
from seatrial.judge.borrowed import lines_to_borrow
from seatrial.judge.references import LINE as REFERENCE
from seatrial.judge.references import references_of
from seatrial.load.cpus import machine
from seatrial.matrix.matrix import RunMatrix
from seatrial.result.manifest import LINE as MANIFEST
from seatrial.result.manifest import RUN_KEY, Manifest, sum_of
from seatrial.result.result import SCHEMA
from seatrial.result.sealed import LINES
from seatrial.result.writer import Writer
from seatrial.service.session import files_of


def begin_result(
    writer: Writer,
    matrix: RunMatrix,
    manifest: Manifest,
    *,
    published: str | None,
    values: Mapping[str, Any],
) -> None:
    """Write the lines and files that precede all actions; the manifest is among the first.

    `published`: the text of the published facts. `values`: those of `--set`.
    """
    study = matrix.study
    folder = writer.folder
    fields = manifest.to_json()
    about: dict[str, Any] = {
        "schema": SCHEMA,
        "run_id": folder.name,
        "study": study.id,
        "title": study.title,
        "profile": matrix.profile,
        "seatrial": seatrial.__version__,
    }
    if manifest.only:
        about["only"] = manifest.only
    if values:
        about["set"] = {
            key: WITHHELD if has_secret(key, value) else value for key, value in values.items()
        }
    writer.line("run", **about, **{RUN_KEY: sum_of(fields)})
    writer.line(MANIFEST, **fields)
    writer.keep("study.yaml", without_secrets(study.source.text))
    if published is not None:
        writer.keep("published.yaml", published)
    writer.line("machine", **machine())
    for line in lines_to_borrow(study, folder.parent):
        writer.line("borrowed", **line)
    for reference in references_of(study, matrix.profile, folder.parent):
        writer.line(REFERENCE, **reference.to_json())
    for path, text in files_of(study, matrix.site).items():
        writer.keep(path, text)


@contextlib.contextmanager
def recorded(writer: Writer) -> Iterator[None]:
    """Run the body, record how it ends, and close the result.

    Raises the error of the body, and Defect for an error that is none of a user.
    """
    try:
        yield
    except Interrupted as error:
        _write_end(writer, str(error), interrupted=True)
        raise
    except SeatrialError as error:
        _write_end(writer, str(error))
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        _write_end(writer, reason, traceback=traceback.format_exc())
        raise Defect(
            reason,
            "this is a defect of Seatrial; please report it, "
            f"with the traceback that the last line of {writer.folder / LINES} contains",
        ) from error
    finally:
        with contextlib.suppress(RunError):
            writer.close()


def _write_end(writer: Writer, reason: str, **more: Any) -> None:
    """Write the last line of a run that did not complete, unless the disk is full."""
    with contextlib.suppress(RunError):
        writer.line("end", complete=False, reason=reason, **more)
