"""Who watches a live crawl, on this rank."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from crawler.launch.plan import Plan
from crawler.launch.remaining_limits import used_up
from crawler.monitoring.event_log import LoggedSupersteps, event_log
from crawler.monitoring.events import say
from crawler.monitoring.live_file import LiveFile
from crawler.monitoring.progress_display import ProgressDisplay
from crawler.monitoring.silence import HeldUp
from crawler.monitoring.usage_lines import UsageLines
from crawler.monitoring.watcher import Watcher
from sessions.session import Session


@contextmanager
def watching(plan: Plan, rank: int, held_up: Callable[[], HeldUp] = HeldUp) -> Iterator[list[Watcher]]:
    """The watchers of a ``rank`` of a crawl, closed in the end; meanwhile its log is kept, if that is wanted.

    ``held_up`` tells them what holds it up now.
    """
    options, header = plan.options, plan.header
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if options.log_json:
            stack.enter_context(event_log(plan.out, rank, plan.run))
            say("run began", ranks=header["ranks"], epoch=header["epochs"], is_resumed=options.is_resumed)
            watchers.append(LoggedSupersteps(rank))
        if rank == 0:
            before = used_up(Session.open(plan.out))[0] if options.is_resumed else 0
            watchers += [LiveFile(plan.out, header), ProgressDisplay(before=before)]
            if options.usage_seconds is not None:
                watchers.append(UsageLines(options.usage_seconds, plan.out))
            if options.metrics_port:
                from crawler.monitoring.metrics import Metrics

                metrics = Metrics(options.metrics_port, header, options.metrics_host, held_up, plan.out)
                watchers.append(metrics)
        for watcher in watchers:
            stack.callback(watcher.close)
        yield watchers
