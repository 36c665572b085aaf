# One-word commands.  `make setup` makes .venv; the others call it, and it does nothing when all is up to date.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.complete

.PHONY: setup demo test fuzz lint bench docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt scripts/setup.sh scripts/warm.py
	PYTHON="$(PYTHON)" sh scripts/setup.sh $(VENV)

demo: setup
	$(BIN)/python scripts/demo.py

test: setup
	$(BIN)/python -m pytest

# FUZZ_INPUTS=1000000 FUZZ_SEED=5 try more, and others.
fuzz: setup
	$(BIN)/python -m tests.fuzz

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python scripts/bench.py
	$(BIN)/python scripts/bench_agenda.py

docs: setup
	$(BIN)/python scripts/bench.py --save
	$(BIN)/python scripts/reproduce_irlbot.py --save

clean:
	rm -rf $(VENV) build demo *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
