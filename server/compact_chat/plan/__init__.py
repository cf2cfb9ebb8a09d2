"""Chat + options -> Plan: which messages stay, which are cut, which a summary replaces."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.plan.plan import (
        Direction,
        MessageIndex,
        Plan,
        can_prune,
        digest,
        find_exchanges,
        front_length,
        make_plan,
        open_end,
        plan_id,
        visible,
        with_parts,
    )
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
