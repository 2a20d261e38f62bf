"""HTTP clients for servers and services, and their bearer tokens. It knows no messages.

http_client.py        HTTP; the only module that imports httpx
unix_http_client.py   HTTP over a Unix socket, and the choice of the client for a server
server_address.py     addresses of Podium servers
database_url.py       URLs of databases, shown without passwords
bearer_tokens.py      tokens from environment, keyring, file or pipe
peer_credentials.py   the process at the other end of a Unix socket
this_host.py          the id of this machine
tls.py                TLS versions and cipher suites
event_loop_thread.py  an event loop in a thread
"""
