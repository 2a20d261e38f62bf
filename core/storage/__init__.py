"""Where records live: the Database protocol, and SQLite behind it."""
