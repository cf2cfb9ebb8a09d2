"""Growing sessions as tools write them, mixed with stretches of the corpus, for readers that follow them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.bench.chats import record, words
from tests.samples.corpus import CORPUS

Record = dict[str, Any]
CODEX_MODELS = ("gpt-5", "gpt-5", "gpt-5-codex")


def _stretches(tool: str) -> list[list[Record]]:
    """Collect the records of a tool's intact session files."""
    found = []
    for case in sorted(CORPUS.glob(f"{tool}/*.jsonl")):
        try:
            records = [json.loads(line) for line in case.read_text("utf-8").splitlines()]
        except ValueError:  # damaged, as UTF-8 or as JSON
            continue
        found.append([one for one in records if isinstance(one, dict)])
    return [records for records in found if 0 < len(records) < 25]


class _Session:
    """Generates lines: mostly valid ones, sometimes a stretch of the corpus or an earlier record again."""

    tool = ""

    def __init__(self, draw: Random, oddity: float) -> None:
        self.draw, self.records = draw, list[Record]()
        self._oddity, self._odd = oddity, _stretches(self.tool) if oddity else []

    def lines(self, size: int) -> list[bytes]:
        """Return at least so many lines."""
        while len(self.records) < size:
            if self.draw.random() >= self._oddity:
                self.records.append(self.sound(len(self.records)))
            elif self.records and self.draw.random() < 0.3:
                self.records.append(self.again(self.draw.choice(self.records)))
            else:
                self.records += self.moved(self.draw.choice(self._odd))
        return [json.dumps(record).encode() + b"\n" for record in self.records]

    def sound(self, number: int) -> Record:
        """Make the next record."""
        raise NotImplementedError

    def again(self, earlier: Record) -> Record:
        """Repeat an earlier record."""
        return earlier

    def moved(self, stretch: list[Record]) -> list[Record]:
        """Adapt a stretch to the session."""
        return stretch


class ClaudeSession(_Session):
    """Generates a Claude Code session: a chain with rewinds, boundaries, side chains and dangling parents."""

    tool = "claude-code"

    def sound(self, number: int) -> Record:
        """Make the next record: a request, a call, its result and an answer in turn."""
        made: Record = record(number, words(self.draw, self.draw.randrange(1, 40)))
        made["parentUuid"] = self._leaf
        if made["type"] == "assistant":
            made["message"]["model"] = self.draw.choice(("claude-opus-4-5", "claude-opus-4-5", "<synthetic>"))
            made["message"]["usage"] = {"input_tokens": 50 * number + 9, "output_tokens": self.draw.randrange(1, 90)}
        return made

    def again(self, earlier: Record) -> Record:
        """Repeat a record, under its id or another, or continue from anywhere."""
        uuids = [one.get("uuid") for one in self.records]
        name, parent = self.draw.choice((earlier.get("uuid"), f"again{len(uuids)}")), earlier.get("parentUuid")
        return {**earlier, "uuid": name, "parentUuid": self.draw.choice((parent, *uuids, "nowhere", None))}

    def moved(self, stretch: list[Record]) -> list[Record]:
        """Rename the ids of a stretch, and link its beginning to the chain, or not."""
        names = {
            one["uuid"]: f"{one['uuid']}-{len(self.records)}" for one in stretch if isinstance(one.get("uuid"), str)
        }
        text = json.dumps(stretch)
        for old, new in names.items():
            text = text.replace(json.dumps(old), json.dumps(new))
        moved: list[Record] = json.loads(text)
        for one in moved[:1] if self.draw.random() < 0.5 else []:
            one["parentUuid"] = self._leaf
        return moved

    @property
    def _leaf(self) -> Any:
        chain = (one["uuid"] for one in reversed(self.records) if one.get("uuid") and not one.get("isSidechain"))
        return next(chain, None)


class CodexSession(_Session):
    """Generates the lines of a Codex session: items and sizes, with compactions and rollbacks."""

    tool = "codex"

    def sound(self, number: int) -> Record:
        """Make the next record: a request, a thought, a call, its output, an answer and the size in turn."""
        text, call = words(self.draw, self.draw.randrange(1, 40)), f"call{number // 6}"
        size = {"input_tokens": 100 * number, "output_tokens": self.draw.randrange(90), "total_tokens": 100 * number}
        info = {"last_token_usage": size, "total_token_usage": size, "model_context_window": 200_000}
        if number == 0:
            return self._wrapped("session_meta", id="s", timestamp="t", cwd="/w", base_instructions={"text": "Count."})
        if self.draw.random() < 0.1:
            return self._wrapped("turn_context", cwd="/w", model=self.draw.choice(CODEX_MODELS))
        items: tuple[Record, ...] = (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}], "encrypted_content": "x"},
            {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": text}), "call_id": call},
            {"type": "function_call_output", "call_id": call, "output": text},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
        )
        if number % 6 == 5:
            return self._wrapped("event_msg", type="token_count", info=self.draw.choice((info, info, None)))
        return self._wrapped("response_item", **items[number % 6])

    def _wrapped(self, kind: str, **payload: Any) -> Record:
        return {"timestamp": "t", "type": kind, "payload": payload}
