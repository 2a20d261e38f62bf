"""Tests of the screens."""

from tests.screens import at_rest as at_rest  # in place of Textual's own waiting, in every test here
