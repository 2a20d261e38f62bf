"""Messages about permissions.

gate_review.py  who can decide at each gate, and where that depends on one person
permissions.py  the permission query, the sender's own permissions, and an explained decision
"""
