"""A fake editor with language models, as providers see it: it answers as a test specifies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

MODELS, MODEL = "compactChat/languageModels", "compactChat/languageModel"
SILENCE = object()


class FakeHost:
    """Streams pieces of text, each after a pause, and then answers, refuses or stays silent."""

    def __init__(self, **answers: Any) -> None:
        self.language_models = self.secrets = True
        self.answers: dict[str, Any] = {f"compactChat/{name}": answer for name, answer in answers.items()}
        self.pieces: Sequence[str] = ()
        self.pause = 0.0
        self.late: str | None = None  # what it still streams after being cancelled
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.cancelled: list[str] = []

    async def ask(self, method: str, params: dict[str, Any], tell: Callable[[str], None] | None = None) -> Any:
        """Act as the test specified, and record requests and cancellations."""
        self.asked.append((method, params))
        try:
            return await self._answer(self.answers[method], tell)
        except asyncio.CancelledError:
            self.cancelled.append(method)
            if tell is not None and self.late is not None:
                tell(self.late)
            raise

    async def _answer(self, answer: Any, tell: Callable[[str], None] | None) -> Any:
        for piece in self.pieces if tell else ():
            await asyncio.sleep(self.pause)
            assert tell is not None
            tell(piece)
        if answer is SILENCE:
            await asyncio.get_running_loop().create_future()
        if isinstance(answer, Exception):
            raise answer
        return answer


def model(name: str, consent: bool = True, window: Any = 1000) -> dict[str, Any]:
    """Describe a model like an editor."""
    return {"id": name, "name": name.title(), "maxInputTokens": window, "consent": consent}


def reply(text: str, **members: Any) -> dict[str, Any]:
    """Return a model's reply like an editor."""
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m", **members}
