"""Messages -> what they hold: files, commands, errors, todos, rules; and which of them a text still contains."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.facts.earlier import (
        EXTRACTED,
        PREFERENCES_HEADING,
        RULES_HEADING,
        SUPERSEDED,
        WORDS_HEADING,
        Inherited,
        inherited,
        summary_and_kept,
    )
    from compact_chat.facts.errors import Error, find_errors, program, target, task_of
    from compact_chat.facts.files import (
        MODIFIED,
        READ,
        FileUse,
        Piece,
        file_kind,
        file_records,
        file_uses,
        find_pieces,
        joined_records,
        paths_of_step,
        record_blocks,
        recorded,
        removed_files,
        shown_path,
        without_records,
    )
    from compact_chat.facts.ledger import Fact, Facts, Work, find_facts, in_force, work_of
    from compact_chat.facts.mentions import command_head, error_head, survival
    from compact_chat.facts.results import NewNames, Result, new_names, used_results
    from compact_chat.facts.rulebook import Rule, rules
    from compact_chat.facts.runs import Note
    from compact_chat.facts.said import Statement, decisions, open_ends
    from compact_chat.facts.state import state_of
    from compact_chat.facts.steps import (
        Command,
        Step,
        commands,
        find_steps,
    )
    from compact_chat.facts.user import (
        Request,
        Todo,
        earlier_summaries,
        instruction_sections,
        requests,
        summary_parts,
        todos,
    )
    from compact_chat.facts.words import counted, fold, sentences, shortened, without_bullet

__all__ = [
    "EXTRACTED",
    "MODIFIED",
    "PREFERENCES_HEADING",
    "READ",
    "RULES_HEADING",
    "SUPERSEDED",
    "WORDS_HEADING",
    "Command",
    "Error",
    "Fact",
    "Facts",
    "FileUse",
    "Inherited",
    "NewNames",
    "Note",
    "Piece",
    "Request",
    "Result",
    "Rule",
    "Statement",
    "Step",
    "Todo",
    "Work",
    "command_head",
    "commands",
    "counted",
    "decisions",
    "earlier_summaries",
    "error_head",
    "file_kind",
    "file_records",
    "file_uses",
    "find_errors",
    "find_facts",
    "find_pieces",
    "find_steps",
    "fold",
    "in_force",
    "inherited",
    "instruction_sections",
    "joined_records",
    "new_names",
    "open_ends",
    "paths_of_step",
    "program",
    "record_blocks",
    "recorded",
    "removed_files",
    "requests",
    "rules",
    "sentences",
    "shortened",
    "shown_path",
    "state_of",
    "summary_and_kept",
    "summary_parts",
    "survival",
    "target",
    "task_of",
    "todos",
    "used_results",
    "without_bullet",
    "without_records",
    "work_of",
]

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(
        __name__,
        {
            "errors": "Error task_of find_errors program target",
            "files": "FileUse MODIFIED Piece READ file_kind file_records file_uses find_pieces joined_records "
            "paths_of_step record_blocks recorded removed_files shown_path without_records",
            "earlier": "EXTRACTED Inherited PREFERENCES_HEADING RULES_HEADING SUPERSEDED WORDS_HEADING inherited "
            "summary_and_kept",
            "ledger": "Fact Facts Work find_facts in_force work_of",
            "mentions": "command_head error_head survival",
            "steps": "Command Step commands find_steps",
            "results": "NewNames Result new_names used_results",
            "rulebook": "Rule rules",
            "said": "Statement decisions open_ends",
            "runs": "Note",
            "state": "state_of",
            "user": "Request Todo earlier_summaries instruction_sections requests summary_parts todos",
            "words": "counted fold sentences shortened without_bullet",
        },
    )
