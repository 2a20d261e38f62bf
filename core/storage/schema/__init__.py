"""The tables of a workspace, and the migrations that bring older ones forward.

migrations.py  the list of migrations
renames.py     the migration of stored names
forms.py       the hash of a schema
integrity.py   runs migrations, checks for damage
"""
