"""`cutweb slurm`: files for crawls as Slurm jobs, filled in for a site."""

import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from crawler.config.refusing import or_refuse, refuse_if_any
from crawler.config.suggestions import CommandGroup, OneOf
from crawler.process.terminal import tell

TEMPLATES = Path(__file__).resolve().parents[2] / "slurm"
"""The files as they come: beside the packages, in a checkout as in an installed distribution."""
LAUNCHERS = ("mpiexec", "srun-pmi2", "srun-pmix", "mpirun")
"""How ranks can be started, as slurm/cutweb.env describes them."""
_SETTINGS, _CRAWL, _CHAIN = "cutweb.env", "crawl.sbatch", "chain.sbatch"
_ON_ONE_NODE = ("partition.sbatch", "worklist.sbatch", _CHAIN)
_AS_THEY_COME = re.compile(r"\bslurm/(?=\w+\.(?:sbatch|env)\b)")
"""Where the files lie in the examples that they give."""
_TIME = re.compile(r"\d+|\d+:\d\d(:\d\d)?|\d+-\d+(:\d\d){0,2}")
_NAMES = re.compile(r"[\w.@-]+(,[\w.@-]+)*")


class TemplateError(Exception):
    """A file of the installation that is not as it was made; the message names it."""


class _Written(click.ParamType[str]):
    """Text of a certain form, which needs no quotes in a file of Slurm's."""

    def __init__(self, name: str, form: re.Pattern[str], wanted: str) -> None:
        self.name = name
        self._form = form
        self._wanted = wanted

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not self._form.fullmatch(text):
            self.fail(f"{text!r} is not {self._wanted}", param, ctx)
        return text


@dataclass(frozen=True)
class Filling:
    """What a line of a file becomes: it begins with ``start``, as no other does, and goes on with ``text`` instead.

    ``is_comment``: in the file as it comes, the line stands behind a #.
    """

    start: str
    text: str
    is_comment: bool = False

    def filled(self, template: str, name: str) -> str:
        """The content of file ``name`` with this line filled in.  Raises TemplateError if it has no such line."""
        marked = f"#{self.start}" if self.is_comment else self.start
        new, count = re.subn(
            rf"^{re.escape(marked)}.*$", lambda _: f"{self.start}{self.text}", template, flags=re.MULTILINE
        )
        if count != 1:
            raise TemplateError(f"{TEMPLATES / name}: has {count} lines that begin with {marked}, not one")
        return new


@click.group(cls=CommandGroup)
def slurm() -> None:
    """Files for crawls as Slurm jobs.

    \b
    Example:
      cutweb slurm init jobs --account project --nodes 4 --tasks-per-node 8
    """


_NAME = _Written("name", _NAMES, "a name that Slurm could know")


@slurm.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--nodes", type=click.IntRange(1, 65535), default=2, show_default=True, help="Nodes of a crawl.")
@click.option(
    "--tasks-per-node",
    type=click.IntRange(1, 65535),
    default=4,
    show_default=True,
    help="Ranks on each node; each wants a core.",
)
@click.option(
    "--time",
    type=_Written("time", _TIME, "a time as Slurm has them: MINUTES, HH:MM:SS or D-HH:MM:SS"),
    default="08:00:00",
    show_default=True,
    help="Time limit of a crawl's job; a crawl that takes longer goes on in the next.",
)
@click.option("--account", metavar="NAME", type=_NAME, help="Slurm account; Slurm's default unless given.")
@click.option("--partition", metavar="NAME", type=_NAME, help="Slurm partition; Slurm's default unless given.")
@click.option(
    "--launcher",
    type=OneOf(LAUNCHERS),
    default=LAUNCHERS[0],
    show_default=True,
    help="How ranks are started; docs/cluster.md says which one suits which MPI.",
)
@click.option("--modules", metavar="NAMES", default="", help="Modules to load, as in 'python/3.12 openmpi/5.0'.")
@click.option(
    "--scratch", metavar="DIR", type=click.Path(path_type=Path), help="Folder on each node's own disk, for --scratch."
)
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@click.pass_context
def init(context: click.Context, /, folder: Path, force: bool, **options: Any) -> None:
    """Write the jobs' files and cutweb.env, their settings, into DIR, filled in for this installation.

    They explain themselves, and may be edited.

    \b
    Examples:
      cutweb slurm init jobs
      cutweb slurm init jobs --account project --partition long --nodes 4 --tasks-per-node 8 --time 1-00:00:00
      . jobs/cutweb.env
      sbatch jobs/crawl.sbatch --out /shared/session --seeds seeds.txt --scope domains --contact me@example.org
    """
    given = {option: str(options[option] or "") for option in ("modules", "scratch")}
    refuse_if_any(
        context,
        (
            f"--{option}: {text!r} has characters that cannot be printed"
            for option, text in given.items()
            if not text.isprintable()
        ),
    )

    def write() -> None:
        written = filled_in(folder.resolve(), options)
        if there := [name for name in written if (folder / name).exists() and not force]:
            raise FileExistsError(17, "is there already; give --force to overwrite it", str(folder / there[0]))
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (folder / name).write_text(text, encoding="utf-8")

    or_refuse(context, folder, (TemplateError,), write)
    jobs, options_of_crawl = shlex.quote(str(folder)), "--seeds seeds.txt --scope domains --contact me@example.org"
    tell(f"settings: look through {jobs}/{_SETTINGS}, then: . {jobs}/{_SETTINGS}")
    tell(f"a crawl:  sbatch {jobs}/{_CRAWL} --out /shared/session {options_of_crawl}")
    tell(f"a chain:  sbatch {jobs}/{_CHAIN} 3 /shared/chain {options_of_crawl}")


def filled_in(folder: Path, options: Mapping[str, Any]) -> dict[str, str]:
    """The files that `init` writes into ``folder``, an absolute path, by name; its options by theirs.

    Raises OSError if they are not in the installation, TemplateError if they are not what they should be.
    """
    place = shlex.quote(str(folder))
    here = Filling("settings=", place)
    shape = [
        Filling("#SBATCH --nodes=", str(options["nodes"])),
        Filling("#SBATCH --ntasks-per-node=", str(options["tasks_per_node"])),
        Filling("#SBATCH --time=", options["time"]),
    ]
    fillings = {_SETTINGS: _settings(options), _CRAWL: [here, *shape], **{name: [here] for name in _ON_ONE_NODE}}
    return {name: _AS_THEY_COME.sub(lambda _: f"{place}/", _filled(name, its)) for name, its in fillings.items()}


def _settings(options: Mapping[str, Any]) -> list[Filling]:
    optional = {"SBATCH_ACCOUNT": options["account"], "SBATCH_PARTITION": options["partition"]}
    return [
        *(Filling(f"export {name}=", value, is_comment=True) for name, value in optional.items() if value is not None),
        Filling("CUTWEB_MODULES=", shlex.quote(options["modules"]) if options["modules"] else ""),
        Filling("CUTWEB_BIN=", shlex.quote(str(Path(sys.executable).parent))),
        Filling("CUTWEB_LAUNCHER=", options["launcher"]),
        Filling("CUTWEB_SCRATCH=", shlex.quote(str(options["scratch"])) if options["scratch"] else ""),
    ]


def _filled(name: str, fillings: list[Filling]) -> str:
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for filling in fillings:
        text = filling.filled(text, name)
    return text
