"""`cutweb forget`: a session without a site, for a takedown."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse, refuse_if_any
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import counted
from crawler.process.terminal import tell

if TYPE_CHECKING:
    from sessions.records import Forgotten

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("session", metavar="SESSION", type=_PATH)
@click.option("--site", "sites", metavar="SITE", multiple=True, help="Forget this site, a host as in www.example.org.")
@click.option("--domain", "domains", metavar="DOMAIN", multiple=True, help="Forget a host and all below it.")
@click.option("--out", metavar="NEW", type=_PATH, required=True, help="Where to write what is left; must be new.")
@click.pass_context
def forget(context: click.Context, session: Path, sites: tuple[str, ...], domains: tuple[str, ...], out: Path) -> None:
    """Write a SESSION again without the bodies, pages and URLs of a site, with a record that it was done.

    A body that pages of other sites refer to, because they had the same document, moves to the first of these. SESSION
    stays as it is: remove it when NEW is checked. Not while a crawl runs on it. A crawl can go on with NEW; block the
    site with --rules, or it is found again.

    \b
    Examples:
      cutweb forget crawl-1 --site www.example.org --out crawl-1-without
      cutweb forget crawl-1 --domain example.org --out crawl-1-without && cutweb check crawl-1-without
    """
    with leaving_on_signals():
        done = _forgotten(context, session, sites, domains, out)
    what = ", ".join((*done["sites"], *(f"{domain} and all below it" for domain in done["domains"])))
    amounts = f"{done['urls']:,} URLs, {counted(done['pages'], 'page')}, {counted(done['records'], 'WARC record')}"
    bodies = f"{done['bodies_moved']:,} {'body' if done['bodies_moved'] == 1 else 'bodies'}"
    tell(f"{out}: without {what}: {amounts} forgotten; {bodies} moved to pages of other sites")


def _forgotten(
    context: click.Context, session: Path, sites: Sequence[str], domains: Sequence[str], out: Path
) -> "Forgotten":
    from crawler.launch.earlier_ranks import refuse_if_crawled
    from crawler.site_rules.target import DOMAIN, SITE, target_of
    from sessions.forgetting.forget import forget as write_without
    from sessions.session import SessionError

    named: dict[str, list[str]] = {SITE: [], DOMAIN: []}
    problems = []
    for kind, texts in ((SITE, sites), (DOMAIN, domains)):
        for text in texts:
            try:
                named[kind].append(target_of(kind, text).name)
            except ValueError as error:
                problems.append(f"--{kind} {text}: {error}")
    if not (sites or domains):
        problems.append("say what to forget: --site SITE or --domain DOMAIN")
    refuse_if_any(context, problems)

    def unknown(name: str) -> None:
        tell(f"cutweb forget: {session} has no URL of {name}; is it spelled so there?", err=True)

    def written() -> "Forgotten":
        opened = refuse_if_crawled(session, "forget sites")
        return write_without(opened, out, sites=named[SITE], domains=named[DOMAIN], unknown=unknown)

    return or_refuse(context, session, (SessionError,), written)
