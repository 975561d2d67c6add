"""Tests of `engine/search/`."""
