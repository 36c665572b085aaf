"""Scrapy with all taken off that can be: a seen set of its own, no middleware that it can do without.

Run by `scrapy runspider scrapy_tuned.py -a seeds=FILE`, in an environment of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar
from urllib.parse import urldefrag, urljoin

import lxml.etree
import lxml.html
import scrapy
from scrapy.http import Response

_SPIDER_MIDDLEWARES = (
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware",
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",
    "scrapy.spidermiddlewares.referer.RefererMiddleware",
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
    "scrapy.spidermiddlewares.depth.DepthMiddleware",
)
_DOWNLOADER_MIDDLEWARES = (
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware",
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware",
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware",
    "scrapy.downloadermiddlewares.retry.RetryMiddleware",
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
)


class TunedSpider(scrapy.Spider):
    name = "tuned"
    custom_settings: ClassVar[dict[str, object]] = {
        "CONCURRENT_REQUESTS": 128,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "SPIDER_MIDDLEWARES": dict.fromkeys(_SPIDER_MIDDLEWARES),
        "DOWNLOADER_MIDDLEWARES": dict.fromkeys(_DOWNLOADER_MIDDLEWARES),
        "DEFAULT_REQUEST_HEADERS": {"Accept-Encoding": "gzip"},
        "TELNETCONSOLE_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        "LOG_LEVEL": "INFO",
    }

    def __init__(self, seeds: str) -> None:
        super().__init__()
        self.start_urls = Path(seeds).read_text().split()
        self._seen = set(self.start_urls)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        try:
            tree = lxml.html.document_fromstring(response.body)
        except lxml.etree.ParserError:
            return
        for href in tree.xpath("//a/@href"):
            url = urldefrag(urljoin(response.url, href)).url
            if url.startswith("http") and url not in self._seen:
                self._seen.add(url)
                yield scrapy.Request(url)
