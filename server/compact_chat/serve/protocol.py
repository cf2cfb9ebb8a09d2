"""The language server protocol as pygls has it, with its defects cured."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.serve.asked import COMMANDS, METHODS, by_command, by_request
from compact_chat.serve.calls import Calls
from compact_chat.serve.host import ClientHost
from compact_chat.serve.messages import Message, MessageId, Notification, Reply, Request
from compact_chat.serve.parent import watch_process
from compact_chat.serve.questions import Questions
from compact_chat.serve.refusals import InvalidRequest, MethodNotFound, NotInitialized, log_failure
from compact_chat.serve.settings import SECTION, Settings, member
from compact_chat.serve.watch import Watching

if TYPE_CHECKING:
    from compact_chat.serve.session import ChatServer

Handler: TypeAlias = Callable[[Request], None]


class ChatProtocol(LanguageServerProtocol):
    """One client: every request gets exactly one answer, and nothing of a chat gets anywhere else.

    pygls keeps `initialize` and `shutdown`. What may hold a chat goes past its typed messages, which rename keys and
    turn numbers into strings; documents, hovers and the like are not offered, so nothing of them is kept.
    """

    def __init__(self, server: ChatServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._leave, self._channel, self._card = server.leave, server.channel, server.offer.card
        self._desk = server.offer.desk()
        self._desk.room = server.room
        self._questions = Questions(self._channel)
        self._desk.host = self._host = ClientHost(self._questions.ask)
        self._settings = Settings(self._desk, self._questions.ask)
        self._meters = Watching(self._desk.watches, self._channel.tell, self._channel.is_behind)
        self._calls = Calls(
            server.offer, self._desk, self._settings, self._channel, self._questions, self._meters.begin
        )
        self._ready = False
        self._stop_watching: Callable[[], object] = lambda: None
        self._requests: dict[str, Handler] = {
            types.INITIALIZE: self._initialize,
            types.SHUTDOWN: self._shut_down,
            types.WORKSPACE_EXECUTE_COMMAND: self._command,
            **{METHODS + name: partial(self._operation, name) for name in self._card["operations"]},
        }
        self._notifications: dict[str, Callable[[JsonObject], None]] = {
            types.CANCEL_REQUEST: self._calls.cancel,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._calls.cancel_progress,
            types.PROGRESS: self._host.heard,
            types.INITIALIZED: self._settings.start,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._settings.changed,
        }

    def methods(self) -> frozenset[str]:
        """Name all that can come."""
        return frozenset((*self._requests, *self._notifications, types.EXIT))

    def receive(self, message: Message) -> None:
        """Take what came off the wire: a message, or the error that stands for one."""
        if isinstance(message, Request):
            self._begin(message)
        elif isinstance(message, Notification):
            self._take(message)
        elif isinstance(message, Reply):
            self._questions.answered(message)
        else:
            self._channel.refuse(*message)

    async def close(self) -> None:
        """Stop all that is done for a client that left, and answer what it was done for."""
        self._settings.stop()
        self._meters.stop()
        self._stop_watching()
        self._calls.cancel_all()
        await self._calls.answered()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Offer the operations, and nothing else."""
        result = yield from super().lsp_initialize(params)
        commands = [COMMANDS + name for name in self._card["operations"]]
        result.capabilities = types.ServerCapabilities(
            text_document_sync=types.TextDocumentSyncOptions(open_close=False, change=types.TextDocumentSyncKind.None_),
            execute_command_provider=types.ExecuteCommandOptions(commands),
            experimental={"compactChat": self._card},
        )
        self._ready = True
        return result

    def _begin(self, asked: Request) -> None:
        try:
            self._check(asked)
            self._requests[asked.method](asked)
        except Exception as error:  # noqa: BLE001 -- whatever goes wrong, the request is answered
            self._channel.refuse(asked.id, error)

    def _check(self, asked: Request) -> None:
        """Raise what is in a request's way; pygls 2.1.1 serves at any time, but after `shutdown` answers nothing."""
        if self._shutdown:
            raise InvalidRequest("The server was shut down.")
        if self._ready and asked.method == types.INITIALIZE:
            raise InvalidRequest("The server was initialized before.")
        if not self._ready and asked.method != types.INITIALIZE:
            raise NotInitialized("The first request must be `initialize`.")
        if asked.method not in self._requests:
            raise MethodNotFound("There is no such method.")
        if not isinstance(asked.params, dict):
            raise InvalidParams.at("$", "expected an object")

    def _initialize(self, asked: Request) -> None:
        """Shake hands; only what the server uses is looked at, so that no editor is refused for a word too new."""
        params = asked.params
        process, capabilities = params.get("processId"), params.get("capabilities") or {}
        if process is not None and type(process) is not int:
            raise InvalidParams.at("$.processId", "expected an integer or null")
        if not isinstance(capabilities, dict):
            raise InvalidParams.at("$.capabilities", "expected an object")
        declared = member(params.get("initializationOptions"), SECTION)
        self._desk.greet(declared)
        self._host.meet(declared)
        self._settings.meet(capabilities)
        if process is not None:
            self._stop_watching = watch_process(process, partial(self._leave, 0))
        self._pass_on(
            asked.id, types.INITIALIZE, types.InitializeParams(types.ClientCapabilities(), process_id=process)
        )

    def _shut_down(self, asked: Request) -> None:
        self._settings.stop()
        self._meters.stop()
        self._calls.cancel_all()
        self._pass_on(asked.id, types.SHUTDOWN, None)

    def _pass_on(self, under: MessageId, method: str, params: Any) -> None:
        """Leave a request to pygls, which answers it through `_send_response` before this returns."""
        self._handle_request(under, method, params)  # type: ignore[arg-type]  # any id will do, since it only comes back

    def _command(self, asked: Request) -> None:
        self._calls.start(asked.id, asked.size, by_command(asked.params, self._card["operations"]))

    def _operation(self, name: str, asked: Request) -> None:
        self._calls.start(asked.id, asked.size, by_request(name, asked.params))

    def _take(self, told: Notification) -> None:
        if told.method == types.EXIT:
            self._leave(0 if self._shutdown else 1)
        elif self._ready and not self._shutdown and told.method in self._notifications:
            try:
                self._notifications[told.method](told.params if isinstance(told.params, dict) else {})
            except Exception as error:  # noqa: BLE001 -- nobody waits for an answer to a notification
                log_failure(told.method, error)

    def _send_response(self, msg_id: MessageId, result: Any = None, error: types.ResponseError | None = None) -> None:
        """Answer for pygls, whose own errors hold tracebacks in 2.1.1 (no upstream issue known)."""
        if error is None:
            self._channel.answer(msg_id, self._converter.unstructure(result))
        else:
            self._channel.refuse(msg_id, RuntimeError())
