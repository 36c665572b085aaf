"""A replay in virtual time by K ranks of one process: a discrete-event simulation with the crawl's own ranks.

A rank's loop waits in two places, for the web and for the other ranks.  Here each rank is a `coroutine` that pauses
there, so that all of it (frontier, exchange, politeness, gatekeepers) runs as in a crawl, with other things around it.
What a rank has in place of MPI is its `seat`.  There is one clock with one heap of events (`joint_time`): it jumps to
the next event of any rank and lets that rank alone go on, by the same rule of horizons as ranks that are processes
(`crawler.replay.virtualtime.shared_clock`), and delivers there what they write each other (`joint_mailbox`).  At the
end of a superstep ranks meet (`meetings`) and swap URLs (`joint_exchange`).

What K ranks find in a superstep is little for each, and much for all.  So a rank settles by itself only what it may
need before the superstep ends, own URLs that are news (`joint_discovery`); the rest is settled for all ranks at once,
by the numbers that URLs have in the recording (`joint_links`, with `joint_seen` and `joint_outboxes`).

A rank is *away* from a meeting, and goes on with its visits, if nothing is said to it there: it comes if there are URLs
that are news to it, which most URLs that travel are not.  What it has read is settled without it, and its state is
looked up.  That is what it was if the rank has *slept* since the meeting before: no answer has come to it, no message,
no event of its own, and it asked for nothing (`simulated_web`).  Rank 0 comes to all.  (Where each rank settles its
links by itself, only ranks that sleep are away, and any URLs wake them.)  None is away where each has something to say
each time: with a limit on pages, with orders that rank sites or domains, and while URLs wait for a merge on disk.

`simulate` puts it together; a `course_recorder` keeps what the course is made of.  `timed_replays` are the simulations
that an estimate asks for.
"""
