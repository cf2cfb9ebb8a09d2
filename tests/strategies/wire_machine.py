"""A session as a machine: whatever a client does in whatever order, a simple model tells what must come of it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from hypothesis.stateful import initialize as begin

from compact_chat.chat import JsonObject
from compact_chat.wire import HostCapabilities
from tests.servers.wire_client import Message, WireClient
from tests.servers.wire_kept import SERVE_HERE, tidy
from tests.strategies.wire_chats import PLAIN, anything_in_json, refs_of_messages
from tests.strategies.wire_fuzz import Call, calls, members
from tests.strategies.wire_lived import CHANGED, METER
from tests.strategies.wire_steps import BROKEN, Ask, Cancel, Player, Raw, Tell

PULL, REGISTER, CREATE = "workspace/configuration", "client/registerCapability", "window/workDoneProgress/create"
ASKED = {PULL, REGISTER, CREATE, METER, "$/cancelRequest"}
HOW_MUCH = Call("countTokens", {"chat": {"messages": [PLAIN]}})

abilities = st.fixed_dictionaries(
    {},
    optional={
        "workspace": st.fixed_dictionaries(
            {"configuration": st.booleans(), "didChangeConfiguration": st.just({"dynamicRegistration": True})}
        ),
        "window": st.just({"workDoneProgress": True}),
    },
)
hosts = members(HostCapabilities) | anything_in_json
greetings = st.none() | st.builds(lambda host: {"compactChat": {"capabilities": host}}, hosts) | anything_in_json
windows = st.integers(1000, 2_000_000)


def told(method: str, params: Any) -> JsonObject:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


class Session(RuleBasedStateMachine):
    """One server from its start to its end; the model is its phase, its settings, and what it owes."""

    def __init__(self) -> None:
        super().__init__()
        self.client = WireClient(SERVE_HERE)
        self.player = Player(self.client)
        self.phase = "new"
        self.can_pull = self.began = False
        self.ending = "rest"
        self.question: Any = None  # the question for settings that an answer counts for
        self.seen: set[Any] = set()  # questions for settings so far
        self.windows: list[int | None] = [None]  # that settings told, in their order; None where none did
        self.since: dict[Any, int] = {}  # how many of them there were when a request for the window was sent

    @begin(ending=st.sampled_from(["rest", "exit", "end of input"]), pulls=st.sampled_from([True, True, False]))
    def choose(self, ending: str, pulls: bool) -> None:
        """Decide how the session will end, wherever it is then; mostly it begins as it should."""
        self.ending = ending
        if pulls:
            self.initialize({"workspace": {"configuration": True}}, None, wrong=False)
            self.initialized()

    @rule(capabilities=abilities, greeting=greetings, wrong=st.booleans())
    def initialize(self, capabilities: JsonObject, greeting: Any, wrong: bool) -> None:
        """Shake hands, maybe with a fault, maybe not for the first time."""
        self.player.configured |= greeting is not None  # what is wrong with its host is told by later requests
        params = {
            "processId": "5" if wrong else None,
            "capabilities": capabilities,
            "initializationOptions": greeting,
        }
        if self.phase != "new":
            self.ask("initialize", params, "invalidRequest")
        else:
            self.ask("initialize", params, "invalidParams" if wrong else "result")
            self.phase = "new" if wrong else "ready"
            self.can_pull = not wrong and capabilities.get("workspace", {}).get("configuration") is True

    @rule()
    def initialized(self) -> None:
        """Say so; the first time the server asks for the settings then, if it may."""
        self.client.notify("initialized", {})
        if self.phase == "ready" and not self.began:
            self.began = True
            self.pulled()

    @rule(call=calls(refs_of_messages()), command=st.booleans(), tokens=st.booleans())
    def operation(self, call: Call, command: bool, tokens: bool) -> None:
        """Ask for any operation."""
        self.operate(Ask(call, command, again=False, tokens=tokens))

    @rule(command=st.booleans())
    def window(self, command: bool) -> None:
        """Ask for a count, which tells the window, and so the settings that count."""
        self.operate(Ask(HOW_MUCH, command, again=False, tokens=False))
        self.since[self.player.sent[-1].id] = len(self.windows) - 1

    @rule(params=anything_in_json)
    def unknown(self, params: Any) -> None:
        """Ask for what there is not, and tell what nobody wants to hear."""
        self.ask("compactChat/nonsense", params, self.expected("methodNotFound"))
        self.player.play(Tell(told("$/nonsense", params)))

    @rule(broken=st.sampled_from(BROKEN))
    def no_request(self, broken: tuple[bytes, str]) -> None:
        """Send a body that is no request."""
        self.player.play(Raw(*broken))

    @rule(place=st.integers(0, 9), by_progress=st.booleans())
    def cancel(self, place: int, by_progress: bool) -> None:
        """Cancel something, under way or not."""
        self.player.play(Cancel(place, by_progress))

    @rule(window=windows)
    def push_settings(self, window: int) -> None:
        """Send settings, which count from now on."""
        self.player.configured = True
        self.client.notify(CHANGED, {"settings": {"compactChat": {"window": window, "minKeep": "many"}}})
        if self.phase == "ready":
            self.question = None
            self.windows.append(window)

    @rule()
    def settings_changed(self) -> None:
        """Say that settings changed, without telling them."""
        self.client.notify(CHANGED, {"settings": None})
        self.pulled()

    @rule(window=windows, kind=st.sampled_from(["good", "good", "error", "junk"]))
    @precondition(lambda self: self.question is not None)
    def reply(self, window: int, kind: str) -> None:
        """Answer the newest question for settings, which counts where it is an answer."""
        self.player.configured = True
        result = {"result": [{"window": window}] if kind == "good" else [] if kind == "junk" else None}
        refusal = {"error": {"code": -32601, "message": "no such method"}}
        answer = refusal if kind == "error" else result
        self.client.send({"jsonrpc": "2.0", "id": self.question, **answer})
        self.question = None
        if kind == "good":
            self.windows.append(window)

    @rule(data=st.data(), window=windows)
    def stray_reply(self, data: st.DataObject, window: int) -> None:
        """Answer what is no longer asked, or never was, which changes nothing."""
        number = data.draw(st.sampled_from([*sorted(self.seen - {self.question}), "compact-chat-99", 1, None]))
        self.client.send({"jsonrpc": "2.0", "id": number, "result": [{"window": window}]})

    @rule()
    def settle(self) -> None:
        """Wait until all is answered, and compare."""
        if self.question is not None:
            self.reply(4711, "good")
        owed = len(self.player.sent)
        assert self.client.arrived(owed, 20), (owed, self.client.inbox)
        came, self.client.inbox[:] = list(self.client.inbox), []
        self.player.check([one for one in came if one.get("method") not in ASKED])
        for one in came:
            if "method" not in one and one["id"] in self.since and "result" in one:
                wanted = self.windows[self.since[one["id"]] :]
                assert None in wanted or one["result"]["window"] in wanted, (one, self.windows)
        configured = self.player.configured
        self.player, self.since = Player(self.client), {}
        self.player.configured = configured

    @rule()
    def shut_down(self) -> None:
        """Ask the server to rest: what is under way is answered, as a result or as cancelled."""
        self.player.cancelled.update(one.id for one in self.player.sent)
        self.ask("shutdown", None, self.expected("result"))
        self.phase = "down" if self.phase == "ready" else self.phase
        self.question = self.question if self.phase == "new" else None

    def teardown(self) -> None:
        """End the server in one of three ways; only frames may have come, and only refusals may be logged."""
        try:
            if self.ending == "rest":
                self.settle()
                self.shut_down()
            if self.phase == "down":
                self.settle()
            if self.ending == "end of input":
                self.client.stdin.close()
                self.ended(0)
            else:
                self.client.notify("exit", None)
                self.ended(0 if self.phase == "down" else 1)
            logged = [line for line in self.client.log if not line.startswith(f"{PULL} failed: HostRefused at ")]
            assert (self.client.stray, logged) == ([], []), (self.client.stray, logged)
        finally:
            self.client.close()
            tidy()

    def ended(self, code: int) -> None:
        """Look at the exit code, and that nothing was answered that nobody asked, or twice."""
        left = self.client.end()
        assert left == code, (left, self.client.log)
        owed = [one.id for one in self.player.sent]
        for one in self.client.inbox:
            if "method" not in one:
                assert one["id"] in owed, one
                owed.remove(one["id"])

    def ask(self, method: str, params: Any, kind: str) -> None:
        """Send a request of which the outcome is known."""
        self.player.send(method, params, None, kind, None)

    def operate(self, step: Ask) -> None:
        """Ask for an operation; outside of a session it is refused."""
        self.player.play(step)
        if self.phase != "ready":
            self.player.sent[-1] = self.player.sent[-1]._replace(call=None, kind=self.expected(""), token=None)

    def expected(self, kind: str) -> str:
        """What comes of a request: this, unless the session has not begun or is over."""
        return {"new": "notInitialized", "ready": kind, "down": "invalidRequest"}[self.phase]

    def pulled(self) -> None:
        """Wait for the question for settings, where one must come."""
        if self.can_pull and self.phase == "ready":
            self.question = self.client.until(self.is_new_question)["id"]
            self.seen.add(self.question)

    def is_new_question(self, message: Message) -> bool:
        """Whether a message asks for the settings, and was not seen before."""
        return message.get("method") == PULL and message["id"] not in self.seen
