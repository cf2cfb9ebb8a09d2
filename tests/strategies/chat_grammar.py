"""Random chats: turns as tools write them, and everything that goes wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from random import Random

from msgspec.structs import replace

from compact_chat.chat import Document, Image, Message, Part, Role, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.wire import ContinuationOptions, Options, PruneOptions, Scope

PICTURES = (Image("image/png", "aGk="), Image(url="https://example.org/a.png"), Image())
PAPER = {"type": "document", "title": "menu", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
PDF = {**PAPER, "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}}
ODD = Unknown("server_tool_use", {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}})
BLANKS = ("", " ", "\n\t ", "\u2028")
NAMES = ("look", "read_file", "édit", "a b", "x" * 90)
SUMMARIES = (
    "[Previous conversation summary]\n{}\n[End of summary — conversation continues below]",
    "[Previous conversation summary]\n{}\n[End of summary]",
    "<context-summary>\n{}\n</context-summary>",
    "[Previous conversation summary]\n<context-summary>\n{}\n</context-summary>\n[End of summary]",
)


class Grammar:
    """Draws the messages of one chat; every text contains a unique word, so that it can be found again."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self._words, self._ids = count(), count()
        self._used: list[str] = ["", "call", "a b"]

    def chat(self) -> tuple[Message, ...]:
        """Draw a chat: system messages, perhaps an earlier summary, and turns of all kinds."""
        messages = [self._said("system") for _ in range(self.draw.choice((0, 0, 0, 1, 2)))]
        messages += self._summary() if self.draw.random() < 0.3 else []
        for _ in range(self.draw.randrange(12)):
            messages += self.draw.choice(self._steps)()
        return tuple(replace(message, id=f"m{place}") for place, message in enumerate(messages))

    @property
    def _steps(self) -> Sequence[Callable[[], list[Message]]]:
        plain = (self._asked, self._asked, self._answered, self._exchange, self._exchange, self._exchange)
        return (*plain, self._late, self._open, self._stray, self._odd, self._told, self._summary)

    def _word(self) -> Text:
        return Text(f"w{next(self._words)}." + self.draw.choice(("", " fix it", "\r\nmore\u2028", " x" * 60)))

    def _id(self) -> str:
        """Draw an id, sometimes an earlier one."""
        if self.draw.random() < 0.12:
            return self.draw.choice(self._used)
        self._used.append(f"{self.draw.choice(('toolu_', 'call_', 'a b ', 'é'))}{next(self._ids)}")
        return self._used[-1]

    def _said(self, role: Role, *more: Part) -> Message:
        """Draw a message of words, blanks, thinking or attachments around these parts."""
        parts = [self._word(), *more]
        if self.draw.random() < 0.2:
            parts.insert(0, Text(self.draw.choice(BLANKS)))
        if self.draw.random() < 0.2:
            parts.insert(0, Thinking(self.draw.choice(("hm", ""))))
        if self.draw.random() < 0.1:
            parts.append(self._attached())
        return Message("", role, tuple(parts))

    def _attached(self) -> Image | Document | Unknown:
        return self.draw.choice((*PICTURES, Document("menu", PAPER), Document("menu", PDF), ODD))

    def _asked(self) -> list[Message]:
        return [self._said("user")]

    def _answered(self) -> list[Message]:
        return [self._said("assistant") for _ in range(self.draw.choice((1, 1, 1, 2)))]

    def _calls(self) -> list[ToolCall]:
        width = self.draw.choice((1, 1, 2, 3))
        return [ToolCall(self._id(), self.draw.choice(NAMES), {"q": "é", "n": [1, None]}) for _ in range(width)]

    def _calling(self, calls: Sequence[ToolCall]) -> Message:
        if self.draw.random() < 0.5:
            return Message("", "assistant", tuple(calls))
        return self._said("assistant", *calls)

    def _result(self, call_id: str) -> ToolResult:
        failed = self.draw.random() < 0.2
        if self.draw.random() < 0.6:
            text = self.draw.choice(("", " ", f"r{call_id}", "long " * 90))
            return ToolResult(call_id, (Text(text),), failed, as_text=True)
        pieces = (Text("out"), Text(""), Text("long " * 90), self._attached())
        return ToolResult(call_id, tuple(self.draw.sample(pieces, self.draw.randrange(4))), failed)

    def _exchange(self) -> list[Message]:
        """Draw calls and their results, in one message or several, in any order, with or without other text."""
        calls = self._calls()
        results = [self._result(call.id) for call in self.draw.sample(calls, len(calls))]
        if self.draw.random() < 0.4:
            return [self._calling(calls), *(Message("", "user", (result,)) for result in results)]
        answer = Message("", "user", tuple(results))
        return [self._calling(calls), answer if self.draw.random() < 0.6 else self._said("user", *results)]

    def _late(self) -> list[Message]:
        """Draw an exchange interleaved with other turns."""
        calls = self._calls()
        results = [Message("", "user", (self._result(call.id),)) for call in calls]
        between = self.draw.choice((self._asked, self._answered, self._exchange, self._rules))()
        return [self._calling(calls), *results[1:], *between, results[0]]

    def _open(self) -> list[Message]:
        """Draw calls of which at least one gets no result."""
        calls = self._calls()
        given = self.draw.randrange(len(calls))
        return [self._calling(calls), *(Message("", "user", (self._result(call.id),)) for call in calls[:given])]

    def _stray(self) -> list[Message]:
        """Draw results without a call, second results, and calls and results in the wrong role."""
        role: Role = self.draw.choice(("user", "assistant", "system"))
        call_id = self.draw.choice((*self._used, "unknown"))
        return [self._said(role, self._result(call_id), *(self._calls() if self.draw.random() < 0.3 else []))]

    def _odd(self) -> list[Message]:
        """Draw messages without visible content."""
        role: Role = self.draw.choice(("user", "assistant", "system"))
        parts = self.draw.choice(((), (Text(self.draw.choice(BLANKS)),), (Thinking("hm"),), (Thinking(""), Text(" "))))
        return [Message("", role, parts)]

    def _rules(self) -> list[Message]:
        return [self._said("system")]

    def _told(self) -> list[Message]:
        """Draw a worded result."""
        reported = Text(f"[read_file for 'a.py'] Result:\n{self._word().text}")
        return [Message("", "assistant", (ToolCall(self._id(), "read_file", {}),)), Message("", "user", (reported,))]

    def _summary(self) -> list[Message]:
        """Draw the summary of an earlier compaction, recognizable by its markers or by its tool's flag."""
        if self.draw.random() < 0.3:
            return [Message("", "user", (self._word(),), is_summary=True, by_host=True)]
        text = Text(self.draw.choice(SUMMARIES).format(self._word().text.strip()))
        more = (self._word(),) if self.draw.random() < 0.3 else ()
        return [Message("", "user", (text, *more), is_summary=True)]


