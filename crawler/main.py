"""The command ``cutweb``."""

import gc
import os
import sys
from importlib import import_module

import click

from crawler.config.suggestions import CommandGroup
from crawler.process.mpi_environment import launched_as
from crawler.process.terminal import refuse, tell, tell_of_errors
from sessions.storage.without_pandas import without_pandas

_COMMANDS = {
    "crawl": ("crawler.config.command_line:crawl_command", "Crawl the web from seeds into a session folder."),
    "import": ("crawler.commands.importing:import_", "Make a session from links, a WebGraph file or WARC files."),
    "replay": ("crawler.replay.command:replay_command", "Crawl a recorded session again under another assignment."),
    "pause": ("crawler.commands.operate:pause", "Pause a running crawl, from any machine."),
    "continue": ("crawler.commands.operate:go_on", "Let a paused crawl go on."),
    "stop": ("crawler.commands.operate:stop", "Stop a running crawl in order, from any machine."),
    "info": ("crawler.commands.info:info", "Sum up a session: pages, links, bytes, exchange and time."),
    "report": ("crawler.commands.report:report", "Show sessions as a page: how they crawled, what they saw."),
    "check": ("crawler.commands.check:check", "Check a session: every file, row, record and counter."),
    "rules": ("crawler.commands.rules:rules", "Check rules for sites, and see by which a session was crawled."),
    "forget": ("crawler.commands.forget:forget", "Write a session without a site: its bodies, pages and URLs."),
    "compact": ("crawler.commands.compact:compact", "Merge a session's small files into few large ones."),
    "diff": ("crawler.commands.diff:diff", "Compare two sessions: what was born, what is gone, what changed."),
    "partition": ("crawler.commands.partition:partition", "Cut a session's links into K parts for the next crawl."),
    "quality": ("crawler.commands.quality:quality", "Report how good each model's partitions of a session are."),
    "advise": ("crawler.commands.advise:advise", "Recommend a model and a rule for the next crawl, with reasons."),
    "worklist": ("crawler.commands.worklist:worklist", "Rank what to crawl next, by the sessions so far."),
    "feasibility": (
        "crawler.commands.feasibility:feasibility",
        "Reckon what a web takes, by what a session's pages cost.",
    ),
    "work": ("crawler.commands.work:work", "Hand out URLs to machines outside the cluster, and merge what comes back."),
    "export": ("crawler.commands.export:export", "Write a session's graph as METIS, GraphML, text or Parquet."),
    "web": ("crawler.commands.web:web", "Make, serve and export a web on this machine."),
    "slurm": ("crawler.commands.slurm:slurm", "Write files for crawls as Slurm jobs."),
}


_OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""Little that is made here is cyclic.  Looking for it after each 700 objects took a tenth of a replay's time."""


class _Commands(CommandGroup):
    """Subcommands that are imported only when they are needed, so that ``cutweb --help`` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        found = getattr(import_module(module), name)
        command: click.Command = found if isinstance(found, click.Command) else found()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _show_version(ctx: click.Context, _parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        from sessions.version import software_version

        tell(f"cutweb, version {software_version()}")
        ctx.exit()


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def cutweb() -> None:
    """Crawl the web on a PC cluster: K ranks under MPI, each owning a part of the pages."""


def set_up_process() -> None:
    """Have no time spent, and nothing disclosed, that nothing here needs; to be called before others are imported."""
    # libcurl, and Python's own ssl, would write the keys of all connections to that file.
    os.environ.pop("SSLKEYLOGFILE", None)
    # Nothing here is dense linear algebra, for which each rank would start a thread per core of its machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def main() -> None:
    """Entry point of the command line."""
    set_up_process()
    tell_of_errors()
    with without_pandas():
        sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["crawl"]:
        from crawler.commands.crawl import crawl

        return crawl(arguments[1:])
    if arguments[:1] == ["replay"]:
        from crawler.replay.command import replay

        return replay(arguments[1:])
    return _run_command(arguments)


def _run_command(arguments: list[str]) -> int:
    """Run a command that needs no ranks; its exit code.  Whatever it is refused for begins with its name."""
    try:
        code = cutweb.main(arguments, prog_name="cutweb", standalone_mode=False, obj=arguments)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.UsageError as error:
        if launched_as(os.environ)[0] == 0:  # of several ranks one tells
            refuse(error.ctx.command_path if error.ctx is not None else "cutweb", error.format_message())
        return error.exit_code
    except click.ClickException as error:
        refuse("cutweb", error.format_message())
        return error.exit_code
    except click.Abort:
        refuse("cutweb", "interrupted")
        return 1
    return code if isinstance(code, int) else 0
