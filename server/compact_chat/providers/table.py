"""The one table of providers: a new one is a module with `choices` and `write`, and a line here."""

from __future__ import annotations

PROVIDERS = {
    "anthropic": "compact_chat.providers.anthropic",
    "editor": "compact_chat.providers.editor",
    "offline": "compact_chat.providers.offline",
}
