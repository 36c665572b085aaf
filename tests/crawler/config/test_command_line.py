"""From the command line and TOML to options."""

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.config.command_line import UsageError, as_plain_values, parsed
from crawler.config.crawl_options import CrawlOptions, option_names
from crawler.config.option_declaration import click_parameters
from crawler.replay.replay_options import ReplayOptions

# For every option: command line, TOML, and the value that both mean, which is not the default.
SAMPLES: dict[str, tuple[list[str], str, Any]] = {
    "urls": (["http://a.example/", "b"], '["http://a.example/", "b"]', ("http://a.example/", "b")),
    "seeds": (["--seeds", "s.txt"], '"s.txt"', "s.txt"),
    "out": (["--out", "some/where"], '"some/where"', Path("some/where")),
    "ranks": (["--ranks", "3"], "3", 3),
    "assign": (["--assign", "page-hash"], '"page-hash"', "page-hash"),
    "partition": (["--partition", "some/map"], '"some/map"', Path("some/map")),
    "unknown": (["--unknown", "discoverer"], '"discoverer"', "discoverer"),
    "scope": (["--scope", "sites"], '"sites"', "sites"),
    "external": (["--external", "all"], '"all"', "all"),
    "order": (["--order", "budget"], '"budget"', "budget"),
    "budget": (["--budget", "top"], '"top"', "top"),
    "rerank": (["--rerank", "3"], "3", 3),
    "ranked_sites": (["--ranked-sites", "50"], "50", 50),
    "priorities": (["--priorities", "some/worklist"], '"some/worklist"', Path("some/worklist")),
    "order_seed": (["--order-seed", "8"], "8", 8),
    "max_pages": (["--max-pages", "7"], "7", 7),
    "max_seconds": (["--max-seconds", "1.5"], "1.5", 1.5),
    "max_wait": (["--max-wait", "0"], "0", 0.0),
    "max_depth": (["--max-depth", "0"], "0", 0),
    "max_redirects": (["--max-redirects", "254"], "254", 254),
    "include": (["--include", "x", "--include", "^y"], '["x", "^y"]', ("x", "^y")),
    "exclude": (["--exclude", r"\.z$"], r"['\.z$']", (r"\.z$",)),
    "skip_extensions": (["--skip-extensions", "jpg,.PNG"], '"jpg,.PNG"', "jpg,png"),
    "content_types": (["--content-types", "text/html,image/*"], '"text/html,image/*"', "text/html,image/*"),
    "verify_links": (["--verify-links", "strict"], '"strict"', "strict"),
    "max_url_length": (["--max-url-length", "2000"], "2000", 2000),
    "max_segments": (["--max-segments", "9"], "9", 9),
    "max_query_length": (["--max-query-length", "0"], "0", 0),
    "max_query_parameters": (["--max-query-parameters", "0"], "0", 0),
    "max_repeated_segments": (["--max-repeated-segments", "1"], "1", 1),
    "skip_calendars": (["--no-skip-calendars"], "false", False),
    "skip_session_ids": (["--skip-session-ids"], "true", True),
    "skip_growing_queries": (["--skip-growing-queries"], "true", True),
    "traps": (["--no-traps"], "false", False),
    "max_pages_per_site": (["--max-pages-per-site", "3"], "3", 3),
    "max_pages_per_prefix": (["--max-pages-per-prefix", "2"], "2", 2),
    "max_pages_per_domain": (["--max-pages-per-domain", "4"], "4", 4),
    "max_pages_per_address": (["--max-pages-per-address", "5"], "5", 5),
    "prefix_segments": (["--prefix-segments", "2"], "2", 2),
    "max_links": (["--max-links", "100"], "100", 100),
    "parse_seconds": (["--parse-seconds", "0.5"], "0.5", 0.5),
    "superstep": (["--superstep", "0.25"], "0.25", 0.25),
    "connections": (["--connections", "4096"], "4096", 4096),
    "delay": (["--delay", "0"], "0", 0.0),
    "server_delay": (["--server-delay", "3"], "3.0", 3.0),
    "max_crawl_delay": (["--max-crawl-delay", "20"], "20", 20.0),
    "honour_nofollow": (["--honour-nofollow"], "true", True),
    "timeout": (["--timeout", "9"], "9", 9.0),
    "connect_timeout": (["--connect-timeout", "8"], "8", 8.0),
    "idle_timeout": (["--idle-timeout", "7"], "7", 7.0),
    "min_speed": (["--min-speed", "0"], "0", 0.0),
    "http2": (["--no-http2"], "false", False),
    "max_header": (["--max-header", "16"], "16", 16.0),
    "max_body": (["--max-body", "0.5"], "0.5", 0.5),
    "max_decoded": (["--max-decoded", "2"], "2", 2.0),
    "retries": (["--retries", "0"], "0", 0),
    "delay_factor": (["--delay-factor", "2.5"], "2.5", 2.5),
    "robots_wait": (["--robots-wait", "0"], "0", 0.0),
    "site_errors": (["--site-errors", "3"], "3", 3),
    "retry_wait": (["--retry-wait", "0.5"], "0.5", 0.5),
    "user_agent": (["--user-agent", "me/2 (x)"], '"me/2 (x)"', "me/2 (x)"),
    "robots_token": (["--robots-token", "MyBot"], '"MyBot"', "MyBot"),
    "contact": (["--contact", "me@a.example"], '"me@a.example"', "me@a.example"),
    "connect_to": (
        ["--connect-to", "a:80:b:81", "--connect-to", "::c:"],
        '["a:80:b:81", "::c:"]',
        ("a:80:b:81", "::c:"),
    ),
    "allow_net": (
        ["--allow-net", "10.0.0.0/8", "--allow-net", "::1"],
        '["10.0.0.0/8", "::1"]',
        ("10.0.0.0/8", "::1/128"),
    ),
    "proxy": (["--proxy", "http://proxy.example:3128"], '"http://proxy.example:3128"', "http://proxy.example:3128"),
    "max_bandwidth": (["--max-bandwidth", "40M"], '"40M"', 40_000_000),
    "bandwidth_hours": (
        ["--bandwidth-hours", "Mon-Fri 08:00-18:00 10M", "--bandwidth-hours", "Sat 00:00-24:00 none"],
        '["Mon-Fri 08:00-18:00 10M", "Sat 00:00-24:00 none"]',
        ("Mon-Fri 08:00-18:00 10M", "Sat 00:00-24:00 none"),
    ),
    "max_host_bandwidth": (["--max-host-bandwidth", "800000"], "800_000", 800_000),
    "dns_server": (
        ["--dns-server", "127.0.0.1:5353", "--dns-server", "[::1]"],
        '["127.0.0.1:5353", "[::1]"]',
        ("127.0.0.1:5353", "[::1]:53"),
    ),
    "dns_timeout": (["--dns-timeout", "3"], "3", 3.0),
    "ca_cert": (["--ca-cert", __file__], f'"{__file__}"', Path(__file__)),
    "rules": (["--rules", "rules.toml"], '"rules.toml"', Path("rules.toml")),
    "tls_verify": (["--no-tls-verify"], "false", False),
    "store_bodies": (["--no-store-bodies"], "false", False),
    "duplicates": (["--no-duplicates"], "false", False),
    "skip_duplicate_links": (["--skip-duplicate-links"], "true", True),
    "duplicate_memory": (["--duplicate-memory", "1"], "1", 1.0),
    "content_memory": (["--content-memory", "1"], "1", 1.0),
    "simhash": (["--simhash"], "true", True),
    "near_dup": (["--near-dup", "3"], "3", 3),
    "worklist": (["--worklist", "some/list"], '"some/list"', Path("some/list")),
    "new_share": (["--new-share", "0.5"], "0.5", 0.5),
    "beyond": (["--beyond"], "true", True),
    "previous": (["--from", "some/session"], '"some/session"', Path("some/session")),
    "epoch_seconds": (["--epoch-seconds", "5"], "5", 5.0),
    "frontier_memory": (["--frontier-memory", "1"], "1", 1.0),
    "seen_memory": (["--seen-memory", "2"], "2", 2.0),
    "sent_memory": (["--sent-memory", "1"], "1", 1.0),
    "budget_memory": (["--budget-memory", "0.5"], "0.5", 0.5),
    "site_memory": (["--site-memory", "64"], "64", 64.0),
    "metrics_port": (["--metrics-port", "9100"], "9100", 9100),
    "metrics_host": (["--metrics-host", "0.0.0.0"], "'0.0.0.0'", "0.0.0.0"),
    "usage_seconds": (["--usage-seconds", "60"], "60", 60.0),
    "log_json": (["--log-json"], "true", True),
    "scratch": (["--scratch", "some/disk"], '"some/disk"', Path("some/disk")),
    "start_seconds": (["--start-seconds", "60"], "60", 60.0),
    "max_silence": (["--max-silence", "60"], "60", 60.0),
}


