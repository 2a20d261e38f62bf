"""Dependencies between cards: links, what they refuse, overrides, cycles."""
