"""Secrets out of text, each replaced by a placeholder that tells its kind (contract: redactions)."""

from compact_chat.redact.redactor import Redactor

__all__ = ["Redactor"]
