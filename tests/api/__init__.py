"""The HTTP API, as strangers and as Podium itself speak to it."""
