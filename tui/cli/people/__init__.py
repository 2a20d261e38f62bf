"""Commands on users, their permissions and how they sign in.

users.py           podium user
meta_roles.py      podium meta-role
permissions.py     podium permission
tokens.py          podium token
gateway_tokens.py  podium token gateway
os_accounts.py     podium os-account
"""
