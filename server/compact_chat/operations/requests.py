"""The requests for a summary of a plan: without secrets, and each within the window of the model that gets it."""

from __future__ import annotations

from msgspec import structs

from compact_chat.chat import texts
from compact_chat.errors import TooLarge
from compact_chat.measure.families import Family, family_of
from compact_chat.measure.windows import window_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.prompt.compose import compose
from compact_chat.prompt.portions import Portion, portions
from compact_chat.prompt.request import Request, Task
from compact_chat.providers.provider import Choice

PROMPT_TOKENS = 3000  # more than the longest prompt around the transcript takes
LEAST_CHARACTERS_PER_TOKEN = 2  # of logs and JSON; prose has more, so that this is on the safe side
FEWEST, MOST = 0.5, 4.0  # characters for a token that a chat may be measured to have
MARGIN = 0.8  # of what was measured, since what is sent of a chat is another mix than the whole


def summary_task(made: Draft, *, end_tag: bool = False) -> Task:
    """Tell what is to be summarised, and how."""
    return Task(
        messages=made.without_secrets(made.plan.summarized),
        style=made.options.style,
        direction=made.plan.direction,
        focus=made.clean(made.options.instructions),
        rules=tuple(made.clean(found.text) for found in made.instructions),
        immediate_task=immediate_task(made),
        end_tag=end_tag,
    )


def request_for(task: Task, part: Portion, previous: str | None, made: Draft) -> Request:
    """Write one request; masked once more, since in the transcript stands beside its name what stood apart from it."""
    request = compose(task, structs.replace(part, messages=made.work.watched(part.messages)), previous)
    return structs.replace(request, material=made.clean(request.material), text=made.clean(request.text))


def one_request(made: Draft, desk: Desk) -> Request:
    """Write the request for the summary's model, if what is to be summarised fits into one."""
    task = summary_task(made)
    parts = portions(task, characters_for(Choice(made.options.summary_model), made, desk))
    if len(parts) > 1:
        raise TooLarge(
            "What is to be summarised does not fit into one request to the summary's model;"
            " narrow the scope, or let `summarize` ask a provider, which sends it in parts."
        )
    return request_for(task, parts[0], None, made)


def immediate_task(made: Draft) -> bool:
    """Tell whether a section on the task at hand is asked for (rule P10)."""
    if made.plan.direction == "upTo":
        return False
    wished = made.options.immediate_task
    return made.options.continuation.kind is not None if wished is None else wished


def room_for_kept(made: Draft, summary: str) -> int:
    """Tell how many characters of kept messages the next chat has room for beside the summary (rule C8)."""
    found = made.measured
    tokens = found.window - found.meter.fixed - min(PROMPT_TOKENS, found.window // 4)
    return max(0, _characters(tokens, found.family) - len(summary))


def input_room(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how many tokens of transcript fit a model's window beside the prompt and the reply."""
    window = _window(choice, desk)
    return max(0, window - reply_tokens(choice, made, desk) - min(PROMPT_TOKENS, window // 4))


def characters_for(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how many characters of the chat fit a model's window, by how many its tokens have."""
    messages, own = made.chat.messages, made.measured.family
    tokens = sum(weight.words for weight in made.measured.weights) / own.ratio
    characters = sum(len(text) for message in messages for text in texts(message))
    measured = characters / tokens if tokens else LEAST_CHARACTERS_PER_TOKEN
    each = max(FEWEST, min(MOST, MARGIN * measured))
    return _characters(input_room(choice, made, desk), family_of(choice.model), each)


def reply_tokens(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how long a reply may be; a small window is not given over to it."""
    return min(made.options.max_output_tokens, _window(choice, desk) // 4)


def _window(choice: Choice, desk: Desk) -> int:
    return choice.window or window_of(choice.model, desk.settings.windows).input


def _characters(tokens: int, family: Family, each: float = LEAST_CHARACTERS_PER_TOKEN) -> int:
    return max(0, round(tokens * each / family.ratio))
