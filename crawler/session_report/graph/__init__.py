"""The shape of a session's link graph: `bow_tie`, `power_law` exponents of its `degrees`, and the `site_structure`.

`breadth_first` and `core_numbers` are the compiled algorithms that these need.
"""
