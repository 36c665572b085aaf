"""What a course is worth: the `measures` of docs/measures.md, and how they change in a replay (`timeline`).

`importance` and `quality` say how soon the important pages come, `load` and `rank_totals` what each rank has to do,
`acceptance` which URLs no map knows or the wrong rank takes.  `figures` names and explains each figure.
"""
