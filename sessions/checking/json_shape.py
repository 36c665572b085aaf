"""Where a value of JSON departs from the `TypedDict` that declares its shape."""

import json
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from sessions.records import ValueKind

_KINDS: dict[Any, ValueKind] = {
    str: ValueKind("a string", lambda value: isinstance(value, str)),
    float: ValueKind(
        "a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    ),
}


def misshapen(value: Any, shape: Any, where: str = "") -> Iterator[str]:
    """Yield a sentence for each place in which ``value`` departs from ``shape``; ``where`` is what it is called.

    A shape is a `TypedDict`, of which fields that it does not name are ignored, or what can stand in one: ``str``,
    ``float`` (of at least 0), a list, a dict of strings, ``Any``, any of these or None, a type with a `ValueKind`.
    """
    origin, inner = get_origin(shape), get_args(shape)
    if shape is Any:
        return
    if origin is UnionType:
        (shape,) = (one for one in inner if one is not NoneType)
        yield from misshapen(value, shape, where) if value is not None else ()
    elif origin is list:
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from misshapen(item, inner[0], f"{where}[{index}]")
        else:
            yield f"{where} is {_shown(value)}, not a list"
    elif is_typeddict(shape) or origin is dict:
        if not isinstance(value, dict):
            yield f"{where or 'the file'} is {_shown(value)}, not an object"
        elif origin is dict:
            for key, item in value.items():
                yield from misshapen(item, inner[1], f"{where}[{key!r}]")
        else:
            yield from _misshapen_fields(value, shape, where)
    else:
        kind: ValueKind = inner[1] if origin is Annotated else _KINDS[shape]
        if not kind.holds(value):
            yield f"{where or 'the file'} is {_shown(value)}, not {kind.words}"


def _misshapen_fields(value: dict[str, Any], shape: Any, where: str) -> Iterator[str]:
    for key, declared in get_type_hints(shape, include_extras=True).items():
        inner, is_required = f"{where}.{key}" if where else key, get_origin(declared) is not NotRequired
        if key in value:
            yield from misshapen(value[key], declared if is_required else get_args(declared)[0], inner)
        elif is_required:
            yield f"{inner} is missing"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
