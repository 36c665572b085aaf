"""A replay with a clock: `virtualweb` answers after as long as a request took, by a model of `latency`.

The ranks share the time (`commontime`), in which their letters travel (`roundpost`) and supersteps are `windows`.
"""
