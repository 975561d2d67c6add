"""Tests of `engine/audit/`."""
