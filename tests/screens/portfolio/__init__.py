"""Tests of the screens over all projects at once."""
