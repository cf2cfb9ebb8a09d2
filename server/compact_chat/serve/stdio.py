"""Standard input and output for frames alone."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Give streams of standard input and output, and leave the numbers 0 and 1 to whoever else reads or prints.

    In pygls 2.1.1 a `print` anywhere, here, in a C library or in a child process, lands between two frames
    (no upstream issue known). What is printed now goes to standard error; who reads from standard input reads nothing.
    """
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the number of standard error where that is closed
    incoming, outgoing = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        for number in (incoming, outgoing):
            os.set_blocking(number, True)  # some clients hand over pipes that never wait
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)
