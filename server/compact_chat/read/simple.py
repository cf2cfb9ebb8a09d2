"""Formats of a few records each: Continue's sessions, SWE-agent's runs, ShareGPT, Copilot's exports, and texts.

A text is a copied chat, with turns under headings or labels or as Claude Code's terminal shows them, else one message.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    JsonObject,
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
)
from compact_chat.read import vscode
from compact_chat.read.apis import arguments_of, parts_of, result_of, text_parts
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import (
    beyond,
    check_length,
    fields,
    left_out,
    loose,
    objects,
    parsed,
    title_of,
    tokens,
    usage_of,
    with_own_ids,
    word,
)
from compact_chat.read.source import Source
from compact_chat.read.vscode import Rendered, file_path, rendered_parts, shown_id
from compact_chat.text import counted, fenced_lines, line_feeds, opening_end, opening_start
from compact_chat.tools import TOOLS

typed_texts_chatreplay = vscode.typed_texts  # these prompts contain what VS Code writes around a person's words


class _ToolCall(Struct, frozen=True):
    """A call as the OpenAI API writes it."""

    id: str = ""
    name: str = field(default="", name="function.name")
    arguments: Any = field(default=None, name="function.arguments")

    def decoded(self) -> ToolCall:
        """Decode the call; the id is the one that the model knows."""
        return ToolCall(shown_id(self.id), self.name, arguments_of(self.arguments))


# Continue: a history of messages with their files and results.


class _Content(Struct, frozen=True):
    content: str = ""


class _ContinueUsage(Struct, rename="camel", frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    read: int = field(default=0, name="promptTokensDetails.cachedTokens")
    stored: int = field(default=0, name="promptTokensDetails.cacheWriteTokens")
    model: str = ""

    def decoded(self) -> Usage | None:
        """Add cached tokens; Anthropic counts them apart, and is the only one to count what it stores."""
        sizes = self.prompt_tokens, self.completion_tokens, self.read, self.stored
        return usage_of(self.model, *sizes, is_whole=not tokens(self.stored))


class _ContinueMessage(Struct, rename="camel", frozen=True):
    id: str = ""
    role: str = ""
    content: Any = None
    tool_calls: list[_ToolCall] = []
    tool_call_id: str = ""
    usage: _ContinueUsage = _ContinueUsage()


class _CallState(Struct, rename="camel", frozen=True):
    tool_call_id: str = ""
    status: str = ""
    output: list[_Content] = []


class _PromptLog(Struct, rename="camel", frozen=True):
    model_title: str = ""


class _Item(Struct, rename="camel", frozen=True):
    message: _ContinueMessage | None = None
    context_items: list[_Content] = []
    tool_call_states: list[_CallState] = []
    tool_call_state: _CallState | None = None  # older
    conversation_summary: str = ""  # replaces this item and all earlier ones
    prompt_logs: list[_PromptLog] = []


class _ContinueSession(Struct, rename="camel", frozen=True):
    """A session of Continue, the whole file.

        {"sessionId":"k1","title":"Tax rounding","workspaceDirectory":"file:///home/ada/shop","history":[
         {"message":{"role":"user","content":"Fix the tax"},"contextItems":[{"content":"def tax(x): return round(x)"}]},
         {"message":{"role":"assistant","toolCalls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]},
          "toolCallStates":[{"toolCallId":"c1","status":"done","output":[{"content":"tax.py"}]}]}]}

    See docs/formats.md#continue and
    https://github.com/continuedev/continue/blob/main/gui/src/redux/util/constructMessages.ts.
    """

    session_id: str | None = None
    title: str = ""
    workspace_directory: str = ""
    chat_model_title: str = ""
    history: list[Any] | None = None


_NO_OUTPUT = "No tool output"
_CANCELLED = "The user cancelled this tool call."
_OPEN = frozenset({"", "generating", "generated", "calling"})  # states of calls without an answer yet


def sniff_continue(source: Source) -> bool:
    """Return whether the source is one object with a history of messages."""
    session = loose(_ContinueSession, source.document)
    if session.history == []:
        return session.session_id is not None
    return any(isinstance(item.get("message"), dict) for item in objects(session.history))


def read_continue(source: Source) -> Chat:
    """Read the history from the last summary on, which Continue adds to its system prompt."""
    session = loose(_ContinueSession, source.document)
    stored = [loose(_Item, item) for item in session.history or ()]
    faults = [f"$.history[{place}] has no message" for place, item in enumerate(stored) if item.message is None]
    items = _sent_items(stored)
    last = max(_summaries(items), default=-1)
    models = (log.model_title for item, _, _ in reversed(items) for log in reversed(item.prompt_logs))
    return Chat(
        format="continue",
        tool="continue",
        messages=with_own_ids(_continue_messages(items, last, len(items))),
        model=next(filter(None, models), session.chat_model_title) or None,
        title=title_of(session.title) if session.title.strip() != "New Session" else None,
        workspace=file_path(session.workspace_directory) or session.workspace_directory or None,
        warnings=left_out(faults),
    )


def earlier_continue(source: Source, _: str) -> Iterator[Replacement]:
    """Read the items that each summary replaced, from the summary before it on."""
    items = _sent_items([loose(_Item, item) for item in loose(_ContinueSession, source.document).history or ()])
    places = [-1, *_summaries(items)]
    for before, place in reversed([*pairwise(places)]):
        after = _continue_messages(items, place, place + 1)
        yield tuple(_continue_messages(items, before, place + 1)), tuple(after)


_Sent = tuple[_Item, _ContinueMessage, str]  # with its id


def _sent_items(stored: Iterable[_Item]) -> list[_Sent]:
    sent = [(item, item.message) for item in stored if item.message is not None]
    return [(item, message, message.id or f"m{place}") for place, (item, message) in enumerate(sent)]


def _summaries(items: Sequence[_Sent]) -> list[int]:
    return [place for place, (item, _, _) in enumerate(items) if item.conversation_summary.strip()]


def _continue_messages(items: Sequence[_Sent], last: int, end: int) -> Iterator[Message]:
    """Give the summary of an item, if there is one, and the messages behind it."""
    if last >= 0:
        item, _, name = items[last]
        yield Message(f"{name}.summary", "user", (Text(item.conversation_summary),), is_summary=True, by_host=True)
    sent = items[last + 1 : end]
    answered = {message.tool_call_id for _, message, _ in sent if message.role == "tool"}
    for item, message, name in sent:
        yield from _continued(item, message, name, answered)


def _continued(item: _Item, message: _ContinueMessage, name: str, answered: Collection[str]) -> Iterator[Message]:
    """Yield the messages sent for an item; results without a message of their own are in the calls' states."""
    match message.role:
        case "assistant":
            calls = [call.decoded() for call in message.tool_calls]
            if parts := (*_continue_words(message.content), *calls):
                yield Message(name, "assistant", parts, usage=message.usage.decoded())
            states = {one.tool_call_id: one for one in (*item.tool_call_states, item.tool_call_state) if one}
            waiting = [states.get(call.id, _CallState()) for call in calls if call.id not in answered]
            results: list[Part] = []
            for state in waiting:
                if state.status == "canceled":
                    results.append(result_of(state.tool_call_id, _CANCELLED))
                elif state.status not in _OPEN:
                    output = "\n\n".join(one.content for one in state.output)
                    results.append(result_of(state.tool_call_id, output or _NO_OUTPUT, state.status == "errored"))
            if results:
                yield Message(f"{name}.results", "user", tuple(results))
        case "thinking":
            texts = (part.text for part in parts_of(message.content) if isinstance(part, Text))
            yield Message(name, "assistant", (Thinking("\n".join(texts)),))
        case "tool":
            yield Message(name, "user", (result_of(message.tool_call_id, message.content),))
        case "system":
            yield Message(name, "system", parts_of(message.content))
        case _:
            attached = text_parts(*(f"{one.content}\n" for one in item.context_items))
            own = _continue_words(message.content)
            if parts := (*attached, *own):
                typed = tuple(part.text.strip() for part in own if isinstance(part, Text)) if attached else None
                yield Message(name, "user", parts, typed=typed)


def _continue_words(content: object) -> list[Part]:
    """Decode texts and pictures, whose address Continue spells `imageUrl`; blank texts are never sent."""
    blocks = content if isinstance(content, list) else [content]
    pictures = ((block, fields(block).get("imageUrl")) for block in blocks if block is not None)
    spelled = [block if url is None else {"type": "image_url", "image_url": url} for block, url in pictures]
    return [part for part in parts_of(spelled) if not isinstance(part, Text) or part.text.strip()]


# SWE-agent: the history of a run, and the part of it that was sent with each call.


class _Thought(Struct, frozen=True):
    thinking: str = ""


class _HistoryEntry(Struct, frozen=True):
    role: str = ""
    content: Any = None
    agent: Any = None
    message_type: str | None = None
    tool_calls: list[_ToolCall] = []
    tool_call_id: str | None = None
    tool_call_ids: list[Any] | None = None
    thinking_blocks: list[_Thought] | None = None
    is_demo: bool = False


class _Step(Struct, frozen=True):
    query: list[JsonObject] = []
    messages: list[JsonObject] = []


class _Setup(Struct, frozen=True):
    model: str = field(default="", name="agent.model.name")
    problem: str = field(default="", name="problem_statement.id")


class _Run(Struct, frozen=True):
    """A run of SWE-agent, the whole file.

        {"history":[{"role":"user","content":"Fix the tax rounding","agent":"main","message_type":"observation"}],
         "trajectory":[{"action":"ls","observation":"tax.py","query":[{"role":"user","content":"Fix the tax"}]}],
         "info":{"exit_status":"submitted"},"replay_config":{"agent":{"model":{"name":"gpt-5"}}}}

    See docs/formats.md#swe-agent and https://github.com/SWE-agent/SWE-agent/blob/main/sweagent/types.py.
    """

    history: list[Any] = []
    trajectory: list[_Step] | None = None
    info: JsonObject | None = None
    replay_config: Any = None  # newer versions write it as a string


_SWE_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}


