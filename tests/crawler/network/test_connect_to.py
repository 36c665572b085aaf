"""HOST:PORT:ADDR:PORT."""

import click
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.network_types import ConnectTo
from crawler.network.connect_to import ConnectRule, Target, target_of


@pytest.mark.parametrize(
    "value",
    [
        "a.example:80:b.example:8080",
        "a.example:80:127.0.0.1:8080",
        ":::",
        "::127.0.0.1:8080",
        "a.example::127.0.0.1:",
        "a.example:443::",
        "[::1]:80:[2001:db8::1]:8080",
        "::[::1]:8080",
        "a.example:0:b.example:65535",
    ],
)
def test_what_curl_takes_is_taken_as_it_stands(value: str) -> None:
    assert ConnectTo().convert(value, None, None) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a.example",
        "a.example:80",
        "a.example:80:b.example",
        "a.example:80:b.example:80:",
        "a.example:80:b.example:80:c",
        "a.example:http:b.example:80",
        "a.example:80:b.example:eighty",
        "a.example:-1:b.example:80",
        "a.example: 80:b.example:80",
        "a.example:80:b.example:80\n",
        "a.example:\u0668\u0660:b.example:80",  # digits, but none that curl knows
        "::1:80:b.example:80",
        "[::1:80:b.example:80",
        "a.example:80:2001:db8::1:80",
    ],
)
def test_what_is_of_another_form_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="is not HOST:PORT:ADDR:PORT") as refusal:
        ConnectTo().convert(value, None, None)
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize("value", ["a:65536:b:80", "a:80:b:65536", "a::b:99999999999999999999"])
def test_a_port_above_65535_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="has a port above 65535") as refusal:
        ConnectTo().convert(value, None, None)
    assert repr(value) in str(refusal.value)


HOSTS = st.one_of(st.text("ab.-1", max_size=5), st.text("ab:1", max_size=5).map("[{}]".format))
PORTS = st.one_of(st.just(""), st.integers(0, 70_000).map(str))


@settings(derandomize=True, deadline=None)
@given(HOSTS, PORTS, HOSTS, PORTS)
def test_four_parts_are_taken_if_their_ports_are_ports(host: str, port: str, address: str, to_port: str) -> None:
    value = f"{host}:{port}:{address}:{to_port}"
    is_good = all(int(number or 0) <= 65535 for number in (port, to_port))
    try:
        assert ConnectTo().convert(value, None, None) == value
    except click.BadParameter:
        assert not is_good
    else:
        assert is_good


def test_it_is_an_option_that_may_be_given_several_times() -> None:
    @click.command()
    @click.option("--connect-to", type=ConnectTo(), multiple=True)
    def command(connect_to: tuple[str, ...]) -> None:
        click.echo("|".join(connect_to))

    good = CliRunner().invoke(command, ["--connect-to", "::a:1", "--connect-to", "::b:2"])
    assert (good.exit_code, good.output) == (0, "::a:1|::b:2\n")
    bad = CliRunner().invoke(command, ["--connect-to", "nowhere"])
    assert bad.exit_code == 2
    assert "'nowhere' is not HOST:PORT:ADDR:PORT" in bad.output


@pytest.mark.parametrize(
    ("origin", "rules", "target"),
    [
        ("http://a.example", [], Target("a.example", 80)),
        ("https://a.example", [], Target("a.example", 443)),
        ("https://a.example:8443", [], Target("a.example", 8443)),
        ("http://[::1]:8080", [], Target("[::1]", 8080)),
        ("http://a.example", ["::127.0.0.1:8080"], Target("127.0.0.1", 8080, True)),
        ("http://a.example", ["a.example:80:b.example:81"], Target("b.example", 81, True)),
        ("http://a.example", ["A.Example:80:B.Example:"], Target("b.example", 80, True)),
        ("http://a.example:81", ["a.example:80:b.example:81"], Target("a.example", 81)),
        ("http://www.a.example", ["a.example::b.example:"], Target("www.a.example", 80)),
        ("http://a.example", ["a.example:::8080"], Target("a.example", 8080)),
        ("http://a.example", ["a.example:::"], Target("a.example", 80)),
        ("http://a.example", ["a.example:::", "::127.0.0.1:1"], Target("a.example", 80)),
        (
            "http://a.example",
            ["b.example::10.0.0.1:", ":443:10.0.0.2:", ":80:10.0.0.3:", "::x:"],
            ("10.0.0.3", 80, True),
        ),
        ("http://[::1]", ["[0:0::1]::[2001:DB8::1]:9"], Target("[2001:db8::1]", 9, True)),
        ("http://a.example", ["::127.1:"], Target("127.0.0.1", 80, True)),
        ("http://a.example", ["::0x7f000001:"], Target("127.0.0.1", 80, True)),
        ("http://a.example", ["::[::ffff:10.0.0.1]:"], Target("[::ffff:a00:1]", 80, True)),
        ("http://a.example", ["::[no address]:"], Target("[no address]", 80, True)),
    ],
)
def test_the_first_rule_that_matches_says_where_an_origin_is_connected_to(
    origin: str, rules: list[str], target: tuple[str, int, bool]
) -> None:
    assert target_of(origin, [ConnectRule.parse(rule) for rule in rules]) == target


def test_what_the_option_takes_is_a_rule_and_nothing_else() -> None:
    assert ConnectRule.parse(":::") == (None, None, None, None)
    assert ConnectRule.parse("a:1:b:2") == ("a", 1, "b", 2)
    with pytest.raises(ValueError, match="is not HOST:PORT:ADDR:PORT"):
        ConnectRule.parse("nowhere")


PARTS = (st.sampled_from(["", "a.example", "b.example"]), st.sampled_from(["", "80", "81"]))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(*PARTS, *PARTS), max_size=4), *PARTS)
def test_rules_are_looked_at_in_order(rules: list[tuple[str, ...]], host: str, port: str) -> None:
    host, port = host or "c.example", port or "82"
    expected: tuple[str, int, bool] = (host, int(port), False)
    for of, of_port, address, to_port in rules:
        if of in ("", host) and of_port in ("", port):
            expected = (address or host, int(to_port or port), bool(address))
            break
    origin = f"http://{host}" if port == "80" else f"http://{host}:{port}"
    assert target_of(origin, [ConnectRule.parse(":".join(rule)) for rule in rules]) == expected
