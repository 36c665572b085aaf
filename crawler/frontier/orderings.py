"""The orderings by name; each is made of a folder for files, a budget of memory in bytes, and settings."""

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
    Choice(
        "backlink",
        "site by site, those first to which most links lead (JoMaGic), breadth-first within a site",
        "crawler.frontier.back_link_sites:BackLinkSites",
    ),
    Choice(
        "backlink-page",
        "of all URLs that wait the one to which most links are known",
        "crawler.frontier.back_link_page:BackLinkPage",
    ),
    Choice(
        "priority",
        "as --priorities says, of the URLs found so far",
        "crawler.frontier.priority_order:PriorityOrder",
    ),
    Choice("random", "by a hash of URL and --order-seed", "crawler.frontier.random_order:RandomOrder"),
)
