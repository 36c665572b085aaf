"""A project that hands out work, a volunteer who does it, and results that somebody has tampered with."""

import io
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from xxhash import xxh3_64_hexdigest

from crawler.work.examination import Received
from crawler.work.keys import SigningKey, make_key
from crawler.work.ledger import LEDGER, ExportedUnit, OpenLedger, locked, present, read_ledger
from crawler.work.result_file import FORM, STATEMENT
from crawler.work.signed_text import signed_text
from crawler.work.unit import Unit, UnitUrl, unit_name
from crawler.work.volunteers import KnownVolunteer
from crawler.worklist.worklist import open_worklist
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile
from tests.crawler.support.worklists import in_order, new_row, old_row, write_worklist

ROOT = Path(__file__).resolve().parents[3]
WITHOUT_MPI = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "mpi4py":
            raise ImportError("there is no MPI")
sys.meta_path.insert(0, Absent())
from crawler.main import main
main()
"""
CONTACT = "me@a.example"


URLS = [
    "http://a.example/",
    "http://b.example/",
    "http://a.example/moved",
    "http://c.example/gone",
    "http://b.example/x",
]
OTHER_URLS = ["http://d.example/", "http://e.example/"]
"""What the units of `Run` have."""


class Run(NamedTuple):
    """A unit that was run: the project that handed it out, its number, its result, and the requests that were made."""

    project: "Project"
    number: int
    result: Path
    requests: list[tuple[float, str]]


def write_web(path: Path, pages: Mapping[str, str | tuple[int, str]]) -> None:
    """Write pages as a WARC file that a local web can serve: HTML, or a status and where it redirects to."""
    warc = WarcFile(path)
    for url, page in pages.items():
        status, text = page if isinstance(page, tuple) else (200, page)
        head = f"HTTP/1.1 {status} Said\r\n"
        head += f"Location: {text}\r\n" if isinstance(page, tuple) else "Content-Type: text/html\r\n"
        body = b"" if isinstance(page, tuple) else text.encode()
        head += f"Content-Length: {len(body)}\r\n\r\n"
        warc.append(Exchange(url=url, fetched=1.7e9, response_head=head.encode(), body=body, request_head=b""))
    warc.sync()
    warc.close()


@dataclass
class Project:
    """A worklist, the project's key, a folder of units, and volunteers with their keys."""

    folder: Path
    urls: Sequence[str]
    key: SigningKey = field(init=False)
    anna: SigningKey = field(init=False)
    bert: SigningKey = field(init=False)

    def __post_init__(self) -> None:
        self.key, self.anna, self.bert = (make_key(self.folder / f"{name}.key") for name in ("project", "anna", "bert"))
        rows = [
            old_row(url, float(-place)) if place % 2 else new_row(url, float(-place))
            for place, url in enumerate(self.urls)
        ]
        write_worklist(self.worklist, in_order(rows))
        self.volunteers.write_text(f"# who helps\nanna {self.anna.public}\nbert {self.bert.public}\n")

    @property
    def worklist(self) -> Path:
        """The worklist's folder."""
        return self.folder / "worklist"

    @property
    def units(self) -> Path:
        """The folder of the units."""
        return self.folder / "units"

    @property
    def volunteers(self) -> Path:
        """The file of volunteers."""
        return self.folder / "volunteers.txt"

    def hand_out(
        self, urls: Sequence[str], *, exported: datetime | None = None, repeats: int | None = None, **options: float
    ) -> int:
        """Hand out a unit by hand, for 7 days, that may repeat another; its number."""
        self.units.mkdir(exist_ok=True)
        begins = exported or present()
        with locked(self.units) as ledger:
            unit = Unit(
                ledger.ledger.next_number,
                open_worklist(self.worklist).identity,
                begins.isoformat(),
                (begins + timedelta(days=7)).isoformat(),
                options,
                tuple(UnitUrl(url, "new") for url in urls),
            )
            text = unit.as_text(self.key)
            (self.units / unit_name(unit.number)).write_bytes(text)
            ledger.append([_line(unit, text, self.key.public)._replace(repeats=repeats)])
        return unit.number

    def result_of(self, number: int, result: Path, key: SigningKey, out: Path, **options: float) -> Path:
        """Write an honest result as one of another unit, signed by ``key``."""
        forgery = Forgery(result, out.parent / f"{out.name}.parts")
        forgery.of_unit(self, number, **options)
        forgery.told["worklist"] = self.received().worklist
        forgery.statement_of_all()
        forgery.sign(key)
        return forgery.write(out)

    def copied(self, folder: Path) -> "Project":
        """The same project in another folder, whose ledger may go on in another way."""
        shutil.copytree(self.folder, folder)
        other = copy(self)
        other.folder = folder
        return other

    def received(self, at: datetime | None = None, **revoked: datetime) -> Received:
        """What results are held against, received at a time; keys of some volunteers were ``revoked``."""
        known = {
            key.public: KnownVolunteer(name, key.public, revoked.get(name))
            for name, key in (("anna", self.anna), ("bert", self.bert))
        }
        return Received(
            self.units, open_worklist(self.worklist).identity, read_ledger(self.units), known, at or present()
        )

    def append(self, *lines: Any) -> None:
        """Append lines to the ledger."""
        with locked(self.units) as ledger:
            assert isinstance(ledger, OpenLedger)
            ledger.append(lines)

    def sha256(self, number: int) -> str:
        """The SHA-256 of a unit's file."""
        return sha256((self.units / unit_name(number)).read_bytes()).hexdigest()

    @property
    def ledger_lines(self) -> list[dict[str, Any]]:
        """What stands in the ledger."""
        return [json.loads(line) for line in (self.units / LEDGER).read_text().splitlines()]


