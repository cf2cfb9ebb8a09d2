"""Whether a summary can replace the messages that it was made from, as far as the chat itself can tell.

A refusal or a blank text is never accepted. Other faults are only reported: a missing section, another language than
the user's, words quoted as the user's that the user never wrote, and files that no tool changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from html import unescape
from itertools import islice, pairwise
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


# Quotes of the user: found, and looked for in what the user wrote, apart from case, marks, gaps and mended words.


MOST_QUOTES = 400
_LEAST_LETTERS, _LEAST_WORDS = 8, 2  # of a quote: shorter ones are names
_LEAST_LONG = 5  # words of a quote within a sentence, and of one in which a word may be mended
_NEAR = 24  # characters
_ARTICLES = frozenset({"a", "an", "the"})
_NEGATIONS = {
    *("no", "not", "never", "none", "nothing", "nor", "neither", "without", "cannot", "cant"),
    *("nicht", "nie", "kein", "pas"),
}
_ALIKE, _MOST_PAIRS, _MOST_PLACES = 0.8, 5, 20  # likeness of words; where in what was written a quote is looked for
_WORD = re.compile(r"[^\W_]+")
QUOTE = re.compile(
    r"(?<![\w\"])\"(?=\S)([^\"]{3,4000}+)\"(?![\w\"])|“([^“”]{3,4000}+)”|„([^„“”]{3,4000}+)[“”]"
    r"|«([^«»]{3,4000}+)»|「([^「」]{3,4000}+)」"
)
_GAP = re.compile(r"…|\.\.\.|\[[^\]\n]{0,120}\]")
_ASIDE = re.compile(r"\([^()\n]{0,300}\)|\*\*[^*\n]{1,80}:?\*\*:?")
_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|\]\([^()\s]{1,500}\)")
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


class _Words:
    """Words that were written, in which quotes are looked for."""

    def __init__(self, written: Iterable[str]) -> None:
        self._written = written

    @cached_property
    def text(self) -> str:
        """All of them, folded when first asked for."""
        return " ".join(map(_folded, self._written))

    @cached_property
    def _unspaced(self) -> str:
        return self.text.replace(" ", "")  # for `anyway` and `any way`

    @cached_property
    def _words(self) -> list[str]:
        return _bare_words(self.text)

    @cached_property
    def _places(self) -> dict[tuple[str, str], list[int]]:
        places: dict[tuple[str, str], list[int]] = {}
        for place, pair in enumerate(pairwise(self._words)):
            places.setdefault(pair, []).append(place)
        return places

    def has(self, quote: str) -> bool:
        """Return whether each part of a quote, between its gaps, was written, but for a misspelled word in six."""
        return all(part in self.text or self._has_nearly(part) for part in _parts(quote))

    def _has_nearly(self, part: str) -> bool:
        """Return whether a part was written, in one place, but for blanks, articles and a misspelled word in six."""
        if not any(map(str.isdigit, part)) and part.replace(" ", "") in self._unspaced:
            return True
        words = _bare_words(part)
        mended = (len(words) + 1) // (_LEAST_LONG + 1)
        if not mended:
            return False
        found = ((self._places.get(pair, []), before) for before, pair in enumerate(pairwise(words)))
        rarest = sorted((one for one in found if one[0]), key=lambda one: len(one[0]))[:_MOST_PAIRS]
        starts = {place - before for places, before in rarest for place in places[:_MOST_PLACES]}
        written = (self._words[start : start + len(words)] for start in starts if start >= 0)
        return any(_is_mended(words, other, mended) for other in written)


def _bare_words(text: str) -> list[str]:
    return [word for word in text.split() if word not in _ARTICLES]


def _is_mended(words: Sequence[str], written: Sequence[str], most: int) -> bool:
    """Return whether all words are the same but for this many, which were misspelled."""
    others = list(islice((pair for pair in zip(words, written, strict=False) if pair[0] != pair[1]), most + 1))
    return len(words) == len(written) and len(others) <= most and all(_is_alike(*pair) for pair in others)


def _is_alike(word: str, other: str) -> bool:
    """Return whether one word is the other misspelled, and not its opposite or another number."""
    short, long = sorted((word, other), key=len)
    is_negated = not _NEGATIONS.isdisjoint((word, other)) or long == f"{short}nt"  # shouldn't
    if is_negated or word[0] != other[0] or not (word + other).isalpha():  # as in `encrypt` and `decrypt`
        return False
    return sorted(word) == sorted(other) or SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


def _parts(quote: str) -> Iterator[str]:
    """Yield the parts of a quote between its gaps, folded; a short one is a name and left out."""
    for part in map(_folded, _GAP.split(quote)):
        is_name = part.isascii() and part.count(" ") < _LEAST_WORDS - 1  # other scripts may have no blanks
        if len(part) >= _LEAST_LETTERS and not is_name:
            yield part


def _folded(text: str) -> str:
    """Return the words of a text in lower case, separated by single blanks."""
    plain = unicodedata.normalize("NFKC", unescape(text)).casefold()
    return " ".join(_WORD.findall(plain.replace("'", "").replace("’", "")))


def unknown_quotes(body: str, user_messages: str, messages: Sequence[Message]) -> list[str]:
    """Find quotes in the list of user messages, or attributed to the user elsewhere, that are not the user's."""
    sent = [part.text for one in messages if one.role == "user" for part in one.sent if isinstance(part, Text)]
    written = [*(one.text for one in (*requests(messages), *earlier_summaries(messages))), *sent]
    users = _Words((*written, *(_MARKUP.sub(" ", text) for text in written if _MARKUP.search(text))))
    if not users.text:
        return []
    introduced = dict.fromkeys(
        quote[0]
        for match in _ATTRIBUTED.finditer(body)
        if not _TO_USER.search(body, max(0, match.start() - _NEAR), match.start()) and not _NOT_SAID.search(match[0])
        if (quote := QUOTE.match(body, match.end()))
    )
    wrong = [quote for quote in islice(introduced, MOST_QUOTES) if not users.has(quote)]
    everybody = _Words(text for message in messages for text in texts(message))
    items = dict.fromkeys(read_items([(line, False) for line in user_messages.split("\n")], lambda _: False))
    wrong += (quote for item in islice(items, MOST_QUOTES) for quote in _wrong_in_item(item, users, everybody))
    return list(dict.fromkeys(wrong))


