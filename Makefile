# make site   set up what a site takes, check every formula, build the site and serve it
# make test   set up all there is and run all tests
# make check  set up, write the names of the formulas down for editors, and check every formula
# make build  set up and build the site, strictly, into site/
# make prompt  set up and fetch what runs Python in the pages, into .prompt/, which make build and make site then use
# make lint   set up and run ruff and mypy
# make bench  set up and run the benchmarks

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
BIN := $(VENV)/bin
export NO_MKDOCS_2_WARNING := 1
# what is compiled is kept, whatever is usual here: else each process compiles all that it imports
unexport PYTHONDONTWRITEBYTECODE

.PHONY: site test check build prompt lint bench clean

$(VENV)/.site: EXTRA := docs
$(VENV)/.ready: EXTRA := test
# pip would compile all modules, most of which nothing imports, and that takes a fifth of its time
$(VENV)/.site $(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "symbolic_llm needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[$(EXTRA)]'
	touch $(VENV)/.site $@ # who has what tests take has what a site takes

check: $(VENV)/.site
	$(BIN)/python -m symbolic_llm.cli.stub
	$(BIN)/symbolic-llm check

build: $(VENV)/.site
	$(BIN)/mkdocs build --strict

site: check
	$(BIN)/symbolic-llm site --port $(PORT)

build site: export SYMBOLIC_LLM_PROMPT ?= $(wildcard $(CURDIR)/.prompt)

prompt: $(VENV)/.site
	$(BIN)/python -m symbolic_llm.pages.runtime .prompt

test: $(VENV)/.ready
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) .prompt site build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
