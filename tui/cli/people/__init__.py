"""Commands on users, their permissions and how they sign in.

users.py        podium user, with user offboard
meta_roles.py   podium meta-role
permissions.py  podium permission
tokens.py       podium token
os_accounts.py  podium os-account
"""
