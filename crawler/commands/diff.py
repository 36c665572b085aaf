"""`cutweb diff`: what became of a web between two sessions of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from crawler.config.refusing import or_refuse
from crawler.process.answer_lines import print_answer
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import empty_table, printer, size
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell, tell_json, tell_of
from sessions.visible import visible_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sessions.analysis.difference_figures import Difference

_STDOUT = Path("-")
_NAME_WIDTH = 8
_STEP_WIDTH = 12
_COUNT_WIDTH = 21
_BAR_WIDTH = 24
_LEAST_BAR_WIDTH = 4


@click.command()
@click.argument("a", metavar="A", type=click.Path(path_type=Path))
@click.argument("b", metavar="B", type=click.Path(path_type=Path))
@click.option(
    "--json",
    "out",
    metavar="FILE|-",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write all figures, those of each site among them, to FILE as JSON; - prints them instead of the table.",
)
@click.option(
    "--html", "page", metavar="FILE", type=click.Path(path_type=Path), help="Write a page of it all to FILE as well."
)
@click.option(
    "--sites",
    metavar="N",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Show the N sites with most pages born, gone or changed.",
)
@click.pass_context
def diff(context: click.Context, a: Path, b: Path, out: Path | None, page: Path | None, sites: int) -> None:
    """Compare two sessions of one web, A the earlier: pages and links born, gone and kept; how much pages changed.

    Sessions may be crawled or imported.  Born is what only B has, gone what only A has: what a crawl did not get to
    counts as well, so both should have had the same seeds, scope and limits.  docs/measures.md has the definitions.
    Exits with 2 if A or B is no session, or damaged.

    \b
    Examples:
      cutweb diff crawl-1 crawl-2
      cutweb diff crawl-1 crawl-2 --sites 50 --json difference.json
      cutweb diff crawl-1 crawl-2 --html difference.html
      cutweb diff crawl-1 crawl-2 --json - | jq .total.pages
    """
    with leaving_on_signals():
        found = _compared(context, a, b, out, page)
    if out == _STDOUT:
        tell_json(found.as_dict())
    else:
        _print(found, sites)


def _compared(context: click.Context, a: Path, b: Path, out: Path | None, page: Path | None) -> "Difference":
    """The difference, which has been written to the files that are asked for."""
    from crawler.commands.diff_page import as_html
    from crawler.replay.reporting.report import now_in_utc
    from partition.export.output_files import PlaceError, place_of_file, replace_text
    from sessions.analysis.difference import difference
    from sessions.session import Session, SessionError

    files = [file for file in (out, page) if file is not None and file != _STDOUT]

    def compare() -> "Difference":
        for file in files:
            place_of_file(file).check(replace=True)  # before the work, not after it
        with ProgressLine() as line:
            found = difference(Session.open(a), Session.open(b), line.say)
        if out is not None and out != _STDOUT:
            replace_text(out, visible_json(found.as_dict(), indent=1) + "\n")
        if page is not None:
            replace_text(page, as_html(found, _facts(found), now_in_utc()))
        return found

    return or_refuse(context, b, (PlaceError, SessionError), compare)


def _print(found: "Difference", sites: int) -> None:
    from crawler.commands.diff_page import answer_of

    total = found.total()
    console = printer()
    print_answer(answer_of(found, found.a, found.b), console)
    tell_of(f"{found.a} -> {found.b}", f": {_age(found)}")
    for name, fact in _facts(found).items():
        tell(f"  {name:<{_NAME_WIDTH}}{fact}")
    for note in _notes(found, total):
        tell(f"note: {note}")
    if any(sum(bins) for bins in total["change"].values()):
        tell("", "kept pages by how much of them changed")
        console.print(_histogram(total["change"], console))
    if sites and found.sites:
        tell("", "sites with most pages born, gone or changed")
        console.print(_by_site(found, sites, console))
        if len(found.sites) > sites:
            tell(f"and {len(found.sites) - sites:,} more sites")


def _age(found: "Difference") -> str:
    from crawler.commands.diff_page import span

    if found.age is None or found.a_fetched is None or found.b_fetched is None:
        return "dates not known"
    return f"{found.a_fetched:%F} to {found.b_fetched:%F}, {span(found.age.total_seconds())}"


def _facts(found: "Difference") -> dict[str, str]:
    from crawler.commands.diff_page import names_of

    a, b = names_of(found)
    total = found.total()
    pages, links, sizes = total["pages"], total["links"], total["bytes"]
    in_a, in_b = sizes["gone"] + sizes["kept_in_a"], sizes["born"] + sizes["kept_in_b"]
    known = pages["changed"] + pages["unchanged"]
    share = f" ({pages['changed'] / known:.1%})" if known else ""
    answers = {"good": "2xx", "redirects": "redirects", "errors": "errors"}
    answered = (f"{pages[f'{kind}_in_a']:,} -> {pages[f'{kind}_in_b']:,} {name}" for kind, name in answers.items())
    return {
        "pages": f"{pages['a']:,} -> {pages['b']:,}: {pages['born']:,} born, {pages['gone']:,} gone, "
        f"{pages['kept']:,} kept",
        "answers": ", ".join(answered),
        "kept": f"{pages['changed']:,} changed{share}, {pages['unchanged']:,} unchanged, "
        f"{pages['unknown']:,} not known; {pages['broken']:,} answer with an error now, {pages['mended']:,} no longer",
        "links": f"{links['a']:,} -> {links['b']:,}: {links['born']:,} born ({links['born_on_kept']:,} on kept pages), "
        f"{links['gone']:,} gone ({links['gone_on_kept']:,} from kept pages), {links['kept']:,} kept",
        **_external(total["external"]),
        "bytes": f"{size(in_a)} -> {size(in_b)}: {size(sizes['born'])} born, {size(sizes['gone'])} gone, "
        f"kept {size(sizes['kept_in_a'])} -> {size(sizes['kept_in_b'])}",
        "missed": f"{pages['born_seen']:,} born pages that {a} had discovered and not downloaded, "
        f"{pages['gone_seen']:,} gone ones that {b} had",
    }


def _external(links: dict[str, int]) -> dict[str, str]:
    """What became of links out of scope, if there are any."""
    if not links["a"] and not links["b"]:
        return {}
    pairs = f"{links['born']:,} pairs of sites born, {links['gone']:,} gone, {links['kept']:,} kept"
    return {"outside": f"{links['a']:,} -> {links['b']:,} links out of scope: {pairs}"}


def _notes(found: "Difference", total: dict[str, dict[str, Any]]) -> Iterator[str]:
    from crawler.commands.diff_page import names_of
    from partition.graphs.link_graph import PLACEHOLDER_HOST

    if found.age is not None and found.age.total_seconds() < 0:
        a, b = names_of(found)
        yield f"{b} was fetched before {a}"
    if found.sites == [PLACEHOLDER_HOST]:
        yield "the pages have no URLs; they are compared by their numbers"
    if total["pages"]["a"] and total["pages"]["b"] and not total["pages"]["kept"]:
        yield "the sessions have no page in common; are they of the same web?"


_WHAT_CHANGED = {"size": "size", "links": "links", "text": "text"}


def _histogram(change: dict[str, list[int]], console: "Console") -> "Table":
    """Kept pages by how much they changed: number, share and bar, for each measure that some are known by."""
    known = {_WHAT_CHANGED[name]: bins for name, bins in change.items() if sum(bins)}
    from crawler.commands.diff_page import STEPS

    longest = min(_BAR_WIDTH, (console.width - _STEP_WIDTH) // len(known) - _COUNT_WIDTH)
    mark = "█" if console.is_terminal and console.encoding.startswith("utf") else "#"
    columns = [_Column("change", STEPS, "left")]
    for name, bins in known.items():
        shares = [pages / sum(bins) for pages in bins]
        columns.append(_Column(name, [f"{n:,} {share:>6.1%}" for n, share in zip(bins, shares, strict=True)]))
        if longest >= _LEAST_BAR_WIDTH:
            columns.append(_Column("", [mark * round(longest * share) for share in shares], "left"))
    return _table(columns, console)


def _by_site(found: "Difference", most: int, console: "Console") -> "Table":
    from crawler.commands.diff_page import SITE_HEADS, by_site

    names, *figures = zip(*by_site(found, most), strict=True)
    columns = [
        _Column(head, [f"{count:,}" for count in counts]) for head, counts in zip(SITE_HEADS, figures, strict=True)
    ]
    return _table([_Column("site", names, "left", is_folded=True), *columns], console)


class _Column(NamedTuple):
    """A column of a table.  Its heading may take several lines on a terminal, its cells only if it is folded."""

    heading: str
    cells: Sequence[str]
    justify: Literal["left", "right"] = "right"
    is_folded: bool = False

    def width(self, console: "Console") -> int | None:
        """Characters that it takes; None if that depends on what the others leave."""
        heads = self.heading.split() if console.is_terminal else [self.heading]
        return None if self.is_folded else max(map(len, (*heads, *self.cells)))


def _table(columns: Sequence[_Column], console: "Console") -> "Table":
    table = empty_table(console)
    for column in columns:
        table.add_column(column.heading, justify=column.justify, width=column.width(console), overflow="fold")
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table
