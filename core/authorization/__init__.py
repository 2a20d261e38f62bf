"""Who decides: the permission query, and the two sources that answer it."""
