"""The report of a record: one HTML file that opens offline, made from the record alone.

series.py orders what was measured; points.py, clients.py and copies.py set it in tables, charts.py and figures.py draw
it; seconds.py and strips.py show every second, outages.py who was silent when. diagram.py draws what was built.
results.py brings each experiment together, and html.py puts all parts into the template. All but `html.write_report`
are pure functions.
"""
