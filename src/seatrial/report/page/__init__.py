"""The page of the report as a tree: blocks such as tables and figures, the first page, and the
chapters.
"""
