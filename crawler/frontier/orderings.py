"""The orderings by name; each is made of a folder for files and about how many bytes of URLs it may hold in memory."""

from sessions.registry import Choice, Registry

ORDERINGS = Registry(
    "ordering",
    Choice("bfs", "breadth first", "crawler.frontier.ordering:BreadthFirst"),
    Choice(
        "budget",
        "each domain's within a budget that grows with the number of other domains that link to it, where what goes "
        "beyond is delayed, never dropped",
        "crawler.frontier.budgets.beast:Beast",
    ),
)