def sniff_swe_agent(source: Source) -> bool:
    """Return whether the source is one object with the history of an agent."""
    run = loose(_Run, source.document)
    entries = [entry for entry in (loose(_HistoryEntry, one) for one in run.history) if entry.role in _SWE_ROLES]
    is_run = run.trajectory is not None and run.info is not None
    return bool(entries) and (is_run or any(entry.agent is not None or entry.message_type for entry in entries))


def read_swe_agent(source: Source) -> Chat:
    """Read what the next call would be sent: the main agent's entries, the older ones as the last call had them."""
    run = loose(_Run, source.document)
    entries = [(place, loose(_HistoryEntry, one)) for place, one in enumerate(run.history)]
    faults = [f"$.history[{place}] is no message" for place, entry in entries if entry.role not in _SWE_ROLES]
    spoken = [(place, entry) for place, entry in entries if entry.role in _SWE_ROLES]
    main = spoken[0][1].agent if spoken else None
    own = [(place, entry) for place, entry in spoken if entry.agent in (None, main)]
    last = max((number for number, (_, entry) in enumerate(own) if entry.role == "assistant"), default=0)
    newest = run.trajectory[-1] if run.trajectory else _Step()
    sent = [query for query in newest.query or newest.messages if word(query.get("role")) in _SWE_ROLES]
    if sent and last:
        # What was sent matches what was there, unless entries were left out: then it is taken as it is.
        places = [place for place, _ in own[:last]] if len(sent) == last else range(len(sent))
        befores = [fields(run.history[place]) if len(sent) == last else {} for place in places]
        as_sent = [loose(_HistoryEntry, {**before, **query}) for before, query in zip(befores, sent, strict=True)]
        own = [*zip(places, as_sent, strict=True), *own[last:]]
    setup = loose(_Setup, parsed(config) if isinstance(config := run.replay_config, str) else config)
    return Chat(
        format="swe-agent",
        tool="swe-agent",
        messages=with_own_ids(_swe_messages(own)),
        model=setup.model or None,
        title=title_of(setup.problem),
        warnings=left_out(faults),
    )


