"""Messages -> what they hold: files, commands, errors, todos, rules; and which of them a text still contains."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.facts.calls import (
        COMMIT,
        Exchange,
        Reply,
        documents,
        exchanges,
        is_refused,
        outcomes,
        project_rules,
        refusals,
        replies,
    )
    from compact_chat.facts.corrections import SUPERSEDED_VALUE
    from compact_chat.facts.edits import Change, attachments, changes, telling_lines, updates
    from compact_chat.facts.errors import Error, plain_command, program, target, task_of, without_limits
    from compact_chat.facts.files import (
        MODIFIED,
        PROSE,
        READ,
        edited_paths,
        file_kind,
        file_name,
        file_records,
        find_pieces,
        is_agents_own,
        joined_records,
        paths_of_step,
        record_blocks,
        recorded,
        removed_files,
        shown_path,
        without_records,
    )
    from compact_chat.facts.ledger import (
        WEIGHTS,
        Fact,
        Facts,
        Kind,
        Work,
        find_facts,
        in_force,
        same_command,
        work_of,
    )
    from compact_chat.facts.mentions import Mentions, command_head, error_head, survival
    from compact_chat.facts.results import NEW_TEXT, OLD_TEXT, LookUp, Result, defining_lines, look_ups, new_names
    from compact_chat.facts.rulebook import rules
    from compact_chat.facts.said import decisions, open_ends, unkept
    from compact_chat.facts.state import Note, is_check, is_test, named_checks, state_of
    from compact_chat.facts.steps import Command, Step, commands, find_steps, working_folder
    from compact_chat.facts.user import (
        EXTRACTED,
        PREFERENCES_HEADING,
        QUOTED_ABOVE,
        RULES_HEADING,
        SUPERSEDED,
        WORDS_HEADING,
        Inherited,
        Request,
        Todo,
        earlier_summaries,
        inherited,
        instruction_sections,
        listed_todos,
        requests,
        summary_and_kept,
        summary_parts,
        todos,
    )
    from compact_chat.facts.words import (
        ANNOUNCES_WORK,
        COMES_NEXT,
        CONCLUDES,
        MATTERS,
        MENTIONS_WORK,
        asks,
        fold,
        sentences,
        shortened,
        shortened_command,
        without_bullet,
    )
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
