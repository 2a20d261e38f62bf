"""Contracts between two sides: the permission query on the wire, and the same answers from both sources."""
