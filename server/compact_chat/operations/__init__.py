"""The operations: one short story each, the same for editors and for a shell."""
