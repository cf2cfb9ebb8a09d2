"""Whether a summary can stand for the messages that it replaces, as far as the chat itself can tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from compact_chat.chat import Message, Text, Warning, texts
from compact_chat.facts import (
    COMMAND_TOOLS,
    Step,
    earlier_summaries,
    errand_of,
    file_kind,
    file_uses,
    find_steps,
    paths_of_step,
    requests,
    sentences,
    shortened,
)
from compact_chat.styles.markdown import between, closed_code, closed_fences, read_items
from compact_chat.styles.style import Summary

# Claims that a file was changed, and whether a tool of the chat changed it.


MOST_CLAIMS = 200
_DONE = re.compile(
    r"\b(?:created|wrote|written|edited|modified|updated|fixed|rewrote|rewritten|implemented|refactored|saved|added|patched)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|nothing|none|neither|nor|never|no|without|fail\w*|could|can|cannot|should|would|will|must|may|might|needs?|pending|todo|plan\w*|next"
    r"|tried|attempt\w*|blocked|denied|refused|rejected|revert\w*|undone|undid|wants?|asked|request\w*|users?|if|when|yet"
    r"|still|unless|manually|already|existing|previously|is|are|be)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_FINISHED = re.compile(r"[ \t]*+[-*+][ \t]++\[[xX]\][ \t]++(.++)")
_LOOKED = re.compile(
    r"\b(?:read|re-?read|look\w*|review\w*|inspect\w*|analy[sz]\w*|examin\w*|check(?:s|ed|ing)?|verif\w*|test\w*|ran|run|found|find"
    r"|explor\w*|search\w*|identif\w*|located|confirm\w*|debug\w*|investigat\w*|underst\w*|compar\w*|discuss\w*|explain\w*"
    r"|diagnos\w*|reproduc\w*|list(?:s|ed|ing)?|measur\w*|trac(?:ed|ing)|see)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w./\\~@+:-]{3,300}+")
_ENDING = re.compile(
    "py|pyi|ipynb|[cm]?js|[jt]sx|ts|jsonl?|mdx?|rst|txt|ya?ml|toml|ini|cfg|conf|env|s?css|less|html?|xml|svg|vue|svelte"
    "|sh|bash|zsh|ps1|bat|go|rs|java|kts?|gradle|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|dart|exs?|sql|proto|tf|lock|[ct]sv"
)
_BRAND = re.compile(r"[A-Z][A-Za-z]*\.(?:js|ts|py|rs|go)")
_AGENTS = ("agent", "task", "delegate")
_ONLY_LOOKS = re.compile("todo|plan|grep|search|glob|list|find|fetch|read|view|think")  # in names of tools


class _Traces(Struct, frozen=True):
    """What the tools left of files: names that were changed, names that were to be, and texts that may tell more."""

    changed: frozenset[str]
    tried: frozenset[str]
    done: tuple[str, ...]  # what those tools were given that ran and may have changed any file
    near: tuple[str, ...]  # texts of anybody who may have met a file
    helped: bool  # by another agent, whose work is not seen


def unproven_files(claims: Sequence[str], named: Sequence[str], messages: Sequence[Message]) -> tuple[str, ...]:
    """The files that a summary says were changed, in its sentences or by name, though no tool changed them.

    Said only of files whose change failed, or that no tool was ever near; in a chat without tools of none.
    """
    told = dict.fromkeys([*named, *(path for text in claims for path in _claimed(text))])
    taken = find_steps(messages) if told else ()
    if not taken:
        return ()
    traces = _traces(taken, messages)
    return tuple(path for path in list(told)[:MOST_CLAIMS] if not _may_be_done(_name(path), traces))


def changed_files(entries: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The names of code changes that say without doubt what was changed."""
    for entry in entries:
        change = entry["change"]
        if change and not _DOUBT.search(change) and _is_path(entry["file"]):
            yield entry["file"]


