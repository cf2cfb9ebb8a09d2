"""The documents say what the code does."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path

import msgspec

from compact_chat import errors
from compact_chat.agents import AGENT_COMMANDS
from compact_chat.cli.command import COMMANDS as SHELL_COMMANDS
from compact_chat.cli.command import parser_for
from compact_chat.operations import card, operation
from compact_chat.operations.table import OPERATIONS
from compact_chat.wire import SHELL_STYLE, Settings

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


def test_the_generated_types_are_those_of_the_code() -> None:
    """PROTOCOL.md and the VS Code client's modules hold what `scripts/write_protocol.py` writes, hash included."""
    spec = importlib.util.spec_from_file_location("write_protocol", ROOT / "scripts" / "write_protocol.py")
    assert spec
    assert spec.loader
    protocol = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(protocol)

    assert protocol.block() in PROTOCOL
    assert protocol.MODULE.read_text("utf-8") == protocol.module()
    assert protocol.TABLE.read_text("utf-8") == protocol.table()


def test_the_client_has_the_defaults_of_the_server() -> None:
    """A setting of the VS Code client has the server's default unless it is empty, the style that of the shell."""
    manifest = json.loads((CLIENT / "package.json").read_text("utf-8"))
    defaults = {**msgspec.to_builtins(Settings()), "style": SHELL_STYLE}
    client = {
        name.removeprefix("compactChat."): setting["default"]
        for name, setting in manifest["contributes"]["configuration"]["properties"].items()
        if setting["default"] != ""
    }
    common = client.keys() & defaults.keys()
    source = (CLIENT / "src" / "server" / "models.ts").read_text("utf-8")
    models = re.search(r"^const ANTHROPIC_MODELS = (\[.*?\]) as const;$", source, re.MULTILINE)

    assert {name: client[name] for name in common} == {name: defaults[name] for name in common}
    assert {"style", "provider", "windows"} <= common
    assert models
    assert json.loads(models[1]) == [Settings().summary_model, *Settings().fallback_models]


def test_each_operation_is_described() -> None:
    """PROTOCOL.md has an example of each operation that fits its params; the page for editors names each."""
    shown = set()
    for block in re.findall(r"^```json\n(.*?)^```$", PROTOCOL, re.DOTALL | re.MULTILINE):
        while block := block.strip():
            message, end = json.JSONDecoder().raw_decode(block)
            block = block[end:]
            name = message["method"].removeprefix("compactChat/")
            if name in OPERATIONS:
                msgspec.convert(message["params"], operation(name).params)
                shown.add(name)

    assert shown == set(OPERATIONS)
    assert [name for name in OPERATIONS if f"`{name}`" not in EDITORS] == []


def test_the_card_names_those_who_can_be_asked() -> None:
    """`initialize` lists the providers; `auto` is a choice among them."""
    assert card()["providers"] == ["anthropic", "editor", "offline"]


def test_each_error_and_each_setting_is_described() -> None:
    """PROTOCOL.md has the code and the kind of every error that can be raised, and the name of every setting."""
    raised = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.WireError)]
    rows = [line for line in PROTOCOL.replace("−", "-").splitlines() if line.startswith("| -")]

    assert [e.kind for e in raised if not any(f"| {e.code} |" in row and f"`{e.kind}`" in row for row in rows)] == []
    assert [name for name in Settings.__struct_encode_fields__ if not re.search(rf"\b{name}\b", PROTOCOL)] == []


def test_the_commands_in_the_documents_are_understood() -> None:
    """The program accepts each command line in README.md and docs/shell.md."""
    assert len(COMMANDS) > 5
    for line in COMMANDS:
        words = shlex.split(line.partition("compact-chat")[2].partition("|")[0].partition(">")[0])
        if not words:  # the list
            continue
        words = ["compact", *words] if words[0].isdecimal() else words
        known = (*SHELL_COMMANDS, *AGENT_COMMANDS, "watch", "serve", "open", "doctor")
        assert parser_for(words[0]).parse_args(words).command in known
