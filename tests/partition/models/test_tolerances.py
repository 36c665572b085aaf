"""Tolerances in words."""

from partition.models.tolerances import tolerances_in_words


def test_weights_of_one_tolerance_stand_together() -> None:
    assert tolerances_in_words({"storage": 0.05}) == "5% of storage"
    assert tolerances_in_words({"storage": 0.05, "requests": 0.05}) == "5% of storage and of requests"
    told = tolerances_in_words({"storage": 0.05, "links": 0.125, "requests": 0.05, "seconds": 0.05})
    assert told == "5% of storage, of requests and of seconds, 12.5% of links"
