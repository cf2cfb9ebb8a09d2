"""Small handwritten chats, and strategies that draw chats of every kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from compact_chat.plan import Plan, make_plan
from compact_chat.redact import MaskedMessage, Redactor
from compact_chat.wire import Options

DEFAULTS = Options()
NO_MASKS = Redactor(enabled=False)  # for chats without secrets
PICTURE = Image("image/png", "aGk=")
PAPER = Document("notes.pdf", {"type": "document", "title": "notes.pdf", "source": {"type": "file", "file_id": "f1"}})
ODD = Unknown("server_tool_use", {"type": "server_tool_use", "id": "s1"})


def u(*parts: str | Part) -> MaskedMessage:
    """A user message."""
    return _message("user", parts)


def a(*parts: str | Part) -> MaskedMessage:
    """An assistant message."""
    return _message("assistant", parts)


def s(*parts: str | Part) -> MaskedMessage:
    """A system message."""
    return _message("system", parts)


def call(name: str, **arguments: object) -> ToolCall:
    """A tool call with this id."""
    return ToolCall(name, "look", arguments)


def res(name: str, *content: str | ResultPart, is_error: bool = False) -> ToolResult:
    """The result of the call with this id: one string becomes a text, anything else a list of blocks."""
    if len(content) == 1 and isinstance(content[0], str):
        return ToolResult(name, (Text(content[0]),), is_error, as_text=True)
    return ToolResult(name, tuple(Text(part) if isinstance(part, str) else part for part in content), is_error)


def talk(*messages: Message) -> tuple[MaskedMessage, ...]:
    """The messages with the ids m0, m1 and so on, each with a raw object of its own."""
    return NO_MASKS.messages(replace(message, id=f"m{n}", raw={"place": n}) for n, message in enumerate(messages))


def turns(length: int) -> tuple[MaskedMessage, ...]:
    """Alternating texts of user and assistant: u0, a1, u2 and so on."""
    return talk(*(a(f"a{n}") if n % 2 else u(f"u{n}") for n in range(length)))


def chat(messages: Sequence[Message]) -> Chat:
    """A chat of these messages."""
    return Chat(format="anthropic", tool="unknown", messages=tuple(messages))


def planned(
    messages: Sequence[Message], options: Options = DEFAULTS, tokens: Sequence[int] = (), budget: int = 0, cut: int = 0
) -> Plan:
    """Plan a chat whose messages weigh ten tokens unless given otherwise, and `cut` once they are truncated."""
    sizes = list(tokens) or [10] * len(messages)
    known = {id(message): size for message, size in zip(messages, sizes, strict=True)}
    return make_plan(chat(messages), options, sizes, budget, sum(sizes), lambda message: known.get(id(message), cut))


def _message(role: Role, parts: Sequence[str | Part]) -> MaskedMessage:
    return NO_MASKS.message(Message("", role, tuple(Text(part) if isinstance(part, str) else part for part in parts)))


words = st.one_of(
    st.sampled_from(["", " \n", "fix it", "[image]", "[document: x]", "a\r\nb\u2028c", "</summary>", "x" * 900]),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
texts = st.builds(Text, words)
names = st.sampled_from(["", "a", "b", "c", "a-2", "call"])
arguments: st.SearchStrategy[JsonObject] = st.dictionaries(st.text(max_size=3), words | st.integers(), max_size=2)
result_parts: st.SearchStrategy[ResultPart] = texts | st.sampled_from([PICTURE, PAPER, ODD])
results = st.builds(ToolResult, names, st.lists(result_parts, max_size=3).map(tuple), st.booleans()) | st.builds(
    ToolResult, names, texts.map(lambda text: (text,)), st.booleans(), st.just(value=True)
)
calls = st.builds(ToolCall, names, st.just("look"), arguments)
parts: st.SearchStrategy[Part] = st.one_of(texts, st.builds(Thinking, words), result_parts, calls, results)


@st.composite
def anything(draw: st.DrawFn) -> tuple[MaskedMessage, ...]:
    """Draw messages with any parts in any role, calls and results inconsistent."""
    roles: st.SearchStrategy[Role] = st.sampled_from(["user", "assistant", "system"])
    drafts = draw(st.lists(st.tuples(roles, st.lists(parts, max_size=4)), max_size=10))
    return talk(*(_message(role, own) for role, own in drafts))


@st.composite
def conversations(draw: st.DrawFn) -> tuple[MaskedMessage, ...]:
    """Draw chats as tools write them: exchanges with parallel and late results, some calls without a result."""
    steps = draw(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 3), words), min_size=1, max_size=10))
    ids = map(str, count())
    return talk(*(message for step in steps for message in _step(*step, ids)))


def _step(kind: int, width: int, word: str, ids: Iterator[str]) -> list[Message]:
    """Draw one step of a conversation; `width` is the number of its parallel calls."""
    named = [next(ids) for _ in range(width)]
    asked = a(word, *map(call, named))
    match kind:
        case 0 | 1:
            return [u(word)]
        case 2 | 3:
            return [a(word)]
        case 4:
            return [asked, u(*(res(name, word) for name in named))]
        case 5:
            return [asked, *(u(res(name, word * 9)) for name in named)]
        case 6:
            return [asked, u(word), a("still at it"), u(res(named[-1], PICTURE, word), word)]
        case _:
            return [s(word), asked]
