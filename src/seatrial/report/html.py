"""stub"""


def write_report(record, judgements):
    p = record.folder / "report.html"
    p.write_text("x")
    return p
