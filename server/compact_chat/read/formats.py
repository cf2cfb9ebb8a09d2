"""The formats that can be read, and how a source is told from another."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read.document import check_length
from compact_chat.read.resolve import resolved

if TYPE_CHECKING:
    from compact_chat.read.source import Source

# The module of each format, in the order of sniffing: where nothing tells, the first that fits is taken. Modules are
# imported when a chat is read, since a server names its formats before anybody waits for a chat.
_READERS = {
    "vscode-log": ("vscode", "_log"),
    "vscode": ("vscode", ""),
    "vscode-export": ("vscode", "_export"),
    "chatreplay": ("simple", "_chatreplay"),
    "claude-code": ("claude_code", ""),
    "codex": ("codex", ""),
    "copilot-transcript": ("copilot", "_transcript"),
    "copilot-cli": ("copilot", ""),
    "roo": ("cline", "_roo"),
    "cline": ("cline", ""),
    "gemini": ("gemini", ""),
    "continue": ("simple", "_continue"),
    "swe-agent": ("simple", "_swe_agent"),
    "sharegpt": ("simple", "_sharegpt"),
    "anthropic": ("apis", "_anthropic"),
    "openai-chat": ("apis", "_openai_chat"),
    "openai-responses": ("apis", "_openai_responses"),
    "markdown": ("pasted", ""),
    "text": ("pasted", "_text"),
}
FORMATS: tuple[str, ...] = tuple(_READERS)
# Formats that a tool's own file may seem to be as well, so that among them alone a hint decides.
OF_NO_TOOL = ("anthropic", "openai-chat", "openai-responses", "markdown", "text")
# The tool that writes a format, where that is not its name.
_WRITERS = {"vscode-log": "vscode", "vscode-export": "vscode", "copilot-transcript": "vscode"}
_NO_JSON = (None, "markdown", "text")
# The formats that a single line gives away, and how many bytes of a file are tried before all of it is decoded.
_TOLD_BY_A_LINE = ("vscode-log", "claude-code", "codex", "copilot-transcript", "copilot-cli", "gemini")
_EARLY = (2**16, 2**18)


def tool_of(name: str) -> str:
    """Name the tool that writes a format."""
    return _WRITERS.get(name, name)


def read_chat(source: Source, hint: str | None = None, tool: str | None = None) -> Chat:
    """Read a chat of any known format; `hint` decides only where the source itself does not tell."""
    name = told_format(source, hint)
    if name in _NO_JSON:
        mended = source.mended()
        cut = told_format(mended, hint) if mended else None
        if mended and cut not in _NO_JSON:
            source, name = mended, cut
    if name is None:
        raise _unreadable(source, hint)
    return finished(_function(name, "read")(source), source, tool)


def told_format(source: Source, hint: str | None = None) -> str | None:
    """Name the format of a source that is whole; None where it is of none."""
    return _told_early(source, hint) or _format_of(source, hint)


def finished(chat: Chat, source: Source, tool: str | None = None) -> Chat:
    """Add to what a reader gave what is known beside it."""
    check_length(len(chat.messages))
    named = tool if tool and chat.tool == "unknown" else chat.tool
    messages = tuple(resolved(chat.messages, chat.format))
    return replace(chat, tool=named, messages=messages, warnings=source.warnings + chat.warnings)


def _told_early(source: Source, hint: str | None) -> str | None:
    """The format that the first lines of a long file give away."""
    for size in _EARLY:
        if head := source.head(size):
            for name in sorted(_TOLD_BY_A_LINE, key=lambda name: name != hint):
                if _function(name, "sniff")(head):
                    return name
    return None


def _format_of(source: Source, hint: str | None) -> str | None:
    for name in sorted(FORMATS, key=lambda name: (name in OF_NO_TOOL, name == "text", name != hint)):
        if _function(name, "sniff")(source):
            return name
    wanted_as_text = hint == "text" and source.clean and not source.strict and source.text.strip()
    return "text" if wanted_as_text else None


def _function(name: str, kind: str) -> Any:
    """`sniff` or `read` of a format, from its module."""
    module, suffix = _READERS[name]
    return getattr(import_module(f"compact_chat.read.{module}"), kind + suffix)


def _unreadable(source: Source, hint: str | None) -> ChatUnreadable:
    known = ", ".join(FORMATS)
    fault = (
        f"This is not a chat in a known format ({known})."
        if source.text.strip()
        else "There is nothing in this chat: it is empty or blank."
    )
    return ChatUnreadable(fault, format=hint, line=_damaged_line(source))


def _damaged_line(source: Source) -> int | None:
    """The line on which a file that is JSON otherwise breaks off."""
    if source.is_json:
        return next(iter(source.damaged_lines), None)
    from compact_chat.read.document import broken_line

    return broken_line(source.text) if source.text.lstrip()[:1] in ("{", "[") else None
