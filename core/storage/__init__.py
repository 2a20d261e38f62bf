"""The storage of records: the Database protocol, and SQLite or PostgreSQL behind it.

database.py        the protocol
opening.py         opens the database of a path or a URL
deadline.py        time limits of transactions
progress.py        progress and cancellation
row_mapper.py      records as rows
ulids.py           new ids
values.py          checks every stored value
change_watcher.py  notices commits
backups.py         daily backups
restoring.py       restores a backup
copying.py         copies a workspace to another database
move_mark.py       the mark of a moved database
schema/            tables and migrations
full_text.py       full text search in SQLite
sqlite/            SQLite and its files
postgres/          PostgreSQL
"""
