"""Parts without knowledge of storage: errors, units, time, YAML with places, and models that name
the place of a mistake.
"""
