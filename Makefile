# One-word targets, the same on a desk and in CI. `make setup` runs by itself where it is needed.
.PHONY: setup test demo check servers bench nightly clean help

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.stamp
PYTEST := $(BIN)/python -m pytest
DEMO := demo
TRACE ?=
SERVERS := mosquitto mosquitto-clients chromium

help:
	@echo "make demo     a market: day 1 profiled, day 2 predicted, replayed, judged, reported (TRACE=path: yours)"
	@echo "make test     all tests but the long campaigns"
	@echo "make check    linter, formatter, types, architecture"
	@echo "make bench    time the hot paths"
	@echo "make nightly  the long campaigns: many seeds, the tests marked slow"
	@echo "make servers  what the tests need from the system's packages"
	@echo "make setup    .venv with pinned packages"
	@echo "make clean    remove everything that these targets made"

setup: $(STAMP)
	@.ci/java

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Tidings needs Python 3.11 or newer; name it: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { $(PYTHON) -c 'import sys; v = "python%d.%d" % sys.version_info[:2]; \
		print(v + " has no venv module. On Debian and Ubuntu: apt-get install " + v + "-venv", file=sys.stderr)'; exit 2; }
	@echo "setup: installing the packages of constraints.txt into .venv"
	@$(PYTHON) -m venv .venv
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,peers,spark]'
	@touch $@

test: setup
	@$(PYTEST) -n 2 --dist loadgroup -m "not slow" $(ARGS)

check: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(PYTEST) -q tests/architecture

demo: setup
	@rm -rf $(DEMO)
	@$(BIN)/tidings demo --out $(DEMO) $(addprefix --trace ,$(TRACE)) $(ARGS)

servers:
	@.ci/servers $(SERVERS)

bench: setup
	@for one in benchmarks/*.py; do echo "bench: $$one"; $(BIN)/python $$one || exit 1; done

nightly: setup
	@TIDINGS_SEEDS=$${TIDINGS_SEEDS:-1000} $(PYTEST) -n 2 $(ARGS)

clean:
	rm -rf .venv build dist $(DEMO) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
