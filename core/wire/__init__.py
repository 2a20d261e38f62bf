"""Messages over HTTP, for client and server.

routes.py           routes and requests
message_decoder.py  messages from JSON or words
result_decoder.py   results from JSON
error_bodies.py     errors as JSON and back
"""
