"""The storage of records: the Database protocol, and SQLite behind it.

database.py        the protocol
sqlite.py          connections
transaction.py     one transaction
deadline.py        time limits of transactions
progress.py        progress and cancellation
row_mapper.py      records as rows
values.py          checks every stored value
change_watcher.py  notices commits
backups.py         daily backups
restoring.py       restores a backup
schema/            tables and migrations
search/            full text search
files/             the files of a database
"""
