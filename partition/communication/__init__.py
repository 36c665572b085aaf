"""What ranks that make a partition together say to each other: rows to the rank that owns them, sums, answers.

`ranks.Ranks` is all of it, over MPI or in a process by itself.  Everything is collective: all ranks make the same calls
in the same order.
"""
