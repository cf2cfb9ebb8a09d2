"""What is not masked cannot be written for a model, a screen or a file: a type checker refuses it."""

from __future__ import annotations

import re
from pathlib import Path

import compact_chat
from compact_chat.chat import Message, Text
from compact_chat.models import Assignment
from compact_chat.offline import OfflineRequest
from compact_chat.prompt import fit, message_text, write_transcript
from compact_chat.redact import Redactor
from compact_chat.resume import Export, write_continuation
from compact_chat.styles import STYLES, Request, Summary, Task
from compact_chat.wire import ContinuationOptions


def test_mypy_refuses_what_is_not_masked() -> None:
    """Each ignored error is one: mypy reports an ignore that it does not need."""
    plain, clean = Message("m0", "user", (Text("hi"),)), Redactor()
    masked, summary = clean.messages([plain]), Summary(STYLES["detailed"], "Summary:\nhi")
    options = ContinuationOptions()

    write_transcript([plain])  # type: ignore[list-item]
    fit([plain], 100)  # type: ignore[list-item]
    message_text(plain)  # type: ignore[arg-type]
    Task((plain,), "detailed", "all")  # type: ignore[arg-type]
    Task(masked, "detailed", "all", focus=str(plain))  # type: ignore[arg-type]
    OfflineRequest((plain,), "detailed", "all", 1000, len)  # type: ignore[arg-type]
    write_continuation(summary.masked(clean), [plain], options)  # type: ignore[list-item]
    write_continuation(summary, masked, options)  # type: ignore[arg-type]
    Assignment("m", 1, Request("", "hi"))  # type: ignore[arg-type]
    Export({}, masked, "2026-11-18T10:00:00.000Z")  # type: ignore[arg-type]
    Export(clean.json({}), (plain,), "2026-11-18T10:00:00.000Z")  # type: ignore[arg-type]


def test_masked_values_are_made_where_they_are_masked() -> None:
    """No other module casts to a masked type or calls one."""
    home = Path(compact_chat.__file__).parent
    made = re.compile(r"""cast\("Masked|(?<!class )\bMasked\w+\(""")

    makers = {str(path.relative_to(home)) for path in home.rglob("*.py") if made.search(path.read_text())}

    assert makers == {"redact/redactor.py", "styles/style.py"}
