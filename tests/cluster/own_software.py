"""Software that each node has for itself, in its own /dev/shm: for clusters whose machines are not alike."""

import sys
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.jobs import Jobs

SOFTWARE = Path("/dev/shm/software")


_VENV = Path(sys.executable).parents[1]
_LINK_ALL = f"ln -s {_VENV}/lib {_VENV}/pyvenv.cfg {SOFTWARE}; ln -s {_VENV}/bin/* {SOFTWARE}/bin"


def whole(cluster: Cluster, node: str) -> None:
    """The node has all that there is."""
    _make_command(cluster, node, _LINK_ALL, "cutweb", f'exec {SOFTWARE}/bin/python -P -m cutweb "$@"')


def hanging(cluster: Cluster, node: str) -> None:
    """There is nothing on the node but a command `cutweb` that hangs."""
    _make_command(cluster, node, "", "cutweb", "exec sleep 3600")


def otherwise(cluster: Cluster, node: str, folder: Path, program: str) -> None:
    """The node has all, but its Python runs a ``program`` of Python's first; ``folder`` is a new one for that."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(program)
    python = Path(sys.executable)
    script = f'PYTHONPATH={folder}:$PYTHONPATH exec {python} "$@"'
    _make_command(cluster, node, _LINK_ALL, python.name, script)


def removed(cluster: Cluster, *nodes: str) -> None:
    """The nodes have none of it any more."""
    for node in nodes:
        cluster.call("srun", f"--nodelist={node}", "rm", "-rf", SOFTWARE)


def use_it(jobs: Jobs) -> None:
    """Have the jobs run the software of each node."""
    settings = jobs.folder / "cutweb.env"
    lines = settings.read_text().splitlines()
    lines = [f"CUTWEB_BIN={SOFTWARE}/bin" if line.startswith("CUTWEB_BIN=") else line for line in lines]
    settings.write_text("\n".join(lines) + "\n")


def _make_command(cluster: Cluster, node: str, before: str, name: str, script: str) -> None:
    command = f"{SOFTWARE}/bin/{name}"
    write = f"rm -f {command}; printf '#!/bin/sh\\n%s\\n' '{script}' > {command}; chmod +x {command}"
    words = f"mkdir -p {SOFTWARE}/bin; {before}\n{write}"
    cluster.call("srun", f"--nodelist={node}", "sh", "-ec", words)
