"""The operations for a shell; imports pygls only to serve."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # exit codes
INSTANT = {"hook": "run_hook", "statusline": "run_statusline"}  # agents run these all the time: nothing else is loaded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; interrupts are handled from the start."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        if given and given[0] in INSTANT and not {"-h", "--help"}.intersection(given):
            if sys.stdin is not None and sys.stdin.isatty():
                sentence = f"an agent runs `{given[0]}` and sends it JSON; in a terminal try `compact-chat watch`"
                print(f"compact-chat: {sentence}", file=sys.stderr)
                return WRONG_USAGE
            from compact_chat import agents

            return int(getattr(agents, INSTANT[given[0]])(given[1:]))
        from compact_chat.cli import command
    except KeyboardInterrupt:
        return INTERRUPTED
    return command.main(arguments)


def run() -> NoReturn:
    """Run the command of this process and end it at once; to free a vocabulary that was loaded takes 50 of 300 ms."""
    code = main()
    if sys.stdout is not None:
        with suppress(OSError):  # `main` has said what went wrong with the output
            sys.stdout.flush()
    os._exit(code)
