"""The command line: read what is asked, run the operation, print it for a person or as JSON."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

import msgspec

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.errors import ChatNotFound, CompactChatError, InvalidParams, NothingToCompact
from compact_chat.operations.json_text import json_text
from compact_chat.operations.table import operation
from compact_chat.options import Options, Settings

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
    from compact_chat.cli.flags import flag

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
    from compact_chat.serve.server import serve_stdio, serve_tcp

    if asked.tcp is None:
        serve_stdio(log_file=asked.log_file)
    from compact_chat.serve.listening import listen

    serve_tcp(listen(asked.tcp), log_file=asked.log_file)


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
    from compact_chat.cli.flags import add_flags

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
    from compact_chat.cli.flags import add_flags, json_value
    from compact_chat.operations.params import ChatRef

    parser.add_argument("--options", type=json_value, metavar="JSON", help="all options at once")
    add_flags(parser, ChatRef, without=frozenset({"uri", "text", "messages", "system", "tools"}))
    add_flags(parser, Settings, without=frozenset(kind.__struct_encode_fields__) | _BESIDE.get(command, frozenset()))


def _print(asked: argparse.Namespace) -> int:
    from compact_chat.cli.run import results

    found, problem = results(asked)
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