def _line(unit: Unit, text: bytes, key: str) -> ExportedUnit:
    return ExportedUnit(
        unit.number,
        sha256(text).hexdigest(),
        unit.worklist,
        unit.identity,
        len(unit.urls),
        key,
        unit.exported,
        unit.deadline,
    )


def run_without_mpi(*words: str | Path, key: str) -> subprocess.CompletedProcess[str]:
    """Run ``cutweb work run`` in a process that has no MPI, with ``key`` as the file of the volunteer's key."""
    command = ["work", "run", *map(str, words), "--key", key, "--contact", CONTACT]
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_MPI, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class Forgery:
    """A result taken apart, to be changed and put together again."""

    def __init__(self, result: Path, folder: Path) -> None:
        self.folder = folder / "forgery"
        with tarfile.open(result) as tar:
            tar.extractall(self.folder, filter="data")
            self.names = tar.getnames()
        self.form, told, _ = (self.folder / STATEMENT).read_text().split("\n", 2)
        self.told: dict[str, Any] = json.loads(told)

    def one(self, pattern: str) -> Path:
        """The first file of the session that matches a pattern."""
        return sorted(self.folder.glob(pattern))[0]

    def recommit(self) -> None:
        """Have the commit records say what the files are now."""
        for path in self.folder.glob("epochs/*.json"):
            record = json.loads(path.read_text())
            for rank in record["ranks"]:
                for entry in (*rank["tables"].values(), *rank["warc"]):
                    content = (self.folder / entry["file"]).read_bytes()
                    entry |= {"bytes": len(content), "xxh3": xxh3_64_hexdigest(content)}
                    if "rows" not in entry:
                        continue
                    with suppress(OSError, ValueError):  # it may be no Parquet file any more
                        entry["rows"] = pq.ParquetFile(self.folder / entry["file"]).metadata.num_rows
            path.write_text(json.dumps(record))

    def of_unit(self, project: Project, number: int, **options: float) -> None:
        """Have it be of another unit, as far as it says so itself."""
        self.told["unit"] = project.sha256(number)
        path = self.folder / "session.json"
        header = json.loads(path.read_text())
        header["configuration"] = {"work_unit": self.told["unit"], **options}
        for run in header["runs"]:
            run["configuration"] = header["configuration"]
        path.write_text(json.dumps(header))

    def drop_link(self) -> None:
        """Leave out one link, everywhere that it is counted."""
        path = self.one("rank-0000/links-*")
        table = pq.read_table(path)
        pq.write_table(table.slice(1), path, compression="ZSTD")
        for record_path in self.folder.glob("epochs/*.json"):
            record = json.loads(record_path.read_text())
            if record["epoch"] >= int(path.name.split("-")[1]):
                record["ranks"][0]["report"]["links"] -= 1
                record_path.write_text(json.dumps(record))
        self.recommit()

    def statement_of_all(self) -> None:
        """Have the statement name the files that are there."""
        names = sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() and path.name != STATEMENT
        )
        contents = {name: (self.folder / name).read_bytes() for name in names}
        self.told["files"] = [[name, len(text), sha256(text).hexdigest()] for name, text in contents.items()]
        self.names = [STATEMENT, *names]

    def sign(self, key: SigningKey, form: str = FORM) -> None:
        """Sign what the statement says now."""
        (self.folder / STATEMENT).write_bytes(signed_text(form, self.told, key))

    def write(self, out: Path, edit: Callable[[tarfile.TarInfo], None] = lambda _: None) -> Path:
        """Put it together as a tar file, each header as ``edit`` leaves it."""
        with out.open("wb") as file:
            for name in self.names:
                content = (self.folder / name).read_bytes()
                info = tarfile.TarInfo(name)
                info.size = len(content)
                edit(info)
                file.write(info.tobuf(tarfile.USTAR_FORMAT))
                if info.isreg():
                    file.write(content[: info.size] + bytes(-info.size % 512))
            file.write(io.BytesIO(bytes(1024)).read())
        return out
