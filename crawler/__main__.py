"""``python -m crawler`` is ``cutweb``."""

from crawler.main import main

main()
