"""Where a server listens."""

from __future__ import annotations

import socket

import pytest

from compact_chat.errors import CompactChatError, InvalidParams
from compact_chat.serve.tcp import listen


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0", "127.9.8.7:0"])
def test_addresses_of_this_machine_are_taken(address: str) -> None:
    """A port is picked at an address of this machine."""
    with listen(address) as taken:
        assert taken.getsockname()[0].startswith("127.")
        assert taken.getsockname()[1] > 0


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0:0", "[::]:0", ":0", "*:0", "0:0", "192.168.0.1:0", "[fe80::1]:0", "[::ffff:192.0.2.2]:0"),
        *("example.org:0", "127.example.org:0", "256.0.0.1:0", "user@127.0.0.1:0", "tcp://127.0.0.1:0", "[x]:0"),
        *("", "127.0.0.1", "127.0.0.1:", "::1:0", "[::1:0", "1:2:3", "127.0.0.1:65536", "127.0.0.1:-1"),
        *("127.0.0.1:http", "127.0.0.1:1_0", "127.0.0.1:٣", "127.0.0.1:0\n", "127.0.0.1: 0"),
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    """Nothing that another machine could reach, and nothing that is no address."""
    with pytest.raises(InvalidParams, match="expected HOST:PORT"):
        listen(address)


def test_a_port_in_use_is_told_in_a_sentence() -> None:
    """Where the port is taken, the sentence says so and names it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CompactChatError, match=rf"Nothing can listen at 127\.0\.0\.1, port {port}: "):
            listen(f"127.0.0.1:{port}")
