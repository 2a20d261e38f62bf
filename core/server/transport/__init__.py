"""Sockets and the HTTP protocol below a request.

listeners.py      listening sockets
accepting.py      accepts connections
http_protocol.py  deadlines, limits and the peer of a connection
tls.py            certificates
"""
