"""`make bench`: Seatrial's agent and its peers do the same work in turns; each row is a ratio.

A contest is one piece of work. Its contestants are the agent, other forms of the agent's job, and
other programs. A row compares one quantity of two contestants of a contest. docs/performance.md
explains each row.
"""
