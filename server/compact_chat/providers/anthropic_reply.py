"""A reply as its events bring it, and whether it may be taken for whole."""

from __future__ import annotations

from typing import Any

from compact_chat.providers.provider import Answer, Failure, FailureKind
from compact_chat.results import TokensSpent

EVENTS = {
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
}
ACCEPTED = ("end_turn", "stop_sequence")
_CUT: tuple[FailureKind, str] = ("truncated", "The reply broke off before its end.")
STOPS: dict[str, tuple[FailureKind, str]] = {
    "max_tokens": ("truncated", "The reply was cut off at its greatest length: allow more with maxOutputTokens."),
    "model_context_window_exceeded": ("truncated", "The reply was cut off, since the model's window was full."),
    "refusal": ("refusal", "Claude declined to summarise this chat."),
    "tool_use": ("empty", "Claude asked for a tool instead of writing a summary."),
}


class Reply:
    """The blocks of text so far, and what was told about their end."""

    def __init__(self, model: str | None) -> None:
        self.is_over = False
        self._has_begun = False
        self._model = model
        self._stop: str | None = None
        self._spent = TokensSpent(0, 0)
        self._texts: dict[int, list[str]] = {}
        self._others: set[int] = set()

    def knows(self, event: Any) -> bool:
        """Whether an event is of a kind that replies are made of."""
        return event.type in EVENTS

    def take(self, event: Any) -> str:
        """Take an event, and give the text that it adds; whatever is of another shape raises."""
        match event.type:
            case "message_start":
                self._begin(event.message)
            case "content_block_start":
                return self._open(event.index, event.content_block)
            case "content_block_delta":
                return self._add(event.index, event.delta)
            case "message_delta":
                self._end(event)
            case "message_stop":
                self.is_over = True
        return ""

    def answer(self) -> Answer:
        """Give the whole reply, or say why it is none; nothing cut off is ever taken for one (rule L10)."""
        if not self._has_begun:
            raise Failure("protocol", "What answered is not Anthropic's Messages API: check ANTHROPIC_BASE_URL.")
        if self._stop not in ACCEPTED:
            raise Failure(*STOPS.get(self._stop or "", _CUT))
        text = "\n".join("".join(pieces) for pieces in self._texts.values())
        if not text.strip():
            raise Failure("empty", "Claude replied without a text.")
        return Answer(text, self._model, self._stop, self._spent)

    def _begin(self, message: Any) -> None:
        if self._has_begun:
            raise ValueError("a second reply in the first")
        self._has_begun = True
        self._model = message.model if isinstance(message.model, str) else self._model
        usage = message.usage
        parts = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
        self._spent = TokensSpent(sum(part for part in parts if type(part) is int), 0)

    def _open(self, index: int, block: Any) -> str:
        if block.type != "text":
            self._others.add(index)
            return ""
        if index in self._texts:
            raise ValueError("two blocks in one place")
        gap, text = "\n" if self._texts else "", _string(block.text)
        self._texts[index] = [text]
        return gap + text

    def _add(self, index: int, delta: Any) -> str:
        if index in self._others or delta.type != "text_delta":
            return ""
        text = _string(delta.text)
        self._texts[index].append(text)
        return text

    def _end(self, event: Any) -> None:
        self._stop = _string(event.delta.stop_reason or "") or self._stop
        output = getattr(event.usage, "output_tokens", None)
        self._spent = TokensSpent(self._spent.input_tokens, output if type(output) is int else 0)


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("a text that is none")
    return text