def _claimed(text: str) -> Iterator[str]:
    """The paths in sentences that say without any doubt that something was done, and in finished items."""
    prose = "\n".join(between(text, closed_fences(text)))
    done = (sentence for sentence in sentences(prose) if _DONE.search(sentence))
    for sentence in (*done, *_finished(prose)):
        if not _DOUBT.search(sentence):
            yield from filter(_is_path, (token.strip(".:") for token in _TOKEN.findall(sentence)))


def _finished(prose: str) -> Iterator[str]:
    """The first sentences of items that are ticked off, unless they tell of something that changes no file."""
    for line in prose.split("\n"):
        if item := _FINISHED.match(line):
            yield from (first for first in sentences(item[1])[:1] if not _LOOKED.search(first))


def _is_path(token: str) -> bool:
    """Whether a word is the path of a file with a known ending."""
    stem, _, ending = token.rpartition(".")
    return (
        bool(stem.strip("./~"))
        and _ENDING.fullmatch(ending) is not None
        and "://" not in token
        and not _BRAND.fullmatch(token)
    )


def _may_be_done(name: str, traces: _Traces) -> bool:
    if name in traces.changed or any(name in text for text in traces.done):
        return True
    return name not in traces.tried and (traces.helped or any(name in text for text in traces.near))


def _traces(taken: Sequence[Step], messages: Sequence[Message]) -> _Traces:
    aside = (message for message in messages if message.is_summary or message.by_host or message.role == "system")
    given = [(step, _given(step)) for step in taken]
    changes = [step for step in taken if file_kind(step) in ("write", "edit")]
    return _Traces(
        changed=frozenset(_name(use.path) for use in file_uses(taken) if use.kind != "read"),
        tried=frozenset(_name(path) for step in changes for path in paths_of_step(step)),
        done=tuple(text for step, text in given if step.done and _may_write(step)),
        near=(*(text for step, own in given for text in (own, step.answer or "")), *_texts_deeds(aside)),
        helped=any(step.done and any(word in step.tool for word in _AGENTS) for step in taken),
    )


def _may_write(step: Step) -> bool:
    """Whether a tool may have changed any file that it was told of: commands, and tools that are not known."""
    if step.tool in COMMAND_TOOLS:
        return not errand_of(step).only_looks
    return file_kind(step) in ("write", "edit") or not _ONLY_LOOKS.search(step.tool)


def _texts_deeds(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield from texts(message)


def _given(step: Step) -> str:
    return "\n".join(texts(Message("", "assistant", (step.call,))))


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


# Lines that a summary quotes as the user's, and whether the user wrote them.


MOST_QUOTES = 400
_LEAST_WORDS, _LEAST_LETTERS_SAID, _LEAST_DENSE = 2, 8, 6  # of a quote: shorter ones are names of things
_LEAST_OF_ITEM, _LEAST_KNOWN, _LEAST_WORD = 4, 0.4, 4  # words, the share of them that the user used, letters
_NEAR = 24  # characters
_LEAST_LONG = 5  # words of a quote in the middle of a sentence
_WORD_SAID = re.compile(r"[^\W_]+")
_QUOTE = re.compile(
    r"\"([^\"]{3,4000}+)\"|“([^“”]{3,4000}+)”|„([^„“”]{3,4000}+)[“”]|«([^«»]{3,4000}+)»|「([^「」]{3,4000}+)」"
)
_GAP = re.compile(r"…|\.\.\.|\[[^\]\n]{0,120}\]")
_OPEN = r"(?=[\"“„«「])"
_USER = r"\b[Uu]ser(?:['’]s)?\b"
_SAYS = (
    "said|says|asked|asks|wrote|writes|stated|replied|answered|insisted|told|requested|demanded|complained|clarified"
)
_OTHER_USERS = "Nutzer|Benutzer|Anwender|[Uu]tilisateur|[Uu]suari[oa]|[Uu]tente|[Пп]ользовател|用户|ユーザー"
_ATTRIBUTED = re.compile(
    rf"{_USER}(?:[ \t]++[\w'’()-]{{1,30}}+){{0,4}}[ \t]*+[*_]{{0,3}}:[*_]{{0,3}}[ \t]*+{_OPEN}"
    rf"|{_USER}(?:[ \t]++\w{{1,20}}+){{0,2}}[ \t]++(?:{_SAYS})"
    rf"(?:[ \t]++(?:that|then|explicitly|verbatim|to|us|me)){{0,2}}[,:]?[ \t]++{_OPEN}"
    rf"|(?:{_OTHER_USERS})[^.\n\"“„«「:：]{{0,40}}[:：][ \t]*+{_OPEN}"
)
# Before the word `user`: what stands behind it is another's. And within the words that introduce a quote: it is a text
# of the program's.
_TO_USER = re.compile(
    r"\b(?:told|asked|asking|informed|reminded|warned|answered|to|for|with)\s+(?:the\s+)?\Z"
    r"|\b(?:dem|zum|al)\s+\Z|(?:à\s+l|\ball)['’]\Z|[告诉对向给]\s*\Z",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:tables?|shown|displayed|sees|ui|facing|interface|agent|model|label|field|column|class|errors?|warnings?|roles?)\b"
    r"|ользовател(?:ю|ям)\b|ユーザーに",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:user|asked|request\w*|want\w*|initial|message\w*|confirm\w*|feedback|approv\w*|omitted|none)\b",
    re.IGNORECASE,
)
_DENSE_SAID = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def unknown_quotes(summary: str, user_messages: str, messages: Sequence[Message]) -> tuple[str, ...]:
    """The quotes in the section of the user's messages, and those ascribed to the user elsewhere, that nobody wrote."""
    said = _folded("\n".join(_texts_of_user(messages)))
    if not said:
        return ()
    known = frozenset(said.split())
    quotes = list(dict.fromkeys(_attributed(summary)))[:MOST_QUOTES]
    items = list(dict.fromkeys(read_items([(line, False) for line in user_messages.split("\n")], lambda _: False)))
    wrong = [quote for quote in quotes if not _was_said(quote, said)]
    for item in items[:MOST_QUOTES]:
        wrong.extend(_wrong_in_item(item, said, known))
    return tuple(dict.fromkeys(wrong))


