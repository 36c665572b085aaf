"""The subcommands of ``cutweb``, a file each, and what only they show.

A command reads its options, calls the floor that does the work, and prints what came of it.  `operate` has ``cutweb
pause``, ``continue`` and ``stop``; `live_table` and `follow` are ``cutweb info --watch``; `partition_in_words`,
`partition_page`, `quality_of_map` and `diff_page` are what their commands print, or show as a page.  Commands that need
no rank never load MPI.
"""
