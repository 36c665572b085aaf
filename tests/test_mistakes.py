"""Typical mistakes of somebody new: each ends with exit code 2 and one line that says what was meant, or what to do."""

from pathlib import Path

import pytest

from crawler.main import cutweb, main
from tests.partition.quality.support.webs import ring

SITE = "https://example.org/"
CRAWL = f"crawl {SITE} --out new --scope sites --contact me@example.org"

MISTAKES = {
    "crwal https://example.org/": "No such command 'crwal'; did you mean 'crawl'?",
    "partiton session --parts 4": "No such command 'partiton'; did you mean 'partition'?",
    "recrawl session": "No such command 'recrawl'; did you mean 'crawl'?",
    "web serv web.warc.gz": "No such command 'serv'; did you mean 'serve'?",
    "import edge list.txt --out new": "No such command 'edge'; did you mean 'edges'?",
    "partition session --partts 4 --out new": "No such option '--partts'. Did you mean '--parts'?",
    "partition session --parts 4 --modell page --out new": "No such option '--modell'. Did you mean '--model'?",
    "partition session --parts 4 --model pages --out new": "; did you mean 'page'?",
    "partition session --parts 4 --unknown pagehash --out new": "; did you mean 'page-hash'?",
    "partition session --parts 4 --effort hihg --out new": "; did you mean 'high'?",
    "export session --format graphm --out new": "; did you mean 'graphml'?",
    f"{CRAWL} --order bugdet": "; did you mean 'budget'?",
    f"{CRAWL} --assign pagehash": "; did you mean 'page-hash'?",
    "replay session --ranks 2 --assign sitehash --out new": "; did you mean 'site-hash'?",
    "partition session --parts 4 8 --out new": "Got unexpected extra argument (8); --parts takes one value",
    "quality session --parts 4 8 --out new": "Got unexpected extra argument (8); --parts takes a list: 4,8",
    "quality session --models page prefix --out new": "--models takes a list: page,prefix",
    "quality session --parts 4-8 --out new": "'4-8' is not a whole number from 1 to 65,535, as in 8,16,32",
    "partition session --out new": "Missing option '--parts'",
    "partition session --parts 0 --out new": "0 is not in the range 1<=x<=65535",
    "partition map --parts 4 --out new": "map: is a partition map, not a session",
    "info map": "map: is a partition map, not a session",
    "check map": "map: is a partition map, not a session",
    "info nowhere": "nowhere/session.json: no such file; is nowhere a session?",
    "partition session --parts 4 --out session": "session: exists and is not empty; name a new folder",
    "import edges session --out new": "session: is a session, not a file; the bodies of its pages are in session/rank",
    "import warc map --out new": "map: is a partition map, not a file",
    "web serve session": "session: is a session, not a file; the bodies of its pages are in session/rank-*/*.warc.gz",
    "crawl --resume map": "--resume map: map: is a partition map, not a session",
    f"{CRAWL} --partition session": "session: is a session, not a partition map; cutweb partition makes one of it",
    "crawl example.org --out new --scope sites": "seed: not an http(s) URL: example.org; did you mean https://example.org/?",
    f"crawl {SITE} --out new --scope sites": "--contact URL or MAIL is missing",
    f"crawl {SITE} --out new --contact me@example.org --scope domain": "give all, sites, domains or a file",
    f"{CRAWL} --connect-to 127.0.0.1:8080": "is not HOST:PORT:ADDR:PORT; for all hosts: ::127.0.0.1:8080",
    "report map --out new": "map: is a partition map, not a session",
    "report session session --out new": "session: is named twice; name each session once",
    "report session --out session": "session: exists and is not empty; name a new folder",
    "report session --hot -1 --out new": "-1 is not in the range x>=0",
    "feasibility session --pages 1 --ranks 2": "'--pages': 1 is not in the range x>=2",
    "feasibility session --pages 99 --ranks 0": "'--ranks': 0 is not in the range 1<=x<=65535",
    f"{CRAWL} --max-pages many": "'many' is not a valid integer",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a session and a partition map, as somebody has it after the first hour."""
    path = tmp_path_factory.mktemp("hour")
    ring().session(path / "session")
    asked = ["partition", str(path / "session"), "--parts", "2", "--effort", "low", "--out", str(path / "map")]
    assert cutweb.main([*asked, "--tolerance", "0.3"], standalone_mode=False) in (0, None)
    return path


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(
    mistake: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["cutweb", *mistake.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capfd.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert MISTAKES[mistake] in told.err
    assert told.err.startswith("cutweb")
    assert told.err.count("\n") == 1
    assert not (folder / "new").exists()


def test_there_are_thirty() -> None:
    assert len(MISTAKES) >= 30
