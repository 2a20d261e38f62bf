"""The backends of a front end: the core in this process, or the core behind a server.

local.py       the Backend protocol, and the core in this process
remote.py      the core behind a server
connection.py  retries, timeouts and the event stream of a client
"""
