"""Making a partition: from a finished session to the map that the next session's ranks own pages by.

There are three ways, by where the links are meanwhile: in one process's memory (`in_memory`, by all models), in shares
on several ranks (`by_ranks`), or on disk (`by_streaming`).  Each gives a `made_partition.MadePartition`, and writes the
same kind of map, whose manifest tells where it comes from (`map_origin`).
"""