def without_quotes(text: str) -> str:
    """The text without what stands in quotation marks."""
    return _QUOTE.sub(" ", text)


def _attributed(summary: str) -> Iterator[str]:
    for match in _ATTRIBUTED.finditer(summary):
        if _NOT_SAID.search(match[0]) or _TO_USER.search(summary, max(0, match.start() - _NEAR), match.start()):
            continue
        if quote := _QUOTE.match(summary, match.end()):
            yield quote[0]


def _wrong_in_item(item: str, said: str, known: frozenset[str]) -> Iterator[str]:
    """The quotes of an item; one without quotation marks is a quote unless it tells, or is in words of the user."""
    if _was_said(item, said):
        return
    quotes = [item] if item.startswith(">") else list(_quotes_in(item))
    if quotes or _QUOTE.search(item):
        yield from (quote for quote in quotes if not _was_said(quote, said))
    elif not _TOLD.search(item[:80]) and not item.startswith(("(", "[")) and not _DENSE_SAID.search(item):
        words = [word for word in _folded(item).split() if len(word) >= _LEAST_WORD]
        if len(words) >= _LEAST_OF_ITEM and sum(word in known for word in words) < _LEAST_KNOWN * len(words):
            yield item


def _quotes_in(item: str) -> Iterator[str]:
    """The quotes that an item begins with or introduces, and long ones; others may be the name of anything."""
    for quote in _QUOTE.finditer(item):
        before = item[: quote.start()].rstrip(" *_(")
        if not before or before.endswith((":", "：", "-", "–", "—")) or len(quote[0].split()) >= _LEAST_LONG:
            yield quote[0]


def _was_said(quote: str, said: str) -> bool:
    """Whether each part of a quote, between its gaps, was written; a short one is the name of something."""
    return all(_is_short(part) or part in said for part in map(_folded, _GAP.split(quote)))


def _is_short(part: str) -> bool:
    if _DENSE_SAID.search(part):
        return len(part) < _LEAST_DENSE
    return len(part) < _LEAST_LETTERS_SAID or part.count(" ") < _LEAST_WORDS - 1


