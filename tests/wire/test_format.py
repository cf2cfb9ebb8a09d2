"""`format` over the wire: replies and typed sections of every style."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.wire_client import WireClient

FORMAT = "compactChat/format"
STRUCTURED = {
    "userIntent": "buns\n\nfor all",
    "keyDecisions": ["a\n## Next Steps\n1. b", "\\- dash", "None"],
    "codeChanges": [{"file": "z.go", "change": "x", "rationale": "", "impact": "```\nopen"}],
    "errorsAndSolutions": [{"error": "E1", "location": "bun.py:3", "solution": "wait", "prevention": "timer"}],
    "debuggingSteps": ["look"],
    "warningsAndNotes": ["hot"],
    "currentState": "in the oven",
    "nextSteps": [str(number) for number in range(12)],
    "immediateTask": None,
}
CHECKPOINT = {
    "goal": "buns",
    "constraints": "",
    "inProgress": "- [ ] bake",
    "done": "- [x] dough",
    "blocked": "",
    "decisions": "- **hot**: fast",
    "nextSteps": "1. bake",
    "context": "180 degrees",
    "immediateTask": "NONE",
}
DETAILED = {"primaryRequestAndIntent": "buns", "currentWork": "oven"}


@pytest.mark.parametrize(
    ("style", "text", "summary", "key"),
    [
        (
            "detailed",
            "Of course:<summary>8. Current Work: oven</summary>Bye",
            "Summary:\n8. Current Work: oven",
            "currentWork",
        ),
        ("checkpoint", "## Goal\nbuns\n**Next Steps:**\n1. bake", "## Goal\nbuns\n**Next Steps:**\n1. bake", "goal"),
        (
            "structured",
            "**next steps:**\n1) ship",
            "# Conversation Summary\n\n## User Intent\n\n## Current State\n\n## Next Steps\n1. ship\n",
            "nextSteps",
        ),
        ("brief", "\ufeff # Facts\r\nbuns ", "# Facts\nbuns", None),
    ],
)
def test_a_reply_is_made_presentable(real: WireClient, style: str, text: str, summary: str, key: str | None) -> None:
    """F1, P26, R11: a raw reply of any style comes back as its summary, with its sections."""
    answer = real.call(FORMAT, {"text": text, "style": style})
    assert answer["summary"] == summary
    assert answer["warnings"] == []
    assert answer["sections"] is None if key is None else answer["sections"][key]


@pytest.mark.parametrize(
    ("style", "sections"), [("detailed", DETAILED), ("checkpoint", CHECKPOINT), ("structured", STRUCTURED)]
)
def test_sections_survive_the_round_trip(real: WireClient, style: str, sections: dict[str, Any]) -> None:
    """R13: typed sections come back as they were, and the summary made of them is formatted into itself."""
    answer = real.call(FORMAT, {"sections": sections, "style": style})
    assert answer["sections"] == sections
    text = answer["summary"] if style != "detailed" else f"<summary>{answer['summary']}</summary>"
    assert real.call(FORMAT, {"text": text, "style": style}) == answer


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"text": "a", "style": "haiku"}, "$.style"),
        ({"style": "brief"}, "$"),
        ({"text": "a", "sections": {}}, "$"),
        ({"sections": {"goal": "a"}, "style": "brief"}, "$.style"),
        ({"sections": {"mood": "a"}, "style": "structured"}, "$.sections"),
        ({"sections": {"keyDecisions": ["a", 1]}, "style": "structured"}, "$.sections.keyDecisions[1]"),
        ({"sections": {"codeChanges": [{"file": None}]}, "style": "structured"}, "$.sections.codeChanges[0].file"),
        ({"sections": {"done": ["a"]}, "style": "checkpoint"}, "$.sections.done"),
        ({"sections": {"currentWork": 1}}, "$.sections.currentWork"),
    ],
    ids=str,
)
def test_wrong_params_are_told_their_path(real: WireClient, params: dict[str, Any], path: str) -> None:
    """G4: whatever is wrong with the params comes back as -32602 with its path."""
    error = real.error(FORMAT, params)
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams")
    assert path in [problem["path"] for problem in error["data"]["problems"]]


@pytest.mark.parametrize(
    ("style", "text", "kind"),
    [
        ("detailed", "Sorry, no.", "noSummary"),
        ("detailed", "<summary> \n </summary>", "emptySummary"),
        ("checkpoint", "## Goal\nbuns", "noSummary"),
        ("structured", "I would rather not.", "noSections"),
        ("structured", "## User Intent\nNone", "emptySummary"),
        ("brief", "\n", "emptySummary"),
    ],
)
def test_a_reply_without_summary_is_refused(real: WireClient, style: str, text: str, kind: str) -> None:
    """F9, F10, P26 and R10: each way of being no summary has its kind under -32045."""
    error = real.error(FORMAT, {"text": text, "style": style})
    assert (error["code"], error["data"]["kind"]) == (-32045, kind)


def test_secrets_are_masked(real: WireClient) -> None:
    """A secret in a reply, or in typed sections, is masked in the summary and in the sections."""
    key = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8
    for params in ({"text": f"## User Intent\nuse {key}"}, {"sections": {"userIntent": f"use {key}"}}):
        answer = real.call(FORMAT, {**params, "style": "structured"})
        assert key not in str(answer)
        assert "[REDACTED:" in answer["sections"]["userIntent"]
