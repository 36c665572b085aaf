"""A cut as a picture, in the pages of `cutweb quality` and `cutweb partition --html`: SVG that needs no script.

`cut_section` is all that a page shows of one cut: the `site_treemap`, the `volume_matrix` and the `cut_tables`, all of
one `partition.measures.cut_portrait`.  `part_colours` gives each part the same colour everywhere.
"""
