"""Full text search in SQLite.

query.py   finds documents
tables.py  documents and index
"""
