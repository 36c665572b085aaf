"""What becomes of links to URLs that other ranks own: the modes of Cho and Garcia-Molina.

"Parallel Crawlers" (WWW 2002, section 3.1).  They are handed to their owners, dropped, or followed by who finds them
when it has nothing else to fetch.  A live crawl exchanges; the others are there to be compared with in replays.
"""

from sessions.session import CROSS_OVER, FIREWALL

__all__ = ["CROSS_OVER", "EXCHANGE", "FIREWALL", "MODES"]

EXCHANGE = "exchange"
MODES = (EXCHANGE, FIREWALL, CROSS_OVER)
