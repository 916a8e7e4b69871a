"""The report of a record: one HTML file that opens offline, made from the record alone.

series.py orders what was measured, figures.py and strips.py draw it, diagram.py draws what was built, tables.py
sets it in rows, html.py puts the parts into the template. All but `html.write_report` are pure functions.
"""
