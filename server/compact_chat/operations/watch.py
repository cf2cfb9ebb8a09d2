"""Follow a chat, or the one in use in a workspace or folders: report on it now, and again whenever it has grown."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.cancel import checkpoint
from compact_chat.disk import Recent, RecentChats, Wanted
from compact_chat.errors import InvalidParams
from compact_chat.operations.desk import Desk
from compact_chat.operations.params import ChatRef
from compact_chat.operations.roots import folders
from compact_chat.operations.watching import InUse, Live, Watcher, Wish, WorkspaceWatcher
from compact_chat.operations.work import Work
from compact_chat.wire import Count, Watched

Result = Watched


class Params(Struct, frozen=True, rename="camel"):
    """A chat in a file, or a workspace and folders of chats, and what is known of the model."""

    chat: ChatRef | None = None
    workspace: Annotated[str | None, Meta(description="A folder, to follow the chat there that is in use.")] = None
    roots: Annotated[
        tuple[str, ...],
        Meta(description="A folder whose chats count as held in the workspace, wherever that was.", max_length=16),
    ] = ()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None


def run(asked: Params, desk: Desk, work: Work) -> Watched:
    """Report on the chat, and keep an eye on it."""
    desk.watches.check_room()
    work.step("Reading the chat")
    watcher = _watcher(asked, desk, work)
    return Watched(desk.watches.add(watcher, work), watcher.uri, watcher.report)


def _watcher(asked: Params, desk: Desk, work: Work) -> Watcher | WorkspaceWatcher:
    if asked.chat is None and (asked.workspace is not None or asked.roots):
        return _workspace_watcher(asked, desk, work)
    if asked.chat is None or asked.workspace is not None or asked.roots:
        raise InvalidParams.at("$", "expected either a chat, or a workspace, roots or both")
    wish = Wish(asked.model, asked.window, asked.chat.format, asked.chat.tool)
    return Watcher(_followed(asked.chat, wish, desk), work)


def _followed(chat: ChatRef, wish: Wish, desk: Desk) -> Live:
    for name in ("text", "messages", "system", "tools"):
        if getattr(chat, name) is not None:
            raise InvalidParams.at(f"$.chat.{name}", "a chat that is watched is a file, and comes by its uri alone")
    if chat.uri is None:
        raise InvalidParams.at("$.chat.uri", "this member is required")
    try:
        return Live(chat.uri, wish, desk)
    except InvalidParams as problem:
        raise problem.moved("$.chat") from None


def _workspace_watcher(asked: Params, desk: Desk, work: Work) -> WorkspaceWatcher:
    def follow(chat: Recent) -> Live:
        return Live(chat.uri, Wish(asked.model, asked.window, chat.format, chat.tool), desk)

    in_use = InUse(RecentChats(_wanted(asked), desk.heads, checkpoint).newest)
    return WorkspaceWatcher(asked.workspace or asked.roots[0], in_use, follow, work)


def _wanted(asked: Params) -> Wanted:
    """Say which chats count: without a workspace only those below the roots."""
    roots = folders(asked.roots)
    return Wanted(roots=roots) if asked.workspace is None else Wanted(asked.workspace, beside=roots)
