"""The pictures in a Copilot log: in the event itself, or once for all in one of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from compact_chat.chat import Image
from compact_chat.read.copilot_events import Event
from compact_chat.read.lenient import objects, word

Assets = Mapping[str, Image]


def assets_of(events: Iterable[Event]) -> Assets:
    """The pictures that events only name, by their ids."""
    held = (event.data for event in events if event.kind == "session.binary_asset")
    named = ((word(data.get("assetId")), data) for data in held)
    return {name: Image(word(data.get("mimeType")), word(data.get("data"))) for name, data in named if name}


def images_of(attached: object, assets: Assets) -> tuple[Image, ...]:
    """The pictures among what was attached; a file that is none goes to the model as its path."""
    found = []
    for item in objects(attached):
        own = Image(word(item.get("mimeType")), word(item.get("data")))
        image = own if own.data else assets.get(word(item.get("assetId")), own)
        if image.data and image.media_type.startswith("image/"):
            found.append(image)
    return tuple(found)
