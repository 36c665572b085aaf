"""By which name a crawler finds itself in a robots.txt."""

import pytest

from crawler.network.product_token import is_crawlers, product_token, recorded_token

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("cutweb/0.1", "cutweb"),
        ("cutweb/0.1 (https://a.example/)", "cutweb"),
        ("cutweb", "cutweb"),
        ("a b /1", "a b"),
        ("Mozilla/5.0 (compatible; MyBot/1.0)", "MyBot"),
        ("Mozilla/5.0 (compatible; MyBot/1.0; +http://a.example/bot.html)", "MyBot"),
        ("mozilla/5.0 (Compatible;MyBot; x@a.example)", "MyBot"),
        ("Mozilla/5.0 (compatible; my_bot-two)", "my_bot-two"),
        ("Mozilla/5.0 (compatible; MyBot/1.0 Other/2.0)", "MyBot"),
        (f"{CHROME} (compatible; MyBot/1.0)", "MyBot"),
        (f"{CHROME[:-14]} (compatible; MyBot/2.1; +http://a.example/) Chrome/99.0.1.2 Safari/537.36", "MyBot"),
        ("Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1) MyBot/1.0", "MyBot"),
        (f"{CHROME} MyBot/1.0", "MyBot"),
        ("Mozilla/5.0 (MyBot/1.0)", "MyBot"),
    ],
)
def test_the_name_is_the_crawlers(user_agent: str, token: str) -> None:
    assert product_token(user_agent) == token
    assert is_crawlers(token)


@pytest.mark.parametrize("user_agent", [CHROME, "Mozilla/5.0", "Mozilla", "Mozilla/5.0 One/1.0 Two/1.0", "/1.0"])
def test_where_it_cannot_be_told_that_is_known(user_agent: str) -> None:
    assert not is_crawlers(product_token(user_agent))


def test_a_name_that_is_given_counts() -> None:
    assert product_token(CHROME, "MyBot") == "MyBot"
    assert product_token("cutweb/0.1", "MyBot") == "MyBot"


def test_earlier_runs_were_called_what_stood_before_the_slash() -> None:
    user_agent = "Mozilla/5.0 (compatible; MyBot/1.0)"
    assert recorded_token({"user_agent": user_agent}) == "Mozilla"
    assert recorded_token({"user_agent": user_agent, "robots_token": None}) == "MyBot"
    assert recorded_token({"user_agent": user_agent, "robots_token": "Other"}) == "Other"