def _swe_messages(entries: Iterable[tuple[int, _HistoryEntry]]) -> Iterator[Message]:
    """Decode entries; user texts after the first answer are observations of the environment."""
    answered = False
    for place, entry in entries:
        parts: list[Part] = []
        if entry.role == "tool":
            ids = entry.tool_call_ids or [None]
            parts.append(result_of(entry.tool_call_id or ids[0], entry.content))
        else:
            parts += (Thinking(block.thinking) for block in entry.thinking_blocks or ())
            parts += parts_of(entry.content)
            parts += (call.decoded() for call in entry.tool_calls)
        answered = answered or entry.role == "assistant"
        role = _SWE_ROLES[entry.role]
        is_shown = answered and role == "user" and any(isinstance(part, Text) for part in parts)
        yield Message(f"m{place}", role, tuple(parts), by_host=entry.is_demo or is_shown)


# ShareGPT: the format in which data sets store conversations.


class _Said(Struct, frozen=True):
    speaker: str | None = field(default=None, name="from")
    value: str | None = None


class _Conversation(Struct, frozen=True):
    """A conversation, alone in a file, in a list, or on a line. See docs/formats.md#sharegpt.

    {"conversations":[{"from":"human","value":"What is 2 + 2?"},{"from":"gpt","value":"4."}]}
    """

    conversations: list[Any] = []
    system: str = ""
    title: str = ""