def _texts_of_user(messages: Sequence[Message]) -> Iterator[str]:
    yield from (request.text for request in requests(messages))
    yield from (summary.text for summary in earlier_summaries(messages))
    for message in messages:
        if message.role == "user":
            yield from (part.text for part in message.sent if isinstance(part, Text))


def _folded(text: str) -> str:
    """The words of a text, in small letters, with single blanks between them."""
    return " ".join(_WORD_SAID.findall(text.casefold()))


# The language of prose, told only where there is no doubt: by its script, else by words that are frequent in it.


_FREQUENT = {
    "English": "the and is are was that this with for not have from be by which were been should but",
    "German": "der die das und ist nicht ein eine mit für auf dem den von zu wird auch ich sie wir bitte dass noch",
    "French": "le la les des est une pas pour dans que qui avec sur vous nous je ce cette sont mais plus du et il",
    "Spanish": "el los las una que para con por del está son pero como más lo se su esto y en la hay",
    "Portuguese": "os uma não para com por do da em são mas como mais isso você que no ao e um está",
    "Italian": "il di che è un una per non con del della sono ma come più questo gli anche nel",
    "Dutch": "het een van niet met voor op zijn maar ook wordt deze naar ik je en de dat",
    "Polish": "nie jest że do się na jak ale dla czy oraz jako przez tak",
    "Swedish": "och att det är inte som på för med av jag ett har kan den",
}
_SHARED = {
    word for word, number in Counter(w for words in _FREQUENT.values() for w in words.split()).items() if number > 1
}
_WORDS = {name: frozenset(words.split()) - _SHARED for name, words in _FREQUENT.items()}
_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(f"[{letters}]")
    for name, letters in {
        "Cyrillic": "\u0400-\u052f",
        "Greek": "\u0370-\u03ff",
        "Hebrew": "\u0590-\u05ff",
        "Arabic": "\u0600-\u06ff",
        "Devanagari": "\u0900-\u097f",
        "Thai": "\u0e00-\u0e7f",
        "Hangul": "\uac00-\ud7af",
        "Kana": "\u3041-\u30ff",
        "Han": "\u4e00-\u9fff",
    }.items()
}
_WORD_LANGUAGE = re.compile(r"(?<![\w./\\@:-])[^\W\d_]{1,30}+(?![\w/\\@-]|\.\w)")
_LETTER = re.compile(r"[^\W\d_]")
_DENSE_LANGUAGE = frozenset({"Hangul", "Kana", "Han"})  # a letter of these says as much as two of others
_LEAST_LETTERS_LANGUAGE, _LEAST_SHARE, _LEAST_OF_WORDS, _CLEARER, _OF_KANA = 10, 0.5, 0.12, 3, 0.1


def language_of(text: str, least: int) -> str | None:
    """The language of a text without code, or its script; None where fewer than `least` words tell, or two fit."""
    prose = _without_code(text)
    return _by_script(prose) or _by_words(prose, least)


def _without_code(text: str) -> str:
    """The text without closed code."""
    return " ".join(between(text, closed_code(text)))


def _by_script(prose: str) -> str | None:
    found = {name: len(letters.findall(prose)) for name, letters in _SCRIPTS.items()}
    weights = {name: number * (2 if name in _DENSE_LANGUAGE else 1) for name, number in found.items()}
    weights["Japanese"] = weights["Kana"] + weights["Han"] if found["Kana"] > _OF_KANA * found["Han"] else 0
    latin = len(_LETTER.findall(prose)) - sum(found.values())
    name = max(weights, key=lambda one: weights[one])
    enough = weights[name] >= _LEAST_LETTERS_LANGUAGE and weights[name] >= _LEAST_SHARE * (latin + sum(found.values()))
    return name if enough else None


def _by_words(prose: str, least: int) -> str | None:
    words = Counter(word.lower() for word in _WORD_LANGUAGE.findall(prose))
    hits = {name: sum(words[word] for word in own) for name, own in _WORDS.items()}
    (name, most), (_, next_most) = sorted(hits.items(), key=lambda pair: -pair[1])[:2]
    clear = most >= least and most >= _CLEARER * next_most and most >= _LEAST_OF_WORDS * words.total()
    return name if clear else None


