"""The five published systems as layers: what their papers state, and what is assumed where they state nothing.

One module each: `rows(published)` gives every published figure with the layers that it went through. No figure that is
predicted is a parameter here.
"""
