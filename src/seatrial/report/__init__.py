"""The report of a result, derived from the result alone: one HTML file that opens offline, and a
PDF.

The folder `summary` answers the study's question and derives the next actions. front.py makes the
first page from them, and main_figure.py its figure. criteria.py shows the criteria with their
evidence. overview.py and references.py add the overview and the sources.

series.py groups the measured phases into points. points.py, machines.py, copies.py and laws.py
build the tables; rows.py adds the published columns; charts.py and figures.py draw. seconds.py
shows every second, and outages.py the outages of the clients. faults.py and fault_tables.py show
the faults, and diagram.py the system under test.

results.py collects each experiment, and content.py everything that the report shows. The folder
`page` makes a tree (tree.py) from it, which html.py writes as HTML. parts.py selects the elements
of the same tree for each PDF file. paper.py converts them to the source of the typesetter that
pdf.py calls. All functions except `html.write_report` and `pdf.write_pdf` are pure.
"""
