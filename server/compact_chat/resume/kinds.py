"""The text that tells the next model why the chat was compacted and how to go on (rules C10 to C19)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from compact_chat.errors import InvalidParams
from compact_chat.options import ContinuationKind, ContinuationOptions
from compact_chat.plan.outcome import Direction
from compact_chat.resume.scene import Scene, scene_of

APPROVED_STEP = "prepare the next step and ask for approval"

# Why the chat was compacted, and what that makes of the summary (rule C11).
_CAUSES: Mapping[str | None, tuple[str, str]] = {
    "regular": ("The context of this chat was compacted automatically.", ""),
    "midLoop": ("The context of this chat was compacted automatically in the middle of a work loop.", ""),
    "emergency": (
        "The provider refused the last request as too large, so the context of this chat was compacted.",
        "The summary holds the recovered state.",
    ),
    "postTool": (
        "The context of this chat was compacted right after a tool step, inside the work loop.",
        "Everything done so far is covered by {memory}.",
    ),
    "manual": ("The user asked for this compaction.", "The summary is the memory of all that came before it."),
}
_NAMES_KEPT = {"regular", "midLoop"}
_ACKNOWLEDGED = {"emergency", "postTool"}


def kind_text(
    options: ContinuationOptions, summary: str = "", *, direction: Direction = "upTo", kept: bool = False
) -> str:
    """The text for a chat of this summary and these options; a blank summary means that there is none."""
    return text_of(scene_of(options, summary, direction, kept))


def text_of(scene: Scene) -> str:
    """One block on the cause, approval, the way to go on, and recovery."""
    if scene.kind not in _CAUSES:
        raise InvalidParams.at("$.kind", f"expected one of {', '.join(get_args(ContinuationKind))}")
    paragraphs = "\n\n".join(filter(None, (_cause(scene), _approval(scene), _course(scene), _recovery(scene))))
    return f"[SYSTEM: {paragraphs}]"


def _cause(scene: Scene) -> str:
    cause, outcome = _CAUSES[scene.kind]
    if scene.kind in _NAMES_KEPT and scene.recent:
        outcome = "The most recent messages were kept word for word."
    elif not scene.summary:
        outcome = ""
    return f"{cause} {outcome.format(memory=scene.memory)}".strip()


def _approval(scene: Scene) -> str:
    if not scene.approval:
        return ""
    return (
        "Tool approval is REQUIRED: every tool run waits for its own approval, and none are batched."
        f" Reading {scene.memory} and planning without tools may start at once."
    )


def _course(scene: Scene) -> str:
    """Numbered steps; where the text is to be short, and for a compaction by hand, a paragraph."""
    sentences = list(_sentences(scene))
    if scene.silent or scene.kind == "manual":
        return " ".join(sentences)
    steps = (f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    return "\n".join(("POST-COMPACTION PROTOCOL", *steps))


def _sentences(scene: Scene) -> Iterator[str]:
    """What the model must and must not do, in its order (rule C12)."""
    if scene.silent:
        yield (
            "Do not bring the compaction up, narrate it or apologise for it."
            " If the user asks about it, or if information is missing, answer truthfully."
        )
    yield f"Read {scene.memory} before anything else."
    if scene.host.search:
        yield _search(scene)
    if scene.host.notes and scene.kind == "regular":
        yield f"Note files: {', '.join(scene.host.notes)}. Load only those that are needed, never all at once."
    if not scene.silent and scene.kind in _ACKNOWLEDGED:
        yield "Acknowledge the compaction to the user in one short line."
    if not scene.silent and scene.kind == "manual":
        yield "The compaction is already confirmed to the user and needs no further word."
    if scene.silent and scene.kind != "manual":
        yield _files(scene)
    yield "Start no new topic, make no detour, and do not repeat finished work."
    yield _questions(scene)
    yield _work(scene)


def _search(scene: Scene) -> str:
    when = "If something is lacking" if scene.kind == "manual" else "For older context"
    source = "the summary" if scene.summary else "the kept messages"
    text = (
        f"{when}, {_call(scene, scene.host.search)} with specific words from {source},"
        " such as the name of a function that stands there."
    )
    return f"{text} Hint: {scene.host.search_hint.rstrip('.')}." if scene.host.search_hint else text


def _call(scene: Scene, tool: str) -> str:
    """The order to call a tool; its approval is asked for like that of any next step (rule C17)."""
    if not scene.approval:
        return f"call {tool}"
    return f"{APPROVED_STEP}: a call of {tool}" if scene.going_on else f"ask for approval of a call of {tool}"


def _files(scene: Scene) -> str:
    if scene.approval:
        return "Files in hand may be read again, each with its own approval and without other comment."
    return "Files in hand may be read again without comment."


def _questions(scene: Scene) -> str:
    if not scene.may_ask:
        return "Do not ask what to do next."
    if scene.going_on:
        return "Do not ask what to do next, unless the next step is truly unclear: then ask one short question."
    return f"Do not ask what to do next, unless {scene.answer} leaves it truly unclear: then ask one short question."


def _work(scene: Scene) -> str:
    """Go on with the task section, or wait where it says so (rule C16)."""
    place = scene.task.place
    if scene.task.verb == "waiting":
        return f"According to {place}, it is the user's turn: wait for the user, and start no work before the answer."
    if scene.task.verb == "none":
        return f"According to {place}, nothing is open: wait for the user, and start no work before the next message."
    if scene.approval:
        return f"Take up the task in {place} exactly where it stopped: {APPROVED_STEP}."
    return f"Take up the task in {place} and go on exactly where it stopped."


def _recovery(scene: Scene) -> str:
    """The host's plan, where one is under way, and its standards (rule C15)."""
    sentences = [_plan(scene)] if scene.host.plan and scene.plan else []
    if scene.host.standards:
        sentences.append(f"Before editing code, read {scene.host.standards}.")
    return " ".join(sentences)


def _plan(scene: Scene) -> str:
    order = f"{_quietly(scene)}{_call(scene, scene.host.plan)} to see the open task and its progress"
    then = ", and go on from there" if scene.going_on and not scene.approval else ""
    start = f" A task of the plan is started with {scene.host.plan_start}." if scene.host.plan_start else ""
    return f"SESSION RECOVERY: {order}{then}.{start}"


def _quietly(scene: Scene) -> str:
    if not scene.silent:
        return ""
    return "without visible output but the request, " if scene.approval else "without visible output, "
