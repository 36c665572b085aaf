"""The processes that a process has started."""

import os
import subprocess
import sys
from pathlib import Path

from crawler.process.process_tree import Process, kill_those_left, process_tree

PARENT = "import subprocess, sys; p = subprocess.Popen(['sleep', '1000']); print(p.pid, flush=True); p.wait()"


def test_those_that_others_have_started_are_found_and_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        tree = process_tree(parent.pid)
        assert [process.pid for process in tree] == [parent.pid, child]
        assert set(tree) < set(process_tree(os.getpid()))
        kill_those_left([process._replace(began=process.began - 1) for process in tree])  # others of the same number
        assert process_tree(parent.pid) == tree
        kill_those_left(tree)
        parent.wait()
        assert process_tree(child) == []
    kill_those_left(tree)


def test_nothing_is_found_of_what_is_not_there() -> None:
    assert process_tree(1 << 30) == []
    kill_those_left([Process(1 << 30, 1)])


def test_a_process_that_has_ended_is_gone_before_its_parent_asks_for_it() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{child.pid}/stat").exists()
        assert process_tree(child.pid) == []
