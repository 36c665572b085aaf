"""The pieces of report pages, which quality reports, replays and foresight share.

A `figure` has a name, a unit and a meaning; `results` hold its values by model and K, and what was left out;
`csv_table` writes them for spreadsheets.  `scales` choose units and axes, `tables` and `plots` show figures, `treemap`
divides a frame, `markup` and `style` make one HTML page of them that needs nothing else.
"""
