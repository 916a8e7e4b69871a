"""The five published systems as layers: the statements of their papers, and assumptions where they
state nothing.

One module each: `rows(published)` returns every published figure with the layers of its path. No
predicted figure is a parameter here.
"""
