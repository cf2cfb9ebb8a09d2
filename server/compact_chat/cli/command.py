"""The command line: parse the arguments, run the operation, print it for a person or as JSON."""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, json, structs

from compact_chat import __version__, wire
from compact_chat.agents import AGENT_COMMANDS, add_agent_commands, add_template, run_agent_command, watch
from compact_chat.chat import JsonObject
from compact_chat.cli import DONE, FAILED, INTERRUPTED, WRONG_USAGE
from compact_chat.cli.terminal import escaped, place_of, printable, program, status, terminal_of
from compact_chat.errors import (
    ChatNotFound,
    ChatUnreadable,
    CompactChatError,
    InvalidParams,
    NothingToCompact,
    TooLarge,
)
from compact_chat.operations import ChatRef, ClientState, Job, bare_type, operation, run_alone
from compact_chat.text import json_text
from compact_chat.tools import TOOLS

OPTIONS, SETTINGS = (frozenset(kind.__struct_encode_fields__) for kind in (wire.Options, wire.Settings))
MOST_LISTED = 12  # chats of the list without a command
_ID = re.compile(r"[0-9a-f]{4,32}")  # of a compaction, or its beginning
_FILES = ("reply", "summary", "text")  # params that a shell reads from a file
_TEXT_FILES = (".md", ".txt", ".json")
_OF_ARCHIVES = frozenset({"archive", "redact", "redactEmails"})  # settings that apply to what was archived


class Command(NamedTuple):
    """A command: its operation, its positional arguments, and which settings it takes as flags."""

    help: str
    operation: str
    source: str = "chat"
    settings: frozenset[str] = SETTINGS  # `--options` takes the others too
    only: tuple[str, ...] = ()  # the texts that can be printed alone


