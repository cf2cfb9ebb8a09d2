"""Whether a summary can stand for the messages that it replaces, as far as the chat itself can tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from compact_chat.chat import Message, Warning
from compact_chat.facts.requests import requests
from compact_chat.facts.words import shortened
from compact_chat.options import Style
from compact_chat.reply.deeds import changed_files, unproven_files
from compact_chat.reply.detailed import HEADER, LEAST_TITLES, titles_in
from compact_chat.reply.language import language_of
from compact_chat.reply.refusal import is_refusal
from compact_chat.reply.reply import Reply
from compact_chat.reply.said import unknown_quotes, without_quotes
from compact_chat.reply.styles import parse_sections

MOST_NAMED, LONGEST_NAMED = 3, 80
_LEAST_OF_USER, _LEAST_OF_SUMMARY = 5, 10  # frequent words that must tell the language
_LONGEST_OF_USER = 2000  # characters of a message that are looked at: behind them it is mostly pasted
# Sections that tell wishes, words and plans and claim nothing, and the one whose claims are its entries.
_NO_CLAIMS = {
    *("primaryRequestAndIntent", "keyTechnicalConcepts", "allUserMessages", "pendingTasks", "optionalNextStep"),
    *("goal", "constraints", "inProgress", "blocked", "nextSteps", "userIntent", "immediateTask", "codeChanges"),
}


class Verdict(Struct, frozen=True):
    """Why a summary is never accepted, or what is wrong with one that is accepted where there is no better."""

    fatal: str | None
    faults: tuple[Warning, ...] = ()


def judge(reply: Reply, style: Style, messages: Sequence[Message]) -> Verdict:
    """Compare a summary with the messages that it was made of; both are without secrets."""
    body = reply.summary.removeprefix(HEADER).strip() if style == "detailed" else reply.summary.strip()
    sections = parse_sections(reply.summary, style) or {}
    if not body:
        return Verdict("The summary is blank.")
    if is_refusal("\n".join(_texts(sections)) or body):
        return Verdict("The reply only says why there is no summary.")
    checks = (_missing(sections, style), _language(sections, body, messages), _quotes(sections, body, messages))
    faults = (*checks, _claims(sections, body, messages))
    return Verdict(None, tuple(fault for fault in faults if fault))


def _missing(sections: Mapping[str, Any], style: Style) -> Warning | None:
    if style == "detailed" and titles_in(sections) < LEAST_TITLES:
        return Warning("missingSections", "The summary has next to none of the sections that were asked for.")
    if style == "structured" and not (sections["userIntent"] or sections["currentState"]):
        return Warning("missingSections", "The summary says nothing of the user's intent and of the current state.")
    return None


def _language(sections: Mapping[str, Any], body: str, messages: Sequence[Message]) -> Warning | None:
    said = [request.text[:_LONGEST_OF_USER] for request in requests(messages)]
    whole = "\n".join(said)
    told = {key: value for key, value in sections.items() if key != "allUserMessages"}
    users, own = (
        language_of(whole, _LEAST_OF_USER),
        language_of(without_quotes("\n".join(_texts(told)) or body), _LEAST_OF_SUMMARY),
    )
    spoken = (language_of(text, _LEAST_OF_USER) for text in (whole, *said))
    if users is None or own is None or own in spoken:
        return None
    return Warning("otherLanguage", f"The summary is in another language than the user's messages: {own}, not {users}.")


def _quotes(sections: Mapping[str, Any], body: str, messages: Sequence[Message]) -> Warning | None:
    wrong = unknown_quotes(body, str(sections.get("allUserMessages", "")), messages)
    named = _named([shortened(quote, LONGEST_NAMED) for quote in wrong])
    return Warning("unknownQuote", f"Quoted as the user's, but in no message of the user: {named}.") if wrong else None


def _claims(sections: Mapping[str, Any], body: str, messages: Sequence[Message]) -> Warning | None:
    claiming = {key: value for key, value in sections.items() if key not in _NO_CLAIMS}
    named = list(changed_files(sections.get("codeChanges", [])))
    wrong = unproven_files(list(_texts(claiming)) if sections else [body], named, messages)
    told = _named([shortened(path, LONGEST_NAMED) for path in wrong])
    return Warning("unprovenDone", f"Told as changed, but no tool of the chat changed it: {told}.") if wrong else None


def _named(things: Sequence[str]) -> str:
    more = len(things) - MOST_NAMED
    return ", ".join(things[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _texts(value: Any) -> Iterator[str]:
    """Every text of the sections."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif value is not None:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
