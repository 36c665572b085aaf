"""The pictures and tables of a cut: what is drawn is what was measured, and pages stay small."""

import re
from collections import Counter
from dataclasses import replace
from itertools import count, pairwise
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.graphs.link_graph import PLACEHOLDER_HOST, LinkGraph
from partition.measures.cut_portrait import MOST_PARTS, MOST_SITES, CutPortrait, cut_portrait
from partition.picture.cut_section import CUT_STYLE, cut_section
from partition.picture.site_treemap import HEIGHT, WIDTH, treemap_svg
from partition.picture.volume_matrix import matrix_svg, shade_limits, short
from partition.report.style import STYLE
from tests.partition.quality.support.webs import SmallWeb, parts_of, ring, webs


def portrait_of(web: SmallWeb, parts: list[int], k: int, objective: str = "sent") -> CutPortrait:
    return cut_portrait(web.graph(), np.array(parts, np.int32), k, objective)


def rows(section: str) -> list[list[list[str]]]:
    """The cells of each table."""
    return [
        [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
        for body in re.findall(r"<tbody>(.*?)</tbody>", section)
    ]


def outline(path: str) -> tuple[float, float, float, float]:
    """Left, top, width and height of a rectangle that is drawn as a path."""
    x, y, wide, high = map(float, re.fullmatch(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", path).groups())  # type: ignore[union-attr]
    return x, y, wide, high


@settings(max_examples=40)
@given(st.data(), webs(), st.integers(2, 5), st.sampled_from(["sent", "links"]))
def test_the_matrix_tells_every_cost_at_its_place(data: st.DataObject, web: SmallWeb, k: int, objective: str) -> None:
    found = portrait_of(web, data.draw(parts_of(len(web.sizes), k)), k, objective)
    if not found.cost:
        return
    assert found.costs is not None
    image = ElementTree.fromstring(matrix_svg(found, "bytes"))
    told: Counter[tuple[int, int]] = Counter()
    for path in image.iter("path"):
        if (title := path.find("title")) is not None:
            sender, receiver, cost = re.fullmatch(r"(\d+) to (\d+): ([\d,]+) bytes", title.text or "").groups()  # type: ignore[union-attr]
            x, y, wide, high = outline(path.attrib["d"])
            assert wide == high
            places = (round((y - 50) / high), round((x - 26) / wide))
            assert (found.order[places[0]], found.order[places[1]]) == (int(sender), int(receiver))
            told[int(sender), int(receiver)] = int(cost.replace(",", ""))
    assert told == {(a, b): found.costs[a, b] for a in range(k) for b in range(k) if found.costs[a, b]}


@settings(max_examples=40)
@given(st.data(), webs(), st.integers(1, 5))
def test_the_treemap_draws_bytes_as_areas_of_the_colours_of_parts(data: st.DataObject, web: SmallWeb, k: int) -> None:
    found = portrait_of(web, data.draw(parts_of(len(web.sizes), k)), k)
    image = ElementTree.fromstring(treemap_svg(found))
    total = sum(site.size for site in found.sites)
    groups = list(image.iter("g"))
    assert len(groups) == len(found.sites) + (found.others is not None and bool(found.others.sizes))
    for group, site in zip(groups, found.sites, strict=False):
        name = group.find("title")
        assert name is not None
        assert (name.text or "").startswith(f"{site.name}: ")
        x, y, wide, high = outline(group.findall("path[@class='site']")[0].attrib["d"])
        assert wide * high == pytest.approx(WIDTH * HEIGHT * site.size / total, rel=0.02, abs=60)
        for path in group.findall("path"):
            if "fill" in path.attrib:
                left, top, across, down = outline(path.attrib["d"])
                assert left >= x - 0.2
                assert top >= y - 0.2
                assert left + across <= x + wide + 0.3
                assert top + down <= y + high + 0.3
        drawn = sorted(
            across * down
            for path in group.findall("path")
            if "fill" in path.attrib
            for _, _, across, down in [outline(path.attrib["d"])]
        )
        wanted = sorted(WIDTH * HEIGHT * amount / total for amount in site.sizes.values())
        assert drawn == pytest.approx(wanted[-len(drawn) :], rel=0.05, abs=60)


def test_numbers_in_the_tables_are_those_of_the_portrait() -> None:
    found = portrait_of(ring(), [number % 3 for number in range(40)], 3, "links")
    pairs, urls, parts = rows(cut_section(found, count(4)))
    assert [[row[0], row[3]] for row in pairs] == [[pair.source, f"{pair.cost:,}"] for pair in found.pairs]
    assert [row[:4] for row in urls] == [
        [url.url, str(url.owner), str(url.times), f"{url.cost:,}"] for url in found.urls
    ]
    assert [int(row[5].replace(",", "")) for row in parts] == found.sent.tolist()
    assert sum(int(row[1].replace(",", "")) for row in parts) == sum(ring().sizes.values())
    assert "<b>Table 4.</b>" in cut_section(found, count(4))
    assert f"{found.cost:,} bytes of URLs, for every link" in cut_section(found, count(1))


def test_names_from_outside_are_escaped() -> None:
    web = SmallWeb(
        {"http://a.example/<b>&": 5, "http://b.example/<i>": 5},
        (),
        (("http://a.example/<b>&", "http://b.example/<i>"),),
    )
    shown = cut_section(portrait_of(web, [0, 1], 2), count(1))
    assert "&lt;i&gt;" in shown
    assert "<i>" not in shown
    found = portrait_of(web, [0, 1], 2)
    hostile = [replace(site, name="<script>") for site in found.sites]
    ElementTree.fromstring(treemap_svg(replace(found, sites=hostile)))


def test_one_part_or_no_links_sends_nothing() -> None:
    for found in (portrait_of(ring(), [0] * 40, 1), portrait_of(SmallWeb({"http://a.example/": 5}, (), ()), [1], 3)):
        shown = cut_section(found, count(1))
        assert "no link leads from one part to another" in shown
        assert len(rows(shown)) == 1


def test_pages_without_urls_have_a_matrix_and_no_treemap() -> None:
    pages = [f"http://{PLACEHOLDER_HOST}/{number}" for number in range(6)]
    graph = SmallWeb(dict.fromkeys(pages, 1), (), tuple(pairwise(pages))).graph()
    shown = cut_section(cut_portrait(graph, np.array([0, 1] * 3, np.int32), 2, "sent"), count(1))
    assert "imported without URLs" in shown
    assert shown.count("<svg") == 1
    assert ["page 1", "1", "1"] in [row[:3] for row in rows(shown)[1]]
    assert "bytes" not in shown


def large(sites: int, k: int) -> CutPortrait:
    """A web of equal sites of four pages each, every page in another part and linked to the next three."""
    pages = 4 * sites
    numbers = np.arange(pages)
    urls = [f"http://host-{number // 4:06}.a-long-domain.example/{number}" for number in range(pages)]
    targets = np.concatenate([(numbers + step) % pages for step in (1, 2, 3)])
    lengths = np.array([len(url) for url in urls], np.int64)
    links = csr_array((lengths[targets], (np.tile(numbers, 3), targets)), (pages, pages))
    links.sort_indices()
    graph = LinkGraph(
        pa.array(urls, pa.large_string()),
        numbers.astype(np.uint64),
        np.full(pages, 1000),
        numbers // 4,
        [f"host-{site:06}.a-long-domain.example" for site in range(sites)],
        links,
        pa.array([], pa.large_string()),
        np.zeros(0, np.uint64),
        csr_array((pages, 0), dtype=np.int64),
    )
    return cut_portrait(graph, (numbers * 7919 % k).astype(np.int32), k, "sent")


@pytest.mark.parametrize(("sites", "k"), [(100_000, 64), (300, MOST_PARTS), (300, MOST_PARTS + 1)])
def test_a_page_stays_small_whatever_the_session(sites: int, k: int) -> None:
    found = large(sites, k)
    assert len(found.sites) <= MOST_SITES
    shown = cut_section(found, count(1))
    assert len(shown) < 1_500_000
    assert shown.count("<svg") == (2 if k <= MOST_PARTS else 1)
    assert f"{sites - len(found.sites):,} other sites" in shown


@pytest.mark.parametrize("k", [64, MOST_PARTS])
def test_a_full_matrix_stays_small(k: int) -> None:
    costs = np.random.default_rng(1).integers(1, 10**5, (k, k))
    np.fill_diagonal(costs, 0)
    full = replace(large(300, k), costs=costs, sent=costs.sum(axis=1), received=costs.sum(axis=0))
    shown = matrix_svg(full, "bytes")
    assert len(shown) < 3_500_000
    drawn = [outline(path)[2] for path in re.findall(r'<path d="(M[^"]*z)"', shown)]
    cell = (720 - 1 - 26) / k
    assert sum(drawn) / cell == pytest.approx(k * (k - 1), rel=1e-3)


def test_no_letter_is_smaller_than_elsewhere_in_reports() -> None:
    """On paper the width of 720 units is about 688 px (A4 with the margins of the style)."""
    least = min(float(size) for size in re.findall(r"\.plot \{[^}]*font-size: ([\d.]+)px", STYLE))
    (own,) = {float(size) for size in re.findall(r"font-size: ([\d.]+)px", CUT_STYLE)}
    assert own * 688 / WIDTH >= least


def test_costs_in_few_letters() -> None:
    costs = (0, 7, 999, 1000, 1049, 9949, 9950, 99_500, 999_499, 999_500, 10**6, 12_345_678, 5 * 10**9, 10**12)
    shown = "0 7 999 1k 1k 9.9k 10k 100k 999k 1M 1M 12M 5G 1T"
    assert " ".join(map(short, costs)) == shown
    assert max(len(short(number)) for number in range(0, 10**7, 997)) == 4


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_shades_reach_from_the_least_to_the_most(one: int, other: int) -> None:
    least, most = sorted((one, other))
    limits = shade_limits(least, most)
    assert 1 <= len(limits) <= 7
    assert limits == sorted(set(limits))
    assert limits[-1] <= most < limits[-1] * 10 / 3
    assert limits[0] <= least or len(limits) == 7


def test_the_first_shade_has_all_that_costs_less_than_the_second() -> None:
    costs = np.array([[0, 2, 0], [0, 0, 5 * 10**6], [1000, 0, 0]])
    found = replace(portrait_of(ring(), [number % 3 for number in range(40)], 3), costs=costs)
    legend = matrix_svg(found, "bytes").partition('<g class="shades">')[2].partition("</g>")[0]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", legend)
    assert texts[1:] == ["&lt;10k", "≥10k", "≥30k", "≥100k", "≥300k", "≥1M", "≥3M", "bytes"]


def test_a_long_name_loses_its_www_first() -> None:
    sizes = {f"http://www.a-site-of-some-length-{number}.example/": 1000 for number in range(30)}
    shown = treemap_svg(portrait_of(SmallWeb(sizes, (), ()), [number % 2 for number in range(30)], 2))
    names = re.findall(r'class="name"[^>]*>([^<]*)<', shown)
    assert names
    assert all(name.startswith("a-site-of") and name.endswith("…") for name in names)


def test_a_matrix_needs_parts_that_are_not_too_many() -> None:
    wide = portrait_of(ring(), [number % 3 for number in range(40)], 3)
    with pytest.raises(ValueError, match="more than"):
        matrix_svg(replace(wide, costs=None), "bytes")
