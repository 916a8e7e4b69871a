"""The report of a record: one HTML file that opens offline, and a paper made from it, from the record alone.

survival.py and peaks.py say what faults and rates show; summary.py answers the study's question from them, and
recommendations.py says what follows. overview.py and references.py have what a paper has besides.

series.py orders what was measured; points.py, machines.py, copies.py and laws.py set it in tables, rows.py beside
published ones, charts.py and figures.py draw it; seconds.py shows every second, outages.py who was silent when, and
faults.py and fault_tables.py what faults did. diagram.py draws what was built.
results.py brings each experiment together, and html.py puts all parts into the template. paper.py sets the page
(tree.py) for the typesetter that pdf.py calls. All but `html.write_report` and `pdf.write_pdf` are pure
functions.
"""
