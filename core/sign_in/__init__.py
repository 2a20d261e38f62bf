"""How a process or a request becomes a user, above the engine.

local.py             the user of this process
gateway_sessions.py  sessions that a gateway opens
"""