COMMANDS = {
    "compact": Command(
        "compact a chat, and show on one screen what is kept and what is missing",
        "summarize",
        only=("summary", "continuation"),
    ),
    "sessions": Command("list the chats on this machine, newest first", "sessions", "", frozenset()),
    "count": Command(
        "show how full the context is, and of what",
        "countTokens",
        settings=SETTINGS - OPTIONS | {"window", "model", "budget", "pruneAt", "compactAt"},
    ),
    "transcript": Command(
        "show the messages of a chat as text, or of the one that a compaction was made of",
        "transcript",
        settings=_OF_ARCHIVES,
    ),
    "preview": Command("show the fate of each message, before anything happens", "preview"),
    "summarize": Command(
        "write the summary and the continuation message", "summarize", only=("summary", "continuation")
    ),
    "draft": Command(
        "compact a chat, then change the message version by version", "draft", only=("summary", "continuation")
    ),
    "prompt": Command("print what a model would be sent", "prompt"),
    "format": Command("make a model's raw reply presentable", "format", "text", frozenset()),
    "continuation": Command("write the message that opens the next chat", "continuation", "summary", frozenset()),
    "check": Command(
        "show what a compaction by any tool kept",
        "check",
        settings=SETTINGS - OPTIONS | {"continuation", "model", "window", "redact"},
        only=("continuation",),
    ),
    "history": Command("list the compactions that were made, newest first", "history", "", _OF_ARCHIVES),
    "restore": Command("give a chat back as it was before it was compacted", "restore", "compactionId", _OF_ARCHIVES),
    "export": Command(
        "write a compacted chat into a new file, also for other tools to open", "export", "compactionId", _OF_ARCHIVES
    ),
}
OTHERS = {  # commands that are no operation
    "watch": "follow a chat on one line: how full it is, and when its tool compacts",
    "open": "compact a chat on a page in the browser",
    "doctor": "show what helps to find a fault: versions, agents, folders of chats, archives",
    "serve": "talk JSON-RPC with editors, on standard input and output or over TCP",
}
USUAL = "compact"  # the command for a number alone
HELP = """\
Compact Chat shows how full a chat with a coding assistant is, and compacts it.

  compact-chat               list the chats of this folder, each with a number
  compact-chat 1             compact the first: what is kept, missing, and next
  compact-chat compact CHAT  the same of any chat: a path, a number, - for stdin
  compact-chat count CHAT    how full is it? --biggest 12 names what takes most
  compact-chat watch         follow the chat in use here, on one line
  compact-chat open CHAT     compact a chat in the browser
  compact-chat draft CHAT    change the message: --length 2000, --add-back ID
  compact-chat check CHAT    what is missing after its tool last compacted it?
  compact-chat history       what was compacted? (restore ID, export ID)

All commands; `compact-chat help COMMAND` shows the flags of one:
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors are one sentence, never a traceback."""
    code = FAILED
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except ChatNotFound as problem:
        sentence = f"{problem.sentence.removesuffix('.')}: {place_of(problem.data.get('uri') or '')}"
    except CompactChatError as problem:
        code = WRONG_USAGE if isinstance(problem, InvalidParams) else FAILED
        # Name the flag where a sentence names a param's path, or several params.
        if problem.sentence.startswith("$: "):
            sentence = re.sub(r"\b[a-z]+[A-Z]\w*", lambda name: _flag(name[0]), problem.sentence[3:])
        else:
            sentence = re.sub(r"^\$\.(?:options\.)?(\w+)(?:\[\d+\])?", lambda path: _flag(path[1]), problem.sentence)
        sentence = sentence.replace("`summary`", "--summary FILE").replace("`minKeep`", _flag("minKeep"))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the pipe's reader is gone
        return DONE
    except FileNotFoundError:
        sentence = "The current folder was removed. Change to another one."
    except OSError as problem:
        sentence = f"The output cannot be written: {problem.strerror}."
    except Exception as fault:  # noqa: BLE001 -- a bug: a sentence instead of a traceback
        sentence = f"Something went wrong inside Compact Chat ({type(fault).__name__}); please report it."
    _say(sentence)
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, with the nearest right command or flag."""

    command = ""
    commands: Mapping[str, argparse.ArgumentParser] = {}

    def error(self, message: str) -> NoReturn:
        """Print a sentence, and exit."""
        command = self.prog.removeprefix("compact-chat").strip()
        if found := re.match(
            r"argument (\S+): invalid choice: ['\"](.*)['\"] \(choose from (.*)\)", message, re.DOTALL
        ):
            known = [word.strip("' ") for word in found[3].split(",")]
            before = [command, found[1]] if found[1].startswith("-") else [command] if command else []
            near = (
                get_close_matches(found[2], known, 1)
                or [  # a word for what a command does
                    name for name, one in COMMANDS.items() if not before and one.help.startswith(f"{found[2]} ")
                ][:1]
            )
            use = f"try `{' '.join([program(), *before, *near])}`" if near else f"it is one of {', '.join(known)}"
            message = f"`{' '.join([*before, found[2]])}` is not known; {use}"
        elif found := re.match(r"unrecognized arguments: (\S+)", message):
            command = command or self.command  # argparse reports them at the top, whatever the command
            flags = ["--help", *re.findall(r"--[\w-]+", self.commands.get(command, self).format_usage())]
            near = get_close_matches(found[1].partition("=")[0], flags, 1)
            use = f"try {near[0]}" if near else f"`{' '.join((program(), *command.split()))} --help` lists all"
            message = f"`{command or 'compact-chat'}` has no argument {found[1]}; {use}"
        elif found := re.match(r"the following arguments are required: (.*)", message):
            message = f"{found[1]} is missing; try `{program()} {command} {found[1]}`"
        _say(message if message.endswith(".") else f"{message}.")
        raise SystemExit(WRONG_USAGE)

    def format_help(self) -> str:
        """Return the help: of the program one screen with examples, of a command all of its flags."""
        if self.prog != "compact-chat":
            return super().format_help()
        names = " ".join((*COMMANDS, *AGENT_COMMANDS, *OTHERS))
        return f"{HELP}{fill(names, 78, initial_indent='  ', subsequent_indent='  ')}\n"


def parser_for(command: str) -> argparse.ArgumentParser:
    """Build the parser; flags are built only for the requested command, since that takes time."""
    parser = _Parser(prog="compact-chat", description="Measure, preview, summarize and continue AI chats.")
    parser.command = "" if command.startswith("-") else command
    parser.add_argument("-V", "--version", action="version", version=f"compact-chat {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    parser.commands = commands.choices
    for name, known in COMMANDS.items():
        one = commands.add_parser(name, help=known.help, description=known.help.capitalize() + ".")
        if name == command:
            _add_arguments(one, name, known)
    add_agent_commands(commands, command)
    follow, page, _, serve = (
        commands.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        for name, sentence in OTHERS.items()
    )
    follow.add_argument("chat", metavar="CHAT", nargs="?", default="", help="a path or a number of the list")
    if command == "watch":
        add_template(follow)
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="the default; accepted for clients that append it")
    where.add_argument("--tcp", metavar="HOST:PORT", help="serve several clients on this machine; port 0 picks one")
    sentence = "the chat: a path, a file: URI, or a number of the list; without one, the newest of this folder"
    page.add_argument("chat", metavar="CHAT", nargs="?", help=sentence)
    page.add_argument("--no-browser", action="store_true", help="only print the page's address")
    for one in (serve, page):
        one.add_argument("--log-file", metavar="PATH", help="log messages by length and hash, never their text")
    return parser


def results(asked: argparse.Namespace) -> tuple[Any, CompactChatError | None]:
    """Run the command; return its typed result, and for `compact` why there was nothing to compact, if so."""
    client = ClientState()
    is_past = asked.command == "check" and asked.summary is None and asked.options is None and _is_id(asked.chat)
    params = {} if is_past else _params(asked)
    client.configure((getattr(asked, "options", None) or {}) | given_flags(asked, wire.Settings))
    with status(client) as job:
        if is_past:  # as it was found when the compaction was made
            made: wire.Restored = run_alone("restore", {"compactionId": asked.chat, "include": ["compaction"]}, job)
            done = made.compaction
            assert done, "it was asked for"
            return wire.Checked(done.survival, done.warnings, done.continuation), None
        if asked.command == "compact":
            from compact_chat.operations import compact_chat

            return compact_chat(params, job)
        if asked.command == "draft":
            params, begun = _added(params, job)
            shown: wire.Draft = run_alone("draft", params, job)
            return structs.replace(shown, changed=(begun and begun.changed) or shown.changed), None
        return run_alone(COMMANDS[asked.command].operation, params, job), None


def _added(params: JsonObject, job: Job) -> tuple[JsonObject, wire.Draft | None]:
    """Complete the lists of a change by what the draft has already: on the wire they replace it, in a shell they add.

    Facts are named by their ids, or by as much of one as is unique. What is pinned is not dropped any more. To add to
    a draft that there is not yet, it is begun, and returned.
    """
    names = params.pop("addBack", None)
    lists = params["options"].keys() & {"pin", "drop"}
    if names is None and ("draftId" not in params or not lists):
        return params, None
    if "draftId" in params:
        shown: wire.Draft = run_alone("draft", {"draftId": params["draftId"]}, job)
    else:
        shown = run_alone("draft", params, job)
        params, lists = {"draftId": shown.draft_id}, set()
    if names is not None:
        params["addBack"] = list(dict.fromkeys((*shown.add_back, *(_fact_named(name, shown) for name in names))))
    options = params.get("options", {})
    given = {name: options[name] for name in lists}
    for name, other in (("pin", "drop"), ("drop", "pin")) if given else ():
        before = (one for one in getattr(shown.options, name) if one not in given.get(other, ()))
        options[name] = list(dict.fromkeys((*before, *given.get(name, ()))))
    return params, shown


def _fact_named(name: str, shown: wire.Draft) -> str:
    """Return the id of the fact that a person means; of several the one that is missing."""
    facts = shown.compaction.survival.facts or ()
    found = [one for one in facts if one.id == name or f":{name}" in one.id]
    found = [one for one in found if one.at is None] if len(found) > 1 else found
    if len(found) != 1:
        what = "several items begin" if found else "no item begins"
        lists = f"`{program()} draft {shown.draft_id[:8]} --full` lists the missing ones"
        raise InvalidParams.at("--add-back", f"{what} with the id {name}; {lists}")
    return found[0].id


def _say(sentence: str) -> None:
    """Print a sentence on one line of standard error, without what it repeats of a chat that steers a terminal."""
    line = escaped(sentence).replace("\n", "\\n")
    print(f"compact-chat: {line}", file=sys.stderr)


def _run(arguments: list[str]) -> int:
    if not arguments:
        return _list_chats()
    arguments = _with_command(arguments)
    parser = parser_for(arguments[0])
    asked = parser.parse_args(arguments)
    asked.words = arguments
    if asked.command is None:
        parser.print_help()
        return WRONG_USAGE
    if asked.command == "watch":
        return watch(asked.chat and _uri_of_chat(asked.chat), asked.template or "")
    if asked.command in AGENT_COMMANDS:
        return run_agent_command(asked)
    if asked.command == "doctor":
        return _doctor()
    if asked.command in ("serve", "open"):
        _serve(asked)
    found, problem = results(asked)
    if problem is not None and not (asked.json or asked.full):
        raise problem
    if isinstance(sys.stdout, io.TextIOWrapper):  # the terminal's encoding may lack characters
        sys.stdout.reconfigure(errors="replace")
    for line in [json_text(msgspec.to_builtins(found))] if asked.json else _page(asked, found):
        print(line)
    sys.stdout.flush()
    if problem is not None:
        raise problem
    return DONE


def _with_command(arguments: list[str]) -> list[str]:
    """Complete what was typed without a command, or as one that is a flag."""
    if arguments[0] not in (*COMMANDS, *AGENT_COMMANDS, *OTHERS) and _is_place(arguments[0]):
        return [USUAL, *arguments]
    if arguments[0] == "help":
        return [*arguments[1:2], "--help"]
    return ["--version"] if arguments[0] == "version" else arguments


def _serve(asked: argparse.Namespace) -> NoReturn:
    """Serve editors, or the page of one chat."""
    import gc

    gc.disable()  # until all is loaded: garbage collection would take 40 of 320 ms
    from compact_chat.serve import serve_page, serve_stdio, serve_tcp

    if asked.command == "open":
        chat = _uri_of_chat(asked.chat)
        with status(ClientState()) as job:  # raises if there is no such chat, while the shell can still say so
            run_alone("countTokens", {"chat": {"uri": chat}}, job)
        serve_page(
            chat, (lambda address, _: print(address, flush=True)) if asked.no_browser else _open_browser, asked.log_file
        )
    if asked.tcp is None:
        serve_stdio(asked.log_file)
    serve_tcp(asked.tcp, asked.log_file)


def _open_browser(address: str, once: str) -> None:
    """Open the page in the default browser, and say where it is, for another one."""
    import webbrowser

    print(address, file=sys.stderr, flush=True)
    webbrowser.open(once)


def _page(asked: argparse.Namespace, found: Any) -> Iterable[str]:
    from compact_chat.cli.views import (
        VIEWS,
        earlier_draft,
        restored_as,
        show_all,
        show_command,
        show_draft,
        show_verdict,
    )

    terminal = terminal_of(sys.stdout)
    found = printable(found, terminal.safe)
    if asked.command == "restore" and not terminal.interactive:
        _say(f"the path is that of {restored_as(found, terminal)}")
    if asked.command == "prompt":
        _say(
            f"hand the reply to: {program()} summarize CHAT --plan-id {found.plan_id} --reply FILE; repeat the options"
        )
    if asked.command == "draft" and found.changed and (asked.only or asked.full):  # else the screen has it
        _say(earlier_draft(found.changed))
    if only := getattr(asked, "only", None):
        done = found.compaction if asked.command in ("compact", "draft") else found
        if done is None:
            return []
        if not getattr(done, only):
            raise NothingToCompact(f"This strategy writes no {only}.")
        return [getattr(done, only)]
    if asked.command not in ("compact", "draft"):
        shown = VIEWS[asked.command](found, terminal)
        return chain(shown, show_command(asked.words, terminal)) if asked.command == "check" else shown
    if asked.full:
        return show_all(found, terminal)
    if asked.command == "compact":
        return show_verdict(found, terminal)
    return show_draft(found, terminal, is_past=asked.draftId is not None)


def _add_arguments(parser: argparse.ArgumentParser, name: str, command: Command) -> None:
    kind, source = operation(command.operation).params, command.source
    parser.add_argument("--json", action="store_true", help="print the result object of the wire")
    add_flags(parser, kind, frozenset({source, "options", "chat", "write", "reopen"}))
    if source == "compactionId":
        parser.add_argument(source, metavar="ID", help="the id of a compaction, as `history` lists it")
    elif source:
        sentence = f"the {source}: a path, a file: URI, or - for standard input"
        if source == "chat":
            sentence += ", or a number of the list; without one, the newest of this folder"
        count = "?" if source == "chat" or name == "format" else None
        parser.add_argument(source, metavar=source.upper(), nargs=count, help=sentence)
    if source == "chat":
        parser.add_argument("--options", type=_json_value, metavar="JSON", help="all options at once")
        add_flags(parser, ChatRef, frozenset({"uri", "text", "messages", "system", "tools"}))
    if name == "history":
        parser.add_argument(
            "chat", metavar="CHAT", nargs="?", help="only of this chat: a path, a file: URI, or a number of the list"
        )
    add_flags(parser, wire.Settings, SETTINGS - command.settings | frozenset(kind.__struct_encode_fields__))
    if name == "draft":
        parser.add_argument(
            "--write", choices=get_args(wire.Provider), help="have the summary written anew by this provider"
        )
    if name in ("compact", "draft"):
        sentence = "show all: meter, plan, summary, what is missing, and the message"
        parser.add_argument("--full", action="store_true", help=sentence)
    if command.only:
        parser.add_argument("--only", choices=command.only, help="print just this text, as it is")


def _params(asked: argparse.Namespace) -> JsonObject:
    """Build the params that an editor would send."""
    command = COMMANDS[asked.command]
    given = given_flags(asked, operation(command.operation).params)
    if command.source in ("", "compactionId"):
        return _params_without_chat(asked, given)
    if command.source != "chat":
        text = getattr(asked, command.source)
        if text is None and "sections" not in given:
            raise InvalidParams.at("$", f"TEXT or --sections is needed; try `{program()} {asked.command} TEXT`")
        return {"style": wire.SHELL_STYLE} | given | ({} if text is None else {command.source: _contents(text)})
    for name in _FILES:
        if name in given:
            given[name] = _contents(given[name])
    given.pop("chat", None)
    if asked.command == "draft":
        asked.addBack = None  # added to the draft's own list, which the option of this name replaces
        given |= {"write": {"provider": asked.write}} if asked.write else {}
        if _is_id(asked.chat):
            given["draftId"] = asked.draftId = asked.chat
            asked.chat = None
    if asked.chat is not None and "draftId" in given:
        raise InvalidParams.at("CHAT", f"expected a chat or the ID of a draft; try `{program()} draft CHAT`")
    options = _options(asked, is_draft="draftId" in given)
    if asked.chat is not None or not {"draftId", "compactionId"} & given.keys():
        place = {"text": _standard_input()} if asked.chat == "-" else {"uri": _uri_of_chat(asked.chat)}
        given["chat"] = place | {name: getattr(asked, name) for name in ("format", "tool")}
        if asked.command == "draft":  # without wishes of its own
            given["reopen"] = not (
                {"text", "write"} & given.keys() or asked.options or given_flags(asked, wire.Options)
            )
    return given | {"options": options}


def _options(asked: argparse.Namespace, *, is_draft: bool) -> JsonObject:
    """Return the options that were given, at once or as flags; those of a draft only where they change it."""
    defaults: JsonObject = {"style": wire.SHELL_STYLE} if "style" in COMMANDS[asked.command].settings else {}
    options = {} if asked.options is None else asked.options
    if not isinstance(options, dict) or any(name not in SETTINGS for name in options):  # in a shell, a typo
        known = (*wire.Options.__struct_encode_fields__, *(SETTINGS - OPTIONS))
        raise InvalidParams.at("$.options", f"expected an object of {', '.join(known)}")
    both = options | given_flags(asked, wire.Options)
    if both.get("length") is not None and both.get("summaryBudget") is not None:
        raise InvalidParams.at("$", "give either --length or --summary-budget, not both")
    if isinstance(getattr(asked, "length", None), int):
        asked.summaryBudget, asked.length = asked.length, None
    if is_draft:
        is_named = asked.length or options.get("length")
        defaults = {"summaryBudget": None} if is_named else {}  # a name replaces an earlier number
    return defaults | options | given_flags(asked, wire.Options)


def _params_without_chat(asked: argparse.Namespace, given: JsonObject) -> JsonObject:
    """Build the params of an operation on lists or compactions."""
    named = {name: _uri(given[name]) for name in ("workspace", "uri") if name in given}
    roots = {name: list(map(_uri, given[name])) for name in ("workspaces", "roots", "filesIn") if name in given}
    chat = {"chat": {"uri": _uri_of_chat(given["chat"])}} if "chat" in given else {}
    if named.get("workspace", "").startswith("file:"):  # the same as the list without a command
        roots.setdefault("filesIn", [named["workspace"]])
    if asked.command == "export" and "as" not in given:
        raise InvalidParams.at("$", f"--as FORMAT is needed, one of {', '.join(get_args(wire.ExportForm))}")
    return given | named | roots | chat


def _list_chats() -> int:
    """List this folder's chats, or the newest of all if it has none; each row appears once it is counted."""
    from compact_chat.cli.views import MOST_COUNTED, Listed, show_chats

    client = ClientState()
    found, elsewhere = _newest(client, MOST_LISTED + MOST_COUNTED)
    terminal = terminal_of(sys.stdout)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")

    def counted() -> Iterator[Listed]:
        for one in found[:MOST_LISTED]:
            report = None
            with suppress(CompactChatError):
                report = run_alone("countTokens", {"chat": {"uri": one.uri}}, Job(client))
            yield printable(Listed(one, report), terminal.safe)

    for line in show_chats(counted(), terminal, elsewhere=elsewhere, more=max(0, len(found) - MOST_LISTED)):
        print(line, flush=True)
    return DONE


