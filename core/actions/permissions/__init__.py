"""Messages about permissions.

permissions.py  the permission query, and one's own permissions
explain.py      explains one decision
"""
