"""The rules of `published_claims`: names of experiments, faults, studies and resources."""

from typing import TYPE_CHECKING

from seatrial.study.published import PublishedClaim, SeriesRef

if TYPE_CHECKING:
    from seatrial.study.study import Study


def check_published_claims(study: "Study") -> None:
    """InputError, with its place, for the first mistake."""
    if study.fault_rows_from == study.id:
        raise study.mistake(("fault_rows_from",), "names this study; its own faults always count")
    for name, claim in study.published_claims.items():
        for answer in claim.answers():
            _check_answer(study, name, answer)


def _check_answer(study: "Study", name: str, claim: PublishedClaim) -> None:
    references = [
        ("series", claim.series),
        ("other", claim.other),
        *(("expect", expectation.series) for expectation in claim.expect),
        *(("expect", expectation.other) for expectation in claim.expect),
    ]
    for key, reference in references:
        if reference is not None:
            _check_reference(study, name, key, reference)
    _check_faults(study, name, claim)
    is_of_other_study = claim.series is not None and claim.series.from_ is not None
    if claim.share_of is None or is_of_other_study:
        return
    try:
        study.resource(claim.share_of)
    except ValueError as error:
        raise study.mistake(("published_claims", name, "share_of"), str(error)) from None


def _check_reference(study: "Study", name: str, key: str, reference: SeriesRef) -> None:
    place = ("published_claims", name, key)
    if reference.from_ is None:
        if reference.experiment not in study.experiments:
            experiments_text = ", ".join(study.experiments)
            missing = f"no experiment is called {reference.experiment!r}; one of {experiments_text}"
            raise study.mistake((*place, "experiment"), missing)
        return
    if reference.from_ == study.id:
        raise study.mistake((*place, "from_study"), "names this study; leave it out")


def _check_faults(study: "Study", name: str, claim: PublishedClaim) -> None:
    if claim.from_ is not None:
        if not claim.faults or claim.from_ == study.id or claim.series:
            mistake = "the faults of another study decide this claim: write faults, and no series"
            raise study.mistake(("published_claims", name, "from_study"), mistake)
        return
    for fault in claim.faults:
        if fault not in study.faults:
            mistake = f"no fault is called {fault!r}"
            raise study.mistake(("published_claims", name, "faults"), mistake)
