"""Run under mpiexec by test_politeness.py: `cutweb crawl`, with a clock on each rank that is 1,000 s apart."""

import runpy
import sys

from mpi4py import MPI

from crawler.network.curl_web import CurlWeb

_real_now = CurlWeb.now
CurlWeb.now = lambda network: _real_now(network) - 1000.0 * MPI.COMM_WORLD.rank  # type: ignore[method-assign]
sys.argv = ["cutweb", "crawl", *sys.argv[1:]]
runpy.run_module("crawler", run_name="__main__")