def from_toml(folder: Path, text: str, *arguments: str) -> CrawlOptions:
    """The options that a configuration file with this text gives, with arguments on the command line."""
    file = folder / "crawl.toml"
    file.write_text(text, encoding="utf-8")
    options = parsed(["--config", str(file), *arguments])
    assert isinstance(options, CrawlOptions)
    return options


def refusal(arguments: list[str]) -> str:
    """The message with which arguments are refused."""
    with pytest.raises(UsageError) as caught:
        parsed(arguments)
    return str(caught.value)


@pytest.mark.parametrize("arguments", [["http://a.example/", "--verify-links"], ["--verify-links", "--out", "x"]])
def test_verify_links_needs_no_value(arguments: list[str]) -> None:
    options = parsed(arguments)
    assert isinstance(options, CrawlOptions)
    assert options.verify_links == "html"


def test_a_url_after_verify_links_is_taken_for_its_value_and_refused() -> None:
    said = refusal(["--verify-links", "http://a.example/"])
    assert said == "Invalid value for '--verify-links': 'http://a.example/' is not one of 'html', 'strict', 'none'."


def test_there_is_a_sample_of_every_option() -> None:
    assert set(SAMPLES) == set(option_names())


@pytest.mark.parametrize("name", SAMPLES)
def test_every_option_can_be_set_in_both_ways(name: str, tmp_path: Path) -> None:
    arguments, toml, value = SAMPLES[name]
    assert getattr(parsed(arguments), name) == value
    from_file = from_toml(tmp_path, f"{name} = {toml}")
    assert getattr(from_file, name) == value
    if name != "order":  # has one value only
        assert getattr(CrawlOptions(), name) != value
    for other in set(SAMPLES) - {name}:
        assert getattr(from_file, other) == getattr(CrawlOptions(), other)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_line_wins(name: str, tmp_path: Path) -> None:
    others = {
        "urls": '["http://other.example/"]',
        "contact": '"https://other.example/"',
        "connect_to": '["x:1:y:2"]',
        "allow_net": '["192.168.0.0/16"]',
        "dns_server": '["192.168.0.1"]',
        "max_bandwidth": '"none"',
        "proxy": '"socks5://other.example:1080"',
        "bandwidth_hours": '["Sun 01:00-02:00 1M"]',
        "max_host_bandwidth": '"1G"',
        "http2": "true",
        "assign": '"site-hash"',
        "unknown": '"hash"',
        "external": '"none"',
        "order": '"bfs"',
        "budget": '"degree"',
        "ca_cert": f'"{Path(__file__).with_name("conftest.py")}"',
        "rules": '"other.toml"',
        "tls_verify": "true",
        "store_bodies": "true",
        "duplicates": "true",
        "skip_duplicate_links": "false",
        "simhash": "false",
        "near_dup": "7",
        "beyond": "false",
        "worklist": '"other"',
        "new_share": "0.25",
        "include": '["other"]',
        "exclude": '["other"]',
        "skip_extensions": '"other"',
        "content_types": '"other/type"',
        "verify_links": '"html"',
        "skip_calendars": "true",
        "skip_session_ids": "false",
        "skip_growing_queries": "false",
        "traps": "true",
        "honour_nofollow": "false",
        "log_json": "false",
        **dict.fromkeys(
            (
                "seeds",
                "out",
                "partition",
                "scope",
                "user_agent",
                "robots_token",
                "previous",
                "priorities",
                "scratch",
                "metrics_host",
                "worklist",
            ),
            '"other"',
        ),
    }
    arguments, _, value = SAMPLES[name]
    assert getattr(from_toml(tmp_path, f"{name} = {others.get(name, 77)}", *arguments), name) == value


