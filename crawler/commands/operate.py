"""`cutweb pause`, `cutweb continue` and `cutweb stop`: an operator's wishes for a crawl that runs, on any machine."""

from pathlib import Path

import click

from crawler.config.refusing import or_refuse
from crawler.launch.operator_wish import Wish, ask
from crawler.process.terminal import tell
from sessions.session import SessionError

_SESSION = click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))


@click.command()
@_SESSION
@click.pass_context
def pause(context: click.Context, session: Path) -> None:
    """Have a running crawl pause: it ends its transfers, commits an epoch, and stands still until `cutweb continue`.

    From any machine that sees the session's folder.  Nothing times out meanwhile, and delays hold.

    \b
    Example:
      cutweb pause crawl-1
    """
    or_refuse(context, session, (SessionError,), lambda: ask(session, Wish.PAUSE))
    tell(f"{session}: pauses when its transfers have ended; go on with: cutweb continue {session}")


@click.command(name="continue")
@_SESSION
@click.pass_context
def go_on(context: click.Context, session: Path) -> None:
    """Have a crawl go on that pauses.

    \b
    Example:
      cutweb continue crawl-1
    """
    or_refuse(context, session, (SessionError,), lambda: ask(session, Wish.GO_ON))
    tell(f"{session}: goes on")


@click.command()
@_SESSION
@click.pass_context
def stop(context: click.Context, session: Path) -> None:
    """Have a running crawl stop in order, as SIGTERM does: it commits what it has, and can be resumed.

    From any machine that sees the session's folder.

    \b
    Example:
      cutweb stop crawl-1
    """
    or_refuse(context, session, (SessionError,), lambda: ask(session, Wish.STOP))
    tell(f"{session}: stops at the end of its superstep; go on later with: cutweb crawl --resume {session}")
