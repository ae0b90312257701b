# Everything is installed into .venv, from this checkout; nothing else on the machine is touched.
#
#   make demo     set up, then compare five methods on five data sets: kpboost compare
#   make test     set up, then lint, type check and run the whole test suite
#   make lint     the static half of `make test`
#   make test-python PYTHON=python3.13    the test suite on another Python, in .venv-3.13
#   make test-oldest    the test suite with the oldest packages that pyproject.toml allows, in .venv-oldest
#   make bench    set up, then time ours against scikit-learn's SVC (the quick version)
#   make docs     set up, then build the documentation into build/docs; warnings are errors
#   make clean    remove what these commands made

PYTHON ?= python3
PYTEST_ARGS ?= -n 2 --dist loadfile
BENCH_ARGS ?= --quick

VENV ?= .venv
# The oldest packages have wheels for the oldest Python only.
OLDEST_PYTHON ?= python3.11
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
CPP_SOURCES := $(shell find cpp -type f)

.PHONY: demo test test-python test-oldest suite lint docs bench clean

demo: $(VENV)/.extra-cli
	@$(BIN)/kpboost compare

# The suite's own processes use all cores; OpenMP threads in each of them would wait for one another.
test: lint suite

suite: $(VENV)/.extra-test
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(PYTEST_ARGS)

test-python:
	@$(MAKE) --no-print-directory suite \
	  VENV=.venv-$$($(PYTHON) -c 'import sys; print("{}.{}".format(*sys.version_info))')

test-oldest:
	@$(MAKE) --no-print-directory suite VENV=$(OLDEST) PYTHON=$(OLDEST_PYTHON)

lint: $(VENV)/.extra-test
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

docs: $(VENV)/.extra-docs
	@MPLBACKEND=agg $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "Open build/docs/index.html"

bench: $(VENV)/.extra-bench
	@$(BIN)/python benchmarks/fit.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/rounds.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/grid.py $(BENCH_ARGS)

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The stamps below are made in this order: an environment, the package in it, the tools of an extra.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "kpboost needs Python 3.11 or newer: name one, as in 'make test PYTHON=python3.12'." >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Editable: Python files are live, and only a change of the C++ side or of the metadata builds again.
$(VENV)/.built: $(VENV)/.created pyproject.toml CMakeLists.txt $(CPP_SOURCES)
	@for compiler in "$$CXX" c++ g++ clang++; do command -v "$$compiler" >/dev/null 2>&1 && exit; done; \
	  echo "kpboost needs a C++17 compiler: install g++ or clang++, or name one in CXX." >&2; exit 1
	@echo "Installing kpboost into $(VENV) (the C++ core takes a minute the first time)"
	@$(PIP) install --editable .
	@touch $@

# Asking for the extra of the package just installed adds its tools without building again.
$(VENV)/.extra-%: $(VENV)/.built
	@echo "Installing the tools for: $*"
	@$(PIP) install "kpboost[$*]"
	@touch $@

# uv chooses the lower bound of each package named in pyproject.toml; pip always takes the newest.
$(OLDEST)/.extra-test: $(OLDEST)/.created pyproject.toml CMakeLists.txt $(CPP_SOURCES)
	@echo "Installing kpboost and the oldest packages it allows into $(OLDEST)"
	@$(PIP) install uv
	@$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct \
	  --editable ".[test]"
	@touch $@
