"""Asking other programs over a network or socket; no message is known here.

http_client.py        HTTP, the one module that imports httpx
unix_http_client.py   HTTP over a Unix socket
clients.py            picks one of the two
server_address.py     where a server is
bearer_tokens.py      where tokens are found
peer_credentials.py   the account behind a socket
tls.py                TLS versions and suites
event_loop_thread.py  an event loop in a thread
"""
