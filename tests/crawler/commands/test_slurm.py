"""`cutweb slurm init`, and what its files do: run by bash with stand-ins for cutweb and Slurm's commands."""

import json
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands import slurm
from crawler.commands.slurm import LAUNCHERS, TEMPLATES

ALWAYS = "--metrics-host 0.0.0.0 --usage-seconds 60"
FILES = {"crawl.sbatch", "partition.sbatch", "worklist.sbatch", "chain.sbatch", "cutweb.env"}
STAND_INS = {
    "cutweb": (
        'case $1 in --version) echo 0.2 ;; info) cat "$STANDING" ;; '
        'crawl) install -D /dev/null "$BEGUN"; exec "$CRAWL" ;; esac'
    ),
    "scontrol": "",
    "sbatch": 'grep -c "^sbatch" "$CALLS"',
    "srun": 'while [[ $1 == -* ]]; do shift; done; exec "$@"',
}
"""Each notes what it is called with, then does this."""

_BEGINNING = re.compile(r"\Acrawl\.sbatch: job 7, \d{4}-\S+: 6 ranks on node\[1-3\], 0\.2\n")
"""A job's number, the time, ranks, nodes and version."""

Init = Callable[..., Result]


@pytest.fixture
def init(tmp_path: Path) -> Init:
    def run(*options: str) -> Result:
        return CliRunner().invoke(slurm.slurm, ["init", str(tmp_path / "my jobs"), *options])

    return run


class Jobs:
    """The files that `init` writes, with stand-ins on their path, and a session that stands as one says."""

    def __init__(self, folder: Path, init: Init, *options: str) -> None:
        assert init(*options).exit_code == 0
        self.folder, self.session, self._calls = folder, folder / "the session", folder / "calls"
        self._calls.touch()
        programs = folder / "bin"
        programs.mkdir()
        for name, does in STAND_INS.items():
            self._program(programs / name, f'echo {name} "$@" >> "$CALLS"; {does}')
        self.crawl_is("true")
        self.environment = {
            **{"PATH": "/usr/bin:/bin", "SLURM_JOB_ID": "7", "SLURM_NTASKS": "6", "SLURM_NODEID": "3"},
            "SLURM_JOB_NODELIST": "node[1-3]",
            **{
                "CALLS": str(self._calls),
                "BEGUN": str(self.session / "session.json"),
                "STANDING": str(self.stands(None)),
            },
            "CRAWL": str(folder / "crawl"),
        }
        settings = folder / "my jobs" / "cutweb.env"
        installed = shlex.quote(str(Path(sys.executable).parent))
        settings.write_text(settings.read_text().replace(f"BIN={installed}", f"BIN={shlex.quote(str(programs))}"))

    def stands(self, reason: str | None) -> Path:
        """The session is there, and has ended for this reason, if any: what `cutweb info` says is in this file."""
        path = self.folder / f"standing-{reason}"
        ended = None if reason is None else {"reason": reason, "seconds": 1.5}
        info = {"session": "x", "k": 6, "ended": ended, "total": {"reasons": {"queued": {}}}}
        path.write_text(json.dumps(info, indent=1))
        return path

    def is_there(self, reason: str | None) -> None:
        """The session is there before the job begins."""
        self.session.mkdir()
        (self.session / "session.json").touch()
        self.environment["STANDING"] = str(self.stands(reason))

    def crawl_is(self, script: str) -> None:
        """What `cutweb crawl` does."""
        self._program(self.folder / "crawl", script)

    def set(self, line: str, instead: str) -> None:
        """A line of the settings becomes another."""
        settings = self.folder / "my jobs" / "cutweb.env"
        settings.write_text(settings.read_text().replace(line, instead))

    def start(self, name: str, *arguments: str) -> "subprocess.Popen[str]":
        command = ["bash", str(self.folder / "my jobs" / name), *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, cwd=self.folder
        )

    def run(self, name: str, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a job, without the line with which a crawl's log begins."""
        with self.start(name, *arguments) as job:
            out, err = job.communicate(timeout=30)
        return job.returncode, _BEGINNING.sub("", out, count=1), err

    def calls(self, *names: str) -> list[str]:
        """What was called of these, in order."""
        calls = self._calls.read_text().splitlines()
        return [line for line in calls if line.split()[0] in names and line != "cutweb --version"]

    @staticmethod
    def _program(path: Path, script: str) -> None:
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)


