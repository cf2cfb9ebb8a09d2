"""Whether a summary can replace the messages that it was made from, as far as the chat itself can tell.

A refusal or a blank text is never accepted. Other faults are only reported: a missing section, another language than
the user's, words quoted as the user's that the user never wrote, and files that no tool changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from msgspec import Struct

from compact_chat.chat import Message, Text, Warning, texts
from compact_chat.facts import (
    Step,
    earlier_summaries,
    file_kind,
    find_steps,
    paths_of_step,
    requests,
    sentences,
    shortened,
    task_of,
)
from compact_chat.styles.markdown import closed_code, outside, read_items
from compact_chat.styles.style import Summary, texts_in
from compact_chat.text import closed_fences

MOST_NAMED, LONGEST_NAMED = 3, 80
# Sections about wishes, words and plans, which claim nothing, and the one whose claims are its entries.
_NO_CLAIMS = {
    *("primaryRequestAndIntent", "keyTechnicalConcepts", "allUserMessages", "pendingTasks", "optionalNextStep"),
    *("goal", "constraints", "inProgress", "blocked", "nextSteps", "userIntent", "immediateTask", "codeChanges"),
}


# Quotes of the user: found, and looked for in what the user wrote, apart from case, marks, gaps and mended spelling.


MOST_QUOTES = 400
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_DENSE = 2, 8, 6  # of a quote: shorter ones are names
_LEAST_OF_ITEM, _LEAST_KNOWN, _LEAST_WORD = 4, 0.25, 4  # words, the share of them that the chat has, letters
_NEAR = 24  # characters
_LEAST_LONG = 5  # words of a quote within a sentence
_WORD = re.compile(r"[^\W_]+")
QUOTE = re.compile(
    r"(?<![\w\"])\"(?=\S)([^\"]{3,4000}+)\"(?![\w\"])|“([^“”]{3,4000}+)”|„([^„“”]{3,4000}+)[“”]"
    r"|«([^«»]{3,4000}+)»|「([^「」]{3,4000}+)」"
)
_GAP = re.compile(r"…|\.\.\.|\[[^\]\n]{0,120}\]")
_ASIDE = re.compile(r"\([^()\n]{0,300}\)|\*\*[^*\n]{1,80}:?\*\*:?")
_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|\]\([^()\s]{1,500}\)")
_ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", '"'), ("'", ""), ("’", ""))
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
# Before the word `user`: the following is somebody else's. And within the words that introduce a quote: it is
# program text.
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
_NARRATES = re.compile(
    r"\b(?:user|asked|request\w*|want\w*|initial|message\w*|confirm\w*|feedback|approv\w*|omitted|none)\b"
    r"|\A\W*(?:\w+ed|sent|gave|told|chose|said|went|same|see|no)\b",
    re.IGNORECASE,
)
_DENSE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

# A quote with mended spelling.
_ARTICLES = frozenset({"a", "an", "the"})
_LEAST_MENDED, _MENDED_SHARE, _ALIKE = 4, 4, 0.8  # words; one in four; likeness
_MOST_ANCHORS, _MOST_PLACES = 4, 50  # words that may be where a quote is, and places of each


class _Said:
    """What the user wrote, and for quotes of anybody what the chat holds."""

    def __init__(self, messages: Sequence[Message]) -> None:
        users = [request.text for request in (*requests(messages), *earlier_summaries(messages))]
        users += [
            part.text
            for message in messages
            if message.role == "user"
            for part in message.sent
            if isinstance(part, Text)
        ]
        bare = (_MARKUP.sub(" ", text) for text in users if _MARKUP.search(text))
        self.text = _folded("\n".join((*users, *bare)))
        self._messages = messages

    @cached_property
    def everything(self) -> str:
        """The words of the whole chat."""
        return _folded("\n".join(text for message in self._messages for text in texts(message)))

    @cached_property
    def known(self) -> frozenset[str]:
        """Each word of the chat."""
        return frozenset(self.everything.split()).union(self.text.split())

    @cached_property
    def _unspaced(self) -> str:
        return self.text.replace(" ", "")  # for `anyway` and `any way`

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in self.text.split() if word not in _ARTICLES]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, word in enumerate(self._words):
            places.setdefault(word, []).append(place)
        return places

    def has(self, quote: str) -> bool:
        """Return whether the user wrote each part of a quote, between its gaps."""
        return all(
            part in self.text or part.replace(" ", "") in self._unspaced or self._has_mended(part)
            for part in _parts(quote)
        )

    def has_anywhere(self, quote: str) -> bool:
        """Return whether anybody wrote each part of a quote."""
        return all(part in self.everything for part in _parts(quote)) or self.has(quote)

    def _has_mended(self, part: str) -> bool:
        """Return whether a part was written but for articles and some misspelled words."""
        wanted = [word for word in part.split() if word not in _ARTICLES]
        found = {word: self._places[word] for word in wanted if word in self._places}
        if len(wanted) < _LEAST_MENDED or not found:
            return False
        left = max(1, len(wanted) // _MENDED_SHARE)
        rarest = sorted(found, key=lambda word: len(found[word]))[: min(left + 1, _MOST_ANCHORS)]
        anchors = ((wanted.index(word), place) for word in rarest for place in found[word][:_MOST_PLACES])
        starts = {place - before for before, place in anchors if place >= before}
        return any(_is_mended(wanted, self._words[start : start + len(wanted)], left) for start in starts)


def _is_mended(wanted: Sequence[str], written: Sequence[str], left: int) -> bool:
    """Return whether all words are the same but for this many, which are alike."""
    if len(written) < len(wanted):
        return False
    for word, other in zip(wanted, written, strict=True):
        if word != other:
            left -= 1
            if left < 0 or not _is_alike(word, other):
                return False
    return True


def _is_alike(word: str, other: str) -> bool:
    """Return whether one word is the other misspelled, and not its opposite or another number."""
    if word.endswith(other) or other.endswith(word) or not (word + other).isalpha():
        return False
    return sorted(word) == sorted(other) or SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


def unknown_quotes(body: str, user_messages: str, messages: Sequence[Message]) -> list[str]:
    """Find quotes in the list of user messages, or attributed to the user elsewhere, that are not the user's."""
    said = _Said(messages)
    if not said.text:
        return []
    quotes: dict[str, None] = {}  # introduced as the user's
    for match in _ATTRIBUTED.finditer(body):
        is_to_user = _TO_USER.search(body, max(0, match.start() - _NEAR), match.start())
        if not is_to_user and not _NOT_SAID.search(match[0]) and (quote := QUOTE.match(body, match.end())):
            quotes[quote[0]] = None
    items = dict.fromkeys(read_items([(line, False) for line in user_messages.split("\n")], lambda _: False))
    wrong = [quote for quote in list(quotes)[:MOST_QUOTES] if not said.has(quote)]
    has_marks = any(map(QUOTE.search, items))
    wrong += [quote for item in list(items)[:MOST_QUOTES] for quote in _wrong_in_item(item, said, has_marks)]
    return list(dict.fromkeys(wrong))


