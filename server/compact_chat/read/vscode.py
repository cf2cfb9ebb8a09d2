"""Chats of VS Code as its older versions keep them: one JSON object, of version 1 (which says none) to 3."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    HostMeter,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Warning,
)
from compact_chat.errors import ChatUnreadable
from compact_chat.read.blocks import arguments_of, image_at
from compact_chat.read.document import is_list, items_of, opened, value_of
from compact_chat.read.growing import Replaced
from compact_chat.read.loose import fields, objects, title_of, tokens, whole_number, with_own_ids, word
from compact_chat.read.source import Source

# VS Code keeps a chat as a log of operations: replay it into the state of the session.


Values = Callable[[bytes], tuple[list[Any], bool]]  # those on a line of any kind, and whether nothing of it was lost
_ROOT = "state"
_NOTHING = Raw(b"null")


class _Entry(Struct):
    kind: Any = None
    k: Any = None
    v: Any = None
    i: Any = None


class _RawEntry(_Entry):
    v: Raw = _NOTHING


_DECODER = msgspec.json.Decoder(_RawEntry)


def replay(lines: Iterable[tuple[int, bytes]], values: Values) -> tuple[JsonObject | None, int | None]:
    """Replay a log; where a line cannot be, tell its number with what was replayed before it."""
    log: JsonObject = {}
    for number, line in lines:
        entries, whole = _entries(line, values)
        if not whole or not all(_applied(log, entry) for entry in entries):
            return _state_oplog(log), number
    return _state_oplog(log), None


def decoded(held: object) -> object:
    """A part of a state with all that stands in it; what is decoded of it already is filled up in place."""
    if isinstance(held, Raw):
        return value_of(held)
    waiting = [held]
    while waiting:
        match waiting.pop():
            case dict() as members:
                waiting += _fill(members, list(members.items()))
            case list() as items:
                waiting += _fill(items, list(enumerate(items)))
    return held


def taken(items: list[object]) -> Iterator[object]:
    """The items of a list in a state, decoded one after the other; none is kept."""
    for place, item in enumerate(items):
        items[place] = None
        yield decoded(item)


def _fill(held: Any, members: Iterable[tuple[Any, object]]) -> Iterator[object]:
    """Decode the members that are not yet; give those that may hold some."""
    for key, member in members:
        if isinstance(member, Raw):
            held[key] = value_of(member)
        elif isinstance(member, dict | list):
            yield member


def _entries(line: bytes, values: Values) -> tuple[list[_Entry], bool]:
    try:
        if not line.isascii():
            line.decode()
        return [_DECODER.decode(line)], True
    except (ValueError, RecursionError):
        found, whole = values(line)
    known = [fields(value) for value in found]
    return [_Entry(one.get("kind"), one.get("k"), one.get("v"), one.get("i")) for one in known], whole


def _state_oplog(log: JsonObject) -> JsonObject | None:
    state = log.get(_ROOT)
    return state if isinstance(state, dict) else None


def _applied(log: JsonObject, entry: _Entry) -> bool:
    """Apply an entry: 0 is the whole state, 1 sets, 2 cuts an array and appends to it, 3 deletes."""
    match entry.kind, entry.k:
        case 0, _:
            state = opened(entry.v)
            log[_ROOT] = state if isinstance(state, dict) else log.get(_ROOT)
            return isinstance(state, dict)
        case ((1 | 3), [*path, key]):
            return _put(_found(log, path), key, entry.v)  # nothing reads a null otherwise than an absence
        case 2, [*path, key]:
            return _pushed(_found(log, path), key, opened(entry.v), entry.i)
    return False


def _found(log: JsonObject, path: Iterable[object]) -> object:
    place: object = log.get(_ROOT)
    for key in path:
        place = _member(place, key)
    return place


def _member(place: object, key: object) -> object:
    """What stands in an object or a list, decoded by one level."""
    if isinstance(place, dict) and isinstance(key, str) and key in place:
        place[key] = opened(place[key])
        return place[key]
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index < len(place):
        return None
    place[index] = opened(place[index])
    return cast("object", place[index])


def _put(place: object, key: object, value: object) -> bool:
    if isinstance(place, dict) and isinstance(key, str):
        place[key] = value
        return True
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index <= len(place):
        return False
    place[index : index + 1] = [value]
    return True


def _pushed(place: object, key: object, values: object, start: object) -> bool:
    items = _member(place, key)
    given = values if values is not None else []
    cut = whole_number(start)
    if not isinstance(items, list | None) or not isinstance(given, list):
        return False
    if start is not None and (cut is None or cut < 0):
        return False
    kept = cast("list[object]", items if items is not None else [])
    if cut is not None:
        del kept[cut:]
    kept += given
    return _put(place, key, kept)


# What tools of VS Code give back: texts, pictures, and trees of a prompt library, flattened as it would.


_EMPTY = "(empty)"  # what the model is told of a result without anything in it
_TO_THE_MODEL = 0  # of those a result can be meant for
_PICTURE = 3  # the constructor of a picture in a tree

_BARE = frozenset({"type", "text", "lineBreakBefore"})  # the members of a text that is nothing else

Leaf = tuple[str | Image, bool]  # a text or a picture of a tree, and whether it has to begin a line


def result_parts(content: object) -> tuple[ResultPart, ...]:
    """Flatten the content of a result; texts run on, since a model gets them as one."""
    parts: list[ResultPart] = []
    words: list[str] = []
    for leaf, begins_line in _leaves(content if isinstance(content, list) else []):
        if isinstance(leaf, Image):
            parts += [*_text(words), leaf]
            words = []
            continue
        if begins_line and words and words[-1][-1] != "\n":
            words.append("\n")
        if leaf:
            words.append(leaf)
    parts += _text(words)
    return tuple(parts) or (Text(_EMPTY),)


def picture_of(place: str, kind: str = "") -> Image:
    """A picture by its address, with its data inside or not, or by its data alone."""
    if place.startswith("data:"):
        return image_at(place)
    return Image(kind, url=place) if "://" in place[:20] else Image(kind, data=place)


def _leaves(content: list[object]) -> Iterator[Leaf]:
    """Walk through parts and their trees in order; a text behind another one in its element goes on in its line."""
    waiting: list[tuple[object, bool, bool]] = _children(content, follows_text=False)[::-1]
    while waiting:
        node, is_first, follows_text = waiting.pop()
        if not isinstance(node, dict) or not _is_meant(node):
            continue
        children = _inside(node)
        if children is None:
            leaf = _picture(node)
            begins_line = node.get("lineBreakBefore") is True or (is_first and not follows_text)
            yield (_words_tsx(node) if leaf is None else leaf), begins_line
        elif all(map(_is_bare, children)):
            yield _run(cast("list[JsonObject]", children), begins_line=bool(children) and not follows_text)
        else:
            waiting += _children(children, follows_text)[::-1]


def _run(texts: list[JsonObject], begins_line: bool) -> Leaf:
    """Join texts that follow each other; those before the first that says something decide how the run begins."""
    words: list[str] = []
    for text in texts:
        if text.get("lineBreakBefore") is True:
            if not words:
                begins_line = True
            elif words[-1][-1] != "\n":
                words.append("\n")
        if said := word(text.get("text")):
            words.append(said)
    return "".join(words), begins_line


def _children(nodes: list[object], follows_text: bool) -> list[tuple[object, bool, bool]]:
    """Each node with whether it is the first of its element, and whether a text stands right before it."""
    texts = [follows_text, *map(_is_text, nodes)]
    return [(node, place == 0, texts[place]) for place, node in enumerate(nodes)]


def _inside(node: JsonObject) -> list[object] | None:
    """What an element holds; None for a text or a picture."""
    tree = fields(node.get("value")).get("node")
    if tree is not None:
        return [tree]
    children = node.get("children")
    return children if isinstance(children, list) and node.get("ctor") != _PICTURE else None


def _is_bare(node: object) -> bool:
    """Whether a node is a text and nothing else, as nearly all are."""
    return isinstance(node, dict) and node.keys() <= _BARE


def _is_text(node: object) -> bool:
    return isinstance(node, dict) and (isinstance(node.get("text"), str) or isinstance(node.get("value"), str))


def _is_meant(part: JsonObject) -> bool:
    audience = part.get("audience")
    return not isinstance(audience, list) or not audience or _TO_THE_MODEL in audience


def _words_tsx(leaf: JsonObject) -> str:
    return word(leaf.get("text")) or word(leaf.get("value"))


def _picture(leaf: JsonObject) -> Image | None:
    kind = word(leaf.get("mimeType"))
    if kind.startswith("image/"):
        return Image(kind, data=word(leaf.get("data")))
    return picture_of(word(fields(leaf.get("props")).get("src"))) if leaf.get("ctor") == _PICTURE else None


def _text(words: list[str]) -> list[ResultPart]:
    joined = "".join(words)
    return [Text(joined)] if joined.strip() else []


# The user's side of a VS Code request: as Copilot Chat rendered it, or what a person typed.


_COPILOT = "github.copilot"
_TAGS = ("userRequest", "user_query")  # around what was typed; which one, depends on the model
_ADDRESSES = ("agent", "subcommand")  # parts that say who is asked for what, and are not sent


def user_message(request: JsonObject, metadata: JsonObject, name: str) -> Message | None:
    """The message that a request sends; a repeated try sends nothing new."""
    rendered = rendered_parts(metadata.get("renderedUserMessage"))
    if not rendered and request.get("confirmation"):
        return None
    parts = rendered or _typed_parts(request)
    return Message(name, "user", parts, by_host=request.get("isSystemInitiated") is True) if parts else None


def rendered_parts(content: object) -> tuple[Part, ...]:
    """The texts and pictures of a rendered message, without what only steers the cache."""
    if isinstance(content, str):
        return (Text(content),) if content.strip() else ()
    return tuple(part for part in map(_rendered_part, objects(content)) if part is not None)


def prompt_text(request: JsonObject) -> str:
    """What was typed, without the participant and the command that it was addressed to."""
    message = request.get("message")
    text = word(message) or word(fields(message).get("text"))
    parts = objects(fields(message).get("parts"))
    ends = (fields(part.get("range")).get("endExclusive") for part in parts if part.get("kind") in _ADDRESSES)
    return text[max([0, *filter(None, map(whole_number, ends))]) :].lstrip()


def unframed(text: str) -> str:
    """What a person typed of a message: all of it, or what Copilot Chat framed at the end of its own notes."""
    body = text.rstrip()
    for tag in _TAGS:
        if body.endswith(f"\n</{tag}>"):
            start = body.rfind(f"<{tag}>\n")
            return body[start + len(tag) + 3 : -len(tag) - 4].strip() if start >= 0 else text
    return text


def _rendered_part(part: JsonObject) -> Part | None:
    place = word(fields(part.get("imageUrl")).get("url"))
    if place:
        return picture_of(place)
    text = word(part.get("text"))
    return Text(text) if text.strip() else None


def _typed_parts(request: JsonObject) -> tuple[Part, ...]:
    """Frame what was typed as Copilot Chat does where it kept no rendered message."""
    text = prompt_text(request)
    if not text.strip():
        return ()
    is_framed = word(fields(request.get("agent")).get("id")).startswith(_COPILOT)
    return (Text(f"<{_TAGS[0]}>\n{text}\n</{_TAGS[0]}>\n" if is_framed else text),)


# The model's side of a VS Code request: what it said and called, round by round, and what the tools gave back.


_SUFFIX = "__vscode"  # keeps ids apart that a model gave twice; no model sees it


class Round(Struct, frozen=True):
    """One reply of the model with the results of its calls; `summary` replaces all up to its end."""

    id: str
    messages: tuple[Message, ...]
    summary: str = ""


def recorded_rounds(metadata: JsonObject, turn: str, following: JsonObject | None) -> tuple[Round, ...]:
    """The rounds of a request; `following` is what was kept of the next one, None where there is none."""
    results = fields(metadata.get("toolCallResults"))
    was_stopped = metadata.get("maxToolCallsExceeded") is True  # the next request made the last calls
    if was_stopped and following is not None:
        results = {**results, **fields(following.get("toolCallResults"))}
    waits = was_stopped and following is None
    rounds = enumerate(objects(metadata.get("toolCallRounds")))
    return tuple(_round_rounds(one, word(one.get("id")) or f"{turn}:{place}", results, waits) for place, one in rounds)


def shown_id(call_id: object) -> str:
    """The id of a call as the model knows it."""
    return word(call_id).partition(_SUFFIX)[0]


def _round_rounds(stored: JsonObject, name: str, results: JsonObject, waits: bool) -> Round:
    calls = objects(stored.get("toolCalls"))
    # Calls that nothing came of are not sent again, and a round of nothing else is not either.
    sent = calls if waits else [call for call in calls if word(call.get("id")) in results]
    messages = () if calls and not sent else tuple(_messages_rounds(stored, name, sent, results))
    return Round(name, messages, word(stored.get("summary")))


def _messages_rounds(stored: JsonObject, name: str, calls: list[JsonObject], results: JsonObject) -> Iterator[Message]:
    said = word(stored.get("response"))
    parts: tuple[Part, ...] = (Text(said),) if said.strip() else ()
    parts += tuple(_call_rounds(call) for call in calls)
    if parts:
        yield Message(name, "assistant", parts)
    for place, call in enumerate(calls):
        if word(call.get("id")) in results:
            yield Message(f"{name}:{place}", "user", (_result_rounds(call, results),))
    hooked = word(stored.get("hookContext"))
    if hooked.strip():
        yield Message(f"{name}:hook", "user", (Text(hooked),), by_host=True)


def _call_rounds(call: JsonObject) -> ToolCall:
    return ToolCall(shown_id(call.get("id")), word(call.get("name")), arguments_of(word(call.get("arguments"))))


def _result_rounds(call: JsonObject, results: JsonObject) -> ToolResult:
    return ToolResult(shown_id(call.get("id")), result_parts(fields(results[word(call.get("id"))]).get("content")))


# What the screen of VS Code shows of an answer: all there is of one whose model's side was not kept.


_CALL = "toolInvocationSerialized"


class _Step(Struct):
    """Words, and the calls that were made after them."""

    words: list[str]
    calls: list[JsonObject]


def shown_rounds(request: JsonObject, turn: str) -> tuple[Round, ...]:
    """Guess the rounds of an answer: words behind a call begin a new one."""
    response = request.get("response")
    parts = response if isinstance(response, list) else [response]
    rounds = (_round_screen(step, f"{turn}:screen{place}") for place, step in enumerate(_steps(parts)))
    return tuple(one for one in rounds if one.messages)


def _steps(parts: Iterable[object]) -> Iterator[_Step]:
    step = _Step([], [])
    for part in parts:
        if fields(part).get("kind") == _CALL:
            if fields(part).get("presentation") != "hidden":
                step.calls.append(fields(part))
        elif words := _words_screen(part):
            if step.calls:
                yield step
                step = _Step([], [])
            step.words.append(words)
    yield step


def _round_screen(step: _Step, name: str) -> Round:
    said = "".join(step.words)
    parts = ((Text(said),) if said.strip() else (), tuple(map(_call_screen, step.calls)))
    messages = [Message(name, "assistant", (*parts[0], *parts[1]))] if any(parts) else []
    for place, call in enumerate(step.calls):
        if (result := _result_screen(call)) is not None:
            messages.append(Message(f"{name}:{place}", "user", (result,)))
    return Round(name, tuple(messages))


def _words_screen(part: object) -> str:
    """The Markdown of a part; the others are changes, notes and buttons."""
    if isinstance(part, str):
        return part
    match fields(part).get("kind"):
        case None:
            return _markdown(fields(part).get("value"))
        case "markdownContent" | "markdownVuln":
            return _markdown(fields(part).get("content"))
        case "inlineReference":
            return _reference(fields(part))
    return ""


def _markdown(value: object) -> str:
    return word(value) or word(fields(value).get("value"))


def _reference(part: JsonObject) -> str:
    place = fields(part.get("inlineReference"))
    path = word(place.get("path")) or word(fields(place.get("uri")).get("path"))
    name = word(part.get("name")) or word(place.get("name")) or path.rpartition("/")[2]
    return f"`{name}`" if name else ""


def _call_screen(part: JsonObject) -> ToolCall:
    name = word(part.get("toolId")) or "tool"
    command = fields(part.get("toolSpecificData"))
    line = word(fields(command.get("commandLine")).get("original")) or word(command.get("command"))
    given = {"command": line} if line else arguments_of(word(fields(part.get("resultDetails")).get("input")))
    return ToolCall(shown_id(part.get("toolCallId")), name, given)


def _result_screen(part: JsonObject) -> ToolResult | None:
    """What the tool gave back, or what the screen says that it did; nothing while it runs."""
    details = fields(part.get("resultDetails"))
    output = details.get("output")
    content = [Text(output)] if isinstance(output, str) else list(map(_output, objects(output)))
    said = _markdown(part.get("pastTenseMessage")) or _markdown(part.get("invocationMessage"))
    if not content and part.get("isComplete") is True and said:
        content = [Text(said)]
    is_error = details.get("isError") is True
    return ToolResult(shown_id(part.get("toolCallId")), tuple(content), is_error) if content else None


def _output(item: JsonObject) -> ResultPart:
    kind, value = word(item.get("mimeType")), word(item.get("value"))
    return Image(kind, data=value) if kind.startswith("image/") and item.get("isText") is not True else Text(value)


# The requests of a VS Code chat that are still live, each with the rounds in which a model answered it.


_AUTO = "auto"  # a model that stands for others
# What makes up most of a request, and is not needed any more once its rounds are read.
_FOR_THE_SCREEN = frozenset({"response", "result"})
_IN_THE_ROUNDS = frozenset({"renderedUserMessage", "toolCallResults", "toolCallRounds"})


class Turn(Struct, frozen=True):
    """A request and its answer; `metadata` is the model's side of it, written when the request ends.

    Of both is left what the rounds and the question do not hold.
    """

    request: JsonObject
    metadata: JsonObject
    asked: Message | None
    rounds: tuple[Round, ...]
    is_shown: bool  # nothing tells what went to the model but the screen

    def messages(self) -> Iterator[Message]:
        """The whole turn."""
        if self.asked is not None:
            yield self.asked
        yield from self.messages_from(0)

    def messages_from(self, first: int) -> Iterator[Message]:
        """The rounds from this one on, without what was asked."""
        for one in self.rounds[first:]:
            yield from one.messages


def live_turns(state: JsonObject) -> list[Turn]:
    """The requests in order, from a list or one by one, without those that a person took back."""
    requests = state.get("requests")
    numbered = enumerate(requests if isinstance(requests, list | Iterator) else ())
    live = ((place, one) for place, one in numbered if isinstance(one, dict) and not _is_removed(one))
    turns: list[Turn] = []
    waiting: tuple[JsonObject, str] | None = None  # for the next one: a request may hold results of the one before
    for place, request in live:
        if waiting:
            turns.append(_turn(*waiting, metadata_of(request)))
        waiting = (request, word(request.get("requestId")) or f"request-{place}")
    return [*turns, _turn(*waiting, None)] if waiting else turns


def metadata_of(request: JsonObject) -> JsonObject:
    """What the participant that answered kept with its answer."""
    return fields(fields(request.get("result")).get("metadata"))


def model_of(turn: Turn) -> str:
    """The model that a turn went to, and for a choice left to the host the one that it made."""
    asked, made = word(turn.request.get("modelId")), word(turn.metadata.get("resolvedModel"))
    return made if made and asked.rpartition("/")[2] in ("", _AUTO) else asked


def _is_removed(request: JsonObject) -> bool:
    """Whether the next request would drop this one; one undone only in part stays."""
    removed = request.get("shouldBeRemovedOnSend")
    return request.get("isHidden") is True or (bool(removed) and not fields(removed).get("afterUndoStop"))


def _turn(request: JsonObject, name: str, following: JsonObject | None) -> Turn:
    metadata = metadata_of(request)
    rounds = recorded_rounds(metadata, name, following)
    shown = () if rounds or _is_compaction(metadata) else shown_rounds(request, name)
    is_known = bool(rounds) or "summary" in metadata or isinstance(metadata.get("toolCallRounds"), list)
    return Turn(
        request=_without(request, _FOR_THE_SCREEN),
        metadata=_without(metadata, _IN_THE_ROUNDS),
        asked=user_message(request, metadata, name),
        rounds=rounds or shown,
        is_shown=bool(shown) or not is_known,
    )


def _without(held: JsonObject, keys: frozenset[str]) -> JsonObject:
    return {key: value for key, value in held.items() if key not in keys}


def _is_compaction(metadata: JsonObject) -> bool:
    """Whether the answer was a summary: what the screen says of it goes to no model."""
    return bool(fields(metadata.get("summary")))


# What VS Code wrote down of tokens: what the last call took, what fits, and what its ring of the context shows.


def input_window(state: JsonObject) -> int | None:
    """The tokens of input that the chosen model takes; a person may have set it to less than the model can."""
    chosen = _chosen_model(state)
    metadata = fields(chosen.get("metadata"))
    sizes = fields(fields(metadata.get("configurationSchema")).get("properties")).get("contextSize")
    tiers = (fields(chosen.get("modelConfiguration")).get("contextSize"), fields(sizes).get("default"))
    return next(filter(None, map(tokens, (*tiers, metadata.get("maxInputTokens")))), None)


def other_model(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    """The model that is chosen for the next request, where the last one went to another."""
    chosen = word(_chosen_model(state).get("identifier"))
    used = next((asked for turn in reversed(turns) if (asked := word(turn.request.get("modelId")))), "")
    is_same = used.rpartition("/")[2] in ("", chosen.rpartition("/")[2])
    return None if is_same or not chosen else chosen


def host_meter(state: JsonObject, turns: Sequence[Turn]) -> HostMeter | None:
    """What the ring shows: the newest request that reported its size, within both windows of the chosen model.

    A model that reports nothing leaves zeros behind, and empties the ring.
    """
    window = input_window(state)
    last = next((turn.request for turn in reversed(turns) if _is_told(turn.request.get("promptTokens"))), None)
    if window is None or last is None:
        return None
    reserve = tokens(fields(_chosen_model(state).get("metadata")).get("maxOutputTokens"))
    completion = tokens(last.get("completionTokens"))
    used = tokens(last.get("promptTokens")) + completion
    return HostMeter(used, reserved=max(0, reserve - completion), total=window + reserve)


def with_usage(turn: Turn, messages: Iterable[Message]) -> Iterator[Message]:
    """Put what the last call of a turn took on the message that it gave, if that is still sent."""
    usage = _usage(turn)
    given = next(iter(turn.rounds[-1].messages), None) if turn.rounds else None
    for message in messages:
        yield replace(message, usage=usage) if message is given and message.role == "assistant" else message


def _is_told(size: object) -> bool:
    return tokens(size) > 0 or (size == 0 and not isinstance(size, bool))


def _chosen_model(state: JsonObject) -> JsonObject:
    return fields(fields(state.get("inputState")).get("selectedModel"))


def _usage(turn: Turn) -> Usage | None:
    """The last call of a turn; zeros stand for models that report nothing."""
    prompt = tokens(turn.request.get("promptTokens")) or tokens(turn.metadata.get("promptTokens"))
    if not prompt:
        return None
    # `completionTokens` adds up all calls of a turn; without the last one's own, zero has the meter count it.
    total = tokens(turn.request.get("completionTokens")) if len(turn.rounds) == 1 else 0
    return Usage(prompt, tokens(turn.metadata.get("outputTokens")) or total, model_of(turn))


# Where the newest compaction of a VS Code chat cuts it: all up to the end of a round became a summary.


_Place = tuple[int, int]  # of a round: its turn, and its place in it


class Boundary(Struct, frozen=True):
    """The last round that a summary replaces, and the turn that made it: this one or a later one."""

    turn: int
    round: int
    round_id: str
    text: str
    made_in: int


def newest_boundary(turns: Sequence[Turn]) -> Boundary | None:
    """The boundary nearest to the end; of two summaries of one round the one made last."""
    found = {(one.turn, one.round): one for one in (*_in_rounds(turns), *_in_requests(turns))}
    return found[max(found)] if found else None


def _in_rounds(turns: Sequence[Turn]) -> Iterator[Boundary]:
    for place, turn in enumerate(turns):
        for number, one in enumerate(turn.rounds):
            if one.summary.strip():
                yield Boundary(place, number, one.id, one.summary, made_in=place)


def _in_requests(turns: Sequence[Turn]) -> Iterator[Boundary]:
    """The summaries that requests made, of rounds in their own answer or in an earlier one."""
    earlier: dict[str, _Place] = {}
    for place, turn in enumerate(turns):
        own = {one.id: (place, number) for number, one in reversed(list(enumerate(turn.rounds)))}
        name, text = _last_summary(turn.metadata)
        if (end := own.get(name) or earlier.get(name)) is not None:
            yield Boundary(*end, name, text, made_in=place)
        for known, its_place in own.items():
            earlier.setdefault(known, its_place)


def _last_summary(metadata: JsonObject) -> tuple[str, str]:
    """The round and the text of the last summary that a request made; attempts that failed have neither."""
    several = metadata.get("summaries")
    made = objects(several if isinstance(several, list) else [metadata.get("summary")])
    named = [(word(one.get("toolCallRoundId")), word(one.get("text"))) for one in made]
    return next(((name, text) for name, text in reversed(named) if name and text.strip()), ("", ""))


# The state of a VS Code chat becomes the conversation that goes to the model with the next request.


_TOOL = "vscode"
_RESPONDER = "responderUsername"
_NULL = Raw(b"null")
_IDENTITY = frozenset({"sessionId", "creationDate"})


def kind_of(source: Source) -> str | None:
    """Tell a session, and an export, which leaves out what makes a session one, from all else."""
    if members := source.members:
        requests, responder = is_list(members.get("requests")), value_of(members.get(_RESPONDER, _NULL))
    else:
        members = fields(None if source.strict else source.document)
        requests, responder = isinstance(members.get("requests"), list), members.get(_RESPONDER)
    if not requests or not isinstance(responder, str):
        return None
    return "vscode-export" if _IDENTITY.isdisjoint(members) else "vscode"


def chat_of(source: Source, name: str) -> Chat:
    """Read the live conversation of a session in one document; its requests are decoded one after the other."""
    if not source.members:
        return session_chat(fields(source.document), name)
    state = {key: value_of(member) for key, member in source.members.items() if key != "requests"}
    return session_chat({**state, "requests": items_of(source.members["requests"])}, name)


def session_chat(state: JsonObject, name: str) -> Chat:
    """Read the live conversation out of the state of a session."""
    turns = live_turns(state)
    boundary = newest_boundary(turns)
    return Chat(
        format=name,
        tool=_TOOL,
        messages=with_own_ids(_messages_session(turns, boundary)),
        model=next(filter(None, map(model_of, reversed(turns))), None),
        title=_title(state, turns),
        workspace=_workspace(state, turns),
        window=input_window(state),
        window_model=other_model(state, turns),
        host_meter=host_meter(state, turns),
        warnings=_warnings(turns[boundary.turn :] if boundary else turns),
    )


def _messages_session(turns: Sequence[Turn], boundary: Boundary | None) -> Iterator[Message]:
    """The global context, then what stands behind the newest compaction, or all of it."""
    contexts = (rendered_parts(turn.metadata.get("renderedGlobalContext")) for turn in turns)
    if context := next(filter(None, contexts), None):
        yield Message("global-context", "user", context, by_host=True)
    if boundary is None:
        first, rest = 0, None
    else:
        yield _summary(boundary)
        first, rest = boundary.turn, boundary.round + 1
    for place, turn in enumerate(turns[first:], first):
        messages = turn.messages() if place > first or rest is None else turn.messages_from(rest)
        # A call from before the compaction tells nothing of the prompt after it.
        is_comparable = boundary is None or place >= boundary.made_in
        yield from with_usage(turn, messages) if is_comparable else messages


def _summary(boundary: Boundary) -> Message:
    text = f"<conversation-summary>\n{boundary.text}\n</conversation-summary>\n"
    return Message(f"{boundary.round_id}:summary", "user", (Text(text),), is_summary=True, by_host=True)


def _title(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    given = (word(state.get(key)) for key in ("customTitle", "computedTitle"))
    said = (prompt_text(turn.request) for turn in turns)
    return next(filter(None, map(title_of, chain(given, said))), None)


def _workspace(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    """The folder of the session, or the first of those that Copilot Chat wrote down with the global context."""
    keys = (word(turn.metadata.get(key)) for turn in turns for key in ("cacheKey", "globalContextCacheKey"))
    places = (word(state.get("workingDirectory")), *(key.partition(",")[0] for key in keys))
    return next(filter(None, map(_folder, places)), None)


def _folder(uri: str) -> str:
    if not uri.startswith("file:///"):
        return ""
    path = unquote(urlsplit(uri).path)
    return path[1:] if path[2:3] == ":" else path  # a drive of Windows


def _warnings(turns: Sequence[Turn]) -> tuple[Warning, ...]:
    shown = sum(turn.is_shown for turn in turns)
    if not shown:
        return ()
    told = f"Only what the screen shows is known of {shown} of {len(turns)} requests; their size is an estimate."
    return (Warning("fromScreen", told),)


# What a VS Code chat sent before its newest compaction: the rounds up to its boundary, from the one before it on.


def newest(source: Source, name: str) -> Replaced | None:
    """Read the rounds that the newest summary replaced."""
    turns = live_turns(_state_replaced(source, name))
    boundary = newest_boundary(turns)
    if boundary is None:
        return None
    before = _up_to(turns, boundary, boundary.round + 1)
    earlier = newest_boundary(_up_to(turns, boundary, boundary.round))
    summary = Message(boundary.round_id, "user", (Text(boundary.text),), is_summary=True, by_host=True)
    return Replaced(tuple(_messages_replaced(before, earlier)), (summary,))


def _up_to(turns: Sequence[Turn], boundary: Boundary, rounds: int) -> list[Turn]:
    last = turns[boundary.turn]
    return [*turns[: boundary.turn], replace(last, rounds=last.rounds[:rounds])]


def _messages_replaced(turns: Sequence[Turn], earlier: Boundary | None) -> Iterator[Message]:
    first = earlier.turn if earlier else 0
    for place, turn in enumerate(turns[first:], first):
        if earlier and place == first:
            yield from turn.messages_from(earlier.round + 1)
        else:
            yield from turn.messages()


def _state_replaced(source: Source, name: str) -> JsonObject:
    if name != "vscode-log":
        return fields(source.document)
    state, _ = replay(source.byte_lines(), source.values_of)
    return fields(decoded(state)) if state is not None else {}


# Chats of VS Code as its newer versions keep them: a log of operations that only ever grows, until it is rewritten.


_NAME_LOG = "vscode-log"
_START = re.compile(r'\s*+\{\s*+"kind"\s*+:\s*+0\s*+,\s*+"v"\s*+:\s*+\{')
_EARLY = 4096
_MEMBERS = ('"sessionId"', '"creationDate"', '"responderUsername"', '"requests"')


def sniff_log(source: Source) -> bool:
    """Whether the source begins with the whole state of a chat."""
    early = source.opening[:_EARLY]
    return _START.match(early) is not None and any(member in early for member in _MEMBERS)


def read_log(source: Source) -> Chat:
    """Replay the log as far as it goes, and say where it stopped."""
    state, stopped = replay(source.byte_lines(), source.values_of)
    if state is None:
        raise ChatUnreadable(
            "The first line of this log is damaged, and the others only change it.", format=_NAME_LOG, line=1
        )
    requests = _requests(state)
    chat = session_chat({**fields(decoded(state)), "requests": requests}, _NAME_LOG)
    return chat if stopped is None else replace(chat, warnings=(_stopped(stopped), *chat.warnings))


def _requests(state: JsonObject) -> Iterator[object] | None:
    """Take the requests out of a state, to be decoded one after the other."""
    requests = opened(state.pop("requests", None))
    return taken(requests) if isinstance(requests, list) else None


def _stopped(line: int) -> Warning:
    return Warning(
        "replayStopped", f"Line {line} of the log cannot be replayed; it and all behind it were left out.", line
    )


# Chats that a person exported from VS Code: the requests of a session, without its id and its model's limits.


_NAME_EXPORT = "vscode-export"


def sniff_export(source: Source) -> bool:
    """Whether the source is a list of requests and who answers them."""
    return kind_of(source) == _NAME_EXPORT


def read_export(source: Source) -> Chat:
    """Read the export."""
    return chat_of(source, _NAME_EXPORT)


# Chats of VS Code as its older versions keep them: one JSON object, of version 1 (which says none) to 3.


_NAME_VSCODE = "vscode"


def sniff(source: Source) -> bool:
    """Whether the source is a session with an identity of its own."""
    return kind_of(source) == _NAME_VSCODE


def read(source: Source) -> Chat:
    """Read the session."""
    return chat_of(source, _NAME_VSCODE)
