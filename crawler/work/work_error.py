"""What is wrong with what somebody asked for, before anything was done."""


class WorkError(Exception):
    """Something that work cannot begin with: a key, a unit, a ledger; the message names it and says what to do."""
