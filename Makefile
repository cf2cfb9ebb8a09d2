# Five commands, the same for people and for CI. Each sets up what it needs.
.PHONY: compact test check bench package

PYTHON ?= python3
CHAT ?= examples/bakery.jsonl
BIN := .venv/bin
EDITORS := $(if $(shell command -v npm),tests/editors/node_modules/installed)
SOURCES := pyproject.toml README.md LICENSE NOTICE $(shell find server -type f -not -name '*.pyc')

compact: .venv/installed  ## Compact a chat offline: the bundled example, or CHAT=path.
	@$(BIN)/compact-chat compact "$(CHAT)" --provider offline $(FLAGS)

test: .venv/installed $(EDITORS)  ## Run the tests against the built wheel.
	$(BIN)/pytest --numprocesses auto $(TESTS)

check: .venv/ready  ## Check format, lint, types and the direction of imports.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=server $(BIN)/lint-imports

bench: .venv/installed  ## Measure what the project promises; fails where a promise is broken.
	$(BIN)/python tests/bench/run.py

package: dist/built  ## Build the wheel into dist/.

.venv/ready: requirements/dev.txt
	@echo "setting up .venv" >&2
	@$(PYTHON) -m venv .venv >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/dev.txt >&2
	@touch $@

dist/built: .venv/ready $(SOURCES)
	@echo "building the wheel" >&2
	@rm -rf dist
	@$(BIN)/hatchling build --target wheel --directory dist >&2
	@touch $@

.venv/installed: dist/built
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall dist/*.whl >&2
	@touch $@

tests/editors/node_modules/installed: tests/editors/package-lock.json
	@echo "setting up tests/editors" >&2
	@npm ci --silent --prefix tests/editors >&2
	@touch $@
