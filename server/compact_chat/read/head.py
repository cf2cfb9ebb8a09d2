"""What the beginning and the end of a chat's file tell of it, without what lies between."""

from __future__ import annotations

import ntpath
import re

from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.errors import CompactChatError
from compact_chat.read import claude_code, claude_lines, cline, codex, codex_lines, roo
from compact_chat.read.formats import read_chat
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import title_of
from compact_chat.read.source import Source
from compact_chat.read.two_ends import joined, value_of

_PLAIN = ("markdown", "text")
_WITH_AGENTS, _AGENT = ("codex", "gemini"), "subagent"
_TASKS = {"cline": cline.read, "roo": roo.read}
# A member that a chat of any tool has in the first thousands of bytes, and few other files have.
_SIGN = re.compile(
    rb'"(?:conversations|history|messages|model|payload|projectHash|prompts|requests|role|sessionId|system|tools|trajectory)"'
)
_FOLDER = re.compile(rb'"cwd"\s*:\s*("[^"\\]*+(?>\\.[^"\\]*+)*+")')


class Told(Struct, frozen=True):
    """What a chat tells of itself."""

    format: str
    tool: str
    title: str | None
    workspace: str | None


def tell(head: bytes, tail: bytes, expected: str | None, *, guess: bool = True) -> Told | None:
    """Read a chat of which only the beginning and the end are there; None where it is none, or no person's.

    A text that breaks off may be taken for the words of a person though its end would tell better: this is a guess.
    """
    source = Source.of_bytes(joined(head, tail, expected, guess))
    try:
        chat = _read(source, expected)
        if chat.tool == "unknown" and expected in _TASKS:  # its beginning may look like anybody's, its place does not
            chat = _TASKS[expected](source)
    except CompactChatError:
        return None
    is_unused = chat.tool == "vscode" and not chat.messages and not tail  # VS Code writes a file for each new window
    if chat.format in _PLAIN or is_unused or _is_an_agents(chat.format, source):
        return None
    return Told(chat.format, chat.tool, chat.title, chat.workspace)


def may_be_chat(head: bytes) -> bool:
    """Whether more of a file may show that it is a chat, where its beginning alone does not."""
    return _SIGN.search(head) is not None


def folder_named(head: bytes) -> str | None:
    """The folder that a chat names first; only for tools that write it before anybody's words."""
    found = _FOLDER.search(head)
    folder = word(value_of(found[1])) if found else ""
    return folder if folder.startswith("/") or ntpath.isabs(folder) else None


def _read(source: Source, expected: str | None) -> Chat:
    """Read a chat; where it is what was expected, and titles are told without its messages, these are left alone."""
    if expected == "claude-code" and claude_code.sniff(source):
        session = claude_lines.session_of(source)
        title = title_of(session.title) or title_of(session.typed)
        return Chat(expected, expected, (), title=title, workspace=session.workspace or None)
    if expected == "codex" and codex.sniff(source):
        records = codex_lines.records_of(source)
        title = codex.given_title(records) or codex.typed_title(records)
        return Chat(expected, expected, (), title=title, workspace=codex.workspace_of(records))
    return read_chat(source, expected)


def _is_an_agents(name: str, source: Source) -> bool:
    """Whether a model holds the chat for another one."""
    if name not in _WITH_AGENTS:
        return False
    first = next(iter(source.records), {})
    return first.get("kind") == _AGENT or _AGENT in fields(fields(first.get("payload")).get("source"))
