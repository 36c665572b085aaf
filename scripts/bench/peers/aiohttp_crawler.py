"""The least crawler that asyncio allows: aiohttp, lxml, a set and a queue.  It prints how many pages it fetched.

Run by `python aiohttp_crawler.py SEEDS PROXY`, in an environment of its own.
"""

import asyncio
import sys
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import aiohttp
import lxml.etree
import lxml.html

_CONNECTIONS = 128


async def crawl(seeds: list[str], proxy: str) -> int:
    """Fetch the seeds and all that they lead to; how many pages were answered with 200."""
    seen = set(seeds)
    queue: asyncio.Queue[str] = asyncio.Queue()
    for seed in seeds:
        queue.put_nowait(seed)
    pages = 0

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal pages
        while True:
            url = await queue.get()
            try:
                async with session.get(url, proxy=proxy) as response:
                    body = await response.read()
                pages += response.status == 200
                for link in _links(url, body):
                    if link not in seen:
                        seen.add(link)
                        queue.put_nowait(link)
            except aiohttp.ClientError as error:
                print(url, error, file=sys.stderr)
            finally:
                queue.task_done()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=_CONNECTIONS)) as session:
        workers = [asyncio.create_task(work(session)) for _ in range(_CONNECTIONS)]
        await queue.join()
        for worker in workers:
            worker.cancel()
    return pages


def _links(base: str, body: bytes) -> list[str]:
    try:
        tree = lxml.html.document_fromstring(body)
    except lxml.etree.ParserError:
        return []
    links = (urldefrag(urljoin(base, href)).url for href in tree.xpath("//a/@href"))
    return [link for link in links if link.startswith("http")]


if __name__ == "__main__":
    print("pages:", asyncio.run(crawl(Path(sys.argv[1]).read_text().split(), sys.argv[2])))
