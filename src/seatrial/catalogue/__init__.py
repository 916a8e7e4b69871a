"""The catalogue: one HTML page over many results, made from their `results.json` files.

It shows a table of runs, compares runs, and draws trends. Statistics are computed in Python with
the functions of `analysis`; the script of the page only shows texts.
"""
