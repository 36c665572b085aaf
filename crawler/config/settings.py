"""The settings of a room: the few options that it needs, frozen, so that no room below knows all of them."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


def settings_from(options: "DataclassInstance", kind: type[Settings]) -> Settings:
    """Return settings of a kind, a frozen dataclass each of whose fields has the name of one of the options."""
    values: dict[str, Any] = {field.name: getattr(options, field.name) for field in fields(kind)}
    return kind(**values)
