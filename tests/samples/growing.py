"""Sessions that grow in every way that was ever seen, and in some that were not: lines for readers that follow them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

Record = dict[str, Any]
CLAUDE_MODELS = ("claude-opus-4-5", "claude-opus-4-5", "claude-sonnet-4-5", "<synthetic>")
CODEX_MODELS = ("gpt-5", "gpt-5", "gpt-5-codex")


class ClaudeSession:
    """Makes the lines of a Claude Code session: mostly sound ones, and odd ones now and then."""

    def __init__(self, draw: Random, oddity: float) -> None:
        self._draw, self._oddity = draw, oddity
        self.records: list[Record] = []
        self._uuids: list[str] = []
        self._leaf: str | None = None
        self._calls: list[tuple[str, str]] = []  # each with the line that made it
        self._replies = 0

    def lines(self, size: int) -> list[bytes]:
        """Give so many lines at least."""
        while len(self.records) < size:
            if self._draw.random() < self._oddity:
                self._draw.choice((self._rewind, self._dangle, self._compact, self._clear, self._repeat, self._stray))()
            else:
                self._draw.choice((self._wish, self._reply, self._reply, self._answer, self._note, self._aside))()
        return [json.dumps(record).encode() + b"\n" for record in self.records]

    def _add(self, kind: str, **members: Any) -> str:
        uuid = f"u{len(self._uuids)}"
        parent = members.pop("parent", self._leaf)
        self._uuids.append(uuid)
        self.records.append(
            {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "type": kind, "uuid": uuid, **members}
        )
        if kind in ("user", "assistant") and not members.get("isSidechain"):
            self._leaf = uuid
        return uuid

    def _words(self) -> str:
        return " ".join(self._draw.choice(("shelf", "tray", "bread")) for _ in range(self._draw.randrange(1, 40)))

    def _wish(self) -> None:
        self._calls = []
        self._add("user", message={"role": "user", "content": self._words()})

    def _reply(self) -> None:
        """Several lines of one reply, with calls that are made at once."""
        self._replies += 1
        model = self._draw.choice(CLAUDE_MODELS)
        for place in range(self._draw.randrange(1, 4)):
            call = f"c{self._replies}.{place}"
            block: Record = {"type": "text", "text": self._words()}
            if self._draw.random() < 0.5:
                block = {"type": "tool_use", "id": call, "name": "Read", "input": {"path": self._words()}}
            usage = {"input_tokens": 50 * len(self.records) + 9, "output_tokens": self._draw.randrange(1, 90)}
            message = {"id": f"m{self._replies}", "role": "assistant", "model": model, "content": [block]}
            uuid = self._add("assistant", message={**message, "usage": usage})
            if block["type"] == "tool_use":
                self._calls.append((call, uuid))

    def _answer(self) -> None:
        """Answer a call, hanging on the line that made it, as parallel calls are answered."""
        if not self._calls:
            return
        call, maker = self._calls.pop(self._draw.randrange(len(self._calls)))
        result = {"type": "tool_result", "tool_use_id": call, "content": self._words()}
        self._add("user", parent=maker, message={"role": "user", "content": [result]})

    def _note(self) -> None:
        """A line that says nothing: some hang on the chain, some go to the model, some give a title."""
        note = self._draw.randrange(4)
        if note == 0:
            self.records.append({"type": "custom-title", "customTitle": self._words(), "sessionId": "s"})
        elif note == 1:
            self._leaf = self._add("attachment", attachment={"type": "file", "filename": "a", "content": self._words()})
        elif note == 2:
            self._leaf = self._add("progress", data={})
        else:
            self._add("system", subtype="turn_duration")

    def _aside(self) -> None:
        """What a sub-agent says beside the chat."""
        parent = self._draw.choice((None, self._leaf))
        for kind in ("user", "assistant"):
            said = {"role": kind, "content": self._words()}
            parent = self._add(kind, parent=parent, isSidechain=True, message=said)

    def _rewind(self) -> None:
        """Go on from anywhere."""
        parent = self._draw.choice([*self._uuids, None])
        self._add(self._draw.choice(("user", "assistant")), parent=parent, message={"content": self._words()})

    def _dangle(self) -> None:
        """Hang on a line that is not there, or not yet."""
        parent = f"u{len(self._uuids) + self._draw.randrange(3)}"
        self._add(self._draw.choice(("user", "system")), parent=parent, message={"content": self._words()})

    def _compact(self) -> None:
        kept = self._draw.sample(self._uuids, min(len(self._uuids), 3))
        about: Record = {"trigger": "auto"}
        if kept and self._draw.random() < 0.5:
            about["preservedMessages"] = {"anchorUuid": f"u{len(self._uuids) + 1}", "uuids": kept}
        elif kept:
            about["preservedSegment"] = {"headUuid": kept[0], "tailUuid": kept[-1], "anchorUuid": kept[0]}
        boundary = self._add("system", parent=None, subtype="compact_boundary", compactMetadata=about)
        said = {"role": "user", "content": self._words()}
        self._add("user", parent=boundary, isCompactSummary=True, message=said)

    def _clear(self) -> None:
        """Take results out of the prompt."""
        calls = [f"c{self._draw.randrange(self._replies + 2)}.0" for _ in range(2)]
        self._add("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": calls})

    def _repeat(self) -> None:
        """Write a line, a reply or an answer again."""
        if self._uuids:
            again = self._draw.choice(self.records)
            name = again.get("uuid") if self._draw.random() < 0.5 else f"again{len(self.records)}"
            self.records.append({**again, "uuid": name})
            self._uuids.append(str(name))

    def _stray(self) -> None:
        """Answer what nobody asked, fail, or lack what every line has."""
        result = {"type": "tool_result", "tool_use_id": f"c{self._draw.randrange(9)}.0", "content": self._words()}
        odd: list[Record] = [
            {"message": {"role": "user", "content": [result]}},
            {"message": {"content": self._words()}, "isApiErrorMessage": True},
            {"message": 5},
            {},
        ]
        self._add(self._draw.choice(("user", "assistant")), **self._draw.choice(odd))


class CodexSession:
    """Makes the lines of a Codex session: items, sizes, compactions and what is taken back."""

    def __init__(self, draw: Random, oddity: float) -> None:
        self._draw, self._oddity = draw, oddity
        self.records: list[Record] = []
        self._calls: list[str] = []
        self._last: Record = {}
        self._add("session_meta", {"id": "s", "timestamp": "t", "cwd": "/w", "base_instructions": {"text": "Count."}})

    def lines(self, size: int) -> list[bytes]:
        """Give so many lines at least."""
        while len(self.records) < size:
            if self._draw.random() < self._oddity:
                self._draw.choice((self._compact, self._roll_back, self._estimate, self._bare, self._again))()
            else:
                ways = (
                    self._wish,
                    self._think,
                    self._call,
                    self._call,
                    self._answer,
                    self._say,
                    self._size,
                    self._turn,
                )
                self._draw.choice(ways)()
        return [json.dumps(record).encode() + b"\n" for record in self.records]

    def _add(self, kind: str, payload: Record) -> None:
        self.records.append({"timestamp": "t", "type": kind, "payload": payload})

    def _words(self) -> str:
        return " ".join(self._draw.choice(("shelf", "tray", "bread")) for _ in range(self._draw.randrange(1, 40)))

    def _message(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self._add("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    def _wish(self) -> None:
        odd = self._draw.choice(("", "", "", "<environment_context>", "<turn_aborted>"))
        closing = odd.replace("<", "</")
        self._message(self._draw.choice(("user", "user", "developer")), f"{odd}{self._words()}{closing}")

    def _think(self) -> None:
        steps = [{"type": "summary_text", "text": self._words()}]
        self._add("response_item", {"type": "reasoning", "summary": steps, "encrypted_content": "x"})

    def _say(self) -> None:
        self._message("assistant", self._words())

    def _call(self) -> None:
        self._calls.append(f"call{len(self.records)}")
        arguments = json.dumps({"command": self._words()})
        item = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": self._calls[-1]}
        self._add("response_item", item if self._draw.random() < 0.8 else {**item, "id": f"i{self._draw.randrange(3)}"})

    def _answer(self) -> None:
        if self._calls:
            call = self._calls.pop()
            self._add("response_item", {"type": "function_call_output", "call_id": call, "output": self._words()})

    def _size(self) -> None:
        """A size, or the last one again, or none."""
        if self._draw.random() < 0.7:
            prompt = 100 * len(self.records)
            last = {"input_tokens": prompt, "output_tokens": self._draw.randrange(90), "total_tokens": prompt}
            self._last = {"total_token_usage": last, "last_token_usage": last, "model_context_window": 200_000}
        self._add("event_msg", {"type": "token_count", "info": self._draw.choice((self._last, self._last, None))})

    def _turn(self) -> None:
        told = self._draw.choice(("turn", "title", "noise"))
        if told == "turn":
            self._add("turn_context", {"cwd": "/w", "model": self._draw.choice(CODEX_MODELS)})
        elif told == "title":
            self._add("event_msg", {"type": "thread_renamed", "thread_name": self._words()})
        else:
            self._add("event_msg", {"type": "agent_message", "message": self._words()})

    def _compact(self) -> None:
        kept = [one["payload"] for one in self.records if one["type"] == "response_item"][-2:]
        with_history = {"message": self._words(), "replacement_history": kept}
        self._add("compacted", self._draw.choice((with_history, {"message": self._words()})))

    def _roll_back(self) -> None:
        self._add("event_msg", {"type": "thread_rolled_back", "num_turns": self._draw.randrange(3)})

    def _estimate(self) -> None:
        """The tool's own count of the whole, as after a compaction."""
        last = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 40 * len(self.records)}
        self._add("event_msg", {"type": "token_count", "info": {"last_token_usage": last, "total_token_usage": last}})

    def _bare(self) -> None:
        """An item without an envelope, as old versions wrote them, or what an agent says."""
        bare = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": self._words()}]}
        said = {"type": "inter_agent_communication", "payload": {"content": self._words()}}
        self.records.append(self._draw.choice((bare, said)))

    def _again(self) -> None:
        """A record again, an encrypted summary, or the session's beginning."""
        hidden = {"type": "response_item", "payload": {"type": "compaction", "encrypted_content": "x"}}
        self.records.append(self._draw.choice((*self.records[-3:], hidden, self.records[0])))