def _wrong_in_item(item: str, users: _Words, everybody: _Words) -> Iterator[str]:
    """Yield the wrong quotes of an item.

    The quote that an item begins with or introduces is the user's. Others may be names or, if they are long, what
    somebody else wrote.
    """
    bare = _ASIDE.sub(" … ", item)
    if users.has(item) or (any(_parts(bare)) and users.has(bare)):
        return
    if item.startswith(">"):
        yield item
        return
    for number, quote in enumerate(QUOTE.finditer(item)):
        before = item[: quote.start()].rstrip(" *_(")
        is_users = number == 0 and (not before or before.endswith((":", "：", "-", "–", "—")))
        is_name = not is_users and len(quote[0].split()) < _LEAST_LONG
        if is_name or users.has(quote[0]):
            continue
        if is_users or not all(part in everybody.text for part in _parts(quote[0])):
            yield quote[0]


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
    listed = (entry["file"] for entry in changes if entry["change"] and not _DOUBT.search(entry["change"]))
    claimed = dict.fromkeys([*filter(_is_path, listed), *(path for text in claims for path in _claimed(text))])
    steps = find_steps(messages) if claimed else ()
    if not steps:
        return []
    given = [(step, "\n".join(texts(Message("", "assistant", (step.call,))))) for step in steps]
    others = (message for message in messages if message.is_summary or message.by_host or message.role == "system")
    tried = {_file_name(path) for step in steps if file_kind(step) in _CHANGES for path in paths_of_step(step)}
    written = "\n".join(text for step, text in given if step.done and _may_write(step))
    answers = (step.answer or "" for step in steps)
    near = "\n".join((*(text for _, text in given), *answers, *(text for one in others for text in texts(one))))
    # Another agent's changes are not in this chat.
    was_helped = any(step.done and any(word in step.tool for word in _AGENTS) for step in steps)
    names = ((path, _file_name(path)) for path in islice(claimed, MOST_CLAIMS))
    return [
        path
        for path, name in names
        if name not in written and (name in tried or not (was_helped or name in near))  # failed, or nowhere
    ]


def _claimed(text: str) -> Iterator[str]:
    """Yield the paths in sentences that definitely say that something was done."""
    for sentence in sentences("\n".join(outside(text, closed_fences(text)))):
        if _DONE.search(sentence) and not _DOUBT.search(sentence):
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
_LANGUAGES = Counter(word for words in _FREQUENT.values() for word in words.split())  # that have a word
_WORDS = {name: [word for word in words.split() if _LANGUAGES[word] == 1] for name, words in _FREQUENT.items()}
_PROSE_WORD = re.compile(r"(?<![\w./\\@:-])[^\W\d_]{1,30}+(?![\w/\\@-]|\.\w)")
_DENSE = frozenset({"Hangul", "Hiragana", "Katakana", "Cjk"})  # one of these letters counts like two others
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
    scripts, letters = Counter[str](), 0
    for letter, number in Counter(unicodedata.normalize("NFKC", prose)).items():  # no half-width or bold ones
        if letter.isalpha():
            script = _WORD.findall(unicodedata.name(letter, "unknown"))[0].capitalize()
            scripts[script] += number * (2 if script in _DENSE else 1)
            letters += number
    han, kana = scripts.pop("Cjk", 0), scripts.pop("Hiragana", 0) + scripts.pop("Katakana", 0)
    scripts["Japanese" if kana > _OF_KANA * han else "Chinese"] = han + kana
    del scripts["Latin"]
    script = max(scripts, key=scripts.__getitem__)
    if scripts[script] >= max(_LEAST_OF_SCRIPT, _LEAST_SHARE * letters):
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
