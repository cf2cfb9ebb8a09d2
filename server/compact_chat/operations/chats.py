"""Read the chat that a request names, wherever it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from compact_chat.chat import Chat
from compact_chat.disk.beside import read_beside
from compact_chat.disk.files import open_file
from compact_chat.errors import ChatUnreadable, InvalidParams, TooLarge
from compact_chat.operations.origin import Origin, origin_of_file, origin_of_request
from compact_chat.operations.params import ChatRef
from compact_chat.read.formats import read_chat
from compact_chat.read.limits import check_length
from compact_chat.read.source import Source, Watch


def chat_of(ref: ChatRef, at: str = "$.chat", watch: Watch = tuple) -> Chat:
    """Read the chat; what is wrong with it is told with its path in the request, where the chat stands `at`."""
    if sum(given is not None for given in (ref.uri, ref.text, ref.messages)) != 1:
        raise InvalidParams.at(at, "expected exactly one of uri, text and messages")
    with _told(ref, at):
        check_length(len(ref.messages or ()))
        with opened(ref, watch) as source:
            return read_chat(source, ref.format, ref.tool)


def chat_and_origin(ref: ChatRef, watch: Watch) -> tuple[Chat, Origin]:
    """Read the chat, and note the bytes that it was read from."""
    if ref.uri is None:
        return chat_of(ref, watch=watch), origin_of_request(ref)
    with _told(ref, "$.chat"), open_file(ref.uri) as held:
        beside = read_beside(ref.uri)
        chat = read_chat(Source.of_held(held, ref.uri, beside, watch), ref.format, ref.tool)
        return chat, origin_of_file(ref, held, beside)


@contextmanager
def opened(ref: ChatRef, watch: Watch) -> Iterator[Source]:
    """Open what a chat is read from."""
    if ref.uri is not None:
        with open_file(ref.uri) as held:
            yield Source.of_held(held, ref.uri, read_beside(ref.uri), watch)
    elif ref.text is not None:
        yield Source.of_text(ref.text, watch)
    else:
        yield Source.of_document({"messages": ref.messages, "system": ref.system, "tools": ref.tools}, watch)


@contextmanager
def _told(ref: ChatRef, at: str) -> Iterator[None]:
    """Tell with a problem where the chat is."""
    try:
        yield
    except InvalidParams as problem:
        raise problem.moved(at) from None
    except (ChatUnreadable, TooLarge) as problem:
        problem.data = {"uri": ref.uri, **problem.data}
        raise