def _doctor() -> int:
    """Print what helps to find a fault."""
    from compact_chat.cli.views import show_doctor

    for line in show_doctor(ClientState(), terminal_of(sys.stdout)):
        print(line, flush=True)
    return DONE


def _newest(client: ClientState, most: int) -> tuple[Sequence[wire.Session], bool]:
    """Return the newest chats of this folder or, if it has none, of all; and whether these are such."""
    here = Path.cwd().as_uri()
    for params in ({"workspace": here, "filesIn": [here]}, {}):
        found: wire.Sessions = run_alone("sessions", {**params, "limit": most}, Job(client))
        if found.sessions:
            return found.sessions, not params
    return (), True


def _uri_of_chat(place: str | None) -> str:
    """Return the URI of a chat, named by a path, a URI or its number in the list; a folder may hold just one.

    Without a name it is the newest, and a person reads which.
    """
    if place is None:
        found, elsewhere = _newest(ClientState(), 1)
        if not found or (elsewhere and not sys.stdin.isatty()):  # a script gets no other folder's chat unnamed
            raise ChatNotFound("Give the path of a chat; none was found for this folder.", uri=Path.cwd().as_uri())
        _say(f"the newest chat is {place_of(found[0].uri)}")
        return found[0].uri
    if os.path.isdir(place):  # noqa: PTH112 -- it never raises
        params = {"filesIn": [Path(place).absolute().as_uri()], "limit": 2}
        held: wire.Sessions = run_alone("sessions", params, Job(ClientState()))
        if len(held.sessions) != 1:
            what = "several chats; name one of them" if held.sessions else "no chat in it; expected a file"
            raise InvalidParams.at("CHAT", f"{place} is a folder with {what}")
        return held.sessions[0].uri
    if not place.isdecimal() or Path(place).exists():
        return _uri(place)
    found, _ = _newest(ClientState(), max(1, int(place)))
    if not found:
        raise ChatNotFound("Give the path of a chat; none was found for this folder.", uri=Path.cwd().as_uri())
    if not 1 <= int(place) <= len(found):
        listed = len(found) if int(place) else len(_newest(ClientState(), MOST_LISTED)[0])
        raise InvalidParams.at(
            "CHAT", f"there is no chat {place}; the list has 1{f' to {listed}' if listed > 1 else ''}"
        )
    return found[int(place) - 1].uri


