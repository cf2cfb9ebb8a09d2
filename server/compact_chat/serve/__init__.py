"""The operations for editors: JSON-RPC in LSP frames on standard input and output."""
