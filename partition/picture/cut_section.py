"""All that a page shows of one cut: where sites lie, what parts send each other, and what costs most."""

from collections.abc import Iterator

from partition.measures.cut_portrait import LEAST_SHARE, MOST_PARTS, MOST_SITES, CutPortrait
from partition.picture.cut_tables import pairs_table, parts_table, urls_table
from partition.picture.site_treemap import treemap_svg
from partition.picture.volume_matrix import matrix_svg

_MOST_OPEN = 16
"""A table of more parts than this is folded up."""
CUT_STYLE = """
.cut { max-width: 60rem; display: block; font-size: 12px; margin: .4rem 0 1.2rem; }
.cut .site { fill: none; stroke: var(--paper); stroke-width: 2; }
.plot .part, .plot .name {
  fill: #000; paint-order: stroke; stroke: #fff; stroke-opacity: .55; stroke-width: 2.5px; stroke-linejoin: round;
}
.cut .part { text-anchor: middle; font-weight: 700; }
.cut .many { fill: #b9bcc2; }
.cut .frame { fill: none; stroke: var(--faint); stroke-width: 1; }
.cut .lines { fill: none; stroke: var(--hair); stroke-width: 1; }
.cut .shade { fill: var(--ink); }
.plot .on-dark { fill: var(--paper); }
.cut .sent { fill: var(--faint); }
.cut-table { max-width: 60rem; margin: 0 0 1.4rem; }
.cut-table th:first-child { width: auto; }
.costly th:first-child, .costly.two td:nth-child(2), .costly thead th:first-child {
  text-align: left; white-space: normal; overflow-wrap: anywhere;
}
.costly.two thead th:nth-child(2) { text-align: left; }
.parts { max-width: 44rem; }
@media print { .cut-table.parts { break-inside: auto; } }
.shown { break-inside: avoid; }
details.of-cut { margin: .6rem 0; }
details.of-cut > summary { cursor: pointer; font-style: italic; }
"""
"""What a page with such a section needs beside `partition.report.style`."""


def cut_section(portrait: CutPortrait, numbers: Iterator[int]) -> str:
    """The pictures and tables of a cut as HTML; ``numbers`` are those of the next tables."""
    unit = _unit(portrait)
    shown = [_sites(portrait), _matrix(portrait, unit)]
    if portrait.cost:
        shown += [pairs_table(portrait, unit, numbers), urls_table(portrait, unit, numbers)]
    parts = parts_table(portrait, unit, numbers)
    if portrait.k > _MOST_OPEN:
        parts = f'<details class="of-cut"><summary>The {portrait.k:,} parts one by one</summary>{parts}</details>'
    return "".join([*shown, parts])


def _unit(portrait: CutPortrait) -> str:
    """What costs are, as it stands after a number."""
    if portrait.has_urls:
        return "bytes of URLs"
    return "URLs" if portrait.objective == "sent" else "links"


def _sites(portrait: CutPortrait) -> str:
    if not portrait.has_urls:
        return (
            "<h3>Where sites lie</h3><p>The pages were imported without URLs, so it is not known which site they are "
            "of, and there is no map of sites.</p>"
        )
    summed = (
        f"  Beyond the {MOST_SITES} largest, and below {LEAST_SHARE:.3%} of the whole, sites are summed up."
        if portrait.others
        else ""
    )
    what = "bytes as received" if portrait.area == "bytes" else "pages, since their sizes are not known"
    return (
        f'<div class="shown"><h3>Where sites lie</h3><p>Each rectangle is a site; its area is its {what}.  Colour and '
        "number are the part that owns it.  A site that is split has a stripe for each of its parts, in proportion; "
        f"grey stands for parts with too little of it to be seen.{summed}</p>{treemap_svg(portrait)}</div>"
    )


def _matrix(portrait: CutPortrait, unit: str) -> str:
    head = "<h3>What parts send each other</h3>"
    if not portrait.cost:
        return f"{head}<p>Nothing: no link leads from one part to another.</p>"
    counted = "each once" if portrait.objective == "sent" else "for every link"
    if portrait.costs is None:
        return (
            f"{head}<p>{portrait.cost:,} {unit}, {counted}.  The matrix is drawn for up to {MOST_PARTS} parts; there "
            f"are {portrait.k:,}.</p>"
        )
    return (
        f'<div class="shown">{head}<p>{portrait.cost:,} {unit}, {counted}.  Parts stand in the order of a tour on '
        "which neighbours exchange much (nearest neighbours, mended by 2-opt), so parts that belong together are "
        "blocks along the diagonal, which has the colours of the parts.</p>"
        f"{matrix_svg(portrait, unit)}</div>"
    )
