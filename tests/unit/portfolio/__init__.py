"""Tests of the messages over all of a user's projects."""
