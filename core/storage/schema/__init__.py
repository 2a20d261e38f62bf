"""The tables of a workspace, and the migrations that bring older ones forward.

tables.py         the tables and indexes of the first schema
migrations.py     the first schema, and the list of migrations, each with the hash of its schema
gate_history.py   the migration that reads who completed, delivered and decided what
integrity.py      checks for damage
copied_tables.py  the tables that a copy consists of
"""
