"""How big a chat is: tokens, model families, context windows and the report a person reads."""