@pytest.fixture
def jobs(tmp_path: Path, init: Init) -> Jobs:
    return Jobs(tmp_path, init)


def test_init_writes_the_files_filled_in(tmp_path: Path, init: Init) -> None:
    folder = tmp_path / "my jobs"
    result = init(
        *("--nodes", "3", "--tasks-per-node", "5", "--time", "1-12:00:00"),
        *("--account", "a.b", "--partition", "long,short", "--launcher", "srun-pmix"),
        *("--modules", "python/3.12 openmpi", "--scratch", "/local disk"),
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == FILES
    assert f"sbatch '{folder}'/crawl.sbatch" in result.stdout
    crawl = (folder / "crawl.sbatch").read_text().splitlines()
    shape = {"#SBATCH --nodes=3", "#SBATCH --ntasks-per-node=5", "#SBATCH --time=1-12:00:00"}
    assert shape | {"#SBATCH --signal=B:USR1@120", "#SBATCH --requeue", "#SBATCH --open-mode=append"} <= set(crawl)
    for name in FILES - {"cutweb.env"}:
        assert f"settings='{folder}'" in (folder / name).read_text().splitlines()
        assert f"#   sbatch '{folder}'/{name} " in (folder / name).read_text(), "the examples are for this folder"
    assert not [path for path in folder.iterdir() if "slurm/" in path.read_text()]
    names = ["SBATCH_ACCOUNT", "SBATCH_PARTITION", "CUTWEB_MODULES", "CUTWEB_BIN", "CUTWEB_LAUNCHER", "CUTWEB_SCRATCH"]
    told = "; ".join(f'echo "${name}"' for name in names)
    script = f"module() {{ echo module $*; }}; . '{folder}/cutweb.env'; {told}; echo \"${{PATH%%:*}}\""
    said = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=True).stdout.splitlines()
    own = str(Path(sys.executable).parent)
    modules = "python/3.12 openmpi"
    assert said == [f"module load {modules}", "a.b", "long,short", modules, own, "srun-pmix", "/local disk", own]


def test_init_leaves_slurms_defaults_alone(tmp_path: Path, init: Init) -> None:
    assert init().exit_code == 0
    settings = (tmp_path / "my jobs" / "cutweb.env").read_text().splitlines()
    assert [line for line in settings if line.startswith("export SBATCH")] == []
    assert f"CUTWEB_LAUNCHER={LAUNCHERS[0]}" in settings


def test_init_overwrites_nothing_unless_told_to(tmp_path: Path, init: Init) -> None:
    folder = tmp_path / "my jobs"
    folder.mkdir()
    (folder / "chain.sbatch").write_text("mine")
    result = init()
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == f"cutweb slurm init: {folder / 'chain.sbatch'}: is there already; give --force to overwrite it\n"
    )
    assert [path.name for path in folder.iterdir()] == ["chain.sbatch"]
    assert init("--force").exit_code == 0
    assert (folder / "chain.sbatch").read_text().startswith("#!/bin/bash")


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--nodes", "0"], ["--time", "soon"], ["--time", "1:2"], ["--account", "a b"], ["--partition", "$x"]),
        *(["--launcher", "rsh"], ["--modules", "a\nb"], ["--scratch", "/a\nb"], ["--account", ""]),
    ],
)
def test_init_refuses_what_slurm_or_bash_could_not_read(tmp_path: Path, init: Init, wrong: list[str]) -> None:
    result = init(*wrong)
    assert result.exit_code == 2
    assert wrong[0].removeprefix("--") in result.stderr
    assert not (tmp_path / "my jobs").exists()


