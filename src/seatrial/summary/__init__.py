"""The result summary: every figure and every verdict of a run as one object.

It is made from the lines of a result and its judgements. The report and the writers of other
formats only present it. It has no page, no table and no drawing.
"""