def _wrong_in_item(item: str, said: _Said, has_marks: bool) -> Iterator[str]:
    """Yield the wrong quotes of an item; if no item has quotation marks, a whole item is one unless it narrates.

    The quote that an item begins with or introduces is the user's. Others may be names or, if they are long, what
    somebody else wrote.
    """
    bare = _ASIDE.sub(" … ", item)
    if said.has(item) or (any(_parts(bare)) and said.has(bare)):
        return
    if item.startswith(">"):
        yield item
    elif first := QUOTE.search(item):
        for quote in QUOTE.finditer(item):
            before = item[: quote.start()].rstrip(" *_(")
            if quote.start() == first.start() and (not before or before.endswith((":", "：", "-", "–", "—"))):
                known = said.has(quote[0])
            else:
                known = len(quote[0].split()) < _LEAST_LONG or said.has_anywhere(quote[0])
            if not known:
                yield quote[0]
    elif not (has_marks or _NARRATES.search(item[:80]) or item.startswith(("(", "[")) or _DENSE.search(item)):
        words = [word for word in _folded(bare).split() if len(word) >= _LEAST_WORD]
        if len(words) >= _LEAST_OF_ITEM and sum(word in said.known for word in words) < _LEAST_KNOWN * len(words):
            yield item


def _parts(quote: str) -> Iterator[str]:
    """Yield the parts of a quote between its gaps, folded; a short one is a name and left out."""
    for part in map(_folded, _GAP.split(quote)):
        if _DENSE.search(part):
            is_short = len(part) < _LEAST_DENSE
        else:
            is_short = len(part) < _LEAST_LETTERS or part.count(" ") < _LEAST_WORDS - 1
        if not is_short:
            yield part


