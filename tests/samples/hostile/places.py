"""Hostile places of a chat: URIs of no file, and texts that hold no chat."""

from __future__ import annotations

from collections.abc import Iterator

from tests.samples.hostile.rows import SECRET, TURNS, Row, given, has, invalid, refused

# URIs of no chat, and what is said of them.
URIS: tuple[tuple[str, str], ...] = (
    ("file:///", "chatNotFound"),
    ("file:///shelf/absent.jsonl", "chatNotFound"),
    ("file:///dev/null/shelf", "chatNotFound"),
    ("file:///shelf%00.jsonl", "chatNotFound"),
    ("file:///" + "shelf/" * 10_000, "chatNotFound"),
    ("file:///" + "shelf/" * 20_000, "invalidParams"),
    ("file:///%ff%fe", "chatNotFound"),
    ("", "invalidParams"),
    ("shelf.jsonl", "invalidParams"),
    ("/shelf.jsonl", "invalidParams"),
    ("http://127.0.0.1:1/shelf.jsonl", "invalidParams"),
    ("file://example.org/shelf.jsonl", "invalidParams"),
    ("file://[::1/shelf.jsonl", "invalidParams"),
    ("vscode-remote://ssh-remote+host/shelf.jsonl", "invalidParams"),
    ("data:text/plain,shelf", "invalidParams"),
    ("javascript:alert(1)", "invalidParams"),
)
# Texts that are no chat.
NO_TEXTS = {
    "nothing": "",
    "blanks": " \r\n\t\u00a0",
    "a byte order mark": "\ufeff",
    "an object": "{}",
    "an array of numbers": "[1, 2, 3]",
    "an object of something else": '{"name": "shelf", "version": 7}',
    "a line of something else": '{"level": "info"}\n{"level": "warn"}',
    "deep brackets": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
}
# Texts that are one all the same, since plain text is.
TEXTS = {
    "a NUL": "\0",
    "half a surrogate pair": "\ud800",
    "an opening bracket": "[",
    "brackets that never close": "[" * 100_000,
    "a chat that is cut off": '{"role": "user", "content": "a"}\n{"role": "assistant", "cont',
    "words": "Count the shelves.",
}
HINTS = ("claude-code", "anthropic", "openai-chat", "openai-responses", "markdown", "text", "vscode", "sharegpt")


def places() -> Iterator[Row]:
    """All of them."""
    for number, (uri, kind) in enumerate(URIS):
        name = ("countTokens", "preview", "summarize", "prompt", "check")[number % 5]
        paths = ("$.chat.uri",) if kind == "invalidParams" else ()
        params = {"chat": {"uri": uri}}
        yield refused(f"{name} of {ascii(uri)[:60]} of {len(uri)}", f"compactChat/{name}", params, kind, *paths)
        past = f"history of {ascii(uri)[:60]} of {len(uri)}"
        if paths:
            yield invalid(past, "compactChat/history", params, *paths)
        else:  # there was a chat, perhaps
            yield given(past, "compactChat/history", params, lambda told: told == {"compactions": []})
    for name, text in NO_TEXTS.items():
        yield refused(f"a text of {name}", "compactChat/countTokens", {"chat": {"text": text}}, "chatUnreadable")
    for name, text in TEXTS.items():
        yield given(f"a text of {name}", "compactChat/countTokens", {"chat": {"text": text}}, has("used"))
    for hint in HINTS:
        chat = {"messages": TURNS, "format": hint, "tool": SECRET}
        yield given(f"messages said to be {hint}", "compactChat/countTokens", {"chat": chat}, has("used"))
