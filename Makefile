# Everything a contributor runs; `make` lists it. Needs Python 3.11 or later, and bash.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
UV ?= uv
unexport PYTHONDONTWRITEBYTECODE # tests would compile themselves, and what they start, each time

BIN := .venv/bin
DEPENDENCIES := .venv/dependencies.stamp
INSTALLED := .venv/installed.stamp
USABLE := .venv/usable.stamp
FINDING_IS_FINE := || test $$? -eq 1
UNDECIDED_IS_FINE := || test $$? -eq 3

.PHONY: help setup demo page web playground test check format docs proofs extension architecture lock sarif bench fuzz mutants soak parsers licences audit release clean

help: ## list these targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)$$/  make \1\t\2/p' Makefile | expand -t 16

setup: $(INSTALLED) $(if $(shell command -v npm),pageifpossible) ## create .venv with the locked dependencies and this checkout; builds the page where npm is

define create_venv
	@command -v $(PYTHON) >/dev/null || { echo "make: no '$(PYTHON)' on the path; name one: make setup PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: seriatim needs Python 3.11 or later, '$(PYTHON)' is $$($(PYTHON) --version 2>&1);" \
	    "name another: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: '$(PYTHON)' cannot create environments; install its venv module (python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
endef

$(DEPENDENCIES): requirements/dev.lock
	@echo "Installing the locked dependencies into .venv, with what tests and pages need"
	$(create_venv)
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

$(INSTALLED): $(DEPENDENCIES) pyproject.toml
	@echo "Installing this checkout into .venv"
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# What the command needs, with the extras that read SQL and C; `make setup` begins anew with all that tests need.
$(USABLE): requirements/use.lock pyproject.toml
	@echo "Installing the command into .venv"
	$(create_venv)
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements/use.lock
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

PAGE := src/seriatim/web/page/index.html
NODE_MODULES := web/node_modules/.package-lock.json
PAGE_SOURCES := $(shell find web/src web/public examples editors/grammar -type f) web/index.html web/vite.config.ts \
  src/seriatim/report/html/run.css
NPM := npm --prefix web --no-audit --no-fund --loglevel=error

$(NODE_MODULES): web/package-lock.json
	@command -v npm >/dev/null || { echo "make: the page is built with npm (Node 20 or later)" >&2; exit 1; }
	@echo "Installing the locked packages of the page into web/node_modules"
	@$(NPM) ci
	@touch $@

$(PAGE): $(NODE_MODULES) $(PAGE_SOURCES)
	@$(NPM) run --silent build -- --logLevel warn

page: $(PAGE) ## build the page of `ser play` into the package (needs npm)

playground: setup $(NODE_MODULES) ## the page as a site that needs no server, in build/playground (needs npm)
	@$(BIN)/python web/python_bundle.py build/python.zip
	@$(NPM) run --silent playground -- --logLevel warn

web: $(NODE_MODULES) page playground ## test the page: types, units, and both backends in Chromium
	@$(NPM) run --silent check
	@$(NPM) run --silent test
	@$(NPM) run --silent e2e

.PHONY: pageifpossible
pageifpossible:
	@$(MAKE) --no-print-directory page || echo "make: the page is not built; ser play and its tests do without" >&2

demo: $(or $(wildcard $(INSTALLED)),$(USABLE)) ## decide two small programs: one has a race, one does not
	$(BIN)/ser check examples/lost_update.ser $(FINDING_IS_FINE)
	$(BIN)/ser check examples/spin_lock.ser

test: setup ## run all tests; one of them: .venv/bin/pytest tests/unit/…
	@$(BIN)/pytest -n auto --dist loadgroup

check: setup ## formatting, lint, types, and who imports whom
	@$(BIN)/ruff format --check --quiet || { echo "make: not formatted; run 'make format'" >&2; exit 1; }
	@$(BIN)/ruff check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: setup ## format the code and sort its imports
	@$(BIN)/ruff check --quiet --select I --fix
	@$(BIN)/ruff format

docs: setup $(if $(shell command -v npm),playground) ## the documentation as a site in build/site, with the page where npm is; warnings are errors
	@$(BIN)/sphinx-build --builder html --fresh-env --write-all --fail-on-warning --keep-going --quiet \
	  $(if $(shell command -v npm),--tag playground) --doctree-dir build/doctrees docs build/site
	@if command -v npm >/dev/null; then rm -rf build/site/playground && cp -r build/playground build/site/; fi

proofs: setup ## build the proved kernel, see that nothing is assumed, and have it confirm the examples (needs coq and ocaml)
	@command -v coqc >/dev/null && command -v ocamlfind >/dev/null || { \
	  echo "make: the proofs need Coq and OCaml; on Debian: apt-get install coq ocaml-nox ocaml-findlib" >&2; exit 1; }
	@$(MAKE) --no-print-directory -C proofs
	@PYTHONPATH=tests:reliability $(BIN)/python -m proved examples examples/paper
	@PYTHONPATH=tests:reliability $(BIN)/python -m proved --barriers 1 examples/properties
	@PYTHONPATH=tests:reliability $(BIN)/python -m proved --changes 300 examples/paper

extension: setup ## build, test and package the extension for Visual Studio Code, as editors/vscode/build/seriatim.vsix (needs npm)
	@command -v npm >/dev/null || { echo "make: the extension is built with npm (Node 20 or later)" >&2; exit 1; }
	@npm --prefix editors/vscode ci --no-audit --no-fund --loglevel=error
	@npm --prefix editors/vscode test --silent
	@npm --prefix editors/vscode run package --silent >/dev/null
	@if [[ -n "$${CODE_SERVER:-}" ]]; then npm --prefix editors/vscode run e2e --silent; fi

architecture: setup ## ARCHITECTURE.md, docs/modules.md, the schema of certificates and sizes of what is trusted
	@$(BIN)/python docs/architecture.py
	@$(BIN)/python docs/trusted.py
	@$(BIN)/python docs/schemas.py

LOCKED := --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock"

lock: ## renew what is in requirements (needs uv; UPGRADE=1 moves to the newest versions)
	@$(UV) pip compile $(LOCKED) $(if $(UPGRADE),--upgrade) \
	  --group dev --all-extras --output-file requirements/dev.lock pyproject.toml
	@$(UV) pip compile $(LOCKED) --constraint requirements/dev.lock \
	  --extra sql --extra c --group build --output-file requirements/use.lock pyproject.toml
	@$(UV) pip compile $(LOCKED) $(if $(UPGRADE),--upgrade) \
	  --group fuzz --output-file requirements/fuzz.lock

SARIF_SCHEMA := build/sarif/sarif-2.1.0.json
SARIF_SHA256 := 1c49a0f2b60444c71bb14878e21e0d882198eff4c539861b133093ad89ed798c

sarif: ## fetch the official schema of SARIF 2.1.0, against which a test validates our reports (needs npm)
	@mkdir -p $(dir $(SARIF_SCHEMA))
	@archive=$$(npm pack --silent --pack-destination $(dir $(SARIF_SCHEMA)) @microsoft/sarif-multitool-linux@5.7.0) && \
	  tar -xOf $(dir $(SARIF_SCHEMA))$$archive package/sarif-2.1.0.json >$(SARIF_SCHEMA) && \
	  rm $(dir $(SARIF_SCHEMA))$$archive
	@echo "$(SARIF_SHA256)  $(SARIF_SCHEMA)" | sha256sum --check --quiet

bench: setup ## measure a small suite of programs that grow, and compare how much work it is; results in build/bench
	@$(BIN)/python benchmarks/generate.py build/bench/suite
	@$(BIN)/python benchmarks/work.py
	$(BIN)/ser bench build/bench/suite --expected build/bench/suite/expected.tsv --timeout 30 --output build/bench \
	  $(UNDECIDED_IS_FINE)

fuzz: setup ## look for contradictions for MINUTES=1, or in CASES=100 from case FIRST=0 on; ONLY=questions; CLUSTER=local:4; findings in build/fuzz
	@PYTHONPATH=tests:reliability $(BIN)/python -m differential $(if $(MINUTES),--minutes $(MINUTES)) \
	  $(if $(CASES),--cases $(CASES)) $(if $(FIRST),--first $(FIRST)) $(if $(ONLY),--only $(ONLY)) \
	  $(if $(CLUSTER),--cluster $(CLUSTER)) $(FILES)

mutants: setup ## put faults into the checker and the interpreters, one at a time: tests have to notice each; GROUP=runs
	@PYTHONPATH=reliability $(BIN)/python -m mutants $(GROUP)

soak: setup ## 10,000 checks in one process: memory has to stay flat, and nothing open
	@$(BIN)/python reliability/soak.py

FUZZER := .venv/fuzzer.stamp
CLAIM ?= program
SECONDS_EACH ?= 60

$(FUZZER): $(INSTALLED) requirements/fuzz.lock
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements/fuzz.lock
	@touch $@

parsers: $(FUZZER) ## fuzz the reader of one format, CLAIM=program, for SECONDS_EACH=60; findings in build/parsers
	@PYTHONPATH=reliability $(BIN)/python -m parsers.fuzz $(CLAIM) -max_total_time=$(SECONDS_EACH) -verbosity=0 \
	  -print_final_stats=1

licences: setup ## the licence of everything that is installed; fails if one is not permitted
	@PYTHONPATH=reliability $(BIN)/python -m supply.licences

audit: setup ## ask about known vulnerabilities of what is locked (needs pip-audit and the network)
	@PYTHONPATH=reliability $(BIN)/python -m supply.audit requirements/dev.lock requirements/fuzz.lock

release: setup page ## the source distribution, the wheel and its bill of materials, in dist
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation >/dev/null
	@PYTHONPATH=reliability $(BIN)/python -m supply.sbom dist/*.whl

clean: ## remove .venv and everything else that is generated
	rm -rf .venv dist build web/node_modules src/seriatim/web/page .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +
