"""A replay with a clock: `virtual_web` answers after as long as a request took, by a model of `latency`, or by
a `latency_file` for each rank and site.

The ranks share the time (`shared_clock`), in which their packets travel (`round_mailbox`) and supersteps are `windows`.
"""