_SPEAKERS: dict[str, Role] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bing", "bard", "function_call"), "assistant"),
    "system": "system",
}
_TOOLS = frozenset({"tool", "function", "observation", "function_response"})  # they name no call


def sniff_sharegpt(source: Source) -> bool:
    """Return whether the source holds a conversation, or a list of them."""
    return next(_conversations(source), None) is not None


def read_sharegpt(source: Source) -> Chat:
    """Read the first conversation, and warn about the others."""
    first, *others = _conversations(source)
    messages: list[Message] = []
    faults: list[str] = []
    for place, stored in enumerate(first.conversations):
        entry = loose(_Said, stored)
        if entry.speaker is None or entry.value is None:
            faults.append(f"$.conversations[{place}] is no entry")
        elif (role := _SPEAKERS.get(entry.speaker)) or entry.speaker in _TOOLS:
            messages.append(Message(f"m{place}", role or "user", (Text(entry.value),), by_host=not role))
        else:
            messages.append(Message(f"m{place}", "user", (Unknown(entry.speaker, stored),)))
    typed = (message.text for message in messages if message.role == "user" and not message.by_host)
    more = Warning("moreChats", f"The file holds {counted(len(others), 'more conversation')}; only its first is read.")
    return Chat(
        format="sharegpt",
        tool="sharegpt",
        messages=tuple(messages),
        system=first.system,
        title=title_of(first.title) or next(map(title_of, typed), None),
        warnings=(*source.damage, *left_out(faults), *([more] if others else ())),
    )


def _conversations(source: Source) -> Iterator[_Conversation]:
    given = source.document
    for record in objects(given) if isinstance(given, list) else source.records:
        conversation = loose(_Conversation, record)
        entries = (loose(_Said, entry) for entry in conversation.conversations)
        if any(one.speaker is not None and one.value is not None for one in entries):
            yield conversation


# Prompts that Copilot Chat exported for a replay: what each request sent, verbatim, and what came back.


class _ReplayMessage(Struct, rename="camel", frozen=True):
    role: int | None = None
    content: Rendered = ""
    tool_call_id: str = ""
    tool_calls: list[_ToolCall] = []


