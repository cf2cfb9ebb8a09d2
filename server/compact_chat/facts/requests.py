"""What the person typed, and the summaries of earlier compactions among it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Text, ToolResult, result_text
from compact_chat.facts.steps import plain_name
from compact_chat.marks import is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.read.claude_host import typed_text

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
    typed = (Request(text, message.id) for message in messages for text in _typed(message, asked))
    return tuple(request for request in typed if request.text)


def earlier_summaries(messages: Sequence[Message]) -> tuple[Request, ...]:
    """The summaries of earlier compactions, without their wrappers."""
    return tuple(
        Request(text, message.id)
        for message in messages
        if message.is_summary and (text := strip_summary_wrappers("\n".join(_summary_texts(message))))
    )


def _typed(message: Message, asked: Collection[str]) -> Iterator[str]:
    if message.role != "user":
        return
    yield from (_said_in_result(result, result.call_id in asked) for result in message.results)
    if message.is_summary:
        yield _joined(_beside_summary(message))
    elif message.by_host:
        yield from (_own_command(part.text) for part in message.parts if isinstance(part, Text))
    else:
        yield _joined(part.text for part in message.parts if isinstance(part, Text))


def _own_command(text: str) -> str:
    """The words that the person typed behind a command of the host."""
    words = _COMMAND_WORDS.search(text)
    return words[1].strip() if words else ""


def _joined(texts: Iterator[str]) -> str:
    return "\n".join(filter(None, (typed_text(line_feeds(text)) for text in texts)))


def _beside_summary(message: Message) -> Iterator[str]:
    """The texts of a message that begins with a wrapped summary, without that."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    if any(map(is_summary_text, texts)):
        yield from (text for text in texts if not is_summary_text(text))


def _summary_texts(message: Message) -> Iterator[str]:
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    wrapped = [text for text in texts if is_summary_text(text)]
    yield from wrapped or texts


def _said_in_result(result: ToolResult, is_reply: bool) -> str:
    text = result_text(result)
    if text.startswith(_REFUSAL):
        return text.partition(_SAID)[2].strip()
    return text.strip() if is_reply and not result.is_error else ""
