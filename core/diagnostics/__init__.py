"""What ``podium doctor`` checks.

workspace.py      the open workspace
local.py          this installation and the file
server.py         a server, seen from its client
sign_in_paths.py  who can sign in
"""