def random_chat(draw: Random) -> tuple[Message, ...]:
    """Draw a chat, which may be empty."""
    return Grammar(draw).chat()


def random_options(draw: Random, messages: Sequence[Message]) -> Options:
    """Draw the options of a compaction of this chat; a pin and a drop may contradict each other."""
    ids = [message.id for message in messages]
    scopes = [Scope("all"), *(Scope(kind, draw.choice(ids)) for kind in ("from", "upTo") if ids)]
    return Options(
        strategy=draw.choice(("summary", "summary", "auto", "keep", "prune")),
        scope=draw.choice(scopes),
        style=draw.choice(("detailed", "checkpoint", "structured", "brief")),
        min_keep=draw.randrange(6),
        keep_recent_tokens=draw.choice((0, 0, 25)),
        keep_recent=draw.randrange(6),
        keep_tool_results=draw.random() < 0.5,
        keep_system=draw.random() < 0.5,
        keep_first_user=draw.random() < 0.5,
        pin=tuple(draw.sample(ids, min(len(ids), draw.choice((0, 0, 1, 2))))),
        drop=tuple(draw.sample(ids, min(len(ids), draw.choice((0, 0, 1, 2))))),
        prune=PruneOptions(max_chars=draw.choice((40, 2000)), head=10, tail=5, preserve_tail=draw.randrange(5)),
        continuation=ContinuationOptions(kind=draw.choice((None, "regular", "postTool"))),
    )