def _is_place(word: str) -> bool:
    """Whether a first word that is no command names a chat, even one that is not there."""
    is_path = not word.startswith("-") and re.search(r"[./\\]", word) is not None
    return word == "-" or word.isdecimal() or is_path or os.path.exists(word)  # noqa: PTH110 -- it never raises


def _is_id(place: str | None) -> bool:
    """Whether a person names a compaction instead of a chat."""
    return place is not None and _ID.fullmatch(place) is not None and not Path(place).exists()


def _uri(place: str) -> str:
    return place if "://" in place or place.startswith("file:") else Path(place).absolute().as_uri()


def _contents(name: str) -> str:
    """Return what a file or standard input holds; several words that look like no file's name are the text itself."""
    if name == "-":
        return _no_chat(_standard_input(), name)
    is_missing = not os.path.exists(name)  # noqa: PTH110 -- it never raises
    looks_like_path = "/" in name or os.sep in name or name.strip().lower().endswith(_TEXT_FILES)
    if is_missing and ("\n" in name or (len(name.split()) > 1 and not looks_like_path)):
        return name
    from compact_chat.disk import read_file

    return _no_chat(read_file(_uri(name)).decode("utf-8", "replace"), name)


def _no_chat(text: str, name: str) -> str:
    """Return a text; refuse a chat's file, which is easily given in place of a summary or a reply."""
    from compact_chat.read import Source, read_chat

    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return text
    messages: Sequence[object] = ()
    with suppress(CompactChatError):
        if (source := Source.of_text(text)).is_json:
            messages = read_chat(source).messages
    if messages:
        command = f"{program()} {USUAL} {shlex.quote(name)}"
        raise InvalidParams.at("FILE", f"this is a chat, not a summary or a reply; `{command}` compacts it")
    return text


