"""The tests of Podium. Each folder drives the real thing from one side."""
