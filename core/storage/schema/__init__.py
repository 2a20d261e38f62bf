"""The tables of a workspace, and the migrations that bring older ones forward.

tables.py         the first tables and indexes
migrations.py     the list of migrations
renames.py        the migration of stored names
gate_history.py   the migration that reads who completed, delivered and decided what
schema_hash.py    the hash of a schema
integrity.py      runs migrations, checks for damage
copied_tables.py  the tables that a copy consists of
"""