@pytest.mark.parametrize("what", ["site", "prefix", "domain", "address"])
def test_a_cap_may_be_none(what: str, tmp_path: Path) -> None:
    name = f"max_pages_per_{what}"
    assert getattr(parsed([f"--max-pages-per-{what}", "none"]), name) is None
    assert getattr(from_toml(tmp_path, f'{name} = "none"'), name) is None
    assert getattr(from_toml(tmp_path, f"{name} = 7", f"--max-pages-per-{what}", "none"), name) is None


VALUES = ["1.5", "-1", '""', '"x"', "true", "[]", "[1]", '[["a"]]', "{a = 1}", "1979-05-27", "07:32:00", "nan", "1e400"]
TEXTS = {
    "seeds",
    "out",
    "scope",
    "external",
    "user_agent",
    "robots_token",
    "ca_cert",
    "rules",
    "assign",
    "partition",
    "unknown",
    "order",
    "metrics_host",
    "previous",
    "priorities",
    "scratch",
    "worklist",
}
LISTS = {"urls", "connect_to", "bandwidth_hours", "include", "exclude", "allow_net", "dns_server"}
SWITCHES = {
    "beyond",
    "http2",
    "log_json",
    "honour_nofollow",
    "tls_verify",
    "store_bodies",
    "duplicates",
    "skip_duplicate_links",
    "simhash",
    "skip_calendars",
    "skip_session_ids",
    "skip_growing_queries",
    "traps",
}
WHOLE = {
    "proxy",
    "max_bandwidth",
    "max_host_bandwidth",
    "ranks",
    "rerank",
    "ranked_sites",
    "order_seed",
    "max_pages",
    "max_depth",
    "max_redirects",
    "connections",
    "retries",
    "max_url_length",
    "max_segments",
    "max_query_length",
    "max_query_parameters",
    "max_repeated_segments",
    "max_pages_per_site",
    "max_pages_per_prefix",
    "max_pages_per_domain",
    "max_pages_per_address",
    "prefix_segments",
    "max_links",
    "near_dup",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    for value in VALUES:
        if (
            (name in TEXTS and value in ('""', '"x"'))
            or (name == "skip_extensions" and value == '"x"')
            or (name in LISTS and value == "[]")
            or (name in SWITCHES and value == "true")
            or (name not in TEXTS | LISTS | SWITCHES | WHOLE and value == "1.5" and name != "new_share")
        ):
            continue
        file.write_text(f"{name} = {value}\n")
        message = refusal(["--config", str(file)])
        assert message.startswith(f"{file}: {name}: "), (value, message)
        assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_page = 3", "unknown key 'max_page'; did you mean 'max_pages'?"),
        ("max-pages = 3", "unknown key 'max-pages'; did you mean 'max_pages'?"),
        ("colour = 3", "unknown key 'colour'"),
        ("[crawl]\nmax_pages = 3", "unknown key 'crawl'"),
        ("config = 'x'", "unknown key 'config'"),
        ("urls = 'http://a.example/'", "urls: wants a list"),
        ("max_pages = [3]", "max_pages: wants a single value"),
        ("max_pages = '3'", "max_pages: wants a whole number"),
        ("delay = true", "delay: wants a number"),
        ("tls_verify = 'yes'", "tls_verify: wants true or false"),
        ("out = 3", "out: wants text"),
        ("max_pages = 0", "max_pages: 0 is not in the range x>=1."),
        ("delay = inf", "delay: inf is not a finite number"),
        (
            "assign = 'page'",
            "assign: 'page' is not one of 'page-hash', 'site-hash', 'domain-hash', 'page-ring', 'site-ring'; "
            "did you mean 'page-ring'?",
        ),
        (
            "include = ['(']",
            "include: '(' is not a regular expression: missing ), unterminated subpattern at position 0",
        ),
        ("connect_to = ['a:80']", "connect_to: 'a:80' is not HOST:PORT:ADDR:PORT; for all hosts: ::a:80"),
        ('user_agent = "a\\r\\nX: y"', "user_agent: 'a\\r\\nX: y' cannot stand in an HTTP header"),
        ("delay = 1000000000001", "delay: is too large a number"),
        ("delay = " + "9" * 400, "delay: is too large a number"),
        ("timeout = 1e300", "timeout: 1e+300 is too large a number"),
        ("max_body = 1e13", "max_body: 10000000000000.0 is too large a number"),
        ("delay = " + "9" * 5000, None),
        ("delay = " + "[" * 5000, None),
        ("max_pages = ", None),
        ("max_pages = 1\nmax_pages = 2", None),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_key(tmp_path: Path, text: str, message: str | None) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text(text)
    said = refusal(["--config", str(file)])
    assert said.startswith(f"{file}: ")
    assert "\n" not in said
    if message is not None:
        assert said == f"{file}: {message}"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(["--config", str(tmp_path / "no")]) == f"--config {tmp_path / 'no'}: No such file or directory"
    assert refusal(["--config", str(tmp_path)]) == f"--config {tmp_path}: Is a directory"
    (tmp_path / "latin").write_bytes(b"user_agent = '\xfc'\n")
    assert refusal(["--config", str(tmp_path / "latin")]).startswith(f"{tmp_path / 'latin'}: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--max-page", "3"], ["--max-page", "--max-pages"]),
        (["--max-pages", "many"], ["--max-pages", "many"]),
        (["--max-pages", "0"], ["--max-pages", "1"]),
        (["--max-pages"], ["--max-pages"]),
        (["--delay", "nan"], ["--delay", "nan"]),
        (["--delay", "-1"], ["--delay", "-1"]),
        (["--superstep", "0"], ["--superstep"]),
        (["--timeout", "1e999"], ["--timeout"]),
        (["--timeout", "1e13"], ["--timeout", "too large"]),
        (["--delay", "9" * 400], ["--delay"]),
        (["--user-agent", "\u00fc"], ["--user-agent"]),
        (["--user-agent", " "], ["--user-agent"]),
        (["--connect-to", "a:1:b"], ["--connect-to", "a:1:b"]),
        (["--assign", "x"], ["--assign", "page-hash"]),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_line(arguments: list[str], words: list[str]) -> None:
    message = refusal(arguments)
    assert "\n" not in message
    assert all(word in message for word in words)


