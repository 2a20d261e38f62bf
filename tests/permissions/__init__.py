"""The permission matrix: role × message × state against the table of the specification, in the core and outside."""
