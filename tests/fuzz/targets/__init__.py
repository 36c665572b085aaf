"""The targets, one module for each way into the crawler."""

from tests.fuzz.target import Target
from tests.fuzz.targets import addresses, answers, batches, fields, names, pages, records, robots, urls

TARGETS: dict[str, Target] = {
    module.TARGET.name: module.TARGET
    for module in (pages, robots, fields, records, urls, addresses, answers, names, batches)
}
