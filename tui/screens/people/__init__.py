"""Users and their roles.

people.py              users of the workspace, and the form of one
members.py             members of a project, and their roles
meta_roles.py          meta roles
tokens.py              tokens and linked accounts
explain_permission.py  why an action is allowed
"""
