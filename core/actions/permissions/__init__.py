"""Messages about permissions.

permissions.py  queries: the permission query, the sender's own permissions, and an explained decision
explain.py      explains why a user has or lacks a permission
"""
