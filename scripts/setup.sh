#!/bin/sh
# Makes the virtual environment FOLDER with everything in it: sh scripts/setup.sh FOLDER
#
# MPI is the mpich wheel's, by which everything is tested; CUTWEB_MPI=machine takes the one whose mpiexec is on the path.
set -eu

venv=$1
python=${PYTHON:-python3}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "setup: needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2
    exit 2
fi

# What was once set up by the machine's MPI stays so: a cluster's jobs may load its module.
mpi=${CUTWEB_MPI:-mpich}
[ -n "${CUTWEB_MPI:-}" ] || [ ! -e "$venv/.complete" ] || [ -x "$venv/bin/mpiexec" ] || mpi=machine
case $mpi in
mpich) ;;
machine)
    if [ -x "$venv/bin/mpiexec" ]; then
        echo "setup: $venv has the mpich wheel, whose mpiexec would come first: make clean before" >&2
        exit 2
    fi ;;
*)
    echo "setup: CUTWEB_MPI is mpich or machine, not $mpi" >&2
    exit 2 ;;
esac

if ! "$python" -m venv "$venv"; then
    echo "setup: could not make a virtual environment; on Debian or Ubuntu: apt-get install python3-venv" >&2
    exit 2
fi

# What comes as source is compiled afterwards, while the second core compiles ours.
install() {
    "$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt "$@"
}

# Two ranks that see each other prove that mpiexec and mpi4py belong together.
mpi_works() {
    command -v "$1" >/dev/null 2>&1 || return 1
    sizes=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe timeout 60 \
        "$1" -n 2 "$venv/bin/python" -c 'from mpi4py import MPI; print(MPI.COMM_WORLD.size)' 2>/dev/null | tr -d '\n\0') || return 1
    [ "$sizes" = 22 ]
}

echo "setup: installing into $venv (once; a minute or so)"
if [ "$mpi" = machine ]; then
    install --editable '.[dev]'
    mpi_works mpiexec || { echo "setup: two ranks under this machine's mpiexec do not see each other" >&2; exit 1; }
    echo "setup: using this machine's MPI ($(command -v mpiexec))"
else
    install --editable '.[dev,mpi]'
    mpi_works "$venv/bin/mpiexec" || { echo "setup: two ranks under $venv/bin/mpiexec do not see each other" >&2; exit 1; }
fi
echo "setup: compiling (once; a minute at most)"
"$venv/bin/python" -m compileall -qq "$venv/lib" & # in vain for files that some packages have for other Pythons
"$venv/bin/python" scripts/warm.py
wait
touch "$venv/.complete"
touch "$venv/.warm"
echo "setup: done"