class _Log(Struct, frozen=True):
    """A request, or a tool call made after one."""

    kind: str = ""
    name: str = ""
    model: str = field(default="", name="metadata.model")
    window: int = field(default=0, name="metadata.maxPromptTokens")
    tools: list[JsonObject] = field(default=[], name="metadata.tools")
    prompt: int = field(default=0, name="metadata.usage.prompt_tokens")
    completion: int = field(default=0, name="metadata.usage.completion_tokens")
    sent: list[_ReplayMessage] = field(default=[], name="requestMessages.messages")
    reply: str | list[str] = field(default=[], name="response.message")
    response: str | list[str] = []  # of a tool
    id: str = ""
    tool: str = ""
    args: str = ""

    @property
    def answer(self) -> list[str]:
        """Return the texts of the reply or of the result."""
        answer = self.reply or self.response
        return [answer] if isinstance(answer, str) else answer

    @property
    def usage(self) -> Usage | None:
        """Return the size of a request."""
        return usage_of(self.model, self.prompt, self.completion)


class _ReplayPrompt(Struct, frozen=True):
    prompt: str = ""
    logs: list[_Log] | None = None


class _Export(Struct, frozen=True):
    """An export of Copilot Chat, the whole file. See docs/formats.md#chat-replay.

    {"prompts":[{"prompt":"Fix the tax rounding","logs":[{"kind":"request","name":"panel/editAgent",
     "metadata":{"model":"gpt-5.4","maxPromptTokens":128000,"usage":{"prompt_tokens":9000,"completion_tokens":12}},
     "requestMessages":{"messages":[{"role":1,"content":[{"type":1,"text":"Fix the tax rounding"}]}]},
     "response":{"type":"success","message":["Done."]}}]}]}
    """

    prompts: list[_ReplayPrompt] = []


_TOOL_ROLE = 3
_REPLAY_ROLES: dict[int | None, Role] = {0: "system", 1: "user", 2: "assistant", _TOOL_ROLE: "user"}
_OWN = "panel/"  # prefix of a chat's own requests; others ask for titles, summaries and so on


def sniff_chatreplay(source: Source) -> bool:
    """Return whether the source is a list of prompts with their logs."""
    export = loose(_Export, source.document)
    return any(prompt.logs is not None for prompt in export.prompts)


def read_chatreplay(source: Source) -> Chat:
    """Read the chat's newest request, which contains everything said before, and its answer."""
    prompts = loose(_Export, source.document).prompts
    logs = [log for prompt in prompts for log in prompt.logs or ()]
    requests = [place for place, log in enumerate(logs) if log.kind == "request" and log.sent]
    requests = [place for place in requests if logs[place].name.startswith(_OWN)] or requests
    last = logs[requests[-1]] if requests else _Log()
    calls = [log for log in logs[requests[-1] + 1 :] if log.kind == "toolCall"] if requests else []
    messages = list(_as_sent(last, [logs[place] for place in requests[:-1]]))
    made = (ToolCall(shown_id(call.id), call.tool, arguments_of(call.args)) for call in calls)
    answer: tuple[Part, ...] = (*text_parts("".join(last.answer)), *made)
    if answer:
        messages.append(Message("", "assistant", answer, usage=last.usage))
    results = (ToolResult(shown_id(call.id), tuple(map(Text, call.answer))) for call in calls)
    messages += (Message("", "user", (result,)) for result in results)
    return Chat(
        format="chatreplay",
        tool="chatreplay",
        messages=tuple(replace(message, id=f"m{place}") for place, message in enumerate(messages)),
        tools=tuple(last.tools),
        model=last.model or None,
        title=next(filter(None, (title_of(prompt.prompt) for prompt in prompts)), None),
        window=tokens(last.window) or None,
    )


