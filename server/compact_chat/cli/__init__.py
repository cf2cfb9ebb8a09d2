"""The operations for a shell; imports pygls only to serve."""

from collections.abc import Sequence

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # exit codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; interrupts are handled from the start."""
    try:
        from compact_chat.cli import command
    except KeyboardInterrupt:
        return INTERRUPTED
    return command.main(arguments)
