"""Research on the performance model: the systems of the five papers as layers, their published
rates, and the fit of the model to them.

Seatrial needs none of it. With this package installed, `seatrial predict --validate` compares the
model with the papers.
"""