def test_a_damaged_installation_is_named(tmp_path: Path, init: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "TEMPLATES", tmp_path)
    result = init()
    assert result.exit_code == 2
    assert "cutweb.env" in result.stderr
    for name in FILES:
        text = (TEMPLATES / name).read_text()
        (tmp_path / name).write_text(text.replace("settings=", "# settings="))
    result = init()
    assert result.exit_code == 2
    assert "crawl.sbatch: has 0 lines that begin with settings=, not one" in result.stderr
    assert not (tmp_path / "my jobs").exists()


@pytest.mark.parametrize("name", sorted(FILES))
def test_bash_reads_every_file(name: str) -> None:
    assert subprocess.run(["bash", "-n", TEMPLATES / name], check=False).returncode == 0


def test_a_new_session_is_crawled_with_the_options_as_they_are(jobs: Jobs) -> None:
    code, out, err = jobs.run("crawl.sbatch", "--seeds", "my seeds", "--out", str(jobs.session))
    assert (code, out) == (1, "")  # the stand-in's session has not ended
    assert "was stopped before its end" in err
    assert jobs.calls("cutweb")[0] == f"cutweb crawl {ALWAYS} --seeds my seeds --out {jobs.session} --ranks 6"
    assert jobs.calls("scontrol") == []


def test_a_session_that_ends_in_the_job_ends_the_job(jobs: Jobs) -> None:
    jobs.environment["STANDING"] = str(jobs.stands("max-pages"))
    assert jobs.run("crawl.sbatch", f"--out={jobs.session}") == (0, "", "")
    assert jobs.calls("scontrol") == []


@pytest.mark.parametrize("reason", [None, "signal"])
def test_a_session_that_is_there_goes_on(jobs: Jobs, reason: str | None) -> None:
    jobs.is_there(reason)
    jobs.crawl_is(f'cp {shlex.quote(str(jobs.stands("complete")))} "$STANDING"')
    assert jobs.run("crawl.sbatch", "--seeds", "s", "--out", str(jobs.session)) == (0, "", "")
    given = f"--seeds s --out {jobs.session} --ranks 6"
    assert f"cutweb crawl {ALWAYS} --resume {jobs.session} {given}" in jobs.calls("cutweb")


@pytest.mark.parametrize("resume", ["--resume {}", "--resume={}"])
def test_a_session_that_has_ended_goes_on_if_one_says_so(jobs: Jobs, resume: str) -> None:
    jobs.is_there("max-pages")
    words = [word.format(jobs.session) for word in resume.split()]
    assert jobs.run("crawl.sbatch", *words, "--max-pages", "9") == (0, "", "")
    assert jobs.calls("cutweb")[0] == f"cutweb crawl {ALWAYS} {' '.join(words)} --max-pages 9 --ranks 6"


def test_a_session_that_has_ended_is_left_alone(jobs: Jobs) -> None:
    jobs.is_there("complete")
    code, out, _ = jobs.run("crawl.sbatch", "--out", str(jobs.session))
    assert code == 0
    assert "nothing is left to do" in out
    assert jobs.calls("cutweb", "scontrol") == [f"cutweb info --json {jobs.session}"]


def test_the_crawls_exit_code_is_the_jobs(jobs: Jobs) -> None:
    jobs.crawl_is("exit 5")
    assert jobs.run("crawl.sbatch", "--out", str(jobs.session))[0] == 5
    assert jobs.calls("scontrol") == []


def test_without_out_there_is_no_crawl(jobs: Jobs) -> None:
    for arguments in (["--seeds", "s"], ["--seeds", "s", "--out"]):
        code, _, err = jobs.run("crawl.sbatch", *arguments)
        assert code == 2
        assert "--out DIR is required" in err
    assert jobs.calls("cutweb") == []


