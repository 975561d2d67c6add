"""Tests of `engine/verify/`."""
