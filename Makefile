# One-word commands.  `make setup` makes .venv; the others call it, and it does nothing when all is up to date.
# `make setup CUTWEB_MPI=machine` takes the MPI on the path in place of the mpich wheel's.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.complete
WARM := $(VENV)/.warm
COMPILED := $(shell grep -rlE --include='*.py' '^@(compiled|inlined)' crawler partition sessions)

.PHONY: setup demo test test-long test-cluster fuzz lint guard crash bench bench-large bench-peers alerts docs options clean

setup: $(STAMP) $(WARM)

$(STAMP): pyproject.toml constraints.txt scripts/setup.sh
	PYTHON="$(PYTHON)" CUTWEB_MPI="$(CUTWEB_MPI)" sh scripts/setup.sh $(VENV)

# Again whenever a module with compiled functions has changed, as by a pull.
$(WARM): $(STAMP) $(COMPILED) scripts/warm.py
	$(BIN)/python -m scripts.warm
	touch $@

demo: setup
	$(BIN)/python -m scripts.demo

# A worker more than cores, since a third of the time they wait for processes that they started; four at most (each
# collects all tests).  A file's tests stay together, since what its fixtures make, whole crawls among it, is made once
# by each worker; in the order of the files, which ends with the quick ones.
WORKERS := $(shell workers=$$(($$(nproc) + 1)); echo $$((workers < 4 ? workers : 4)))
test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The tests that take long: more ranks, more signals, more kinds of kills, more examples.
test-long: setup
	$(BIN)/python -m pytest -m long
	$(BIN)/python -m pytest -n $(WORKERS) --hypothesis-profile thorough tests/sessions tests/partition tests/crawler

# Crawls as Slurm jobs on hosts made of network namespaces.  Wants root (or sudo); installs Slurm if there is none.
SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)
test-cluster: setup
	PATH="$$PATH:/usr/sbin"; (for it in slurmctld munged ip; do command -v $$it || exit; done) >/dev/null || \
	    { $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	        apt-get install --yes --no-install-recommends slurm-wlm munge iproute2; }
	$(SUDO) env PYTHONDONTWRITEBYTECODE=1 $(BIN)/python -m pytest -p no:cacheprovider -m cluster --timeout 1800 tests/cluster

# FUZZ_INPUTS=1000000 FUZZ_SEED=5 try more, and others.
fuzz: setup
	$(BIN)/python -m tests.fuzz

# CRASH_RUNS=200 CRASH_SEED=5 tries more, and others; before that, every step of a tiny crawl.
crash: setup
	$(BIN)/python -m scripts.crash.every_operation
	$(BIN)/python -m scripts.crash.every_operation --ranks 2
	$(BIN)/python -m scripts.crash.every_operation --worklist
	$(BIN)/python -m scripts.crash.every_operation --merging
	$(BIN)/python -m scripts.crash.every_operation --on-disk
	$(BIN)/python -m scripts.crash.every_operation --on-disk --ranks 2 --one-in 8
	$(BIN)/python -m scripts.crash.every_operation --rules
	$(BIN)/python -m scripts.crash.every_operation --works
	$(BIN)/python -m scripts.crash $(if $(CRASH_RUNS),--runs $(CRASH_RUNS)) $(if $(CRASH_SEED),--seed $(CRASH_SEED))

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Has anything that a rank does over and over become dearer than tests/guard/recorded.toml says?
guard: setup
	$(BIN)/python -m tests.guard

bench: setup
	$(BIN)/python -m scripts.bench.page_cost
	$(BIN)/python -m scripts.bench.crawl_cases
	$(BIN)/python -m scripts.bench.agenda

# What takes more than five minutes, some of it an hour, and some GB of disk: structures, merges and a frontier at size.
bench-large: setup
	$(BIN)/python -m scripts.bench.crowded_server --save
	$(BIN)/python -m scripts.bench.merge_pace --save
	$(BIN)/python -m scripts.bench.structures --entries 100000 1000000 10000000 50000000 --save
	$(BIN)/python -m scripts.irlbot.long_frontier --urls 50000000 --save
	$(BIN)/python -m scripts.bench.crawl_memory --pages 1000000 --sites 200000 --save
	$(BIN)/python -m tests.guard --remember scale.md

# What a page costs other crawlers on the same web; wants nginx, and wget and wget2 where they are to be beside it.
bench-peers: setup
	$(BIN)/python -m scripts.bench.peers --save

# The dashboard from its script, and the alerts for Prometheus as promtool finds them (Debian's package prometheus).
alerts: setup
	$(BIN)/python -m scripts.grafana_dashboard
	@command -v promtool >/dev/null || { echo "make alerts: promtool is missing: apt-get install prometheus"; exit 1; }
	promtool check rules dashboards/alerts.yml
	promtool test rules dashboards/alerts-test.yml

# docs/options.md and the counters of docs/formats.md, from where they are declared.
options: setup
	$(BIN)/python -m scripts.options_page
	$(BIN)/python -m scripts.counter_tables
	$(BIN)/python -m scripts.rule_table

docs: setup options
	$(BIN)/python -m scripts.bench.page_cost --save
	$(BIN)/python -m scripts.bench.crawl_cases --save
	$(BIN)/python -m scripts.irlbot --save
	$(BIN)/python -m tests.guard --remember performance.md

clean:
	rm -rf $(VENV) build demo *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
