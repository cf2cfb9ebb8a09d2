"""Survival: which facts of a ledger a text still holds. Retained means written there, not understood by a reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compact_chat.facts.ledger import Fact
from compact_chat.facts.mentions import Mentions
from compact_chat.facts.words import shortened
from compact_chat.results import Lost, Survival, SurvivalClass

# What it costs to lose one class. Words and rules of the person cannot be had again; an error that is forgotten is met
# again, a modified file is work that was done; what was read or run can be read or run once more.
WEIGHTS: Mapping[str, float] = {
    "userMessages": 3,
    "constraints": 3,
    "modifiedFiles": 2,
    "errors": 2,
    "todos": 2,
    "currentWork": 2,
    "commands": 1,
    "readFiles": 1,
}
LONGEST_SHOWN = 300


def survival(facts: Sequence[Fact], text: str, clean: Callable[[str], str]) -> Survival:
    """Compare the facts, as the redactor leaves them, with a text; a class without facts is absent."""
    paths = [clean(fact.text) for fact in facts if fact.kind in ("modifiedFiles", "readFiles")]
    mentions = Mentions(text, paths)
    classes = [_class(kind, facts, mentions, clean) for kind in WEIGHTS]
    present = tuple(found for found in classes if found.total)
    return Survival(kept=_kept(present), classes=present)


def _class(kind: str, facts: Sequence[Fact], mentions: Mentions, clean: Callable[[str], str]) -> SurvivalClass:
    own = [fact for fact in facts if fact.kind == kind]
    lost = [
        Lost(fact.id, shortened(text, LONGEST_SHOWN), fact.message)
        for fact in own
        if not mentions.of(kind, text := clean(fact.text))
    ]
    return SurvivalClass(name=kind, total=len(own), kept=len(own) - len(lost), restored=0, lost=tuple(lost))


def _kept(classes: Sequence[SurvivalClass]) -> float:
    """The share that is kept, weighted over the classes; nothing can be lost of nothing."""
    weights = [WEIGHTS[found.name] for found in classes]
    shares = [weight * found.kept / found.total for weight, found in zip(weights, classes, strict=True)]
    return round(sum(shares) / sum(weights), 4) if classes else 1.0
