"""Learning where sites belong from how long they took: objects are whole sites, arms are ranks.

A crawl is one *run*: each site is measured at the rank where it stands (`measured_sites` reads that from a session).
An `experience` remembers what every site took at every rank that it has been at.  A `learner` then says where each site
stands in the next run: the `automaton` of the paper, which knows states and no past; `try_all` and `thompson`, which
go by the experience alone; and `settling`, which looks for a rank as long as it has not found a good one.  What a
duration is, of sites that are not alike, is a question of its own (`durations`).  `course` is one run after another.

`bounds` say how little time any learner can need.

The paper: Chen, Wang and Olsen, "Towards distribution of web sites in a crawler used for large scale web accessibility
assessment" (Agder University College, about 2006), section 3: the Time Weighted Object Migration Automaton (TWOMA).
"""
