"""Requests for a plan's summary: without secrets, and each within the context window of the model that gets it."""

from __future__ import annotations

from msgspec import structs

from compact_chat.chat import texts
from compact_chat.errors import TooLarge
from compact_chat.measure import Family, family_of, window_of
from compact_chat.models import Choice
from compact_chat.operations.compaction import Draft
from compact_chat.operations.job import ClientState
from compact_chat.prompt import Portion, compose_request, cut_portions
from compact_chat.styles import MaskedSummary, Request, Summary, Task

PROMPT_TOKENS = 3000  # more than the longest prompt around the transcript takes
LEAST_CHARACTERS_PER_TOKEN = 2  # of logs and JSON; prose has more, so this is on the safe side
FEWEST, MOST = 0.5, 4.0  # characters per token that a chat may be measured to have
MARGIN = 0.8  # of what was measured, since what is sent of a chat is another mix than the whole


def summary_task(draft: Draft, *, end_tag: bool = False) -> Task:
    """Describe what is to be summarized, and how."""
    return Task(
        messages=draft.summarized,
        style=draft.options.style,
        direction=draft.plan.direction,
        focus=draft.clean(draft.options.instructions),
        rules=tuple(draft.clean(found.text) for found in draft.instructions),
        immediate_task=draft.has_task_section,
        end_tag=end_tag,
    )


def request_for(task: Task, part: Portion, previous: MaskedSummary | None, draft: Draft) -> Request:
    """Write one request; masked again, since the transcript puts a name beside a value that stood apart from it."""
    request = compose_request(task, part, previous)
    return structs.replace(request, material=draft.clean(request.material), text=draft.clean(request.text))


def one_request(draft: Draft) -> Request:
    """Write the request for the summary's model, if one is enough."""
    task = summary_task(draft)
    parts = cut_portions(task, characters_for(Choice(draft.options.summary_model), draft))
    if len(parts) > 1:
        raise TooLarge(
            "What is to be summarised does not fit into one request to the summary's model;"
            " narrow the scope, or let `summarize` ask a provider, which sends it in parts."
        )
    return request_for(task, parts[0], None, draft)


def reply_tokens(choice: Choice, draft: Draft) -> int:
    """Return how long a reply may be; of a small window no more than a quarter."""
    return min(draft.options.max_output_tokens, _window(choice, draft.client) // 4)


def input_room(choice: Choice, draft: Draft) -> int:
    """Return how many tokens of transcript fit a model's window besides the prompt and the reply."""
    window = _window(choice, draft.client)
    return max(0, window - reply_tokens(choice, draft) - min(PROMPT_TOKENS, window // 4))


def characters_for(choice: Choice, draft: Draft) -> int:
    """Return how many characters of the chat fit a model's window, by how many its tokens have."""
    tokens = sum(weight.words for weight in draft.measured.weights) / draft.measured.counting.family.ratio
    characters = sum(len(text) for message in draft.chat.messages for text in texts(message))
    measured = characters / tokens if tokens else LEAST_CHARACTERS_PER_TOKEN
    each = max(FEWEST, min(MOST, MARGIN * measured))
    return _characters(input_room(choice, draft), family_of(choice.model), each)


def room_for_kept(draft: Draft, summary: Summary) -> int:
    """Return how many characters of kept messages the next chat has room for besides the summary (rule C8)."""
    window = draft.measured.window.input
    tokens = window - draft.measured.meter.fixed - min(PROMPT_TOKENS, window // 4)
    return max(0, _characters(tokens, draft.measured.counting.family, LEAST_CHARACTERS_PER_TOKEN) - len(summary.text))


def _window(choice: Choice, client: ClientState) -> int:
    return choice.window or window_of(choice.model, client.settings.windows).input


def _characters(tokens: int, family: Family, each: float) -> int:
    return max(0, round(tokens * each / family.ratio))
