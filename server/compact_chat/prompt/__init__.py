"""A plan's messages become the request that a model gets: transcript, fitting to a window, and the prompts."""
