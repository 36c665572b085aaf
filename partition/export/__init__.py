"""Graphs of a session as files that other programs read, however large the session is.

`session_graph` reads a session: some numbers for each page stay in memory, URLs in the session's tables, and links are
sorted in a scratch folder beside the files to be made.  `vertex_edge_tables` lists a graph as two tables, vertices and
edges, whatever its vertices are (pages, or groups of them); each is a `streamed_table`, read a block at a time.
`group_edges` sums up the links between groups, `neighbours` turns links into undirected edges, each with both its ends.

Each format has its file: `metis_file`, `graphml`, `gexf`, `edge_list`, `parquet`; all but the last are text, which
`fast_text` makes from columns of numbers and strings.  `formats` knows all of them by name and puts the finished files
in their `output_files`, all of them or none.  docs/formats.md describes the files.
"""
