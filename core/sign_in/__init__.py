"""Sign-in: the user of a process, and the sessions of a gateway; above the engine, as they use it.

local.py             the user of this process
gateway_sessions.py  sessions that a gateway opens
"""
