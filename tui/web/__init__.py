"""Podium in a browser: users sign in with a token, and each tab gets its own Podium process.

Page and protocol come from textual-serve. Its server is not used, because it has no sign-in and passes its whole
environment to each process.

run.py                 the process: socket, signals, shutdown
gateway.py             the routes
sign_in.py             the sign-in page
proxy_auth.py          sign-in by a reverse proxy
temporary_tokens.py    tokens for users of a proxy
origin_check.py        origins and security headers
connection.py          deadlines of one connection
sessions.py            sessions and their tabs
sign_in_attempts.py   limits of sign-in attempts
tab.py                 one tab
tab_process.py         its Podium process
websocket_messages.py  messages of a browser
pages.py               the pages, from assets
"""
