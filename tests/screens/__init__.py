"""Tests of the screens: keys are pressed, and the record and the screen are looked at."""