def _as_sent(request: _Log, earlier: Sequence[_Log]) -> Iterator[Message]:
    """Decode what a request sent; replies have the sizes of the earlier requests that they answered."""
    sizes = {len(one.sent): one for one in earlier}
    for place, stored in enumerate(request.sent):
        parts: tuple[Part, ...] = rendered_parts(stored.content)
        if stored.role == _TOOL_ROLE:
            parts = (ToolResult(shown_id(stored.tool_call_id), rendered_parts(stored.content)),)
        calls = (call.decoded() for call in stored.tool_calls)
        message = Message("", _REPLAY_ROLES.get(stored.role, "user"), (*parts, *calls))
        got = sizes.get(place)
        is_its = got and message.role == "assistant" and message.text.strip() == "".join(got.answer).strip()
        yield replace(message, usage=got.usage) if got and is_its else message


# Copied chats and plain text.

_NAMES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "chatgpt", "gpt", "cursor"), "assistant"),
    **{name: "assistant" for tool in TOOLS for name in tool.speakers},
    "system": "system",
}
_LONGEST_HEADING = 80
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_LABELS = (
    ("**", re.compile(r"\*\*([^*]{1,40})\*\*[ \t]*(:?)(.*)")),
    ("[", re.compile(r"\[([^\]]{1,40})\](:?)(.*)")),
    (":", re.compile(r"([^\W\d_][\w .-]{0,40})(:)(.*)")),
)
_ANY_NAME = re.compile(r"(\w[^:]{0,60}):(?= |$)(.*)")

LONGEST_HEAD = 2000  # characters
MOST_LINES = 500_000  # of a copied chat
_BEGINNING = 2**16  # characters that show whether a longer text is one
# In the terminal: a prompt precedes what was typed, a bullet what was answered; both have a margin.
_TYPED = re.compile(r"\A[>❯]\s++(?=\S)")
_ANSWERED = re.compile(r"[⏺●]\s|[✻∴]\sThinking")
_MARGIN = re.compile(r"\A(?:  |[⏺●]\s(?!\w+\())")
# Other texts have quotes and round bullets too; only terminals have these.
_TERMINAL = re.compile(r"⏺\s|\s*+⎿")

_LEFT_OUT = Warning("textBeforeFirstTurn", "The text before the first turn was left out.", 1)


class Turn(Struct, frozen=True):
    """A turn's first line, and the text behind the name on it."""

    line: int
    role: Role
    rest: str


def sniff_markdown(source: Source) -> bool:
    """Return whether a text holds turns of both sides in one style; a continuation of ours is a single message."""
    if not source.clean or source.document is not None or _opening(source.text) >= 0:
        return False
    text = source.text if source.text.count("\n") <= MOST_LINES else source.text[:_BEGINNING]
    return bool(_copied(text)[0])


def read_markdown(source: Source) -> Chat:
    """Read one Message per turn; text before the first turn is dropped with a warning."""
    if source.text.count("\n") > MOST_LINES:
        raise beyond(MOST_LINES, "lines")
    turns, lines = _copied(source.text)
    check_length(len(turns))
    ends = [*(turn.line for turn in turns[1:]), len(lines)]
    texts = ("\n".join((turn.rest, *lines[turn.line + 1 : end])).strip() for turn, end in zip(turns, ends, strict=True))
    spoken = [(turn.role, text) for turn, text in zip(turns, texts, strict=True) if text]
    messages = [Message(f"m{index}", role, (Text(text),)) for index, (role, text) in enumerate(spoken)]
    before = any(map(str.strip, lines[: turns[0].line]))
    return Chat("markdown", "unknown", tuple(messages), warnings=(_LEFT_OUT,) if before else ())


def sniff_text(source: Source) -> bool:
    """Return whether the source may be plain text or is a page of ours, is not blank, and is not JSON."""
    is_ours = source.opening.startswith("# ") and _opening(source.opening) > 0 and source.clean
    return (is_ours or source.plain) and bool(source.text.strip()) and not source.is_json


def read_text(source: Source) -> Chat:
    """Read the whole text as one user message; of an exported compaction, the message that opens the next chat."""
    text = line_feeds(source.text)
    if text[: (start := _opening(text))].strip() and start > 0:
        text = text[start : start + opening_end(text[start:])]
    return Chat("text", "unknown", (Message("m0", "user", (Text(text),)),))


