"""What drives the table notices whatever can be wrong with an answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples.hostile.drive import compare, faults
from tests.samples.hostile.rows import SECRET, Row, Want, given, has, invalid
from tests.servers.wire_client import FAKE, Message, WireClient


def result(under: Any = "a", **more: Any) -> Message:
    """An answer with a result."""
    return {"jsonrpc": "2.0", "id": under, "result": {"used": 7}, **more}


def error(kind: str = "invalidParams", code: int = -32602, sentence: str = "No.", at: tuple[str, ...] = ()) -> Message:
    """An answer with an error, and problems at some places."""
    data = {"kind": kind, "problems": [{"path": path, "message": "wrong"} for path in at]}
    return {"jsonrpc": "2.0", "id": "a", "error": {"code": code, "message": sentence, "data": data}}


AT = ("$.chat",)
REFUSED = Want("a", "invalidParams", AT)


@pytest.mark.parametrize(
    ("wants", "answers"),
    [
        ((Want("a"),), [result()]),
        ((Want(1), Want(None)), [result(None), result(1)]),
        ((Want("a", holds=has("used")),), [result()]),
        ((REFUSED,), [error(at=AT)]),
        ((Want("a"), Want("a", "invalidParams")), [error(), result()]),
        ((), []),
    ],
)
def test_right_answers_have_no_faults(wants: tuple[Want, ...], answers: list[Message]) -> None:
    """Answers that are as they must be pass, in any order."""
    assert list(compare(wants, answers)) == []


@pytest.mark.parametrize(
    ("wants", "answers", "fault"),
    [
        ((Want("a"),), [], "no answer under"),
        ((Want("a"),), [result(), result()], "one answer too many"),
        ((), [result()], "one answer too many"),
        ((Want(1),), [result("1")], "no answer under"),
        ((Want(1),), [result(1.0)], "no answer under"),
        ((Want("a", holds=has("other")),), [result()], "not what was wanted"),
        ((Want("a"),), [error()], "wanted a result"),
        ((REFUSED,), [result()], "wanted invalidParams"),
        ((REFUSED,), [error("internal", -32603)], "wanted invalidParams"),
        ((REFUSED,), [error(code=-32603, at=AT)], "wanted invalidParams"),
        ((REFUSED,), [error()], "wanted problems at"),
        ((Want("a", "invalidParams"),), [error(sentence="")], "no sentence"),
        ((Want("a", "invalidParams"),), [error(sentence="a\nb")], "no sentence"),
        ((Want("a", "invalidParams"),), [error(sentence="a" * 1000)], "no sentence"),
        ((Want("a", "invalidParams"),), [error(sentence=f"{SECRET} is wrong.")], "quotes the input"),
        ((Want("a", "invalidParams"),), [error(sentence="Traceback: a")], "tells of its inside"),
        ((Want("a"),), [result(error={})], "no answer of JSON-RPC"),
    ],
)
def test_each_wrong_answer_is_a_fault(wants: tuple[Want, ...], answers: list[Message], fault: str) -> None:
    """An answer that is lost, doubled, under another id, of another kind or quotes the input is told."""
    assert any(fault in one for one in compare(wants, answers))


def test_what_never_comes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is late is told, and where the server has left, the table ends there."""
    monkeypatch.setattr("tests.samples.hostile.drive.LIMIT", -1.0)
    monkeypatch.setattr("tests.samples.hostile.drive.PATIENCE", 1.0)
    client = WireClient(FAKE)
    client.initialize()
    client.take_answers()
    leave = Row("leave", given("leave", "exit").data.replace(b'"id": "leave", ', b""))
    rows = [given("late", "compactChat/echo"), leave, invalid("lost", "compactChat/echo", 5, "$")]

    found = list(faults(client, rows))
    client.close()
    assert [one.partition(":")[0] for one in found] == ["late", "leave"]
    assert "took" in found[0]
    assert "nothing any more" in found[1]
