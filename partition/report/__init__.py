"""The pieces of report pages, which quality reports, replays and foresight share.

A `figure` has a name, a unit and a meaning; `results` hold its values by model and K, and what was left out;
`csv_table` writes them for spreadsheets.  `scales` choose units and axes, `tables`, `plots`, `curves` and `columns`
show figures, `treemap` divides a frame, an `answer` comes first, and `markup` and `style` make one HTML page of them
that needs nothing else.
"""
