"""Sites as a treemap: their size as area, their parts as colours; a site that is split over parts is striped."""

from collections.abc import Mapping
from html import escape

from partition.measures.cut_portrait import CutPortrait, SiteInParts
from partition.picture.part_colours import part_colours
from partition.report.markup import size
from partition.report.treemap import Rectangle, squarified, striped

WIDTH, HEIGHT = 720, 430
_LETTER, _DIGIT, _LINE = 5.9, 6.4, 14
_MARGIN, _LEAST_STRIPE, _LEAST_LETTERS = 4, 28, 5
_UPRIGHT = 11
_LEAST_AREA = 16.0
"""Stripes below this are drawn as one."""
_MOST_TOLD = 6


def treemap_svg(portrait: CutPortrait) -> str:
    """The sites of a cut as an ``svg`` element; pointing at one tells its size, pages and parts."""
    sites = [site for site in (*portrait.sites, portrait.others) if site is not None and site.sizes]
    frames = squarified([site.size for site in sites], Rectangle(0, 0, WIDTH, HEIGHT))
    drawing = _Drawing(portrait)
    drawn = "".join(drawing.site(site, frame) for site, frame in zip(sites, frames, strict=True))
    title = f"Sites by {portrait.area}, coloured by part, K = {portrait.k}"
    return (
        f'<svg class="plot cut" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f'<rect class="many" width="{WIDTH}" height="{HEIGHT}"/>{drawn}</svg>'
    )


class _Drawing:
    """Draws the sites of one portrait."""

    def __init__(self, portrait: CutPortrait) -> None:
        self._area = portrait.area
        self._places = {part: place for place, part in enumerate(portrait.order)}
        self._colours = part_colours(portrait.order)

    def site(self, site: SiteInParts, frame: Rectangle) -> str:
        """A site's rectangle: its stripes, in the order of the tour, its name, and the number of each part."""
        name = site.name or f"{site.sites:,} other site{'s' if site.sites > 1 else ''}"
        parts, sizes = self._stripes(site, frame)
        stripes = striped(sizes, frame, _LEAST_STRIPE)
        shown, taken = _name(name, frame)
        seen = list(zip(parts, stripes, strict=False))  # what comes last may be of many parts, and stays grey
        fills = "".join(f'<path fill="{self._colours[part]}" d="{_outline(stripe)}"/>' for part, stripe in seen)
        numbers = "".join(_number(part, stripe, taken) for part, stripe in seen)
        return (
            f"<g><title>{escape(name)}: {self._told(site)}</title>{fills}"
            f'<path class="site" d="{_outline(frame)}"/>{numbers}{shown}</g>'
        )

    def _stripes(self, site: SiteInParts, frame: Rectangle) -> tuple[list[int], list[float]]:
        """The parts of a site that can be seen, and what they have of it; last, what the others have."""
        least = _LEAST_AREA / frame.area * site.size if len(site.sizes) > 1 else 0
        seen = [part for part in sorted(site.sizes, key=self._places.__getitem__) if site.sizes[part] >= least]
        sizes: list[float] = [site.sizes[part] for part in seen]
        rest = site.size - sum(sizes)
        return seen, [*sizes, rest] if rest else sizes

    def _told(self, site: SiteInParts) -> str:
        amount = size(site.size) if self._area == "bytes" else ""
        pages = f"{site.pages:,} page{'s' if site.pages > 1 else ''}"
        return f"{amount}{', ' if amount else ''}{pages}; {_shares(site.sizes)}"


def _shares(sizes: Mapping[int, int]) -> str:
    """Which parts have how much of a site, the largest first."""
    if len(sizes) == 1:
        return f"part {next(iter(sizes))}"
    total = sum(sizes.values())
    largest = sorted(sizes, key=lambda part: (-sizes[part], part))
    told = ", ".join(f"{part} ({sizes[part] / total:.1%})" for part in largest[:_MOST_TOLD])
    return f"parts {told}{f' and {len(sizes) - _MOST_TOLD} more' if len(sizes) > _MOST_TOLD else ''}"


def _outline(frame: Rectangle) -> str:
    return f"M{frame.x:.1f} {frame.y:.1f}h{frame.width:.1f}v{frame.height:.1f}h-{frame.width:.1f}z"


def _number(part: int, stripe: Rectangle, taken: Rectangle) -> str:
    """A part's number at the foot of its stripe, in the middle or at the right, or else upright; if there is room."""
    long = _DIGIT * len(str(part)) + _MARGIN
    for wide, high, at in ((long, _LINE, 0.5), (long, _LINE, 1.0), (_UPRIGHT, long, 0.5)):
        place = Rectangle(stripe.x + at * (stripe.width - wide), stripe.y + stripe.height - high - 1, wide, high)
        if stripe.width >= wide and stripe.height > high and not _overlap(place, taken):
            x, y = place.x + wide / 2, place.y + high / 2
            turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if wide < long else ""
            return f'<text class="part" x="{x:.1f}" y="{y + _MARGIN:.1f}"{turned}>{part}</text>'
    return ""


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


def _name(name: str, frame: Rectangle) -> tuple[str, Rectangle]:
    """A site's name at the head of its rectangle, and what it takes of it: nothing if there is no room for it."""
    most = int((frame.width - 2 * _MARGIN) / _LETTER)
    if frame.height < 2 * _LINE or most < _LEAST_LETTERS:
        return "", Rectangle(frame.x, frame.y, 0, 0)
    shown = name if len(name) <= most else name.removeprefix("www.")
    shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    text = f'<text class="name" x="{frame.x + _MARGIN:.1f}" y="{frame.y + _LINE - 2:.1f}">{escape(shown)}</text>'
    return text, Rectangle(frame.x, frame.y, len(shown) * _LETTER + _MARGIN, _LINE)
