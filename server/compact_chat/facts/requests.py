"""What the person typed, and the summaries of earlier compactions among it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Text, ToolResult, result_text
from compact_chat.facts.steps import plain_name
from compact_chat.marks import is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.read.typed import typed_texts

# Hosts put the words with which a person refuses a call into its result.
_REFUSAL = "The user doesn't want to proceed with this tool use"
_SAID = "the user said:\n"
_COMMAND_WORDS = re.compile(r"<command-args>((?:(?!</command-args>).){1,20000})</command-args>", re.DOTALL)
# Tools that ask the person something; their results are the person's words.
_ASKING = frozenset({"askuserquestion", "askfollowupquestion", "askquestions", "askquestion", "requestuserinput"})


class Request(Struct, frozen=True):
    """The words of one message."""

    text: str
    message: str


def requests(messages: Sequence[Message]) -> tuple[Request, ...]:
    """The messages that a person typed, in order: no results, nothing that the host wrote, no earlier summary."""
    asked = {call.id for message in messages for call in message.calls if plain_name(call.name) in _ASKING}
    users = (message for message in messages if message.role == "user")
    typed = (Request(text, message.id) for message in users for text in _typed(message, asked))
    return tuple(request for request in typed if request.text)


def earlier_summaries(messages: Sequence[Message]) -> tuple[Request, ...]:
    """The summaries of earlier compactions, without their wrappers."""
    told = (message for message in messages if message.role == "user" or message.is_summary)
    found = (Request(strip_summary_wrappers(text), message.id) for message in told for text in _parted(message)[0])
    return tuple(summary for summary in found if summary.text)


def summary_parts(message: Message) -> frozenset[Text]:
    """The texts of a message that are earlier summaries: those in a wrapper, else the first where a tool marked it."""
    if message.role != "user" and not message.is_summary:
        return frozenset()
    texts = [part for part in message.parts if isinstance(part, Text)]
    wrapped = frozenset(part for part in texts if message.role == "user" and is_summary_text(part.text))
    return wrapped or frozenset(texts[:1] if message.is_summary else ())


def _typed(message: Message, asked: Collection[str]) -> Iterator[str]:
    yield from (_said_in_result(result, result.call_id in asked) for result in message.results)
    own = _parted(message)[1]
    yield from map(_own_command, own) if message.by_host else [_joined(own)]


def _parted(message: Message) -> tuple[list[str], list[str]]:
    """The texts of a message that are earlier summaries, and its own."""
    texts = [part for part in message.parts if isinstance(part, Text)]
    summaries = summary_parts(message) if texts else ()
    return [t.text for t in texts if t in summaries], [t.text for t in texts if t not in summaries]


def _own_command(text: str) -> str:
    """The words that the person typed behind a command of the host."""
    words = _COMMAND_WORDS.search(text)
    return words[1].strip() if words else ""


def _joined(texts: Sequence[str]) -> str:
    return "\n".join(typed_texts(map(line_feeds, texts))) if texts else ""


def _said_in_result(result: ToolResult, is_reply: bool) -> str:
    text = result_text(result)
    if text.startswith(_REFUSAL):
        return text.partition(_SAID)[2].strip()
    return text.strip() if is_reply and not result.is_error else ""
