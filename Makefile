# make demo            set up, and answer a real question on a real database with the local model
# make demo Q="..."    ask another question
# make test            set up, and run the whole test suite
# make check           everything that CI runs: lint, types, tests, the real local model

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; exit; }; done; echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := build/demo.sqlite
Q      ?= Which five customers have placed the most orders? Give the company and the number of orders.

.PHONY: demo test lint types live check golden clean

demo: $(VENV)/.demo $(DEMO)
	@$(BIN)/macsql model pull local
	@echo "Question: $(Q)"
	@$(BIN)/macsql ask "$(Q)" --db $(DEMO) --descriptions examples/demo/descriptions.yaml

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell macsql tests docs benchmarks examples README.md CONTRIBUTING.md CHANGELOG.md

types: $(VENV)/.dev
	$(BIN)/mypy

live: $(VENV)/.dev
	$(BIN)/macsql model pull local
	$(BIN)/python -m pytest -q --live -m live

check: lint types test live

golden: $(VENV)/.dev
	$(BIN)/python -m pytest -q --update-golden

$(DEMO): examples/demo/make_database.py | $(VENV)/.demo
	@mkdir -p $(@D)
	@$(BIN)/python examples/demo/make_database.py $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("macsql needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV) || { echo "No virtual environment could be made: install Python's venv module (Debian: apt install python3-venv)."; exit 1; }

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) for development (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local,anthropic,dev]'
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build