@pytest.mark.parametrize(
    ("number", "ends", "code", "requeues"),
    [
        (signal.SIGUSR1, "signal", 0, ["scontrol requeue 7"]),
        (signal.SIGUSR1, "complete", 0, []),
        (signal.SIGTERM, "signal", 1, []),
    ],
)
def test_a_job_whose_time_is_up_goes_back_into_the_queue(
    jobs: Jobs, number: signal.Signals, ends: str, code: int, requeues: list[str]
) -> None:
    jobs.environment["NEXT"] = str(jobs.stands(ends))
    jobs.crawl_is(r'sleep 60 & trap "kill $!; cp \"$NEXT\" \"$STANDING\"; exit" USR1 TERM; echo crawling; wait')
    with jobs.start("crawl.sbatch", "--out", str(jobs.session)) as job:
        assert job.stdout is not None
        assert _BEGINNING.fullmatch(job.stdout.readline())
        assert job.stdout.readline() == "crawling\n"
        job.send_signal(number)
        out, _ = job.communicate(timeout=30)
    assert job.returncode == code
    assert jobs.calls("scontrol") == requeues
    assert ("time is up" in out) == bool(requeues)


def has_ended(job: subprocess.Popen[str]) -> bool:
    """Wait a moment for it."""
    try:
        job.wait(0.2)
    except subprocess.TimeoutExpired:
        return False
    return True


@pytest.mark.parametrize(("launcher", "signals"), [("mpiexec", "TERM TERM"), ("srun-pmi2", "USR1 USR2")])
def test_a_job_that_is_asked_a_second_time_ends_a_crawl_that_hangs(
    tmp_path: Path, init: Init, launcher: str, signals: str
) -> None:
    jobs = Jobs(tmp_path, init, "--launcher", launcher)
    first, second = signals.split()
    turn = "while [ -z $came ]; do read -rt 0.05 <> <(:); done"
    obey = f'trap "came=yes; echo {first}" {first}; came=; echo crawling; {turn}'
    hang = f'trap "echo {second}; exit 9" {second}; echo hanging; came=; {turn}'
    jobs.crawl_is(f"{obey}; {hang}")
    with jobs.start("crawl.sbatch", "--out", str(jobs.session)) as job:
        assert job.stdout is not None
        said = [job.stdout.readline() for _ in range(2)]
        job.send_signal(signal.SIGTERM)
        said += [job.stdout.readline() for _ in range(2)]
        while not has_ended(job):  # what comes within moments repeats the first
            job.send_signal(signal.SIGTERM)
        out, _ = job.communicate(timeout=30)
    assert [*said[1:], out] == ["crawling\n", f"{first}\n", "hanging\n", f"{second}\n"]
    assert job.returncode == 9


@pytest.mark.parametrize(
    ("launcher", "called"),
    [
        ("mpiexec", []),
        ("mpirun", []),
        ("srun-pmi2", ["srun --mpi=pmi2 --kill-on-bad-exit=1 cutweb crawl"]),
        ("srun-pmix", ["srun --mpi=pmix --kill-on-bad-exit=1 cutweb crawl"]),
    ],
)
def test_every_launcher_starts_the_crawl(tmp_path: Path, init: Init, launcher: str, called: list[str]) -> None:
    jobs = Jobs(tmp_path, init, "--launcher", launcher, "--scratch", "/local disk")
    jobs.crawl_is('echo "mpiexec is ${CUTWEB_MPIEXEC:-its own}"')
    _, out, _ = jobs.run("crawl.sbatch", "--out", str(jobs.session))
    rest = f" {ALWAYS} --out {jobs.session} --ranks 6 --scratch /local disk"
    assert jobs.calls("srun") == [line + rest for line in called]
    assert jobs.calls("cutweb")[0] == f"cutweb crawl{rest}"
    assert out == f"mpiexec is {'mpirun' if launcher == 'mpirun' else 'its own'}\n"


def test_a_launcher_that_nobody_knows_is_refused(jobs: Jobs) -> None:
    jobs.set("LAUNCHER=mpiexec", "LAUNCHER=rsh")
    code, _, err = jobs.run("crawl.sbatch", "--out", str(jobs.session))
    assert code == 2
    assert "CUTWEB_LAUNCHER=rsh" in err
    assert jobs.calls("cutweb") == []