def _standard_input() -> str:
    """Read piped input, up to the size limit of a text; binary data is refused."""
    from compact_chat.read import MAX_WHOLE

    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
        _say(f"reading from the terminal: paste the text, then press {end} on a line of its own")
    data = sys.stdin.buffer.read(MAX_WHOLE + 1)
    if len(data) > MAX_WHOLE:
        raise TooLarge("Standard input holds more than 64 MiB; give a larger chat as a file.")
    if b"\0" in data:
        raise ChatUnreadable("Standard input is not text.", format=None, line=None)
    return data.decode("utf-8", "replace")


# Flags are made from the types of the wire: a field is a flag in kebab-case.


_CHOICES = {"tools": {"choices": (*(tool.name for tool in TOOLS), "unknown")}}  # for which the wire takes any text


def add_flags(parser: argparse.ArgumentParser, kind: type[Struct], without: frozenset[str] = frozenset()) -> None:
    """Add a flag for each field of a type, except those named."""
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        if field.encode_name in without:
            continue
        hint, default = hints[field.name], wire.SHELL_STYLE if field.name == "style" else field.default
        base, marks = bare_type(hint), get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        sentence = next((mark.description for mark in marks if isinstance(mark, Meta) and mark.description), "")
        shown = f" ({default})" if isinstance(default, int | float | str) and default not in ("", False) else ""
        repeats = " Repeat it for more." if get_origin(base) in (tuple, list) else ""
        sentence = sentence.replace("%", "%%").removesuffix(".") + shown
        sentence = (f"{sentence.strip()}." if sentence else "") + repeats
        if base is wire.Length:
            sentence += " N: tokens of the summary, without the last turns that stay word for word."
        length = {"type": _length, "metavar": f"{'|'.join(get_args(wire.Length))}|N"}
        shape = (length if base is wire.Length else _shape(base)) | _CHOICES.get(field.encode_name, {})
        parser.add_argument(
            _flag(field.encode_name),
            dest=field.encode_name,
            default=None,
            help=sentence,
            **(shape | ({"metavar": "FILE|TEXT"} if field.encode_name in _FILES else {})),
        )