# Replies that only say why there is no summary.


_LONGEST = 800  # characters; what says more than that holds something beside
_LOOKED_AT = 400
_SORRY = (
    r"(?:(?:i[’']?m|i am|we are|my)\s+)?(?:very\s+|so\s+)?(?:sorry|apolog\w+)[^.!\n]{0,60}[.,!;:]?"
    r"\s*(?:but\s+|however,?\s+)?"
)
_CANNOT = (
    r"(?:i|we)\s?(?:can\s?not|can[’']?t|am\s+(?:not\s+able|unable)\s+to|[’']m\s+(?:not\s+able|unable)\s+to|won[’']?t"
    r"|will\s+not|would\s+rather\s+not|must\s+decline|do\s?n[’']?t\s+(?:see|have)|do\s+not\s+(?:see|have)|decline\s+to)"
)
_WHAT = (
    r"[^.!?\n]{0,60}?\b(?:help|assist|comply|summar\w+|fulfil\w*|provide|do\s+(?:that|this)|continue|engage|process"
    r"|conversations?|chats?|transcripts?|messages|requests?)\b"
)
_NOTHING = (
    r"(?:there\s+(?:is|was)\s+no|no)\s+(?:conversation|chat|transcript|messages?)\b"
    r"[^.\n]{0,60}?\b(?:summar\w+|provided|given|found)"
)
_OTHERS = (
    r"(?:es\s+tut\s+mir\s+leid|tut\s+mir\s+leid|je\s+suis\s+désolée?|lo\s+siento|mi\s+dispiace|sinto\s+muito|извините"
    r"|抱歉|申し訳)"
)
_ONLY_SORRY = r"(?:i[’']?m|i am)\s+sorry\s*[.!]?\s*\Z"
_REFUSAL = re.compile(
    rf"[\s*_#>-]*+(?:(?:{_SORRY})?{_CANNOT}(?:{_WHAT}|\s*[.!]?\s*\Z)|{_NOTHING}|{_OTHERS}|{_ONLY_SORRY})", re.IGNORECASE
)


def is_refusal(text: str) -> bool:
    """Whether a text without headings is short and begins by saying that there will be no summary."""
    text = text.strip()
    return len(text) <= _LONGEST and _REFUSAL.match(text[:_LOOKED_AT]) is not None


# Whether a summary can stand for the messages that it replaces, as far as the chat itself can tell.


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


def judge(summary: Summary, messages: Sequence[Message]) -> Verdict:
    """Compare a summary with the messages that it was made of; both are without secrets."""
    body, sections = summary.style.body(summary.text), summary.sections or {}
    if not body:
        return Verdict("The summary is blank.")
    if is_refusal("\n".join(_texts_gate(sections)) or body):
        return Verdict("The reply only says why there is no summary.")
    lacking = summary.style.lacks(sections)
    checks = (
        Warning("missingSections", lacking) if lacking else None,
        _language(sections, body, messages),
        _quotes(sections, body, messages),
        _claims(sections, body, messages),
    )
    return Verdict(None, tuple(fault for fault in checks if fault))


def _language(sections: Mapping[str, Any], body: str, messages: Sequence[Message]) -> Warning | None:
    said = [request.text[:_LONGEST_OF_USER] for request in requests(messages)]
    whole = "\n".join(said)
    told = {key: value for key, value in sections.items() if key != "allUserMessages"}
    users, own = (
        language_of(whole, _LEAST_OF_USER),
        language_of(without_quotes("\n".join(_texts_gate(told)) or body), _LEAST_OF_SUMMARY),
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
    wrong = unproven_files(list(_texts_gate(claiming)) if sections else [body], named, messages)
    told = _named([shortened(path, LONGEST_NAMED) for path in wrong])
    return Warning("unprovenDone", f"Told as changed, but no tool of the chat changed it: {told}.") if wrong else None


def _named(things: Sequence[str]) -> str:
    more = len(things) - MOST_NAMED
    return ", ".join(things[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _texts_gate(value: Any) -> Iterator[str]:
    """Every text of the sections."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif value is not None:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_gate(item)