def test_a_partition_is_made_once_for_as_many_ranks_as_the_session_had(jobs: Jobs) -> None:
    assert jobs.run("partition.sbatch", "a session", "a map", "--model", "site")[0] == 0
    assert jobs.calls("cutweb")[1:] == ["cutweb partition a session --parts 6 --out a map --model site"]
    (jobs.folder / "a map").mkdir()
    (jobs.folder / "a map" / "partition.json").touch()
    assert jobs.run("partition.sbatch", "a session", "a map")[0] == 0
    assert len(jobs.calls("cutweb")) == 2
    assert jobs.run("partition.sbatch", "a session")[0] == 2


def test_a_worklist_is_made_once(jobs: Jobs) -> None:
    assert jobs.run("worklist.sbatch", "a list", "a session", "another", "--by", "value")[0] == 0
    assert jobs.calls("cutweb") == ["cutweb worklist --out a list a session another --by value"]
    (jobs.folder / "a list").mkdir()
    (jobs.folder / "a list" / "worklist.json").touch()
    assert jobs.run("worklist.sbatch", "a list", "a session")[0] == 0
    assert len(jobs.calls("cutweb")) == 1
    assert jobs.run("worklist.sbatch", "a list")[0] == 2


def test_a_chain_is_jobs_that_wait_for_one_another(jobs: Jobs) -> None:
    code, out, _ = jobs.run("chain.sbatch", "3", "a chain", "--seeds", "s")
    assert code == 0
    scripts, then = f"{jobs.folder}/my jobs", "sbatch --parsable --dependency=afterok:{} --kill-on-invalid-dep=yes"
    assert jobs.calls("sbatch") == [
        f"sbatch --parsable {scripts}/crawl.sbatch --out a chain/session-1 --seeds s",
        f"{then.format(1)} {scripts}/partition.sbatch a chain/session-1 a chain/map-1 --model page",
        f"{then.format(2)} {scripts}/crawl.sbatch --out a chain/session-2 --seeds s --partition a chain/map-1",
        f"{then.format(3)} {scripts}/partition.sbatch a chain/session-2 a chain/map-2 --model page "
        "--previous-map a chain/map-1",
        f"{then.format(4)} {scripts}/crawl.sbatch --out a chain/session-3 --seeds s --partition a chain/map-2",
    ]
    assert out.splitlines()[-1] == "chain.sbatch: job 5 crawls a chain/session-3"


def test_a_chain_may_ask_for_changes_only(jobs: Jobs) -> None:
    jobs.set("ONLY_CHANGES=no", "ONLY_CHANGES=yes")
    jobs.run("chain.sbatch", "2", "chain")
    assert jobs.calls("sbatch")[-1].endswith("--out chain/session-2 --partition chain/map-1 --from chain/session-1")


@pytest.mark.parametrize("seeds", [["--seeds", "s"], ["--seeds=s"]])
def test_a_chain_may_crawl_by_worklists_of_all_sessions_before(jobs: Jobs, seeds: list[str]) -> None:
    jobs.set("WORKLISTS=no", "WORKLISTS=yes")
    contact = ["--contact", "https://example.org", "--delay", "1"]
    assert jobs.run("chain.sbatch", "3", "chain", *seeds, *contact)[0] == 0
    submitted = [line.split(" ", 2)[2].split("/my jobs/")[1] for line in jobs.calls("sbatch")]
    ranked = "--by value --weight backlinks"
    assert submitted == [
        f"crawl.sbatch --out chain/session-1 {' '.join([*seeds, *contact])}",
        "partition.sbatch chain/session-1 chain/map-1 --model page",
        f"worklist.sbatch chain/worklist-1 chain/session-1 {ranked}",
        f"crawl.sbatch --out chain/session-2 {' '.join(contact)} --partition chain/map-1 "
        "--worklist chain/worklist-1 --new-share 0.9",
        "partition.sbatch chain/session-2 chain/map-2 --model page --previous-map chain/map-1",
        f"worklist.sbatch chain/worklist-2 chain/session-1 chain/session-2 {ranked}",
        f"crawl.sbatch --out chain/session-3 {' '.join(contact)} --partition chain/map-2 "
        "--worklist chain/worklist-2 --new-share 0.9",
    ]


