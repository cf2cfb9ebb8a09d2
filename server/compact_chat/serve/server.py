"""The server's life: from taking standard input and output to leaving the process."""

from __future__ import annotations

import asyncio
import gc
import os
from typing import NoReturn

from compact_chat.serve.offer import Offer, built
from compact_chat.serve.stdio import take_stdio


def serve_stdio(offer: Offer | None = None) -> NoReturn:
    """Serve the client on standard input and output until one side leaves; the process ends here.

    It ends at once: the interpreter would wait for worker threads, which cannot be stopped from outside.
    """
    incoming, outgoing = take_stdio()
    gc.disable()  # the collector would go through all of pygls several times while it loads
    from compact_chat.serve.session import session

    offer = offer or built()
    gc.freeze()
    gc.enable()
    code = asyncio.new_event_loop().run_until_complete(session(offer, incoming, outgoing))
    os._exit(code)
