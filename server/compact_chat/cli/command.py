"""The command line: read what is asked, run the operation, print it for a person or as JSON."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, json, structs

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import status
from compact_chat.disk import MAX_FILE_BYTES
from compact_chat.errors import (
    ChatNotFound,
    ChatUnreadable,
    CompactChatError,
    InvalidParams,
    NothingToCompact,
    TooLarge,
)
from compact_chat.operations import ClientState, bare_type, compact_chat, json_text, operation, run_alone
from compact_chat.wire import Options, Settings

# Flags of the shell, made from the types of the wire: a field is a flag in kebab-case.


def add_flags(parser: argparse.ArgumentParser, kind: type[Struct], without: frozenset[str]) -> None:
    """Give a parser a flag for each field of a type, but for those named."""
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        if field.encode_name not in without:
            _add(parser, field.encode_name, hints[field.name], field.default)


def given_flags(asked: argparse.Namespace, kind: type[Struct]) -> JsonObject:
    """Collect what the user gave of a type's fields, by their names on the wire."""
    named = {field.encode_name: getattr(asked, field.encode_name, None) for field in structs.fields(kind)}
    return {name: value for name, value in named.items() if value is not None}


def _add(parser: argparse.ArgumentParser, name: str, hint: Any, default: Any) -> None:
    told = f" ({default})" if isinstance(default, int | float | str) and default not in ("", False) else ""
    repeats = " Repeat it for more." if get_origin(bare_type(hint)) in (tuple, list) else ""
    sentence = _sentence(hint).removesuffix(".") + f"{told}.{repeats}"
    parser.add_argument(flag(name), dest=name, default=None, help=sentence, **_shape(bare_type(hint)))


def _shape(base: Any) -> dict[str, Any]:
    """Say how argparse takes a value of this type; what is no plain value is JSON."""
    origin = get_origin(base)
    if base is bool:
        return {"action": argparse.BooleanOptionalAction}
    if origin is Literal:
        return {"choices": get_args(base)}
    if base in (int, float, str):
        return {"type": base, "metavar": {int: "N", float: "N", str: "TEXT"}[base]}
    if origin in (tuple, list) and bare_type(get_args(base)[0]) is str:
        return {"action": "append", "metavar": "TEXT"}
    if origin in (tuple, list) and get_origin(bare_type(get_args(base)[0])) is Literal:
        return {"action": "append", "choices": get_args(bare_type(get_args(base)[0]))}
    return {"type": json_value, "metavar": "JSON"}


