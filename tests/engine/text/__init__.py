"""Tests of `engine/text/`."""
