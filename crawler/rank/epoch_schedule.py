"""When epochs close: regularly, and early where a site asks to be left alone for long, which a kill would forget.

Of its time a crawl spends at most `EPOCHS_SHARE` on closing epochs.  Sites that send such answers one after the other
cannot have it close epochs all the time either: an early epoch may come `EARLY_SECONDS` after the one before, after
each in which there was such a rest twice as late, until it comes no sooner than a regular one.
"""

FIRST_EPOCH_SECONDS = 2.0
EPOCHS_SHARE = 0.03
EARLY_SECONDS = 5.0
_SHORT_PAUSE_SECONDS = 1.0


class EpochSchedule:
    """The epochs of a crawl that began at ``now``, each of ``seconds`` at most; times are those of the web's clock.

    Early epochs are shorter, so that a young session that is killed leaves something: one lasts at most as long as the
    crawl before it.  Later ones are longer where closing one takes long, because much has to be merged for it.
    """

    def __init__(self, seconds: float, now: float) -> None:
        self._seconds = seconds
        self._began = self._epoch_began = self._pause_began = now
        self._pause = 0.0
        self._early = EARLY_SECONDS

    def is_due(self, now: float) -> bool:
        """Is it time for the next epoch?"""
        wanted = min(self._seconds, max(FIRST_EPOCH_SECONDS, self._epoch_began - self._began))
        if self._pause > _SHORT_PAUSE_SECONDS:
            wanted = max(wanted, self._pause / EPOCHS_SHARE)
        return now - self._epoch_began >= wanted

    def may_be_early(self, now: float) -> bool:
        """May an epoch close now if some site asks for a long rest?"""
        return now - self._epoch_began >= max(self._early, self._pause / EPOCHS_SHARE)

    def pauses(self, now: float) -> None:
        """The crawl pauses, perhaps to close an epoch."""
        self._pause_began = now

    def closes(self, *, has_long_rest: bool) -> None:
        """An epoch is being closed, in which some site asked for a long rest, or none did."""
        self._early = min(2 * self._early, max(self._seconds, EARLY_SECONDS)) if has_long_rest else EARLY_SECONDS

    def closed(self, now: float) -> None:
        """An epoch has been closed; the next begins."""
        self._epoch_began = now
        self._pause = now - self._pause_began
