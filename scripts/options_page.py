"""Write docs/options.md from the options as the commands declare them: `make options`."""

from collections.abc import Iterator
from typing import Any

import click

from crawler.config.option_groups import in_groups
from crawler.main import cutweb
from scripts.shared.doc_tables import ROOT, table

COMMANDS = ("crawl", "partition", "quality", "replay", "worklist")
PAGE = ROOT / "docs" / "options.md"
_HEAD = """# Options

The options of the long commands, in the groups of their `--help`. `make options` writes this page from where they are
declared (`crawler/config/crawl_options.py`, `crawler/config/partition_options.py`, `crawler/replay/replay_options.py`,
`crawler/commands/`); do not edit it. Those of the other commands: `cutweb COMMAND --help`. In a TOML file for
`cutweb crawl --config FILE`, `--max-pages 1000` is `max_pages = 1000`, and `--from` is `previous`.
"""


def as_markdown() -> str:
    """Return the whole page."""
    context = click.Context(cutweb, info_name="cutweb")
    return _HEAD + "".join(line for name in COMMANDS for line in _section(context, name))


def _section(context: click.Context, name: str) -> Iterator[str]:
    command = cutweb.get_command(context, name)
    assert command is not None
    own = click.Context(command, info_name=name, parent=context)
    yield f"\n## cutweb {name}\n\n{command.get_short_help_str(500)}\n"
    for group, options in in_groups(command.params):
        yield f"\n### {name}: {group.lower()}\n\n"
        yield table(["option", "default", "meaning"], (_row(option, own) for option in options))


def _row(option: click.Option, context: click.Context) -> list[str]:
    names = "/".join([*option.opts, *option.secondary_opts])
    argument = "" if option.is_flag else f" {option.make_metavar(context)}"
    return [f"`{names}{argument}`".replace("|", "\\|"), _default(option), (option.help or "").replace("|", "\\|")]


def _default(option: click.Option) -> str:
    value: Any = option.to_info_dict()["default"]
    if option.required:
        return "required"
    if option.is_flag:
        return "on" if value else "off"
    return "" if value in (None, (), []) else f"`{value}`"


if __name__ == "__main__":
    PAGE.write_text(as_markdown(), encoding="utf-8")
