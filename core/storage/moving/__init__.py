"""``podium copy``: moves a workspace to another database, of the same engine or of the other one.

copying.py       copies all rows, compares them, and marks the old database
sqlite_store.py  a file as the source or the target of a copy
"""
