"""Graphs of a session as files that other programs read.

`listing` lists a graph as two tables, vertices and edges, whatever its vertices are (pages, or groups of them).  Each
format has its file: `metis`, `graphml`, `edges`, `parquet`; the first three are text, which `text` makes from columns
of numbers and strings, a block of rows at a time.  `formats` knows all four by name and puts the finished files in
their `place`, all of them or none.  docs/formats.md describes the files.
"""
