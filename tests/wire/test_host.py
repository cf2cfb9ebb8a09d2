"""Questions to the client over the wire: its model is asked, and what it streams comes through."""

from __future__ import annotations

import pytest

from tests.servers.host import MODEL, MODELS, model, reply
from tests.servers.wire_client import SERVE, WireClient


def streamed(client: WireClient) -> str:
    """The text that came back under the token of the operation."""
    return "".join(one["text"] for one in client.progress("to the user"))


def test_summarize_asks_the_model_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """L9: only with consent; the model's text is streamed and comes as the summary."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    client = WireClient(SERVE)
    client.replies = {MODELS: {"models": [model("a", consent=False, window=100_000)]}}
    client.initialize(initializationOptions={"compactChat": {"languageModels": True}})
    turns = [("user", "Please add a price column to orders.py. "), ("assistant", "The column is there now. ")] * 6
    chat = {"messages": [{"role": role, "content": words * 40} for role, words in turns]}

    unasked = client.call("compactChat/summarize", {"chat": chat})
    assert {one["provider"]: one["outcome"] for one in unasked["attempts"]}["editor"] == "skipped"
    assert client.asked(MODEL) == []

    params = {"chat": chat, "provider": "editor", "userInitiated": True, "partialResultToken": "to the user"}
    number = client.start("compactChat/summarize", params)
    asked = client.until(lambda one: one.get("method") == MODEL)
    body = "1. Primary Request and Intent:\n   A price column in orders.py.\n"
    piece = {"kind": "text", "text": f"<summary>\n{body}"}
    client.notify("$/progress", {"token": asked["params"]["partialResultToken"], "value": piece})
    client.until(lambda _: "orders.py" in streamed(client))
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": reply(f"<summary>\n{body}</summary>")})
    result = client.answer(number)["result"]
    assert (result["provider"], result["model"]) == ("editor", "m")
    assert result["summary"] == f"Summary:\n{body.rstrip()}"
    client.close()
