"""Everybody on one project at once, each by the way they come."""