def _opening(text: str) -> int:
    """Find where a message of ours that opens a chat begins: at the start, or below the heading of an export."""
    start = opening_start(text[:LONGEST_HEAD])
    before = text[: max(start, 0)].strip()
    return start if not before or before.startswith("# ") else -1


def _copied(text: str) -> tuple[list[Turn], list[str]]:
    """Return the turns, and the lines that hold their text."""
    lines = line_feeds(text).split("\n")
    if turns := _labelled(lines):
        return turns, lines
    if turns := _terminal_turns(lines):
        return turns, [_MARGIN.sub("", line) for line in lines]
    return [], lines


def _labelled(lines: Sequence[str]) -> list[Turn]:
    """Find the turns in the style that most of them use; other styles are text within a turn."""
    fenced = fenced_lines(lines)
    unfenced = [(place, line) for place, line in enumerate(lines) if line and not fenced[place]]
    styles = {"name": _turns_of_names(lines, unfenced)}
    for place, line in unfenced:
        style, role, rest = _label(line)
        if role:
            styles.setdefault(style, []).append(Turn(place, role, rest))
    return max(filter(_has_both_sides, styles.values()), key=len, default=[])


def _label(line: str) -> tuple[str, Role | None, str]:
    """Return the style of a heading or label, the speaker, and the rest of the line."""
    if heading := _HEADING.match(line):
        return heading[1], _role(heading[2]) if len(line) <= _LONGEST_HEADING else None, ""
    for style, label in _LABELS:
        found = label.match(line)
        if found and (role := _role(found[1])):
            is_whole = found[2] or found[1].rstrip().endswith(":") or not found[3].strip()
            return style, role if is_whole else None, found[3]
    return "", None, ""


def _turns_of_names(lines: Sequence[str], unfenced: Sequence[tuple[int, str]]) -> list[Turn]:
    """Find the turns of an editor's copy: a name begins the text, and recurs after each of the assistant's answers."""
    found = [(place, _ANY_NAME.match(line)) for place, line in unfenced if not place or not lines[place - 1].strip()]
    labels = [(place, label[1], label[2]) for place, label in found if label]
    if not labels or any(map(str.strip, lines[: labels[0][0]])) or _role(labels[0][1]):
        return []
    answerer = next((name for _, name, _ in labels if _role(name) == "assistant"), "")
    roles: dict[str, Role] = {answerer: "assistant", labels[0][1]: "user"}
    turns = [Turn(place, roles[name], rest) for place, name, rest in labels if name in roles]
    sides = [turn.role for turn in turns]
    return turns if answerer and "user" in sides[sides.index("assistant") :] else []


def _role(name: str) -> Role | None:
    """Return the role of a name that may have emoji, emphasis or a colon around it, or `said` behind it."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", name).lower()
    return _NAMES.get(bare.removesuffix(" said"))


def _has_both_sides(turns: Sequence[Turn]) -> bool:
    return {"user", "assistant"} <= {turn.role for turn in turns}


def _terminal_turns(lines: Sequence[str]) -> list[Turn]:
    """Find what was typed, and where its answer begins; calls and results are text of the answer."""
    if not any(map(_TERMINAL.match, lines)):
        return []
    turns: list[Turn] = []
    fenced = fenced_lines(lines)
    for place, line in enumerate(lines):
        if fenced[place]:
            continue
        if _ANSWERED.match(line):
            if not turns or turns[-1].role == "user":
                turns.append(Turn(place, "assistant", _MARGIN.sub("", line)))
        elif _TYPED.match(line):
            # A prompt has a blank line above and no further `>` below, unlike a quote of several lines.
            above, below = lines[max(0, place - 1) : place], lines[place + 1 : place + 2]
            if not any(map(str.strip, above)) and not any(line.startswith(">") for line in below):
                turns.append(Turn(place, "user", _TYPED.sub("", line)))
    return turns if _has_both_sides(turns) else []
