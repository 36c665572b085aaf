"""How long requests take in virtual time."""

import click
import pytest

from crawler.replay.virtualtime.latency import RECORDED, Latencies, LatencyModel, latency_of


@pytest.mark.parametrize(
    ("model", "milliseconds"),
    [
        ("0", 0.0),
        ("0.1", 100.0),
        ("2", 2000.0),
        ("0+1000/s", 3000.0),
        ("0.1+1e6/s", 103.0),
        ("1.5+2.5e3/s", 2700.0),
        ("1000000000000+1e12/s", 1e15),
        ("0+1/s", 3e6),
    ],
)
def test_models(model: str, milliseconds: float) -> None:
    assert LatencyModel().convert(model, None, None) == model
    assert latency_of(model).milliseconds(3000) == pytest.approx(milliseconds)


@pytest.mark.parametrize("size", [0, 1, 10**9])
def test_what_was_recorded_and_what_is_fixed_do_not_depend_on_the_size(size: int) -> None:
    assert Latencies(None).milliseconds("a.example", 7.0, size) == 7.0
    assert Latencies(latency_of("0.25")).milliseconds("a.example", 7.0, size) == 250.0


@pytest.mark.parametrize("text", [RECORDED, "@latencies", "@/a/file of mine"])
def test_what_is_no_number_is_left_as_it_is(text: str) -> None:
    assert LatencyModel().convert(text, None, None) == text


@pytest.mark.parametrize("text", ["9" * 400, "1" + "0" * 13, "1+1e400/s", "1+1e13/s", "1+0.5/s", f"1+0.{'0' * 400}1/s"])
def test_what_no_clock_could_tell_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        LatencyModel().convert(text, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "slow",
        "-1",
        "0.1+",
        "0.1+0/s",
        "0.1+0.0e5/s",
        "0.1+1e6",
        "1e6/s",
        "nan",
        "inf",
        " 1",
        "0.1 + 1/s",
        "1\n",
    ],
)
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is neither recorded nor a model: 0\.1 is 0.1 seconds a request"):
        LatencyModel().convert(text, None, None)
