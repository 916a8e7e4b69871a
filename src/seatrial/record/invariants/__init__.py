"""What must hold within the lines of a record, whatever was measured: one file for each kind of
line.
"""
