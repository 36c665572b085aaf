"""Made-up URLs are all different and the same every time; maps of them are written, opened and asked."""

from pathlib import Path

import numpy as np

from scripts.bench import map_size


def test_made_up_urls() -> None:
    made_up, numbers = map_size.MadeUpUrls(20_000), np.arange(20_000)
    urls, parts = made_up.urls(numbers), made_up.parts(numbers)
    assert len(set(urls)) == len(urls)
    assert set(parts.tolist()) == set(range(map_size.PARTS))
    assert made_up.urls(numbers[500:600]) == urls[500:600]
    rows = list(made_up.rows(0, 20_000))
    assert [url for batch in rows for url in batch.urls.to_pylist()] == urls
    sizes = np.unique([url.split("/")[2] for url in urls], return_counts=True)[1]
    assert sizes.max() > 500 > 50 > np.median(sizes)


def test_the_tables(tmp_path: Path) -> None:
    lines = map_size.measured(tmp_path, [2000], [2]).splitlines()
    assert lines[0].startswith("Maps of 16 parts; ")
    assert lines[4].startswith("| 2,000 | 2 | 1 | ")
    assert lines[-3].startswith("| 2,000 | ")
    assert all(len(line.split("|")) == 10 for line in (lines[4], lines[-3]))
    assert lines[-1].startswith("At the rates of 2,000 URLs on 2 ranks, 100,000,000 take ")
