"""Learning where sites belong from how long they took: objects are whole sites, arms are ranks.

A crawl is one *run*: each site is measured at the rank where it stands (`site_times` reads that from a session).  An
`experience` remembers what every site took at every rank that it has been at.  A `learner` then says where each site
stands in the next run: the `automaton` of the paper, which knows states and no past; `try_all` and `thompson`, which
go by the experience alone; and `settling`, which looks for a rank as long as it has not found a good one
(`rank_choices` says which of several).  What a duration is, of sites that are not alike, is a question of its own
(`durations`).  A `course` is one run after another.

Between sessions, `site_states` lie beside the map, and `learnt_partition` leads from those before a session to those
after it, and to the map's parts.  `expected_seconds` says what sites would take at ranks that they have not been at;
where links are cut, `rank_seconds` makes of that what pages cost and weigh.  `by_times` is the way from a session's
times to a partition, learnt or cut, and `bounds` how little time any learner can need.

The paper: Chen, Wang and Olsen, "Towards distribution of web sites in a crawler used for large scale web accessibility
assessment" (Agder University College, about 2006), section 3: the Time Weighted Object Migration Automaton (TWOMA).
"""
