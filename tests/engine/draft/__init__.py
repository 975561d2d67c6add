"""Tests of `engine/draft/`."""
