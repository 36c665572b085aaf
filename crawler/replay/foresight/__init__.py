"""How well the partitions of one session hold for later ones.

`make_report` goes from sessions to a report's folder.  It has `foresight` work through a `request`: `partitions` makes
the partitions of the previous session, once for each model and K, and each session is replayed under each of them with
each rule for unknown URLs; what a replay of the previous session says is the prediction, of a later one the actual
figures (`figures`).  `findings` says in sentences what the numbers show; `html_page` sets the report from `tables` and
`plots`, `report_files` writes the numbers, and `summary` prints the most important of them.  An `answer` stands first,
with `arrows` from the prediction to what came.  All of these look the numbers up in a `view`.
"""
