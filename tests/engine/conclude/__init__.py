"""Tests of `engine/conclude/`."""
