"""A power cut, as the crash test has it, touches nothing that is committed, and does touch the rest."""

import random
from pathlib import Path

from scripts.crash.power_cut import lose_uncommitted
from sessions.checking.check import check_session
from sessions.session import Session
from tests.sessions.support.builder import HOME, Crawl


def test_only_what_is_not_committed_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "session"
    crawl = Crawl(path, ranks=1)
    crawl.ranks[0].discover([HOME])
    crawl.ranks[0].fetch(HOME, b"home")
    crawl.commit()
    crawl.close()
    session = Session.open(path)
    committed = {file.path: file.path.read_bytes() for file in (*session.table_files(), *session.warc_files())}
    warc = session.warc_files()[0].path
    left = [path / "epochs" / ".000002.json.run.partial", path / "rank-0000" / "pages-000002-run.parquet", warc]
    lost = set()
    for seed in range(30):
        for file in left:
            file.write_bytes(committed.get(file, b"") + b"uncommitted")
        lose_uncommitted(path, random.Random(seed))
        assert Session.open(path) == session
        assert check_session(path).is_good
        assert all(file.read_bytes().startswith(content) for file, content in committed.items())
        rest = [file.read_bytes()[len(committed.get(file, b"")) :] if file.exists() else None for file in left]
        lost |= {"gone" if tail is None else "whole" if tail == b"uncommitted" else "cut" for tail in rest}
    assert lost == {"gone", "whole", "cut"}


def test_what_is_no_session_yet_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://site.example/\n")
    lose_uncommitted(tmp_path, random.Random(1))
    assert (tmp_path / "seeds.txt").read_text() == "http://site.example/\n"