@pytest.mark.parametrize("url", [["https://example.org/"], ["--delay=1", "--robots", "x", "http://example.org/"]])
def test_a_chain_by_worklists_refuses_seeds_among_the_options(jobs: Jobs, url: list[str]) -> None:
    jobs.set("WORKLISTS=no", "WORKLISTS=yes")
    code, _, err = jobs.run("chain.sbatch", "2", "chain", *url)
    assert (code, err) == (2, f"chain.sbatch: {url[-1]}: with CUTWEB_WORKLISTS=yes, give seeds by --seeds FILE\n")
    assert jobs.calls("sbatch") == []
    assert not (jobs.folder / "chain").exists()


@pytest.mark.parametrize(
    "wrong", [["3"], ["0", "chain"], ["x", "chain"], ["2", "chain", "--out", "x"], ["2", "chain", "--assign=page-hash"]]
)
def test_a_chain_that_makes_no_sense_is_refused(jobs: Jobs, wrong: list[str]) -> None:
    code, _, err = jobs.run("chain.sbatch", *wrong)
    assert code == 2
    assert err.startswith("chain.sbatch: ")
    assert jobs.calls("sbatch") == []


@pytest.mark.parametrize("name", ["crawl", "partition", "worklist"])
def test_a_job_file_run_outside_slurm_says_so(jobs: Jobs, name: str) -> None:
    del jobs.environment["SLURM_JOB_ID"]
    code, out, err = jobs.run(f"{name}.sbatch", "--out", "x")
    assert (code, out) == (2, "")
    assert err.startswith(
        f"{name}.sbatch: this is a Slurm job: submit it with sbatch; without Slurm, use cutweb {name}"
    )
    assert len(err.splitlines()) == 1
    assert jobs.calls("cutweb", "mpiexec") == []


def test_a_chain_where_there_is_no_slurm_says_so(jobs: Jobs) -> None:
    (jobs.folder / "bin" / "sbatch").unlink()
    for tool in ("bash", "dirname", "mkdir"):
        (jobs.folder / "bin" / tool).symlink_to(f"/bin/{tool}")
    jobs.environment["PATH"] = str(jobs.folder / "bin")
    code, _, err = jobs.run("chain.sbatch", "2", "chain")
    assert (code, err) == (2, "chain.sbatch: there is no sbatch here: this submits Slurm jobs; run it where Slurm is\n")
    assert not (jobs.folder / "chain").exists()


def test_a_chain_ends_where_slurm_refuses_a_job(jobs: Jobs) -> None:
    (jobs.folder / "bin" / "sbatch").write_text("#!/bin/bash\necho refused >&2\nexit 1\n")
    code, out, err = jobs.run("chain.sbatch", "2", "chain")
    assert (code, out, err) == (1, "", "refused\n")


def test_what_slurm_says_of_the_chains_job_does_not_reach_the_others(jobs: Jobs) -> None:
    jobs.environment["SLURM_CONF"] = "kept"
    (jobs.folder / "bin" / "sbatch").write_text('#!/bin/bash\nenv | grep ^SLURM_ >> "$CALLS"; echo 1\n')
    assert jobs.run("chain.sbatch", "1", "chain")[0] == 0
    assert jobs.calls("SLURM_CONF=kept", "SLURM_JOB_ID=7", "SLURM_NTASKS=6", "SLURM_NODEID=3") == ["SLURM_CONF=kept"]


def test_all_files_are_in_the_distribution() -> None:
    tool = tomllib.loads((TEMPLATES.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "slurm" in tool["packages"]["find"]["include"]
    packed = {path.name for pattern in tool["package-data"]["slurm"] for path in TEMPLATES.glob(pattern)}
    assert packed == FILES == {path.name for path in TEMPLATES.iterdir() if path.is_file()}
