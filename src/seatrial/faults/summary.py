"""A fault's line in the terminal."""

from seatrial.result.faults import FaultResult, copy_words, outage_words


def outcome_text(result: FaultResult) -> str:
    """A fault's line in the terminal."""
    if result.skipped is not None:
        return f"skipped: {result.skipped}"
    if result.failed is not None:
        return f"could not be completed: {result.failed}"
    longest = result.longest
    who = f" ({longest.client} {longest.stream})" if longest and longest.longest_s else ""
    outage = outage_words(result)
    parts = [f"{outage}{who}" if result.unrecovered else f"longest outage {outage}{who}"]
    parts += ["the service failed over"] if result.moved else []
    parts += [f"rebuilt in {result.rebuild_s:.0f} s"] if result.rebuild_s is not None else []
    parts += [] if result.recovered_unix_s else ["not healthy at the end"]
    wrong = sum(
        item["lost"] + item["wrong"] + item["names_wrong"] for item in result.compared.values()
    )
    if result.compared:
        parts.append(f"{wrong} blocks or directory entries lost or wrong")
    else:
        parts.append(f"{result.not_compared or ''}")
    parts += [
        f"{name}: {outcome['violations_count']} violations"
        for name, outcome in result.consistency.items()
    ]
    parts += [f"{name}: {copy_words(outcome)}" for name, outcome in result.copies.items()]
    return ", ".join(part for part in parts if part)
