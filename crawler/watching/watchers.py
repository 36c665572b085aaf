"""Who watches a live crawl, on this rank."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from crawler.plan import Plan
from crawler.progress import Progress
from crawler.resuming.limits import used_up
from crawler.watching.eventlog import LoggedSupersteps, event_log
from crawler.watching.events import say
from crawler.watching.livefile import LiveFile
from crawler.watching.watcher import Watcher
from sessions.session import Session


@contextmanager
def watching(plan: Plan, rank: int) -> Iterator[list[Watcher]]:
    """The watchers of a ``rank`` of a crawl, closed in the end; meanwhile its log is kept, if that is wanted."""
    options, header = plan.options, plan.header
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if options.log_json:
            stack.enter_context(event_log(plan.out, rank, plan.run))
            say("run began", ranks=header["ranks"], epoch=header["epochs"], is_resumed=options.is_resumed)
            watchers.append(LoggedSupersteps(rank))
        if rank == 0:
            before = used_up(Session.open(plan.out))[0] if options.is_resumed else 0
            watchers += [LiveFile(plan.out, header), Progress(before=before)]
            if options.metrics_port:
                from crawler.watching.metrics import Metrics

                watchers.append(Metrics(options.metrics_port, header, options.metrics_host))
        for watcher in watchers:
            stack.callback(watcher.close)
        yield watchers