def json_value(text: str) -> Any:
    """Read a flag's JSON."""
    try:
        return json.decode(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    except RecursionError:
        raise argparse.ArgumentTypeError("nested too deeply") from None


def _sentence(hint: Any) -> str:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    told = next((mark.description for mark in marks if isinstance(mark, Meta) and mark.description), "")
    return told.replace("%", "%%")


def flag(name: str) -> str:
    """Give the flag of a field."""
    return "--" + re.sub(r"([A-Z])", lambda upper: "-" + upper[0].lower(), name)


# From a command's flags to its result: the same params that an editor would send.


SETTINGS = frozenset(Settings.__struct_encode_fields__) - frozenset(Options.__struct_encode_fields__)


def results(asked: argparse.Namespace) -> tuple[Any, CompactChatError | None]:
    """Run the command; return its typed result, and for `compact` why there was nothing to compact, if so."""
    client, params = ClientState(), _params(asked)
    client.configure((getattr(asked, "options", None) or {}) | given_flags(asked, Settings))
    with status(client) as job:
        if asked.command == "compact":
            return compact_chat(params, job)
        return run_alone(asked.operation, params, job), None


def _params(asked: argparse.Namespace) -> JsonObject:
    given = given_flags(asked, asked.params)
    if asked.source in ("", "compactionId"):
        return given | _places(given)
    if "chat" not in asked:
        source = getattr(asked, asked.source)
        return given | ({} if source is None else {asked.source: _contents(source)})
    for name in ("reply", "summary"):
        if name in given:
            given[name] = _contents(given[name])
    return given | _chat(asked) | {"options": _options(asked)}


def _options(asked: argparse.Namespace) -> JsonObject:
    """Put the options together; a name that is none is a slip of the pen, and in a shell nobody else's new word."""
    given = {} if asked.options is None else asked.options
    known = (*Options.__struct_encode_fields__, *SETTINGS)
    if not isinstance(given, dict) or any(name not in known for name in given):
        raise InvalidParams.at("$.options", f"expected an object of {', '.join(known)}")
    return given | given_flags(asked, Options)


def _chat(asked: argparse.Namespace) -> JsonObject:
    """Name the chat, with what is told of it, where there is one."""
    if asked.chat is None:
        return {}
    return {"chat": _reference(asked.chat) | {name: getattr(asked, name) for name in ("format", "tool")}}


def _reference(chat: str) -> JsonObject:
    """Name a chat as the wire does."""
    if chat == "-":
        return {"text": _standard_input()}
    return {"uri": _uri(chat)}


def _places(given: JsonObject) -> JsonObject:
    """Name folders and files as the wire does."""
    single: JsonObject = {name: _uri(given[name]) for name in ("workspace", "uri") if name in given}
    several = {"roots": list(map(_uri, given["roots"]))} if "roots" in given else {}
    return {**single, **several, **({"chat": {"uri": _uri(given["chat"])}} if "chat" in given else {})}


def _uri(place: str) -> str:
    return place if "://" in place or place.startswith("file:") else Path(place).absolute().as_uri()


def _contents(name: str) -> str:
    if name == "-":
        return _standard_input()
    from compact_chat.disk import read_file

    return read_file(_reference(name)["uri"]).decode("utf-8", "replace")


def _standard_input() -> str:
    """Read what is piped in, up to the size of a file; what is no text is no chat either."""
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise TooLarge("Standard input holds more than 256 MiB.")
    if b"\0" in data:
        raise ChatUnreadable("Standard input is not text.", format=None, line=None)
    return data.decode("utf-8", "replace")


# The command line: read what is asked, run the operation, print it for a person or as JSON.


DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
HELP = {
    "compact": "measure, preview, summarise and continue a chat, on one page",
    "sessions": "list the chats on this machine, newest first",
    "count": "tell how full the context is, and of what",
    "transcript": "show the messages of a chat as text, or of the one that a compaction was made of",
    "preview": "show the fate of each message, before anything happens",
    "summarize": "write the summary and the continuation message",
    "prompt": "print what a model would be sent",
    "format": "make a model's raw reply presentable",
    "continuation": "write the message that opens the next chat",
    "check": "tell what a compaction kept, by any tool",
    "history": "list the compactions that were made, newest first",
    "restore": "give a chat back as it was before it was compacted",
    "export": "write a compacted chat into a new file, also for other tools to open",
    "serve": "talk JSON-RPC with editors, on standard input and output or over TCP",
}

# What a command is given ahead of its flags, where that is no chat.
_SOURCES = {
    "format": "text",
    "continuation": "summary",
    "sessions": "",
    "history": "",
    "restore": "compactionId",
    "export": "compactionId",
}
_NAMES = {"compactionId": "the id of a compaction, as `history` lists it"}  # of what is no file
_KEPT = ("archive", "redact", "redactEmails")  # the settings that matter to what was kept
# Options that have nothing to say to a command; `--options` still takes them.
_COUNTED = {"window", "model", "budget", "pruneAt", "compactAt"}
_BESIDE = {
    "count": frozenset(Options.__struct_encode_fields__) - _COUNTED,
    "check": frozenset(Options.__struct_encode_fields__) - {"continuation", "model", "window", "redact"},
    "transcript": frozenset(Settings.__struct_encode_fields__).difference(_KEPT),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except ChatNotFound as problem:
        return _fail(f"{problem.sentence.removesuffix('.')}: {problem.data.get('uri')}", FAILED)
    except CompactChatError as problem:
        return _fail(_in_flags(problem.sentence), WRONG_USAGE if isinstance(problem, InvalidParams) else FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has seen enough
        return DONE
    except OSError as problem:
        return _fail(f"The output cannot be written: {problem.strerror}.", FAILED)
    except Exception as fault:  # noqa: BLE001 -- a person gets a sentence, never a traceback
        return _fail(f"Something went wrong inside Compact Chat ({type(fault).__name__}); please report it.", FAILED)


def _fail(sentence: str, code: int) -> int:
    _tell(sentence)
    return code


def _tell(sentence: str) -> None:
    """Say something beside the output, where a pipe does not take it."""
    print(f"compact-chat: {sentence}", file=sys.stderr)  # noqa: T201 -- this is the command line


def _in_flags(sentence: str) -> str:
    """Name the flag where a sentence names the path of a param, or is about several params."""
    if sentence.startswith("$: "):
        return re.sub(r"\b[a-z]+[A-Z]\w*", lambda name: flag(name[0]), sentence[3:])
    return re.sub(r"^\$\.(?:options\.)?(\w+)", lambda path: flag(path[1]), sentence)


def _run(arguments: list[str]) -> int:
    parser = parser_for(arguments[0] if arguments else "")
    asked = parser.parse_args(arguments)
    if asked.command is None:
        parser.print_help()
        return WRONG_USAGE
    if asked.command == "serve":
        return _serve(asked)
    return _print(asked)


def _serve(asked: argparse.Namespace) -> NoReturn:
    from compact_chat.serve import serve_stdio, serve_tcp

    if asked.tcp is None:
        serve_stdio(asked.log_file)
    serve_tcp(asked.tcp, asked.log_file)


def parser_for(command: str) -> argparse.ArgumentParser:
    """Build the parser; only the command that is asked for gets its flags, since making them takes time."""
    parser = argparse.ArgumentParser(
        prog="compact-chat", description="Measure, preview, summarise and continue AI chats."
    )
    parser.add_argument("--version", action="version", version=f"compact-chat {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, sentence in HELP.items():
        one = commands.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        if name == "serve":
            _add_serving(one)
        elif name == command:
            _add_arguments(one, name)
    return parser


def _add_serving(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="the default; accepted for clients that append it")
    where.add_argument("--tcp", metavar="HOST:PORT", help="serve several clients on this machine; port 0 picks one")
    parser.add_argument("--log-file", metavar="PATH", help="note what passes by lengths and hashes, never by its text")


def _add_arguments(parser: argparse.ArgumentParser, command: str) -> None:

    name = {"count": "countTokens", "compact": "summarize"}.get(command, command)
    kind, source = operation(name).params, _SOURCES.get(command, "chat")
    parser.set_defaults(operation=name, params=kind, source=source)
    parser.add_argument("--json", action="store_true", help="print the result object of the wire")
    add_flags(parser, kind, without=frozenset({source, "options", "chat"}))
    if source:
        _add_source(parser, source, is_optional=command in ("format", "transcript"))
    if source == "chat":
        _add_options(parser, kind, command)
    if command == "history":
        parser.add_argument("chat", metavar="CHAT", nargs="?", help="only of this chat: a path or a file: URI")
    if command in ("history", "restore", "export"):
        add_flags(parser, Settings, without=frozenset(Settings.__struct_encode_fields__) - set(_KEPT))
    if texts := {"summarize": ("summary", "continuation"), "check": ("continuation",)}.get(name):
        parser.add_argument("--only", choices=texts, help="print just this text, as it is")


def _add_source(parser: argparse.ArgumentParser, source: str, *, is_optional: bool) -> None:
    told = _NAMES.get(source, f"the {source}: a path, a file: URI, or - for standard input")
    shown = "ID" if source in _NAMES else source.upper()
    parser.add_argument(source, metavar=shown, nargs="?" if is_optional else None, help=told)


def _add_options(parser: argparse.ArgumentParser, kind: type[msgspec.Struct], command: str) -> None:
    from compact_chat.operations import ChatRef

    parser.add_argument("--options", type=json_value, metavar="JSON", help="all options at once")
    add_flags(parser, ChatRef, without=frozenset({"uri", "text", "messages", "system", "tools"}))
    add_flags(parser, Settings, without=frozenset(kind.__struct_encode_fields__) | _BESIDE.get(command, frozenset()))


def _print(asked: argparse.Namespace) -> int:

    typed, problem = results(asked)
    found = msgspec.to_builtins(typed)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may know fewer characters
        sys.stdout.reconfigure(errors="replace")
    for line in [json_text(found)] if asked.json else _page(asked, found):
        print(line)  # noqa: T201 -- this is the command line
    sys.stdout.flush()
    if problem is not None:
        raise problem
    return DONE


def _page(asked: argparse.Namespace, found: JsonObject) -> Iterable[str]:
    from compact_chat.cli.terminal import terminal_of
    from compact_chat.cli.views import VIEWS

    if asked.command == "prompt":
        plan = found["planId"]
        _tell(f"hand the reply to: compact-chat summarize CHAT --plan-id {plan} --reply FILE; repeat the options")
    if getattr(asked, "only", None):
        text = found.get("compaction", found)[asked.only]
        if not text:
            raise NothingToCompact(f"This strategy writes no {asked.only}.")
        return [text]
    return VIEWS[asked.command](found, terminal_of(sys.stdout))
