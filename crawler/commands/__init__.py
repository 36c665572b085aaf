"""The subcommands of ``cutweb``, a file each, and what only they show.

A command reads its options, calls the floor that does the work, and prints what came of it.  `live_table` and `follow`
are ``cutweb info --watch``.  Commands that need no rank never load MPI.
"""
