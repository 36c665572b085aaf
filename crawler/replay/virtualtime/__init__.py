"""A replay with a clock: `virtual_web` answers after as long as a request took, by a model of `latency`.

The ranks share the time (`shared_clock`), in which their packets travel (`round_mailbox`) and supersteps are `windows`.
"""
