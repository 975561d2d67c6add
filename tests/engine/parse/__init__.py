"""Tests of `engine/parse/`."""
