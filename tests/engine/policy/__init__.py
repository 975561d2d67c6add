"""Tests of `engine/policy/`."""