def given_flags(asked: argparse.Namespace, kind: type[Struct]) -> JsonObject:
    """Collect the given flags of a type's fields, by their wire names."""
    names = kind.__struct_encode_fields__
    return {name: value for name in names if (value := getattr(asked, name, None)) is not None}


def _flag(name: str) -> str:
    """Return a field's flag."""
    return "--" + re.sub(r"([A-Z])", lambda upper: "-" + upper[0].lower(), name)


def _json_value(text: str) -> Any:
    """Parse the JSON given to a flag."""
    try:
        return json.decode(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    except RecursionError:
        raise argparse.ArgumentTypeError("nested too deeply") from None


def _length(text: str) -> str | int:
    """Return the name of a length, or a number of tokens."""
    if text not in get_args(wire.Length) and not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected {', '.join(get_args(wire.Length))}, or a number of tokens")
    return int(text) if text.isdecimal() else text


def _number(kind: type[int | float], text: str) -> int | float:
    """Return a number of this kind."""
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"expected {wanted}, not {text}") from None


def _shape(base: Any) -> dict[str, Any]:
    """Return how argparse parses a value of this type; anything but plain values and lists of them is JSON."""
    if base is bool:
        return {"action": argparse.BooleanOptionalAction}
    if base is str:
        return {"type": str, "metavar": "TEXT"}
    if base in (int, float):
        return {"type": partial(_number, base), "metavar": "N"}
    if get_origin(base) is Literal:
        return {"choices": get_args(base)}
    item = bare_type(get_args(base)[0]) if get_origin(base) in (tuple, list) else None
    if item in (str, int) or get_origin(item) is Literal:
        return {"action": "append", **_shape(item)}
    return {"type": _json_value, "metavar": "JSON"}
