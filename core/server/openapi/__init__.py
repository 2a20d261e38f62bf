"""The OpenAPI document of the API, and a page for each error code.

document.py          the document
components.py        shared parts
extra_operations.py  operations that are not messages
schemas.py           JSON Schema of types
error_pages.py       error pages
"""
