"""What a front end holds: the core in this process, or behind a server.

local.py       the Backend protocol, and the core in this process
remote.py      the core behind a server
connection.py  retries, timeouts and the event stream of a client
"""
