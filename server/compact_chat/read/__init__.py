"""Bytes, text or messages of any known tool become a Chat: one module per format."""