def _folded(text: str) -> str:
    """Return the words of a text in lower case, separated by single blanks."""
    for mark, plain in _ESCAPED:
        text = text.replace(mark, plain)
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


# The verdict.


class Verdict(Struct, frozen=True):
    """The reason to reject a summary, or the faults of one that is accepted if there is no better."""

    fatal: str | None
    faults: tuple[Warning, ...] = ()


def judge(summary: Summary, messages: Sequence[Message]) -> Verdict:
    """Compare a summary with the messages that it was made from; both are masked."""
    body, sections = summary.text.removeprefix(summary.style.header).strip(), summary.sections or {}
    if not body:
        return Verdict("The summary is blank.")
    said = ("\n".join(texts_in(sections)) or body).strip()
    if len(said) <= _LONGEST and _REFUSAL.match(said[:_LOOKED_AT]):
        return Verdict("The reply only says why there is no summary.")
    faults: list[Warning] = []
    if lacking := summary.style.lacks(sections):
        faults.append(Warning("missingSections", lacking))
    if languages := _languages(sections, body, messages):
        own, users = languages
        sentence = f"The summary is in another language than the user's messages: {own}, not {users}."
        faults.append(Warning("otherLanguage", sentence))
    if quotes := _named(unknown_quotes(body, str(sections.get("allUserMessages", "")), messages)):
        faults.append(Warning("unknownQuote", f"Quoted as the user's, but in no message of the user: {quotes}."))
    claiming = {key: value for key, value in sections.items() if key not in _NO_CLAIMS}
    claims = list(texts_in(claiming)) if sections else [body]
    if files := _named(_unproven_files(claims, sections.get("codeChanges", []), messages)):
        faults.append(Warning("unprovenDone", f"Told as changed, but no tool of the chat changed it: {files}."))
    return Verdict(None, tuple(faults))


def _named(things: Sequence[str]) -> str:
    more = len(things) - MOST_NAMED
    listed = ", ".join(shortened(thing, LONGEST_NAMED) for thing in things[:MOST_NAMED])
    return listed + (f" and {more} more" if more > 0 else "")


# Files: a claim that one was changed, though no tool of the chat changed it.


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
_CHANGES = ("write", "edit")  # kinds of file use
_AGENTS = ("agent", "task", "delegate")
_ONLY_LOOKS = re.compile("todo|plan|grep|search|glob|list|find|fetch|read|view|think")  # in names of tools


def _unproven_files(
    claims: Sequence[str], changes: Sequence[Mapping[str, str]], messages: Sequence[Message]
) -> list[str]:
    """Find the files that a summary claims were changed, in its sentences or entries, though no tool changed them.

    Only files whose change failed or that no tool ever met are reported; chats without tools report nothing.
    """
    sure = (entry for entry in changes if entry["change"] and not _DOUBT.search(entry["change"]))
    listed = (entry["file"] for entry in sure if _is_path(entry["file"]))
    claimed = dict.fromkeys([*listed, *(path for text in claims for path in _claimed(text))])
    steps = find_steps(messages) if claimed else ()
    if not steps:
        return []
    given = [(step, "\n".join(texts(Message("", "assistant", (step.call,))))) for step in steps]
    others = (message for message in messages if message.is_summary or message.by_host or message.role == "system")
    tried = {_file_name(path) for step in steps if file_kind(step) in _CHANGES for path in paths_of_step(step)}
    written = [text for step, text in given if step.done and _may_write(step)]
    near = [text for step, own in given for text in (own, step.answer or "")]
    near += [text for message in others for text in texts(message)]
    # Another agent's changes are not in this chat.
    was_helped = any(step.done and any(word in step.tool for word in _AGENTS) for step in steps)

    def may_be_changed(name: str) -> bool:
        """Return whether a tool changed the file, or may have: one that failed to change it has not."""
        if any(name in text for text in written):
            return True
        return name not in tried and (was_helped or any(name in text for text in near))

    return [path for path in list(claimed)[:MOST_CLAIMS] if not may_be_changed(_file_name(path))]


