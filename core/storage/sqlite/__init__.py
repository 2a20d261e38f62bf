"""SQLite: connections, transactions, and the file of a database with its locks, links, room, copies and backups.

database.py       connections, reads and the one writer
connections.py    the connections of a thread
transaction.py    one transaction
faults.py         errors of SQLite as sentences
write_queue.py    the write lock, and the lock of the server
opened_file.py    files replaced while open
disk_space.py     free space on the disk, checkpoints of the log
hard_links.py     refuses hard links of a database
read_only.py      read-only access
move_marks.py     marks of moved files
copies.py         copies a database
copy_store.py     a file as the source or the target of a copy to another database
backup_folder.py  the folder of backups
"""
