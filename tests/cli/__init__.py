"""The command line: what it prints, the exit status, and what is in the database afterwards."""
