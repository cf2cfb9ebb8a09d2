"""What the pieces of messages are of: the tool that was called or that answered, and the files that they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Document, Message, Part, PartPlace, Text, ToolCall, WordedResult, find_links, tool_parts
from compact_chat.facts.files import file_shown, paths_of_step, same_path, without_scheme
from compact_chat.facts.steps import Step

UNKNOWN = "unknown"  # the tool of a result whose call is not in the chat
# How editors put an attached file into what a person says: its path, or at least its name.
_ATTACHED = re.compile(r"<(attachment|file_content|file)\b([^<>]{1,9000})>")
_PATHS = (re.compile(r"\b(?:filePath|path)=\"([^\"\n]{1,4096})\""), re.compile(r"\bid=\"file:([^\"\n]{1,4096})\""))
# How Claude Code does: a note of its own that begins with the path.
_NOTED = re.compile(r"<system-reminder>\n((?:/|[A-Za-z]:\\)[^\n]{1,4096})\n")


class Piece(Struct, frozen=True):
    """A part of a message, or what is attached inside a text."""

    part: Part
    tool: str = ""
    files: tuple[str, ...] = ()


def find_pieces(messages: Sequence[Message], workspace: str = "") -> Iterator[tuple[Piece, ...]]:
    """The pieces of each message, in order; a file has one path, that of its first mention, however it is written.

    `workspace` is the folder that paths start from.
    """
    owners = _owners(messages)
    names: dict[str, str] = {}

    def first_name(path: str) -> str:
        return names.setdefault(same_path(path, workspace), without_scheme(path))

    for index, message in enumerate(messages):
        yield tuple(
            replace(piece, files=tuple(dict.fromkeys(first_name(path) for path in piece.files)))
            for number, part in enumerate(message.parts)
            for piece in _pieces(part, owners.get((index, number)), message.by_host)
        )


def _owners(messages: Sequence[Message]) -> Mapping[PartPlace, Piece]:
    """Whom calls and results belong to: a result to the tool and the files of its call."""
    links = find_links(messages)
    answered = {**links.answers, **links.repeats}
    owners: dict[PartPlace, Piece] = {}
    for place, part in tool_parts(messages):
        if isinstance(part, ToolCall):
            step = Step("", part)
            shown = file_shown(step)
            owners[place] = Piece(part, part.name or UNKNOWN, (shown,) if shown else paths_of_step(step))
        else:
            call = owners.get(answered[place]) if place in answered else None
            owners[place] = Piece(part, call.tool, call.files) if call else Piece(part, UNKNOWN)
    return owners


def _pieces(part: Part, owner: Piece | None, by_host: bool) -> Iterator[Piece]:
    match part:
        case Text(text):
            yield from _attached(text, by_host)
        case WordedResult():
            for inner in part.content:
                yield from _pieces(inner, None, by_host)
        case Document(title) if title.strip():
            yield Piece(part, files=(title,))
        case _:
            yield owner or Piece(part)


def _attached(text: str, by_host: bool) -> Iterator[Piece]:
    """Cut a text where files are attached; its pieces make it up."""
    if by_host and (noted := _NOTED.match(text)):
        yield Piece(Text(text), files=(noted[1],))
        return
    done = 0
    for start, end, path in _attachments(text):
        if start > done:
            yield Piece(Text(text[done:start]))
        yield Piece(Text(text[start:end]), files=(path,))
        done = end
    if done < len(text) or not text:
        yield Piece(Text(text[done:]))


def _attachments(text: str) -> Iterator[tuple[int, int, str]]:
    """Find what is attached, from its tag to the end of the closing one; an open end belongs to no file."""
    done, open_ended = 0, set[str]()
    for found in _ATTACHED.finditer(text):
        path = next(filter(None, (name.search(found[2]) for name in _PATHS)), None)
        if path is None or found.start() < done or found[1] in open_ended:
            continue
        closing = f"</{found[1]}>"
        end = text.find(closing, found.end())
        if end < 0:
            open_ended.add(found[1])  # nor does any further one of its kind end
            continue
        done = end + len(closing)
        yield found.start(), done, path[1]
