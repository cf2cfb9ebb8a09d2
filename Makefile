# Five commands, the same for people and for CI. Each sets up what it needs.
.PHONY: compact test check bench package
.DELETE_ON_ERROR:

PYTHON ?= python3
CHAT ?= examples/bakery.jsonl
BIN := .venv/bin
NPM := $(shell command -v npm)
EDITORS := $(if $(NPM),tests/editors/node_modules/installed)
PAGE_TESTS := $(if $(NPM),tests/page/node_modules/installed)
CLIENT := $(if $(NPM),vscode-client/node_modules/installed)
VSIX := $(if $(NPM),vscode-client/dist/compact-chat.vsix)
SOURCES := pyproject.toml README.md LICENSE NOTICE $(shell find server -type f -not -name '*.pyc')
CLIENT_SOURCES := requirements/run.txt LICENSE NOTICE examples/bakery.jsonl $(wildcard vscode-client/*.*) \
	$(shell find vscode-client/src vscode-client/page vscode-client/media vscode-client/l10n vscode-client/scripts -type f)
# A platform, such as linux-x64, to pack the extension for with a server that needs no Python; it must be this machine's.
# PACKING=--pre-release marks the packages as that.
TARGET ?=
PACKING ?=

compact: .venv/installed  ## Compact a chat offline: the bundled example, or CHAT=path.
	@$(BIN)/compact-chat compact "$(CHAT)" --provider offline $(FLAGS)

test: .venv/installed $(EDITORS) $(PAGE_TESTS) $(VSIX)  ## Run the tests against the built wheel and the packed extension.
	$(if $(NPM),$(if $(TESTS),,COMPACT_CHAT_PYTHON="$(CURDIR)/$(BIN)/python" npm test --silent --prefix vscode-client))
	$(BIN)/pytest --numprocesses auto $(TESTS)

check: .venv/ready $(CLIENT)  ## Check format, lint, types, imports between rooms, and the size of the code.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=server $(BIN)/lint-imports
	$(BIN)/python scripts/check_house.py
	$(if $(NPM),npm run check --silent --prefix vscode-client)

bench: .venv/installed $(VSIX)  ## Measure what the project promises, or what BENCH names; fails where a promise is broken.
	$(BIN)/python tests/bench/run.py $(BENCH)

package: dist/built $(VSIX) $(if $(TARGET),vscode-client/dist/compact-chat-$(TARGET).vsix)  ## Build the wheel and the extension, and with TARGET=linux-x64 that platform's own.

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
	@npm ci --loglevel=error --prefix tests/editors >/dev/null
	@touch $@

tests/page/node_modules/installed: tests/page/package-lock.json
	@echo "setting up tests/page" >&2
	@npm ci --loglevel=error --prefix tests/page >/dev/null
	@touch $@

vscode-client/node_modules/installed: vscode-client/package-lock.json
	@echo "setting up vscode-client" >&2
	@npm ci --loglevel=error --ignore-scripts --prefix vscode-client >/dev/null
	@touch $@

vscode-client/dist/compact-chat.vsix: vscode-client/node_modules/installed dist/built $(CLIENT_SOURCES)
	@echo "packing the extension" >&2
	@npm run package --silent --prefix vscode-client -- $(PACKING) >&2

vscode-client/dist/server/NOTICE: dist/built requirements/run.txt requirements/pack.txt scripts/pack_server.py
	@echo "packing the server" >&2
	@rm -rf .venv-pack vscode-client/dist/server
	@$(PYTHON) -m venv .venv-pack >&2
	@.venv-pack/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/run.txt --requirement requirements/pack.txt >&2
	@.venv-pack/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps dist/*.whl >&2
	@.venv-pack/bin/python scripts/pack_server.py vscode-client/dist/server >&2

vscode-client/dist/compact-chat-$(TARGET).vsix: $(VSIX) vscode-client/dist/server/NOTICE
	@echo "packing the extension for $(TARGET)" >&2
	@npm run package --silent --prefix vscode-client -- --target $(TARGET) $(PACKING) >&2
