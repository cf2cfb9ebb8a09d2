"""What the scripted model answers to a prompt of ours is a summary that our server takes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from tests.servers.wire_client import WireClient
from tests.vscode.machine import MODEL, node, require

PIPE = """
let prompt = "";
process.stdin.on("data", (piece) => (prompt += piece));
process.stdin.on("end", () => process.stdout.write(require(process.argv[1]).summaryOf(prompt) ?? ""));
"""


def test_its_summary_is_accepted_and_keeps_the_users_words(client: WireClient, bakery: Path) -> None:
    """The server finds all nine sections in it, no fault, and most of what the user said."""
    require()
    asked = client.call("compactChat/prompt", {"chat": {"uri": bakery.as_uri()}})
    reply = _reply(asked["messages"][0]["content"])
    done = client.call("compactChat/summarize", {"planId": asked["planId"], "reply": reply})
    kept = {found["name"]: found["kept"] / found["total"] for found in done["survival"]["classes"]}

    assert len(done["sections"]) == 9
    assert not [warning for warning in done["warnings"] if warning["code"] in ("missingSections", "unknownQuote")]
    assert kept["userMessages"] > 0.8
    assert done["after"] < done["before"]


def test_it_leaves_other_prompts_alone() -> None:
    """A prompt that is not ours gets no summary."""
    require()
    assert _reply("Please summarize this conversation in one `<summary>` block.") == ""


def _reply(content: Any) -> str:
    prompt = content if isinstance(content, str) else "\n".join(block["text"] for block in content)
    command = (node(), "-e", PIPE, str(MODEL / "summary.js"))
    return subprocess.run(command, input=prompt, check=True, capture_output=True, text=True).stdout
