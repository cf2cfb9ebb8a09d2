"""Hostile chats: malformed messages, URIs that name no file, vast texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import CHAT, METHOD, SECRET, TURNS, Row, given, has, invalid, refused, text_row

USER = {"role": "user", "content": "Count the shelves."}
OF_CHATS = ("countTokens", "preview", "summarize", "prompt", "check")
CHECKED = {"summary": "Summary:\nThe shelves are counted."}


def _user(block: Any) -> dict[str, Any]:
    return {"role": "user", "content": [block]}


# Malformed messages, each with the reported paths within it.
WRONG_MESSAGES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    *((message, ("",)) for message in (None, SECRET, [USER])),
    ({"Role": "user", "Content": "a"}, (".role", ".content")),
    ({"role": {"name": SECRET}, "content": SECRET}, (".role",)),
    ({"role": "user", "content": {"type": "text", "text": SECRET}}, (".content",)),
    ({"role": 5, "content": 5, "tool_calls": 5}, (".role", ".content", ".tool_calls")),
    ({"role": "user", "content": [5, {"type": "text", "text": "a"}, SECRET]}, (".content[0]", ".content[2]")),
    (_user({"type": None, "text": SECRET}), (".content[0].type",)),
    (_user({"type": "text", "text": [SECRET]}), (".content[0].text",)),
    (_user({"type": "tool_result", "content": [SECRET]}), (".content[0].content[0]",)),
    (_user({"type": "tool_result", "content": [{"type": "text", "text": 5}]}), (".content[0].content[0].text",)),
    ({"role": "assistant", "content": None, "tool_calls": {"id": SECRET}}, (".tool_calls",)),
    ({"role": "assistant", "content": None, "tool_calls": [{}, None, []]}, (".tool_calls[1]", ".tool_calls[2]")),
)
# A chat given in no way, or in more than one.
WRONG_SOURCES: tuple[dict[str, Any], ...] = (
    {},
    {"uri": None, "text": None, "messages": None},
    {"uri": "file:///absent.jsonl", "text": SECRET},
)


def messages() -> Iterator[Row]:
    """Yield chats of malformed messages, and chats given in no way."""
    for turn, (message, places) in enumerate(WRONG_MESSAGES):
        paths = [f".messages[1]{place}" for place in places]
        if turn % 6 == 5:
            yield invalid(METHOD, {"summary": "a", "messages": [USER, message]}, *(f"${path}" for path in paths))
        else:
            yield invalid(*_asked(turn, {"messages": [USER, message, USER]}), *(f"$.chat{path}" for path in paths))
    for turn, source in enumerate(WRONG_SOURCES):
        yield invalid(*_asked(turn, source), "$.chat")
    yield refused("compactChat/countTokens", {"chat": {"messages": [5] * 10_000}}, "invalidParams")
    system = {"messages": [USER], "system": [{"type": 5}, {"type": "text", "text": None}]}
    yield invalid("compactChat/prompt", {"chat": system}, "$.chat.system[0].type", "$.chat.system[1].text")


def _asked(turn: int, chat: Any) -> tuple[str, Any]:
    """Request one of the operations on chats."""
    name = OF_CHATS[turn % 5]
    return f"compactChat/{name}", {"chat": chat, **(CHECKED if name == "check" else {})}


MOST = 100_000  # messages of a chat


def limits() -> Iterator[Row]:
    """Yield what is nested too deeply, and one message more than a chat may have."""
    deep = "[" * MOST + "]" * MOST
    yield text_row(f'{{"jsonrpc": "2.0", "id": "<id>", "method": "{METHOD}", "params": {{"x": {deep}}}}}', "tooLarge")
    many = {"messages": [USER] * (MOST + 1)}
    for chat in (many, {"text": '{"role": "user", "content": "a"}\n' * (MOST + 1)}):
        yield refused("compactChat/countTokens", {"chat": chat}, "tooLarge")
    yield refused(METHOD, {"summary": "a", **many}, "tooLarge")


# URIs that name no chat, with the expected error.
URIS: tuple[tuple[str, str], ...] = (
    *((uri, "chatNotFound") for uri in ("file:///shelf%00.jsonl", "file:///" + "shelf/" * 10_000, f"file:///{SECRET}")),
    *((uri, "invalidParams") for uri in ("", f"/{SECRET}.jsonl", "file://[::1/shelf", "file:///" + "shelf/" * 20_000)),
)
# Texts that are no chat, and texts that are one nevertheless, since plain text is.
NO_TEXTS = (
    *("", " \r\n\t\u00a0", "[1, 2, 3]", f'{{"{SECRET}": 7}}'),
    *("[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000),
)
TEXTS = ("\0", "\ud800", "[" * 100_000, '{"role": "user", "content": "a"}\n{"role": "assistant", "cont')
HINTS = ("claude-code", "openai-responses", "markdown")


def places() -> Iterator[Row]:
    """Yield URIs of no file, and texts that hold no chat."""
    for turn, (uri, kind) in enumerate(URIS):
        paths = ("$.chat.uri",) if kind == "invalidParams" else ()
        yield refused(*_asked(turn, {"uri": uri}), kind, *paths)
        if paths:
            yield invalid("compactChat/history", {"chat": {"uri": uri}}, *paths)
    yield from (refused("compactChat/countTokens", {"chat": {"text": text}}, "chatUnreadable") for text in NO_TEXTS)
    yield from (given("compactChat/countTokens", {"chat": {"text": text}}, has("used")) for text in TEXTS)
    for hint in HINTS:
        yield given(
            "compactChat/countTokens", {"chat": {"messages": TURNS, "format": hint, "tool": SECRET}}, has("used")
        )


# The content of vast texts, with the kilobytes of each, since some take more work than others.
UNITS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1024, (" ", "\n", "\u0301", "שלום عالم ", "👍", "\ud83d", "a", "棚", "`", "<", '"')),
    (256, ("\u2028", "e" + "\u0301" * 100, "👩\u200d👩\u200d👧", "Shelf 7 holds 49 trays of rye bread. ", "<summary>")),
    (256, ("\\", "[", '{"a":', "# a\n", "- a\n", "=", "@", "/", "%", "0123456789abcdef", "QUJDREVGR0hJSktM")),
    (128, ("password = swordfish7261\n", "sk-ant-api03-" + "k7" * 20 + " ", "-----BEGIN RSA PRIVATE KEY-----\n")),
    (128, ("Error: shelf.py:7: no such tray\n", "User: a\n\nAssistant: b\n\n", "<|endoftext|>", "\x1b[31m")),
)
RESULTS = (("countTokens", "used"), ("preview", "planId"), ("summarize", "planId"), ("prompt", "planId"))


def texts(step: int = 1) -> Iterator[Row]:
    """Yield a chat around each text, for the operations in turn, and the text alone; of vast texts only every n-th."""
    units = [(unit, size) for size, several in UNITS for unit in several][::step]
    for turn, (unit, size) in enumerate(units):
        text = unit * (size * 1024 // len(unit.encode("utf-8", "surrogatepass")))
        yield _among(text, turn % (3 if size == 1024 else 4))
        yield _alone(text, turn)


def _among(text: str, turn: int) -> Row:
    """Put an assistant text in the middle of a chat."""
    operation, member = RESULTS[turn]
    chat = {"messages": [*TURNS[:5], {"role": "assistant", "content": text}, *TURNS[6:]]}
    return given(f"compactChat/{operation}", {"chat": chat}, has(member))


def _alone(text: str, turn: int) -> Row:
    """Use a text as a summary, or as a chat."""
    method, params, fault = (
        (METHOD, {"summary": text}, "emptySummary"),
        ("compactChat/countTokens", {"chat": {"text": text}}, "chatUnreadable"),
        ("compactChat/check", {"chat": CHAT, "summary": text}, "emptySummary"),
    )[turn % 3]
    blank = not text.strip() or (text.startswith("{}") and fault == "chatUnreadable")  # objects without content
    return refused(method, params, fault) if blank else given(method, params)
