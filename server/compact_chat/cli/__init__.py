"""The operations for a shell; never imports pygls unless it is to serve."""

from collections.abc import Sequence

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # exit codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; an interrupt has its own from the first moment on."""
    try:
        from compact_chat.cli import command
    except KeyboardInterrupt:
        return INTERRUPTED
    return command.main(arguments)
