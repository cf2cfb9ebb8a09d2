"""The editor provider: language models that the client has, asked over the wire (rules L2, L9 and L10)."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.providers.editor_asking import asked
from compact_chat.providers.editor_replies import Model, answer_of, models_of
from compact_chat.providers.host import Host
from compact_chat.providers.provider import Access, Answer, Assignment, Choice, Failure, Tell

PREFIX = "editor:"  # what stands before the id of a model where one is wished for
_MOST = 2  # models to ask (rule L6)
_JUSTIFICATION = "Compact Chat writes a summary of a chat."


async def choices(wished: Sequence[str], access: Access) -> tuple[Choice, ...]:
    """Name the wished models that the client has, else its first ones; without a person's start those with consent."""
    models = models_of(await asked(_host(access), "compactChat/languageModels", {}, access))
    wanted = _wanted(models, [name.removeprefix(PREFIX) for name in wished if name.startswith(PREFIX)])
    allowed = [model for model in wanted if model.consent or access.user_initiated]
    if not allowed:
        raise Failure("noConsent", "The editor's user has not allowed its models to be asked.")
    return tuple(Choice(model.id, model.window) for model in allowed[:_MOST])


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Have a model of the client's reply; what the client did not stream of the text is told at its end."""
    request = assignment.request
    assert request is not None, "only the offline writer does without a request"
    told: list[str] = []

    def heard(text: str) -> None:
        told.append(text)
        tell(text)

    params = {
        **({} if assignment.model is None else {"model": assignment.model}),
        "messages": [{"role": "user", "content": {"type": "text", "text": request.message}}],
        "systemPrompt": request.system,
        "maxTokens": assignment.max_output_tokens,
        "justification": _JUSTIFICATION,
        "userInitiated": access.user_initiated,
    }
    result = await asked(_host(access), "compactChat/languageModel", params, access, heard)
    answer = answer_of(result, assignment.model)
    if (missing := _behind(answer.text, "".join(told))) != "":
        tell(missing)
    return answer


def _host(access: Access) -> Host:
    if access.host is None or not access.host.language_models:
        raise Failure("noModel", "There is no editor that offers its language models.")
    return access.host


def _wanted(models: Sequence[Model], ids: Sequence[str]) -> list[Model]:
    """Give the models of these ids in their order, or all where no id is given."""
    if not models:
        raise Failure("noModel", "The editor has no language model.")
    known = {model.id: model for model in models}
    found = [known[name] for name in dict.fromkeys(ids) if name in known]
    if ids and not found:
        raise Failure("modelNotFound", "The editor has none of the models that were wished for.")
    return found if ids else list(known.values())


def _behind(text: str, told: str) -> str:
    """Give what of a text was not told yet; nothing where something else was told."""
    return text.removeprefix(told) if text.startswith(told) else ""
