"""Scrapy as one writes it first: a spider with the defaults that follows all links.

Run by `scrapy runspider scrapy_plain.py -a seeds=FILE`, in an environment of its own.
"""

from collections.abc import Iterator
from pathlib import Path

import scrapy
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor


class PlainSpider(scrapy.Spider):
    name = "plain"

    def __init__(self, seeds: str) -> None:
        super().__init__()
        self.start_urls = Path(seeds).read_text().split()
        self._extractor = LinkExtractor()

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        for link in self._extractor.extract_links(response):
            yield scrapy.Request(link.url)
