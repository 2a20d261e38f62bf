"""Podium in a real browser, and what strangers try with its gateway."""
