"""The soonest of some times, of which there may be none."""


def soonest(*times: float | None) -> float | None:
    """The earliest of these times; None if all are None.  (A rank asks at each turn of its loop.)"""
    earliest = None
    for time in times:
        if time is not None and (earliest is None or time < earliest):
            earliest = time
    return earliest
