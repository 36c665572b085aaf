"""Who owns a URL, and what is balanced: registries of models, learners, hashes, weights and rules for unknown URLs.

A model is a `partition.models.model.Model`, an assignment by hash a class like
`partition.assignment.assignment.HashAssignment`, a weight a `partition.graphs.page_weights.PageWeight`, a rule a
`partition.map.unknown_rules.Rule`, a learner a `partition.twoma.learner.Learner`, a duration a
`partition.twoma.durations.Duration`.
"""

from sessions.registry import Choice, Registry

MODELS = Registry(
    "model",
    Choice("page", "single pages, each of which may lie anywhere", "partition.models.grouping:PAGE"),
    Choice("site", "whole sites", "partition.models.grouping:SITE"),
    Choice(
        "prefix",
        "URL prefixes, along whose directories a site falls apart that is too heavy for one rank",
        "partition.models.prefix:PREFIX",
    ),
    Choice(
        "url-range",
        "neighbours in the list of pages by reversed host and path, without a look at links",
        "partition.models.url_range:URL_RANGE",
    ),
    Choice(
        "site-packed",
        "whole sites, the heaviest first, each to the rank that has most room, without a look at links",
        "partition.models.site_packing:SITE_PACKED",
    ),
)
"""What is kept together."""

LEARNT_MODELS = Registry(
    "learnt model",
    Choice(
        "twoma",
        "whole sites, each where it took least time in this session and those before it, without a look at links",
        "partition.twoma.learnt_partition:learnt_states",
    ),
)
"""What is kept together where nothing is cut, but ranks are learnt from measured seconds."""

MODELS_BY_RANKS = ("page", "site", "prefix")
"""Models that several ranks can cut together."""

WHOLE_SITES = ("site", "site-packed", "twoma")
"""Models whose maps give whole sites to parts."""


def map_models() -> tuple[str, ...]:
    """Return the names of all models that a map can be of."""
    return (*MODELS, *LEARNT_MODELS)


LEARNERS = Registry(
    "learner",
    Choice(
        "twoma",
        "the automaton of the paper, which moves sites that take longer than the mean of their rank",
        "partition.twoma.automaton:Automaton",
    ),
    Choice(
        "try-all",
        "each site at each rank once, then where it took least of late",
        "partition.twoma.try_all:TryAll",
    ),
    Choice(
        "thompson",
        "Thompson sampling, each site where it takes least by a draw of what is believed",
        "partition.twoma.thompson:Thompson",
    ),
    Choice(
        "settling",
        "each site at other ranks until one is clearly better, and again when it has become slow there",
        "partition.twoma.settling:Settling",
    ),
)
"""Who learns from measured seconds where sites belong."""

DURATIONS = Registry(
    "duration",
    Choice("site", "the seconds of the whole site, as in the paper", "partition.twoma.durations:of_site"),
    Choice("page", "its seconds a page", "partition.twoma.durations:of_page"),
    Choice("relative", "these over the site's own mean", "partition.twoma.durations:relative"),
)
"""What TWOMA compares of sites at the same rank."""
DEFAULT_LEARNER, DEFAULT_DURATION = "twoma", "relative"

ASSIGNMENTS = Registry(
    "assignment by hash",
    Choice("page-hash", "the hash of the URL, modulo K", "partition.assignment.hashing:PageHash"),
    Choice("site-hash", "the hash of the site, modulo K", "partition.assignment.hashing:SiteHash"),
    Choice("domain-hash", "the hash of the pay-level domain, modulo K", "partition.assignment.hashing:DomainHash"),
    Choice(
        "page-ring",
        "the hash of the URL on a ring, where few pages move when K changes",
        "partition.assignment.ring:PageRing",
    ),
    Choice(
        "site-ring",
        "the hash of the site on a ring, where few sites move when K changes",
        "partition.assignment.ring:SiteRing",
    ),
)
"""By what an assignment goes that takes no earlier session."""

BASELINES = ("site-packed", "domain-hash", "page-ring", "site-ring")
"""Models and assignments that reports and advice leave out unless they are named: baselines of the literature."""


def all_models() -> tuple[str, ...]:
    """Return the names of all models and assignments by hash, in the order in which reports show them."""
    return (*MODELS, *ASSIGNMENTS)


def usual_models() -> tuple[str, ...]:
    """Return those that are tried if nobody names any."""
    return tuple(name for name in all_models() if name not in BASELINES)


UNKNOWN_RULES = Registry(
    "rule for unknown URLs",
    Choice("prefix", "the part with the longest known prefix", "partition.map.unknown_rules:BY_PREFIX"),
    Choice("site", "the part with most of the site", "partition.map.unknown_rules:BY_SITE"),
    Choice("hash", "a part by hash of the site", "partition.map.unknown_rules:BY_SITE_HASH"),
    Choice("page-hash", "a part by hash of the URL", "partition.map.unknown_rules:BY_PAGE_HASH"),
    Choice(
        "directory",
        "the part with most of its directory if that is known and small, else a part by hash of the URL",
        "partition.map.small_directories:BY_DIRECTORY",
    ),
    Choice(
        "discoverer",
        "the rank that discovers it, so two may fetch one page",
        "partition.map.unknown_rules:BY_FINDER",
    ),
)
"""Who owns a URL that a map does not hold."""
SPREADING_RULES = ("page-hash", "directory", "discoverer")
"""Those under which pages of one site may get several owners, though the map has the site whole."""
DEFAULT_RULE = "page-hash"
"""The rule under which no rank of the next crawl gets most of what is new (docs/foresight.md)."""


def default_rule(model: str) -> str:
    """Return the rule for unknown URLs under which a map of this model works best, if nobody asks for another."""
    return "site" if model in LEARNT_MODELS else DEFAULT_RULE


WEIGHTS = Registry(
    "weight",
    Choice("storage", "bytes of pages", "partition.graphs.page_weights:STORAGE"),
    Choice("requests", "pages", "partition.graphs.page_weights:REQUESTS"),
    Choice("links", "links that pages have, to be parsed", "partition.graphs.page_weights:LINKS"),
    Choice("seconds", "what pages take", "partition.graphs.page_weights:SECONDS"),
)
"""What a page weighs, and no part should have too much of."""
BALANCED = ("storage", "requests")
"""The weights that are balanced unless told otherwise, those of the paper."""

OBJECTIVES = ("sent", "links")
"""What a cut makes small: bytes sent when a rank sends each URL once, or the paper's volume, once for every link."""
MOST_PARTS = 65535