def _claimed(text: str) -> Iterator[str]:
    """Yield the paths in sentences that definitely say that something was done, and in finished items."""
    prose = "\n".join(outside(text, closed_fences(text)))
    items = (item[1] for line in prose.split("\n") if (item := _FINISHED.match(line)))
    finished = (first for item in items for first in sentences(item)[:1] if not _LOOKED.search(first))
    done = (sentence for sentence in sentences(prose) if _DONE.search(sentence))
    for sentence in (*done, *finished):
        if not _DOUBT.search(sentence):
            yield from filter(_is_path, (token.strip(".:") for token in _TOKEN.findall(sentence)))


def _is_path(token: str) -> bool:
    """Return whether a word is the path of a file with a known ending."""
    stem, _, ending = token.rpartition(".")
    is_file = bool(stem.strip("./~")) and _ENDING.fullmatch(ending) is not None
    return is_file and "://" not in token and not _BRAND.fullmatch(token)


def _may_write(step: Step) -> bool:
    """Return whether a tool may have changed any file that it was given: commands, and unknown tools."""
    if step.command:
        return not task_of(step).only_reads
    return file_kind(step) in _CHANGES or not _ONLY_LOOKS.search(step.tool)


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


# Language: detected only if certain, by its script, else by words that are frequent in it.


_LEAST_OF_USER, _LEAST_OF_SUMMARY = 5, 10  # frequent words needed to detect the language
_LONGEST_OF_USER = 2000  # characters of a message examined: the rest is mostly pasted
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
_PROSE_WORD = re.compile(r"(?<![\w./\\@:-])[^\W\d_]{1,30}+(?![\w/\\@-]|\.\w)")
_LETTER = re.compile(r"[^\W\d_]")
_DENSE_SCRIPTS = frozenset({"Hangul", "Kana", "Han"})  # one of these letters counts like two others
_LEAST_OF_SCRIPT, _LEAST_SHARE, _LEAST_OF_WORDS, _CLEARER, _OF_KANA = 10, 0.5, 0.12, 3, 0.1


def _languages(sections: Mapping[str, Any], body: str, messages: Sequence[Message]) -> tuple[str, str] | None:
    """Return the languages of the summary and of the user, if the user never wrote in the summary's."""
    said = [request.text[:_LONGEST_OF_USER] for request in requests(messages)]
    users = language_of("\n".join(said), _LEAST_OF_USER)
    own_words = "\n".join(texts_in({key: value for key, value in sections.items() if key != "allUserMessages"}))
    own = language_of(QUOTE.sub(" ", own_words or body), _LEAST_OF_SUMMARY)
    if users is None or own is None or own == users:
        return None
    return None if any(language_of(text, _LEAST_OF_USER) == own for text in said) else (own, users)


def language_of(text: str, least: int) -> str | None:
    """Return the language or the script of a text without code; None if fewer than `least` words show it."""
    prose = " ".join(outside(text, closed_code(text)))
    found = {name: len(letters.findall(prose)) for name, letters in _SCRIPTS.items()}
    weights = {name: number * (2 if name in _DENSE_SCRIPTS else 1) for name, number in found.items()}
    weights["Japanese"] = weights["Kana"] + weights["Han"] if found["Kana"] > _OF_KANA * found["Han"] else 0
    letters = len(_LETTER.findall(prose))
    script = max(weights, key=lambda name: weights[name])
    if weights[script] >= _LEAST_OF_SCRIPT and weights[script] >= _LEAST_SHARE * letters:
        return script
    words = Counter(word.lower() for word in _PROSE_WORD.findall(prose))
    hits = {name: sum(words[word] for word in own) for name, own in _WORDS.items()}
    (language, most), (_, next_most) = sorted(hits.items(), key=lambda pair: -pair[1])[:2]
    is_clear = most >= least and most >= _CLEARER * next_most and most >= _LEAST_OF_WORDS * words.total()
    return language if is_clear else None


# Refusals: short replies that, without their headings, begin by saying that there will be no summary.


_LONGEST = 800  # characters; a longer text has other content too
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
