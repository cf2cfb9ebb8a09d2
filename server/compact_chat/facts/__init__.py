"""Messages -> what they hold: files, commands, errors, todos, rules; and which of them a text still holds."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.facts.errors import Error, errand_of, find_errors, program, target
    from compact_chat.facts.files import (
        MODIFIED,
        READ,
        FileUse,
        file_kind,
        file_records,
        file_uses,
        joined_records,
        paths_of_step,
        record_blocks,
        recorded,
        records_in,
        removed_files,
        shown_path,
        without_records,
    )
    from compact_chat.facts.instructions import instruction_sections
    from compact_chat.facts.ledger import collect, command_head, error_head, survival
    from compact_chat.facts.pieces import Piece, find_pieces
    from compact_chat.facts.steps import (
        COMMAND_TOOLS,
        Command,
        Step,
        command_text,
        commands,
        find_steps,
    )
    from compact_chat.facts.user import Request, Rule, Todo, earlier_summaries, requests, rules, summary_parts, todos
    from compact_chat.facts.words import counted, fold, sentences, shortened, without_bullet
    from compact_chat.facts.work import Work, work_of

__all__ = [
    "COMMAND_TOOLS",
    "MODIFIED",
    "READ",
    "Command",
    "Error",
    "FileUse",
    "Piece",
    "Request",
    "Rule",
    "Step",
    "Todo",
    "Work",
    "collect",
    "command_head",
    "command_text",
    "commands",
    "counted",
    "earlier_summaries",
    "errand_of",
    "error_head",
    "file_kind",
    "file_records",
    "file_uses",
    "find_errors",
    "find_pieces",
    "find_steps",
    "fold",
    "instruction_sections",
    "joined_records",
    "paths_of_step",
    "program",
    "record_blocks",
    "recorded",
    "records_in",
    "removed_files",
    "requests",
    "rules",
    "sentences",
    "shortened",
    "shown_path",
    "summary_parts",
    "survival",
    "target",
    "todos",
    "without_bullet",
    "without_records",
    "work_of",
]

if not TYPE_CHECKING:  # a type checker would take any name from it
    __getattr__ = door(
        __name__,
        {
            "errors": "Error errand_of find_errors program target",
            "files": "FileUse MODIFIED READ file_kind file_records file_uses joined_records paths_of_step "
            "record_blocks recorded records_in removed_files shown_path without_records",
            "instructions": "instruction_sections",
            "ledger": "collect command_head error_head survival",
            "pieces": "Piece find_pieces",
            "steps": "COMMAND_TOOLS Command Step command_text commands find_steps",
            "user": "Request Rule Todo earlier_summaries requests rules summary_parts todos",
            "words": "counted fold sentences shortened without_bullet",
            "work": "Work work_of",
        },
    )
