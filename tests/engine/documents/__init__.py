"""Tests of `engine/documents/`."""
