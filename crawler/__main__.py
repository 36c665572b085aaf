"""``python -m crawler`` is ``python -m cutweb``, without a look at whose packages are beside this one."""

from crawler.main import main

if __name__ == "__main__":
    main()