def test_help_is_no_crawl(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed(["--help"]) == 0
    text = capsys.readouterr().out
    for parameter in click_parameters(CrawlOptions):
        if parameter.name != "urls":
            assert parameter.opts[0] in text
            assert parameter.opts[0] in ("--from", f"--{(parameter.name or '').replace('_', '-')}")


def test_the_configuration_can_be_written_as_json(tmp_path: Path) -> None:
    values = as_plain_values(CrawlOptions(urls=("http://a.example/",), out=tmp_path, ca_cert=None, max_pages=3))
    assert list(values) == option_names()
    assert json.loads(json.dumps(values)) == values
    assert values["urls"] == ["http://a.example/"]
    assert values["out"] == str(tmp_path)
    assert values["max_pages"] == 3
    assert values["max_seconds"] is None


def test_the_options_of_other_commands_can_be_written_too(tmp_path: Path) -> None:
    values = as_plain_values(ReplayOptions(sessions=(tmp_path / "a", tmp_path / "b"), parts=(4, 8)))
    assert values["sessions"] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert values["parts"] == [4, 8]
    assert json.loads(json.dumps(values)) == values


def test_all_that_is_wrong_with_a_file_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('max_page = 3\ndelay = "x"\nurls = "x"\nmax_pages = 0\nretries = 1\n')
    with pytest.raises(UsageError) as caught:
        parsed(["--config", str(file)])
    begins = [f"{file}: unknown key", f"{file}: delay: ", f"{file}: urls: ", f"{file}: max_pages: "]
    assert [problem[: len(begin)] for problem, begin in zip(caught.value.problems, begins, strict=True)] == begins
