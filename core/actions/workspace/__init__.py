"""Messages about the workspace and its users.

create.py          creates a workspace with its first user
credentials.py     tokens and linked accounts
gateway_tokens.py  tokens of browser gateways
hierarchy.py       clients, markets, brands
meta_roles.py      meta roles
profile.py         the current user and their settings
users.py           users and platform roles
workspace.py       the workspace's name
"""
