"""`cutweb pause`, `cutweb continue` and `cutweb stop`: an operator's wishes for a crawl that runs, on any machine."""

from pathlib import Path

import click

from crawler.commands.follow import doubts
from crawler.config.refusing import or_refuse
from crawler.launch.operator_wish import Wish, ask
from crawler.process.terminal import tell
from sessions.session import SessionError

_SESSION = click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))


@click.command()
@_SESSION
@click.pass_context
def pause(context: click.Context, session: Path) -> None:
    """Pause a running crawl: it ends its transfers, commits an epoch, and stands still until `cutweb continue`.

    From any machine that sees the session's folder.  Nothing times out meanwhile, and delays hold.

    \b
    Example:
      cutweb pause crawl-1
    """
    answer = f"pauses when its transfers have ended; go on with: cutweb continue {session}"
    _ask(context, session, Wish.PAUSE, answer)


@click.command(name="continue")
@_SESSION
@click.pass_context
def go_on(context: click.Context, session: Path) -> None:
    """Let a paused crawl go on.

    \b
    Example:
      cutweb continue crawl-1
    """
    _ask(context, session, Wish.GO_ON, "goes on")


@click.command()
@_SESSION
@click.pass_context
def stop(context: click.Context, session: Path) -> None:
    """Stop a running crawl in order, as SIGTERM does: it commits what it has, and can be resumed.

    From any machine that sees the session's folder.

    \b
    Example:
      cutweb stop crawl-1
    """
    answer = f"stops at the end of its superstep; go on later with: cutweb crawl --resume {session}"
    _ask(context, session, Wish.STOP, answer)


def _ask(context: click.Context, session: Path, wish: Wish, answer: str) -> None:
    """Say what is wanted, answer, and say if nobody may be left to obey: the silence of ranks elsewhere tells that."""
    silent = _doubts(session)  # before a pause is wanted, since a crawl that pauses is silent
    or_refuse(context, session, (SessionError,), lambda: ask(session, wish))
    for words in (answer, *silent):
        tell(f"{session}: {words}")


def _doubts(session: Path) -> list[str]:
    try:
        return doubts(session)
    except (OSError, ValueError, SessionError):
        return []  # whoever asks is told what is wrong
