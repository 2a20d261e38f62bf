"""The checks of ``podium doctor``.

workspace.py      the open workspace
local.py          this installation and the file
postgres.py       a database of PostgreSQL
server.py         a server, from its client
seals.py          the seals of decisions at gates
sign_in_paths.py  linked accounts, tokens and the socket
"""
