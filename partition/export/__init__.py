"""Graphs of a session as files that other programs read.

`vertex_edge_tables` lists a graph as two tables, vertices and edges, whatever its vertices are (pages, or groups of
them).  Each format has its file: `metis_file`, `graphml`, `edge_list`, `parquet`; the first three are text, which
`fast_text` makes from columns of numbers and strings, a block of rows at a time.  `formats` knows all four by name and
puts the finished files in their `output_files`, all of them or none.  docs/formats.md describes the files.
"""
