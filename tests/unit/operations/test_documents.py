"""The documents say what the code does."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from compact_chat import errors
from compact_chat.cli.command import COMMANDS as SHELL_COMMANDS
from compact_chat.cli.command import parser_for
from compact_chat.operations import card, operation
from compact_chat.operations.table import OPERATIONS
from compact_chat.wire import Settings

ROOT = Path(__file__).resolve().parents[3]
CLIENT = ROOT / "vscode-client"
PROTOCOL = (ROOT / "PROTOCOL.md").read_text("utf-8")
EDITORS = (ROOT / "docs" / "editors.md").read_text("utf-8")
SHELL = [
    line.split("#")[0]
    for page in (ROOT / "README.md", ROOT / "docs" / "shell.md")
    for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = sorted({line.strip() for line in SHELL if "compact-chat " in line})


def script(name: str) -> ModuleType:
    """Load a maintainer's script."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_in_the_protocol_are_those_of_the_code() -> None:
    """PROTOCOL.md holds what `scripts/write_protocol.py` writes, hash included."""
    assert script("write_protocol").block() in PROTOCOL


def test_the_types_of_the_editors_client_are_those_of_the_code() -> None:
    """The VS Code client's `wire.ts` and `tools.ts` are what `scripts/write_protocol.py` writes."""
    protocol = script("write_protocol")

    assert protocol.MODULE.read_text("utf-8") == protocol.module()
    assert protocol.TABLE.read_text("utf-8") == protocol.table()


def test_the_client_has_the_defaults_of_the_server() -> None:
    """A setting in the VS Code client's manifest has the server's default, unless it is empty and so not sent."""
    manifest = json.loads((CLIENT / "package.json").read_text("utf-8"))
    defaults = msgspec.to_builtins(Settings())
    client = {
        name.removeprefix("compactChat."): setting["default"]
        for name, setting in manifest["contributes"]["configuration"]["properties"].items()
        if setting["default"] != ""
    }
    common = client.keys() & defaults.keys()

    assert {name: client[name] for name in common} == {name: defaults[name] for name in common}
    assert {"style", "provider", "windows"} <= common


def test_the_client_offers_the_models_of_the_server() -> None:
    """The VS Code client offers the Anthropic models that the server asks by default, in the same order."""
    source = (CLIENT / "src" / "server" / "choose.ts").read_text("utf-8")
    models = re.search(r"^export const ANTHROPIC_MODELS = (\[.*?\]) as const;$", source, re.MULTILINE)

    assert models
    assert json.loads(models[1]) == [Settings().summary_model, *Settings().fallback_models]


def examples() -> Iterator[dict[str, Any]]:
    """Give each message that PROTOCOL.md prints."""
    for block in re.findall(r"^```json\n(.*?)^```$", PROTOCOL, re.DOTALL | re.MULTILINE):
        while block := block.strip():
            message, end = json.JSONDecoder().raw_decode(block)
            block = block[end:]
            yield message


def test_each_operation_has_an_example_that_fits_its_params() -> None:
    """The requests that PROTOCOL.md prints are right, and there is one of each operation."""
    shown = set()
    for message in examples():
        name = message["method"].removeprefix("compactChat/")
        if name in OPERATIONS:
            msgspec.convert(message["params"], operation(name).params)
            shown.add(name)

    assert shown == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_described(name: str) -> None:
    """PROTOCOL.md and the page for editors name each operation."""
    assert f"`{name}`" in PROTOCOL
    assert f"`{name}`" in EDITORS


def test_the_card_names_those_who_can_be_asked() -> None:
    """`initialize` lists the providers; `auto` is a choice among them."""
    assert card()["providers"] == ["anthropic", "editor", "offline"]


def test_each_error_is_described() -> None:
    """PROTOCOL.md names the code and the kind of every error that can be raised."""
    raised = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.CompactChatError)]
    rows = [line for line in PROTOCOL.replace("−", "-").splitlines() if line.startswith("| -")]

    assert [e.kind for e in raised if not any(f"| {e.code} |" in row and f"`{e.kind}`" in row for row in rows)] == []


def test_each_setting_is_described() -> None:
    """The types in PROTOCOL.md hold every option, and the text every setting beside them."""
    assert [name for name in Settings.__struct_encode_fields__ if not re.search(rf"\b{name}\b", PROTOCOL)] == []


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line[:50])
def test_the_commands_in_the_documents_are_understood(line: str) -> None:
    """The program accepts each command line in README.md and docs/shell.md."""
    words = shlex.split(line.split("compact-chat ", 1)[1].split("|", maxsplit=1)[0].split(">", maxsplit=1)[0])

    assert parser_for(words[0]).parse_args(words).command in (*SHELL_COMMANDS, "serve")


def test_the_documents_show_commands() -> None:
    """The check above has something to check."""
    assert len(COMMANDS) > 5
