"""The chapter on the method: how the run measured, and what the words of the report mean."""

from collections.abc import Iterator

from seatrial.report.content import Content
from seatrial.report.page.blocks import bold, paragraph, table
from seatrial.report.page.chapter import chapter
from seatrial.report.tree import Element, element
from seatrial.summary.points import STEADY_MIN_S

EXISTING = (
    "The run used existing storage. It deployed only a work directory, and deployed it a second "
    "time, which must change nothing."
)
DEPLOYED = (
    "The system was deployed from the study, and deployed a second time, which must change nothing."
)
NOT_AVAILABLE = "These abilities and observations were not available:"
BLOCKS = (
    "Agents on the clients write blocks that contain their position and a checksum, and verify "
    "each block that they read."
)
FAULTS = (
    "Each fault was injected while all streams were running, held, and repaired. Afterwards every "
    "node had to return, every stream had to get answers, and all data in the clients’ operation "
    "logs had to be present."
)
DERIVED = (
    "The result contains all observations. Verdicts and this report are derived from it alone. A "
    f"phase measured for less than {STEADY_MIN_S:g}\N{NO-BREAK SPACE}s shows burst throughput: "
    "the first screen claims no rate of it."
)


def method(content: Content, number: int) -> Element:
    """Deployment, load and faults; the measures of throughput; bounds; criteria and claims."""
    return chapter(
        "method",
        f"{number} Method",
        "",
        *_course(content),
        _measures(),
        _bounds(content),
        _lab_limit() if content.system.scale else None,
        _verdicts(),
    )


def _course(content: Content) -> Iterator[Element]:
    """The steps of the run, in its order."""
    built = content.system.built
    deployed = EXISTING if built is not None and built.keeps_caches else DEPLOYED
    rest = [BLOCKS, FAULTS, DERIVED] if content.faults.table else [BLOCKS, DERIVED]
    if content.system.not_available is None:
        yield paragraph(" ".join([deployed, *rest]))
        return
    yield paragraph(f"{deployed} {NOT_AVAILABLE}")
    yield table(content.system.not_available)
    yield paragraph(" ".join(rest))


def _measures() -> Element:
    return paragraph(
        "Three measures describe a transfer by many tasks at the same time. The ",
        bold("aggregate throughput"),
        " is all data divided by the time of the slowest task. The ",
        bold("harmonic mean"),
        " is all data divided by the sum of the tasks’ times. The ",
        bold("harmonic aggregate"),
        " is the harmonic mean times the number of tasks. Where all tasks take the same time, "
        "aggregate throughput and harmonic aggregate are equal. The larger their difference, the "
        "longer the other tasks waited for the slowest. The ",
        bold("stonewalled"),
        " aggregate stops the clock when the first task has finished. MB is 10",
        element("sup", "6"),
        " bytes.",
    )


def _bounds(content: Content) -> Element:
    outage = (
        " The predicted ",
        bold("outage"),
        " is the sum of the timers that the fault must wait for, and of the work between them.",
    )
    return paragraph(
        "The ",
        bold("bound"),
        " is the rate of the slowest resource that no cache can bypass. The ",
        bold("prediction"),
        " is the rate of the slowest resource of all. Neither is fitted.",
        *(outage if content.faults.predicted else ()),
    )


def _lab_limit() -> Element:
    return paragraph(
        "A point is ",
        bold("limited by the lab's CPUs"),
        " when the busiest processor of the lab machine was more than 80\N{NO-BREAK SPACE}% busy "
        "during the measurement. It then shows the limit of the lab machine and not of the "
        "modelled hardware. It is drawn hollow, set in italics, and no published claim may use "
        "it. An acceptance criterion about rates uses such points only where there are no others, "
        "and its evidence states this.",
    )


def _verdicts() -> Element:
    return paragraph(
        "An ",
        bold("acceptance criterion"),
        " passes, fails, or stays unknown where the result has no evidence. A ",
        bold("published claim"),
        " agrees where this run has usable points for it and the whole 95\N{NO-BREAK SPACE}% "
        "interval of their repeats fits. Where the whole interval does not fit, this system is "
        "better, worse or, where neither applies, different. This is a finding and no failure. "
        "Otherwise the claim is inconclusive, with the reason.",
    )
